"""A running arena that holds results back: who is told of its running matches, and what it does at a release."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from tests.support.arenas.hall import bounded, hall, refusal, until
from tests.support.arenas.hosted import Hosted, Metadata
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.cups import cup

CUP = cup({"phase": "ladder", "results": "held"}, "done", clock={"decision_ms": 600_000})


class Held(Hosted):
    """The arena, with Ann's bot and Bob's, and Zoe, who has none."""

    def shows(self, owner: str | None) -> Metadata | None:
        """What calls of an owner carry, of the `host`, or of nobody."""
        if owner is None:
            return None
        return self.host if owner == "host" else self.shown_by(owner)

    async def running(self, owner: str | None) -> list[Any]:
        """The running matches that somebody is shown."""
        request = arena_pb2.ListMatchesRequest(running=True)
        return list((await self.place.stub.ListMatches(request, metadata=self.shows(owner))).matches)


@asynccontextmanager
async def held(folder: Path, kind: type[RawBot]) -> AsyncIterator[Held]:
    async with hall(folder, None, CUP) as place, AsyncExitStack() as stack:
        there = Held(place)
        for owner, name in (("Ann", "a"), ("Bob", "b")):
            bot = kind(place.address, name, key=there.key_of(owner))
            await stack.enter_async_context(bot)
        yield there


@pytest.mark.parametrize("stranger", [None, "Zoe"])
def test_a_running_match_of_held_results_is_seen_by_its_owners_alone(stranger: str | None, tmp_path: Path) -> None:
    async def script() -> None:
        async with held(tmp_path, SilentBot) as there:
            stub = there.place.stub
            await until(lambda: there.place.arena.seating.tables)
            for owner in ("Ann", "Bob", "host"):
                match, *_ = await there.running(owner)
                assert sorted(match.bots) == ["a", "b"]
            shown = there.shows(stranger)
            assert await there.running(stranger) == []
            arena = await stub.GetArena(records_pb2.GetArenaRequest(), metadata=shown)
            assert (arena.running_matches, arena.matches, arena.connected_bots) == (0, 0, 2)
            bots = (await stub.ListBots(arena_pb2.ListBotsRequest(), metadata=shown)).bots
            doing = {(each.connected, each.playing, each.presence, each.presence_since_ms) for each in bots}
            assert doing == {(True, 0, arena_pb2.PRESENCE_UNSPECIFIED, 0)}
            for call, request in (
                (stub.GetMatch, arena_pb2.GetMatchRequest(match_id=match.match_id)),
                (stub.GetReplay, arena_pb2.GetReplayRequest(match_id=match.match_id)),
            ):
                status, told = await refusal(call(request, metadata=shown))
                assert (status, "are held back" in told) == ("FAILED_PRECONDITION", True)
            for whole in (False, True):
                watched = arena_pb2.WatchMatchRequest(match_id=match.match_id, from_beginning=whole)
                status, told = await refusal(stub.WatchMatch(watched, metadata=shown).read())
                assert (status, "are held back" in told) == ("FAILED_PRECONDITION", True)
                assert (await stub.WatchMatch(watched, metadata=there.shows("Ann")).read()).started.bots

    bounded(script)


def test_everybody_sees_what_was_released(tmp_path: Path) -> None:
    async def script() -> None:
        async with held(tmp_path, RawBot) as there:
            await there.place.matches(2)
            stub, listing = there.place.stub, arena_pb2.ListMatchesRequest()
            assert not (await stub.ListMatches(listing)).matches
            assert (await stub.ListMatches(listing, metadata=there.shows("Ann"))).matches
            request = admin_pb2.ReleaseResultsRequest(competition="cup")
            released = await there.admin.ReleaseResults(request, metadata=there.shows("host"))
            assert (released.phase, released.round) == ("ladder", 0)
            found = await stub.ListMatches(listing)
            assert found.matches
            assert not found.held
            competition = await stub.GetCompetition(records_pb2.GetCompetitionRequest(competition="cup"))
            assert competition.seals, "what was released was sealed before"
            assert (await refusal(there.admin.ReleaseResults(request, metadata=there.shows("host")))) == (
                "INVALID_ARGUMENT",
                "no results of cup are held back now",
            )

    bounded(script)
