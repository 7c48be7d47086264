"""Nonsense on `Arena.Play`: it ends in a status that says what is wrong, and the other bots notice nothing."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
import pytest
from hypothesis import strategies as st

from roost.v1 import play_pb2
from roost_games.registry import GAME_NAMES
from roost_games.replay import Replay
from tests.support.arenas import nonsense
from tests.support.arenas.hall import Hall, bounded, hall, settings, until
from tests.support.arenas.nonsense import collect
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.arenas.raw_stream import RawStream, raw_stream

CLEAR = {
    None,
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
STREAMS_AT_ONCE = 5


async def talk(address: str, messages: list[bytes]) -> grpc.StatusCode | None:
    """Say all of it on one stream, then end it: how the arena ends its side."""
    async with raw_stream(address) as stream:
        try:
            for message in messages:
                await stream.send(message)
            await stream.call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the arena has had enough already
        return await told_status(stream)


async def told_status(stream: RawStream) -> grpc.StatusCode | None:
    """What the arena said, or `None` if it was not heard: the client's library was writing when the stream ended."""
    status, details = await stream.end()
    return None if details == "Internal error from Core" else status


async def talk_all(place: Hall, talks: list[list[bytes]]) -> None:
    for start in range(0, len(talks), STREAMS_AT_ONCE):
        group = talks[start : start + STREAMS_AT_ONCE]
        for status in await asyncio.gather(*(talk(place.address, messages) for messages in group)):
            assert status in CLEAR


def test_nonsense_from_the_first_message_on() -> None:
    talks = collect(st.lists(nonsense.anything, max_size=4), 100)

    async def script() -> None:
        with TemporaryDirectory() as folder:
            async with (
                hall(Path(folder), settings(players=2, grace_seconds=0.1, ready_seconds=2.0)) as place,
                RawBot(place.address, "x", player_counts=[2]),
                RawBot(place.address, "y"),
            ):
                await talk_all(place, talks)
                for replay in await place.matches(4, between_honest_bots):
                    assert replay.result.faults == ()

    bounded(script)


def between_honest_bots(replay: Replay) -> bool:
    return {seat.bot for seat in replay.seats} == {"x", "y"} and replay.result.termination != "voided"


class NonsenseBot(RawBot):
    """Answers every question with the next piece of nonsense, and with an honest answer after it."""

    def __init__(self, address: str, nonsense: list[play_pb2.Answer]) -> None:
        super().__init__(address, "fuzz", max_matches=4)
        self.nonsense = nonsense

    def answers(self, decision: play_pb2.Decision) -> Answers:
        if self.nonsense:
            answer = self.nonsense.pop()
            if len(self.nonsense) % 4:
                answer.match, answer.request = decision.match, decision.request
            yield answer
        yield self.honest_answer(decision)


@pytest.mark.short(1)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_nonsense_from_a_bot_that_plays(tmp_path: Path, game: str) -> None:
    """It hits real matches and real requests. Whatever comes of it belongs to that bot alone."""
    talks = collect(st.lists(nonsense.answers, min_size=1, max_size=8), 60)

    async def script() -> None:
        async with hall(tmp_path, settings(game, 3, max_faults=20, quarantine_after=1_000)) as place:
            fuzz = NonsenseBot(place.address, [answer for answers in talks for answer in answers])
            async with fuzz, RawBot(place.address, "x", max_matches=4) as x, RawBot(place.address, "y", max_matches=4):
                await until(lambda: not fuzz.nonsense)
                await until(lambda: x.ended)
                for replay in await place.matches(1):
                    assert {replay.seats[fault.seat].bot for fault in replay.result.faults} <= {"fuzz"}
                assert not fuzz.playing.done()
                assert not x.playing.done()

    bounded(script)
