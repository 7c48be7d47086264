"""Messages that are too large: moves of a megabyte, and small messages that unpack into large ones.

Seventeen malformed moves of 1 MiB used to hold up an arena for a second each, and a compressed message took 1 GB.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from roost.v1 import karteneck_pb2, play_pb2
from roost_games.chance import Tape, seed_of
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk.arena.matches import ANSWER_OVERHEAD
from roost_sdk.wire import codec_for
from roost_sdk.wire.codec import MatchCodec
from roost_server.settings import Settings
from tests.support.arenas.arena_program import address_of, program
from tests.support.arenas.hall import bounded, hall, settings
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.arenas.raw_stream import METHOD, RawStream

BOMB_MIB = 96
MATCHES = 4


class LargeMoves(RawBot):
    """Answers with a move that is as large as a message may be."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        lay = [1] * (self.welcome.max_message_bytes - 100)
        move = play_pb2.Move(karteneck=karteneck_pb2.KarteneckMove(lay=lay))
        return (play_pb2.Answer(match=decision.match, request=decision.request, move=move),)


def test_a_large_move_is_a_fault_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    known_move = MatchCodec.known_move

    def counting(codec: Any, data: bytes) -> Any:
        decoded.append(len(data))
        return known_move(codec, data)

    monkeypatch.setattr(MatchCodec, "known_move", counting)

    async def script() -> None:
        async with (
            hall(tmp_path, settings(max_faults=2, quarantine_after=100)) as place,
            LargeMoves(place.address, "large", max_matches=1),
            RawBot(place.address, "honest"),
        ):
            replays = await place.matches(MATCHES)
            faults = [fault for replay in replays for fault in replay.result.faults]
            assert {(str(fault.kind), fault.sent) for fault in faults} == {("malformed", faults[0].sent)}
            assert str(faults[0].sent).startswith("a move of 65")
            assert max(decoded) < Settings().max_move_bytes

    bounded(script)


def test_a_message_above_the_limit_ends_its_stream_only(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings()) as place,
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
            RawBot(place.address, "large", player_counts=[7]) as large,
        ):
            assert (large.welcome.max_move_bytes, large.welcome.max_message_bytes) == (4096, 65536)
            await large.send(ready=range(1_000_000, 1_030_000))
            await large.playing
            assert large.status == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "send at most 65536 at once" in large.details
            for replay in await place.matches(MATCHES):
                assert replay.result.faults == ()

    bounded(script)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_honest_answers_to_all_matches_at_once_fit_into_a_message(game: str) -> None:
    """So a bot of the last version, which does not split its batches, still plays: no legal move is that large."""
    rules, rng = get_game(game), Random(game)
    options = rules.options({})
    codec = codec_for(game).for_match(options)
    most = Settings().max_message_bytes // Settings().max_matches_per_bot
    for players in rules.players(options):
        state: Any = rules.start(players, options, Tape(seed_of(f"{game} {players}")))
        while state.to_move:
            seat = min(state.to_move)
            legal = state.legal(seat)
            for move in legal:
                answer = play_pb2.Answer(match=2**32 - 1, request=2**32 - 1)
                codec.move_to_wire(move, answer.move)
                assert answer.ByteSize() + ANSWER_OVERHEAD < most
            state.apply(seat, rng.choice(legal))


def test_a_bomb_is_refused_unopened(tmp_path: Path) -> None:
    """A compressed message of some KiB, which would take 96 MiB in the arena."""

    async def script() -> None:
        async with program("arena_program", tmp_path / "roost.db", "127.0.0.1:0", 0) as process:
            address = await address_of(process)
            before = peak_mib(process.pid)
            for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
                assert await thrown(address, compression) == grpc.StatusCode.UNIMPLEMENTED
            assert peak_mib(process.pid) - before < BOMB_MIB / 2
            async with RawBot(address, "x"), RawBot(address, "y") as honest:
                while not honest.ended:
                    await asyncio.sleep(0.01)

    bounded(script)


async def thrown(address: str, compression: grpc.Compression) -> grpc.StatusCode:
    """How a stream ends whose first message is a bomb."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1))
    async with grpc.aio.insecure_channel(address, options=options, compression=compression) as channel:
        stream = RawStream(channel.stream_stream(METHOD, None, play_pb2.ArenaMessage.FromString)())
        with suppress(grpc.aio.AioRpcError):
            await stream.send(bytes(BOMB_MIB << 20))
        return (await stream.end())[0]


def peak_mib(pid: int) -> float:
    """The most memory that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
