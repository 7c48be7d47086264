"""A run is a function of its charter: the number of workers and interruptions change nothing."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_ladder.blocks import Block, Deals, Rotation, seed_of_block
from roost_ladder.rating.fit import Method
from roost_ladder.running.book import FinishedBlock, MemoryBook
from roost_ladder.running.ladder import Ladder
from roost_ladder.running.local_ladder import ResumedRun
from roost_ladder.running.rounds import Budget, RunEnd
from roost_ladder.schedules.schedule import Kind
from tests.support.ladders.small_ladders import STRICT, Watched, setup, timeless

BOTS = ("dice", "first", "last", "listens")


class Interrupted(Exception):
    pass


@pytest.mark.long
def test_the_number_of_workers_changes_nothing() -> None:
    one = Watched(setup(BOTS), Budget(blocks=14), workers=1)
    two = Watched(setup(BOTS), Budget(blocks=14), workers=2)
    assert one.ending is two.ending is RunEnd.BUDGET
    assert one.ladder.blocks == 14
    assert timeless(one.ladder.facts) == timeless(two.ladder.facts)


@pytest.mark.long
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened() -> None:
    whole = Watched(setup(BOTS), Budget(blocks=20))
    book = MemoryBook()

    def stop(ladder: Ladder) -> None:
        if ladder.facts:
            raise Interrupted

    for _ in range(2):
        with pytest.raises(Interrupted):
            Watched(setup(BOTS), Budget(blocks=20), book=book, workers=1, look=stop)
    kept = sum(len(facts) for facts in book.begin(setup(BOTS).charter()))
    assert kept > 0
    rest = Watched(setup(BOTS), Budget(blocks=20), book=book)
    assert rest.ladder.new_matches == len(whole.ladder.facts) - kept
    assert timeless(rest.ladder.facts) == timeless(whole.ladder.facts)


def test_the_seed_of_a_block_derives_from_the_run_and_its_number() -> None:
    added: list[FinishedBlock] = []

    class Noting(MemoryBook):
        def add(self, blocks: Sequence[FinishedBlock]) -> None:
            added.extend(blocks)

    Watched(setup(BOTS), Budget(blocks=3), book=Noting())
    for number, finished in enumerate(added):
        assert finished.serial == number
        assert finished.block.block_id.endswith(f"-{number}")
        assert finished.block.seed == seed_of_block(seed_of("spring"), finished.block.block_id)
        of_block = finished.block.seed.hex()
        seeds = [sha256(f"roost-match/1:{of_block}:{rotation}:0".encode()) for rotation in range(len(finished.played))]
        assert [match.replay().seed for match in finished.played] == [seed.hexdigest() for seed in seeds]
    assert len({finished.block.seed for finished in added}) == 3


def test_every_bot_sits_in_every_seat_of_a_deal_equally_often() -> None:
    full = setup(BOTS, kinds=[Kind("karteneck", 3)], rotation=Rotation.FULL)
    played = Watched(full, Budget(blocks=2)).ladder.facts
    assert len(played) == 12
    for block in (played[:6], played[6:]):
        assert len({match.bots for match in block}) == 6
        assert len({match.block_id for match in block}) == 1


@pytest.mark.parametrize(
    ("budget", "matches"), [(Budget(matches=9), 7), (Budget(matches=10), 10), (Budget(blocks=3), 7)]
)
def test_a_budget_is_kept(budget: Budget, matches: int) -> None:
    """Blocks have 2 and 3 matches by turns."""
    run = Watched(setup(BOTS), budget)
    assert run.ending is RunEnd.BUDGET
    assert len(run.ladder.facts) == matches


def test_a_schedule_ends_a_run() -> None:
    run = Watched(setup(BOTS[:3], kinds=[Kind("haecmaec", 2)], rounds=2), Budget())
    assert run.ending is RunEnd.SCHEDULE
    assert run.ladder.blocks == 6


def test_time_is_up_at_once() -> None:
    run = Watched(setup(BOTS), Budget(seconds=0.0))
    assert run.ending is RunEnd.TIME
    assert run.ladder.facts == []


def test_what_ends_first_is_what_is_told() -> None:
    assert Watched(setup(BOTS), Budget(blocks=1, seconds=600.0)).ending is RunEnd.BUDGET
    run = Watched(setup(("exits", "first"), kinds=[Kind("karteneck", 2)]), Budget(blocks=100))
    assert run.ending is RunEnd.BENCHED
    assert len(run.ladder.facts) == 4


@pytest.mark.long
def test_a_bot_that_has_to_be_stopped_again_and_again_is_benched() -> None:
    given = setup(("exits", "first", "last"), kinds=[Kind("karteneck", 2)])
    book = MemoryBook()
    run = Watched(given, Budget(blocks=6), book=book, workers=2)
    assert [run.names[bot] for bot in run.ladder.benched] == ["exits"]
    stopped = [match for match in run.ladder.facts if any(match.forfeited)]
    # It plays its first two blocks, of two matches each; in the second it has been stopped three times.
    assert [match.block_id[-2:] for match in stopped] == ["-0", "-0", "-2", "-2"]
    assert all(match.forfeited[match.bots.index(0)] for match in stopped)
    again = Watched(given, Budget(blocks=6), book=book)
    assert again.ladder.new_matches == 0
    assert again.ladder.benched == run.ladder.benched
    assert {trouble.bot for trouble in run.troubles} == {"exits"}


@pytest.mark.parametrize(
    ("bots", "others", "said"),
    [
        (BOTS[:3], {}, "it has listens too"),
        ((*BOTS, "random"), {}, "it does not have random"),
        (BOTS, {"seed": "autumn"}, "its seed is spring, not autumn"),
        (BOTS, {"kinds": [Kind("karteneck", 2)]}, "its tables are karteneck 2, karteneck 3, not karteneck 2"),
        (BOTS, {"rotation": Rotation.FULL}, "its rotation is cyclic, not full"),
        (BOTS, {"limits": STRICT}, "its clock is 20000, 60000, not 1000, 1000"),
    ],
)
def test_the_book_of_another_run_is_refused_and_it_is_said_why(
    bots: tuple[str, ...], others: dict[str, Any], said: str
) -> None:
    book = MemoryBook()
    Ladder(setup(BOTS), book)
    with pytest.raises(UsageError, match=said):
        Ladder(setup(bots, **others), book)


def test_changed_code_is_another_run() -> None:
    book = MemoryBook()
    given = setup(BOTS)
    Ladder(given, book)
    first, *others = given.charter().bots
    changed: dict[str, JsonValue] = {**given.charter().to_json(), "bots": [[first.name, "0"], *map(list, others)]}
    with pytest.raises(UsageError, match=f"the code of {first.name} has changed since"):
        given.charter().check_same(changed, "l.db")


def test_a_run_of_before_had_duplicate_deals_and_is_resumed_with_them() -> None:
    charter = {
        name: value for name, value in setup(BOTS).charter().to_json().items() if name not in ("deals", "ratings")
    }
    assert ResumedRun.of(charter) == ResumedRun("spring", "duplicate", Method.EACH_MATCH)
    resumed = replace(setup(BOTS), method=Method.EACH_MATCH)
    replace(resumed, deals=Deals.DUPLICATE).charter().check_same(charter, "l.db")
    with pytest.raises(UsageError, match=r"l\.db holds another ladder: its deals are duplicate, not own"):
        resumed.charter().check_same(charter, "l.db")


def test_a_run_with_duplicate_deals_plays_the_deal_of_a_block_in_all_seatings() -> None:
    ladder = Ladder(replace(setup(BOTS), deals=Deals.DUPLICATE), MemoryBook())
    block = Block("x-0", "karteneck", (0, 1), b"\x07", deals=Deals.DUPLICATE)
    assert {fixture.seed for fixture in ladder.fixtures(block)} == {b"\x07"}
