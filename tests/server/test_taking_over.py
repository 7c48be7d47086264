"""A new version of a bot takes over: the old one plays its matches to the end, and no match is lost."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from roost.v1 import arena_pb2, play_pb2
from roost_ladder.schedules.schedule import Kind, Participants
from roost_server.play.entrance import Entrance
from roost_server.play.roster import OpenRoster, PinnedRoster
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot


class Replaceable(HesitantBot):
    """Holds its answers until it may go on, and notes who takes over."""

    replaced_by = ""

    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        self.replaced_by += message.replaced_by
        await super().hear(message)


async def forfeits(place: Any) -> list[bool]:
    """Of each match on record, whether somebody forfeited."""
    listed = await place.stub.ListMatches(arena_pb2.ListMatchesRequest(limit=1000))
    return [bool(match.result.forfeits) for match in listed.matches]


def test_the_old_version_plays_its_matches_to_the_end_and_leaves(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            Replaceable(place.address, "x", version="old", max_matches=1) as old,
            RawBot(place.address, "y"),
        ):
            await until(lambda: old.decisions)
            async with RawBot(place.address, "x", version="new", takes_over=True) as new:
                await until(lambda: old.replaced_by)
                assert old.replaced_by == "new"
                assert not old.ended
                await old.go_on()
                await old.playing
                assert old.status is grpc.StatusCode.OK
                assert len(old.ended) == len(old.started), "it was told how each of its matches ended"
                assert not any(ended.result.forfeits for _, ended in old.ended)
                await until(lambda: new.started)
                with pytest.raises(ConnectionRefusedError) as refused:
                    await RawBot(place.address, "x", version="old").connect()
                assert refused.value.args == (
                    grpc.StatusCode.ALREADY_EXISTS,
                    "version new of x has taken over; this one may leave",
                )
                assert not any(await forfeits(place))

    bounded(script)


def test_only_other_versions_of_the_bot_leave_and_only_if_it_wants_that(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            Replaceable(place.address, "x", version="old") as old,
            Replaceable(place.address, "y", version="old") as other,
            RawBot(place.address, "x", version="beside") as beside,
            RawBot(place.address, "x", version="new", takes_over=True),
        ):
            await beside.playing
            assert beside.status is grpc.StatusCode.OK
            await until(lambda: old.replaced_by)
            assert (old.replaced_by, other.replaced_by) == ("new", "")

    bounded(script)


def test_an_older_version_may_take_over_again(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x", version="old") as old,
            RawBot(place.address, "x", version="new", takes_over=True) as new,
        ):
            await old.playing
            async with RawBot(place.address, "x", version="old", takes_over=True):
                await new.playing
                assert new.status is grpc.StatusCode.OK

    bounded(script)


def test_a_version_that_is_pinned_for_finals_stays() -> None:
    pinned = PinnedRoster(Participants((7,), (Kind("karteneck", 2),)))
    for roster, stays in ((pinned, True), (OpenRoster([], apart=False), False)):
        directors: Any = [SimpleNamespace(contest=None), SimpleNamespace(contest=SimpleNamespace(roster=roster))]
        nothing: Any = None
        entrance = Entrance(nothing, nothing, nothing, nothing, directors)
        session: Any = SimpleNamespace(version_id=7, since=0.0, bot_id=1)
        assert entrance._is_pinned(session) is stays
