"""The time of day jumps, as it does when a clock is set: phases go on and never back, and bots notice nothing."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from roost_ladder.blocks import Block
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import grpc_links
from roost_server import clocks
from roost_server.accounts.keys import Scope, make_key
from roost_server.accounts.owners import add_bot, add_owner
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.play import arena
from roost_server.play.block import Attendance, OpenBlock
from roost_server.play.contest import Contest
from roost_server.serving.server import ArenaServer, Hosting
from roost_server.settings import Settings
from roost_server.store import Store, open_store
from tests.chaos.strategies import STEADY, bot_class
from tests.support.arenas.hall import bounded, check_records, replays, until

DAY = 86_400.0
FILE = """\
name = "jumps"
games = [{{ game = "karteneck", players = [2] }}]
clock = {{ decision_ms = 2000, bank_ms = 3000 }}
faults = {{ absence_seconds = 60 }}

[[phases]]
phase = "ladder"

[[phases]]
phase = "finals"
starts = {finals:%Y-%m-%dT%H:%M:%SZ}
rounds = 1000

[[phases]]
phase = "done"
starts = {done:%Y-%m-%dT%H:%M:%SZ}
"""


class WallClock:
    """The time of day, set forward by a number of seconds. All other clocks run on as before."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic()

    def time_ns(self) -> int:
        return time.time_ns() + int(self.ahead * 1e9)

    def now_utc(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.ahead)


@pytest.fixture
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    clock = WallClock()
    monkeypatch.setattr(clocks, "time", clock)
    monkeypatch.setattr(arena, "now_utc", clock.now_utc)
    return clock


def enter(store: Store, competition: ledger.Competition, name: str) -> Credentials:
    add_owner(store, f"owner of {name}", "test")
    bot = add_bot(store, f"owner of {name}", name, "test")
    ledger.enter(store, competition, bot.id, bot.owner_id)
    return Credentials(make_key(store, Scope.BOT, "test", bot=name))


@pytest.mark.long
def test_a_jump_takes_no_phase_back_and_makes_nobody_late(tmp_path: Path, wall_clock: WallClock) -> None:
    now = datetime.now(UTC)
    text = FILE.format(finals=now + timedelta(days=1), done=now + timedelta(days=10))

    async def script(store: Store) -> None:
        competition = ledger.draw_up(store, parse_competition(text), text)
        keys = {name: enter(store, competition, name) for name in STEADY}
        server = ArenaServer(store, Settings(drain_seconds=0.0), "127.0.0.1:0", Hosting((competition,)))
        await server.start()
        bots = [Client(bot_class(name), name=name, version="1") for name in keys]
        playing = [asyncio.create_task(bot.run(grpc_links(server.address, keys[bot.name]))) for bot in bots]
        (director,) = server._arena.directors

        async def play_on(matches: int = 3) -> None:
            enough = [bot.stats.matches + matches for bot in bots]
            await until(lambda: all(bot.stats.matches >= least for bot, least in zip(bots, enough, strict=True)))

        await play_on()
        wall_clock.ahead = -2 * DAY
        await play_on()
        assert director.competition.phase == "ladder"
        wall_clock.ahead = 2 * DAY
        await until(lambda: director.competition.phase == "finals")
        await play_on()
        wall_clock.ahead = -2 * DAY
        await play_on()
        assert director.competition.phase == "finals"
        for bot in bots:
            bot.stop()
        await asyncio.gather(*playing)
        server.hurry()
        await server.stop()

    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        bounded(lambda: script(store))
        check_records(store)
        ended = [replay.result for replay in replays(store) if replay.result.termination != "voided"]
        assert len(ended) >= 12
        assert all(not result.faults for result in ended)
        with store.reading() as reading:
            changes = [phase for phase, _, _ in ledger.phase_changes(reading, 1)]
        assert changes == ["ladder", "finals"]


def test_absence_is_counted_by_a_clock_that_does_not_jump() -> None:
    now = 1000.0
    attendance = Attendance(lambda: now)
    contest = Contest(Settings(), None, in_rounds=True)  # type: ignore[arg-type]  # nothing is planned here
    block = Block("b", "karteneck", (1, 2), bytes(32))
    # Planned ages ago by the time of day; resumed just now.
    open_block = OpenBlock(block, Settings().tables[0], contest.settings, [0, 1], created_ms=0, waits_since=now)
    contest.resume(open_block)

    def missing(seconds: float) -> frozenset[int]:
        contest.wait_no_longer(lambda each: attendance.missing(each, seconds), (1, 2))
        return open_block.missing

    now += 500.0
    attendance.note([1])
    assert missing(600.0) == frozenset()
    now += 99.0
    attendance.note([2])
    assert missing(600.0) == frozenset()
    now += 502.0
    attendance.note([2])
    assert missing(600.0) == {1}
    attendance.note([1, 2])
    assert missing(600.0) == frozenset()
    assert missing(0.0) == frozenset()
