"""Who is put into quarantine, and what its owner is told about it."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from roost_games.replay import Fault, FaultEntry, Replay
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.play import quarantine
from roost_server.play.quarantine import Quarantine, faulty_match
from roost_server.settings import Settings
from roost_server.store import Store, open_store
from tests.support.arenas.hall import HARD_CLOCK, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.records.matches import sketch

MOST = 4


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
