"""Who is put into quarantine, and what its owner is told about it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from roost.v1 import admin_pb2
from roost_games.replay import Fault, FaultEntry, Replay
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.play import quarantine
from roost_server.play.quarantine import Quarantine, faulty_match
from roost_server.settings import Settings
from roost_server.store import Store, open_store
from tests.support.arenas.hall import HARD_CLOCK, Hall, bounded, hall, settings, until
from tests.support.arenas.hosted import Hosted
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.cups import cup
from tests.support.records.matches import sketch

MOST = 4
HASTY = cup("ladder", "done", clock={"decision_ms": 600_000}, entry={"who": "open"}, faults={"quarantine_after": 1})


def match(name: str, *kinds: Fault, forfeit: bool = False) -> Replay:
    """A match in which seat 0 made such faults, and seat 1 one that is not to be counted for it."""
    faults = (*(FaultEntry(0, 0, kind) for kind in kinds), FaultEntry(0, 1, Fault.CRASHED))
    replay = sketch(name)
    return replace(replay, result=replay.result._replace(faults=faults, forfeits=(0,) if forfeit else ()))


async def without_seats(store: Store) -> Quarantine:
    """One that never offers a practice match."""
    nothing = cast(Any, None)
    return Quarantine(store, nothing, nothing, Settings())


def test_the_owner_sees_which_faults_and_where(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        version_id = store.register_version("x", "v1")
        kept = asyncio.run(without_seats(store))
        played = [
            match("m0", Fault.ILLEGAL),
            match("m1"),
            match("m2", Fault.LATE, Fault.LATE, Fault.GONE),
            match("m3", Fault.LATE),
            match("m4", forfeit=True),
            match("m5", Fault.GONE, forfeit=True),
            match("m6", Fault.LATE),
        ]
        said = [kept.note("x", version_id, faulty_match(each, 0, version_id), MOST) for each in played]
        # Without a fault in m1 the count starts again, and a bot in quarantine is not put there twice.
        assert said == [False, False, False, False, False, True, False]
        kept.put_on_record("x")
        (bot,) = bots(store, Ratings(store)).bots
        assert bot.quarantine_reason == (
            "faults in 4 matches in a row (3 late, 2 gone, 1 forfeited), the last in m5, m4, m3"
        )


class Meeting(Hosted):
    """A bot that is asked and says nothing plays an honest one. One fault is enough for quarantine."""

    def __init__(self, place: Hall) -> None:
        super().__init__(place)
        self.silent = SilentBot(place.address, "silent", key=self.key_of("Ann"), max_matches=1)
        self.honest = RawBot(place.address, "honest", key=self.key_of("Bob"), max_matches=1)

    async def rule(self, method: str, **fields: str) -> None:
        """Have the host do something."""
        request = getattr(admin_pb2, f"{method}Request")(**fields)
        await getattr(self.admin, method)(request, metadata=self.host)

    async def stop(self) -> None:
        """Have the arena begin to stop, which takes until the match is over. Nobody who leaves can come back."""
        self.stopping = asyncio.create_task(self.place.arena.stop())
        await until(lambda: self.place.arena.entrance.closed)
        await self.silent.disconnect()


@pytest.mark.parametrize(
    ("act", "faulty"),
    [
        (lambda there: there.rule("BanOwner", owner="Ann"), False),
        (lambda there: there.rule("MoveBot", bot="silent", owner="Bob"), False),
        (lambda there: there.rule("EndKey", prefix=there.key_of("Ann")), False),
        (Meeting.stop, False),
        (lambda there: there.silent.disconnect(), True),
    ],
    ids=["banned", "moved", "key revoked", "arena stops", "left"],
)
def test_a_forfeit_counts_only_if_the_bot_left(
    tmp_path: Path, act: Callable[[Meeting], Awaitable[None]], faulty: bool
) -> None:
    async def script() -> None:
        chosen = settings(grace_seconds=0.1, drain_seconds=60.0)
        async with hall(tmp_path, chosen, HASTY) as place:
            there = Meeting(place)
            async with there.honest, there.silent:
                await until(lambda: there.silent.decisions)
                await act(there)
                (played,) = await place.matches(1)
                assert played.result.termination == "forfeit"
                await until(lambda: not place.arena.seating.tables)
                assert ("silent" in place.arena.quarantine) is faulty

    bounded(script)


@pytest.mark.long
def test_a_practice_match_that_the_arena_voids_releases_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows nothing about the bot. Another one follows."""
    monkeypatch.setattr(quarantine, "FIRST_CHECK_SECONDS", 0.1)

    async def script() -> None:
        chosen = settings(clock=HARD_CLOCK, max_faults=1, quarantine_after=1)
        async with (
            hall(tmp_path, chosen) as place,
            RawBot(place.address, "honest"),
            SilentBot(place.address, "silent", max_matches=1),
        ):
            practice = place.arena.seating.unrecorded
            await until(lambda: practice)
            (first,) = practice
            first.void("for a test")
            assert not practice
            await until(lambda: practice)
            assert "silent" in place.arena.quarantine

    async def script_with_log() -> None:
        with capture_logs() as logged:
            await script()
        loud = [(entry["event"], entry["bot"]) for entry in logged if entry["log_level"] in ("warning", "error")]
        assert loud == [("bot quarantined", "silent")]

    bounded(script_with_log)
