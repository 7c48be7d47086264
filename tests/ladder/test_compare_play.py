"""The blocks of a comparison come whole, in order, and the same with any number of workers."""

import hashlib
import math
import time
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from roost_games.errors import UsageError
from roost_games.replay import Result
from roost_ladder.rating.compare import ComparedTable, Plan
from roost_ladder.running import engine
from roost_ladder.running.comparison import ComparedBlock, Lineup, play_blocks
from roost_ladder.running.engine import FixedExecutor
from roost_ladder.running.entrants import cannot_share_process
from roost_ladder.running.fixtures import BotSpec, Fixture, Job, PlayedMatch

PLAN = Plan((ComparedTable("karteneck", 3), ComparedTable("haecmaec", 2)), (2, 3), bytes(32))
TEAM = Lineup(
    {number: BotSpec(f"bot {number}", "1", "somewhere", "Bot") for number in range(4)},
    {"karteneck": None, "haecmaec": None},
)


def pretended(fixture: Fixture) -> PlayedMatch:
    """A result that depends on the deal and on who sits where, and on nothing else."""
    players = len(fixture.bots)
    text = f"{fixture.game} {fixture.seed.hex()} {[bot.name for bot in fixture.bots]}"
    places = Random(hashlib.sha256(text.encode()).digest()).sample(range(1, players + 1), players)
    return PlayedMatch(fixture.match, Result(tuple(places), (0,) * players, "finished"), (), (), 0, 10)


def play_pretended(job: Job) -> list[PlayedMatch]:
    time.sleep(Random().random() / 200)
    return [pretended(fixture) for fixture in job.fixtures]


def played_by(workers: int, blocks: int) -> list[ComparedBlock]:
    with ThreadPoolExecutor(workers) as pool:
        executor = FixedExecutor(lambda job: pool.submit(play_pretended, job), workers)
        given = play_blocks(PLAN, TEAM, executor, deadline=math.inf)
        return list(islice(given, blocks))


def test_blocks_come_in_order_from_any_number_of_workers() -> None:
    alone, together = played_by(1, 60), played_by(5, 60)
    assert [block.number for block in alone] == list(range(60))
    assert [[match.result for match in block.played] for block in alone] == [
        [match.result for match in block.played] for block in together
    ]


def test_a_block_has_the_matches_of_the_plan() -> None:
    for block in played_by(2, 10):
        plan = PLAN.block(block.number)
        assert len(block.played) == len(plan) == PLAN.matches
        for match, played in zip(plan, block.played, strict=True):
            bots = tuple(TEAM.bots[bot] for bot in match.seating)
            assert played.result == pretended(Fixture("", match.table.game, bots, match.seed, None)).result


def test_it_ends_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: now))
    waiting: list[Future[list[PlayedMatch]]] = []

    def never(job: Job) -> "Future[list[PlayedMatch]]":
        waiting.append(Future())
        return waiting[-1]

    def pass_time() -> None:
        nonlocal now
        now += 1.0

    assert list(play_blocks(PLAN, TEAM, FixedExecutor(never, 2), deadline=2.5, look=pass_time)) == []
    assert now == 3.0
    assert len(waiting) == 4


def test_an_error_of_a_worker_is_told() -> None:
    def fails(job: Job) -> "Future[list[PlayedMatch]]":
        failed: Future[list[PlayedMatch]] = Future()
        failed.set_exception(UsageError("there is no bot"))
        return failed

    with pytest.raises(UsageError, match="there is no bot"):
        next(play_blocks(PLAN, TEAM, FixedExecutor(fails, 1), deadline=math.inf))


def bot_with_helper(folder: Path, helper: str | None) -> BotSpec:
    folder.mkdir()
    (folder / "bot.py").write_text("import helper\nimport json\nfrom roost_sdk import Bot\n")
    if helper is not None:
        (folder / "helper.py").write_text(helper)
    return BotSpec("bot", "", str(folder / "bot.py"), "Bot")


def test_versions_with_different_helpers_cannot_share_a_process(tmp_path: Path) -> None:
    new = bot_with_helper(tmp_path / "new", "STYLE = 2")
    old = bot_with_helper(tmp_path / "old", "STYLE = 1")
    copy = bot_with_helper(tmp_path / "copy", "STYLE = 2")
    alone = bot_with_helper(tmp_path / "alone", None)
    sample = BotSpec("greedy", "", "roost_bots.greedy", "GreedyBot")
    assert cannot_share_process([new, old])
    assert not cannot_share_process([new, copy, alone, sample, new])
