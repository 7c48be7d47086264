"""How play goes on after something failed, case by case."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from roost.v1 import arena_pb2, play_pb2
from roost_games.registry import get_game
from roost_ladder.blocks import Block
from roost_ladder.schedules.schedule import Kind
from roost_server.accounts.owners import add_bot, add_owner
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.history import history_of
from roost_server.play import quarantine
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.director import Director
from roost_server.play.matchmaker import Matchmaker
from roost_server.settings import Rules, Settings
from roost_server.store import BlockState, NewBlock, Planned, Store, open_store
from tests.support.arenas.hall import HARD_CLOCK, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.arenas.table_world import FakeSession
from tests.support.records.matches import sketch

FILE = """\
name = "cup"
games = [{ game = "karteneck", players = [2] }]
phases = [{ phase = "ladder" }, { phase = "finals" }, { phase = "done" }]
"""
KIND = Kind("karteneck", 2)


class Finals:
    """Bots 1 and 2 have a block of the finals to play, one match after the other."""

    def __init__(self) -> None:
        contest = Contest(Settings(), cast(Any, None), in_rounds=True)
        rules = Rules("karteneck", 2, get_game("karteneck").options({}))
        block = Block("b", "karteneck", (1, 2), bytes(32))
        self.open_block = OpenBlock(block, rules, contest.settings, [0, 1], on_record=True, waits_since=0.0)
        contest.resume(self.open_block)
        contest.hold_back()
        self.contest = contest
        self.time = 0.0
        self.matchmaker = Matchmaker(self._seat, lambda: self.time)
        self.matchmaker.contests = [contest]
        self.bots = {number: FakeSession(number) for number in (1, 2)}
        self.seated: list[int] = []

    def _seat(self, _: OpenBlock, rotation: int) -> None:
        self.seated.append(rotation)
        for bot in self.bots.values():
            bot.playing += 1

    def play(self) -> None:
        self.matchmaker.look_again(cast(Any, self.bots))
        self.matchmaker.play(cast(Any, self.bots))

    def end(self) -> bool:
        """The match that was seated last is over. True if the block is."""
        for bot in self.bots.values():
            bot.playing -= 1
        return self.matchmaker.recorded(self.open_block, "match", self.seated[-1], sketch("match").result)

    def wait(self, seconds: float) -> None:
        """Time passes. Finals go on without a bot that was away for more than a minute."""
        self.time += seconds
        self.matchmaker.note_present(cast(Any, list(self.bots.values())))
        self.matchmaker.wait_no_longer(self.contest, 60)

    def lose(self, bot: int) -> None:
        """A bot is gone for good, so the running match is over."""
        self.bots[bot].connected = False
        assert self.matchmaker.give_up(bot) == []
        assert not self.end()
        self.play()


def test_finals_wait_for_a_bot_that_is_gone_in_the_middle_of_a_block() -> None:
    finals = Finals()
    finals.play()
    finals.lose(1)
    assert finals.seated == [0]
    finals.bots[1].connected = True
    finals.play()
    assert finals.seated == [0, 1]
    assert finals.end()
    assert not finals.open_block.voided


def test_finals_do_not_wait_for_ever() -> None:
    finals = Finals()
    finals.play()
    finals.lose(1)
    finals.wait(60)
    finals.play()
    assert finals.seated == [0]
    finals.wait(1)
    finals.play()
    assert finals.seated == [0, 1]
    assert finals.end()


def test_a_round_of_the_finals_waits_no_longer_for_a_bot_that_stalls() -> None:
    """It is here, but has used up its time of the round: it forfeits the next match, and another round may begin."""
    finals = Finals()
    finals.play()
    finals.matchmaker.match_over(finals.open_block, 0, [1000 * Settings().round_seconds + 1, 0.0])
    finals.wait(1)
    stalling = finals.open_block.block.seating(0)[0]
    assert finals.open_block.out == {stalling}
    finals.bots[stalling].connected = True
    assert stalling not in finals.open_block.needed


def test_coming_and_going_does_not_make_finals_wait_without_end() -> None:
    """Never away for a minute at a time, and in the end away for as long as a round waits."""
    finals = Finals()
    finals.play()
    finals.lose(1)
    for _ in range(int(Settings().round_seconds / 50) + 1):
        finals.bots[1].connected = False
        finals.wait(50)
        assert finals.open_block.missing == finals.open_block.out
        finals.bots[1].connected = True
        finals.wait(1)
    assert finals.open_block.out == {1}
    finals.play()
    assert finals.seated == [0, 1]


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as opened:
        for name in "abc":
            opened.register_version(name, "1")
        ledger.draw_up(opened, parse_competition(FILE), FILE)
        yield opened


def record(store: Store, phase: str, *blocks: tuple[tuple[int, ...], BlockState]) -> None:
    for serial, (group, state) in enumerate(blocks):
        name = f"cup-{phase}-{serial}"
        plan = Planned(1, phase, serial)
        store.open_block(NewBlock(name, "karteneck", {}, "00" * 32, "cyclic", group, created_ms=serial, plan=plan))
        if state != BlockState.OPEN:
            store.close_block(name, state)


def test_what_was_voided_before_a_crash_is_played_again_once(store: Store) -> None:
    done, voided = BlockState.DONE, BlockState.VOIDED
    record(
        store,
        "finals",
        *[((1, 2), voided), ((2, 3), voided), ((3, 1), voided), ((1, 3), BlockState.OPEN)],
        # The first was played again, the second was voided again, the third was not played again.
        *[((1, 2), done), ((2, 3), voided)],
    )
    history = history_of(store, 1, "finals")
    assert history.past.tally.groups == {KIND: {(1, 3): 1, (1, 2): 1}}
    assert sorted(pairing.group for pairing in history.owed) == [(2, 3), (3, 1)]
    assert history.next_serial == 6


def test_what_goes_on_is_open_whatever_became_of_it_meanwhile(store: Store) -> None:
    record(store, "finals", ((1, 2), BlockState.VOIDED), ((2, 3), BlockState.OPEN))
    history = history_of(store, 1, "finals", going_on={"cup-finals-0"})
    assert history.past.tally.groups == {KIND: {(1, 2): 1, (2, 3): 1}}
    assert history.owed == []


def test_finals_begin_when_the_last_block_of_the_ladder_is_over(store: Store) -> None:
    record(store, "ladder", ((1, 2), BlockState.OPEN))
    competition = ledger.find(store, "cup")
    for name in "de":
        add_owner(store, f"owner of {name}", "test")
        bot = add_bot(store, f"owner of {name}", name, "test")
        store.register_version(name, "1", bot_id=bot.id)
        ledger.enter(store, competition, bot.id, bot.owner_id)

    async def script() -> None:
        director = Director(store, competition, Settings())
        await director.start()
        await director.change_phase(PhaseName.FINALS, "test")
        assert director.contest is None
        assert not await director.tick(datetime.now(UTC))
        store.close_block("cup-ladder-0", BlockState.DONE)
        assert await director.tick(datetime.now(UTC))
        assert director.contest is not None
        assert not await director.tick(datetime.now(UTC))

    asyncio.run(script())


class ReformedBot(SilentBot):
    """Says nothing, until it does."""

    reformed = False

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return RawBot.answers(self, decision) if self.reformed else ()


@pytest.mark.long
def test_who_is_silent_in_a_duel_for_practice_stays_in_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "FIRST_CHECK_SECONDS", 0.1)
    monkeypatch.setattr(quarantine, "LONGEST_SECONDS", 0.1)

    async def script() -> None:
        chosen = settings(clock=HARD_CLOCK, max_faults=1, quarantine_after=1)
        async with (
            hall(tmp_path, chosen) as arena,
            RawBot(arena.address, "honest"),
            ReformedBot(arena.address, "silent", max_matches=1) as silent,
        ):

            def practised(times: int) -> bool:
                ends = {name for name, _ in silent.ended}
                practice = [each for each in silent.started.values() if "nobody" in each.bots]
                return sum(each.match_id in ends for each in practice) >= times

            await until(lambda: practised(2))
            version_id = silent.welcome.version_id
            assert "silent" in arena.arena.quarantine
            # Its owner can see what was wrong, and in which match.
            bots = (await arena.stub.ListBots(arena_pb2.ListBotsRequest())).bots
            (reason,) = (bot.quarantine_reason for bot in bots if bot.version_id == version_id)
            assert reason == f"faults in a match (1 late), the last in {silent.ended[0][0]}"
            silent.reformed = True
            await until(lambda: "silent" not in arena.arena.quarantine)

    bounded(script)
