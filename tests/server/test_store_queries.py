"""What can be asked of the records, with counts made by hand; and that no question reads more than it needs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from roost_games.errors import UsageError
from roost_ladder.rating.facts import MatchFacts
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.store import BlockState, FinishedMatch, Store, queries
from roost_server.store.results import MatchFilter, Rule, recorded
from tests.support.records.matches import counted, eight_matches, explained, on_record, sketch


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with eight_matches(database_url) as opened:
        yield opened


def rated(store: Store, **filters: Any) -> list[str]:
    return [row.id for row in counted(store, MatchFilter(**filters))]


def later(store: Store, after: int, **filters: Any) -> list[str]:
    with store.reading() as reading:
        return [row.id for row in recorded(reading, MatchFilter(**filters), after=after)]


def test_bots_are_listed_with_what_counts(store: Store) -> None:
    """m3 is voided, and m7 is in a voided block: neither their wins nor their faults count."""
    listed = bots(store, Ratings(store)).bots
    assert [(bot.version_id, bot.name, bot.version, bot.matches, bot.wins, bot.faults) for bot in listed] == [
        (1, "a", "v1", 6, 3, 3),
        (2, "a", "v2", 2, 1, 0),
        (3, "b", "v1", 6, 3, 1),
        (4, "idle", "v1", 0, 0, 0),
    ]
    assert {bot.first_seen_ms for bot in listed} == {5}


def test_a_match_that_is_not_there_is_said(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no match 'm99' on record"):
        queries.replay(store, "m99")


def test_results_are_of_matches_that_count(store: Store) -> None:
    assert rated(store) == ["m1", "m2", "m4", "m5", "m6", "m8"]
    assert [row.id for row in on_record(store)] == [f"m{number}" for number in range(1, 9)]
    assert rated(store, game="karteneck") == ["m1", "m2", "m4", "m8"]
    assert rated(store, players=3) == ["m5", "m6"]
    assert rated(store, game="karteneck", players=3) == []
    assert later(store, 4) == ["m5", "m6", "m7", "m8"]
    assert later(store, 5, game="haecmaec") == ["m6"]


def test_what_counts_for_good_is_of_blocks_that_are_done(store: Store) -> None:
    """m3 is voided, m5 and m6 are of a block that is open, and the block of m7 is voided."""
    assert [row.id for row in counted(store, rule=Rule.FINAL)] == ["m1", "m2", "m4", "m8"]


def test_filters_leave_the_rows_as_they_are(store: Store) -> None:
    everything = on_record(store)
    of_three = [row for row in everything if row.id in ("m5", "m6")]
    of_karteneck = [row for row in everything if row.id not in ("m5", "m6")]
    assert on_record(store, MatchFilter(players=3)) == of_three
    assert on_record(store, MatchFilter(game="karteneck")) == of_karteneck
    assert on_record(store, MatchFilter(block_id=everything[0].block_id))[0] == everything[0]
    with store.reading() as reading:
        assert list(recorded(reading, after=3)) == everything[3:]


def test_a_result_tells_versions_places_and_flags_by_seat(store: Store) -> None:
    rows = {row.id: row for row in on_record(store)}
    four, five = rows["m4"].facts, rows["m5"].facts
    assert tuple(rows["m4"])[:4] == (4, "m4", "duel", BlockState.DONE)
    assert four == MatchFacts(
        *("duel", "karteneck", (1, 3), (2, 1), (8, 9)),
        faults=(3, 0),
        forfeited=(True, False),
        decisions=(1, 1),
        thinking_ms=(2.5, 2.5),
    )
    assert five is not None
    assert (five.bots, five.places) == ((1, 2, 3), (3, 1, 2))
    assert rows["m3"].facts is None
    assert [rows[name].block_state for name in ("m5", "m7")] == [BlockState.OPEN, BlockState.VOIDED]


@pytest.fixture
def plans(store: Store) -> Iterator[list[str]]:
    """What SQLite does for each query from now on."""
    with explained(store) as steps:
        yield steps


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: queries.replay(store, "m1"),
        lambda store: queries.unfinished_blocks(store),
        lambda store: later(store, 7),
        lambda store: later(store, 7, game="haecmaec"),
        lambda store: store.register_version("a", "v1"),
        lambda store: store.commit([again(store)]),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_a_running_arena_asks_never_reads_a_whole_table(
    store: Store, plans: list[str], ask: Callable[[Store], object]
) -> None:
    ask(store)
    assert plans
    # Sorting is fine for the few rows of a page or of a block, and those come by key. Rulings are few.
    # A constant row is what SQLite calls a query of no table.
    assert not [step for step in plans if step.startswith("SCAN") and step not in ("SCAN ruling", "SCAN CONSTANT ROW")]


def again(store: Store) -> FinishedMatch:
    return FinishedMatch(sketch("m1", (1, 2)), "duel", 0, (1, 3), 1_000, 2_000)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_once_matches_are_added_up_no_list_of_bots_reads_them_again(store: Store, plans: list[str]) -> None:
    ratings = Ratings(store)
    ratings.keep()
    plans.clear()
    assert bots(store, ratings).bots
    assert plans
    assert [step for step in plans if step.startswith("SCAN") and "match" in step] == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_results_of_everything_sort_nothing(store: Store, plans: list[str]) -> None:
    assert len(rated(store)) == 6
    assert not [step for step in plans if "TEMP B-TREE" in step]
