"""Pages of matches by every filter, with results by hand; and that no page reads more than it needs."""

from collections.abc import Iterator
from typing import Any

import pytest

from roost_games.errors import UsageError
from roost_server.store import BlockState, Store
from roost_server.store.lookups import matches as lookups
from roost_server.store.lookups.matches import MatchQuery, SeatOnPage, SeatOutcome
from roost_server.store.measures.holds import HeldBlocks, Veil
from roost_server.store.records import Planned
from tests.support.records.matches import block, eight_matches, explained, finished, sketch, two_competitions

HELD = (HeldBlocks(1, "ladder", first=0),)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with eight_matches(database_url) as opened:
        yield opened


def page(store: Store, limit: int = 50, before: str | None = None, **filters: Any) -> list[str]:
    return [match.id for match in lookups.matches(store, MatchQuery(**filters), limit, before=before)]


def test_pages_go_from_the_newest_match_to_the_oldest(store: Store) -> None:
    assert page(store, limit=3) == ["m8", "m7", "m6"]
    assert page(store, limit=3, before="m6") == ["m5", "m4", "m3"]
    assert page(store, limit=3, before="m3") == ["m2", "m1"]
    assert page(store, limit=3, before="m1") == []


def test_pages_can_be_of_one_game_size_and_bot(store: Store) -> None:
    assert page(store, game="haecmaec") == page(store, players=3) == ["m6", "m5"]
    assert page(store, game="karteneck", players=3) == page(store, players=7) == []
    assert page(store, bot="a", limit=4) == ["m8", "m7", "m6", "m5"]
    assert page(store, bot="a", limit=1) == ["m8"]
    assert page(store, bot="a", limit=2, before="m6") == ["m5", "m4"]
    assert page(store, bot="a", game="karteneck", before="m7") == ["m4", "m3", "m2", "m1"]
    assert page(store, bot="idle") == page(store, bot="nobody") == page(store, game="chess") == []


def test_pages_can_be_of_one_version(store: Store) -> None:
    assert page(store, version_id=2) == page(store, bot="a", version_id=2) == ["m6", "m5"]
    assert page(store, bot="b", version_id=2) == page(store, version_id=99) == []


def test_pages_can_be_of_a_pair(store: Store) -> None:
    everything = [f"m{number}" for number in range(8, 0, -1)]
    assert page(store, bot="a", opponent="b") == page(store, bot="b", opponent="a") == everything
    assert page(store, opponent="a") == everything
    assert page(store, bot="a", opponent="a") == ["m6", "m5"]  # two versions of it at one table
    assert page(store, bot="b", opponent="b") == page(store, bot="a", opponent="idle") == []
    assert page(store, version_id=1, opponent="a") == ["m6", "m5"]


def test_pages_can_be_of_one_outcome(store: Store) -> None:
    """For bot b, which sits last in all blocks but "gone", where it sits first."""
    assert page(store, bot="b", outcome=SeatOutcome.WON) == ["m8", "m7", "m4", "m2"]  # m2 is shared
    assert page(store, bot="b", outcome=SeatOutcome.NOT_WON) == ["m6", "m5", "m1"]
    assert page(store, bot="b", outcome=SeatOutcome.LAST) == ["m6", "m1"]
    assert page(store, version_id=1, outcome=SeatOutcome.FORFEITED) == ["m4"]
    assert page(store, bot="b", outcome=SeatOutcome.FORFEITED) == []
    assert page(store, bot="b", outcome=SeatOutcome.VOIDED) == ["m3"]
    assert page(store, bot="b", opponent="a", players=3, outcome=SeatOutcome.LAST) == ["m6"]


def test_pages_can_be_of_matches_with_faults(store: Store) -> None:
    assert page(store, with_faults=True) == ["m7", "m4", "m3", "m2"]
    assert page(store, with_faults=True, limit=2, before="m7") == ["m4", "m3"]
    assert page(store, with_faults=True, game="haecmaec") == []
    assert page(store, with_faults=True, bot="b") == ["m7", "m2"]
    assert page(store, with_faults=True, version_id=1) == ["m7", "m4", "m3"]
    assert page(store, with_faults=True, opponent="b") == ["m7", "m4", "m3", "m2"]  # of anybody: no bot is named


def test_pages_can_be_of_a_time(store: Store) -> None:
    """Matches are numbered as they are committed, which is not always the order in which they ended."""
    late = block(store, "late", 1, 3)
    for number, ended_ms in enumerate((5_000, 3_000, 4_000)):
        store.commit([finished(sketch(f"t{ended_ms}"), late, number, ended_ms)])
    assert page(store, since_ms=3_000) == ["t4000", "t3000", "t5000"]
    assert page(store, since_ms=3_001) == ["t4000", "t5000"]
    assert page(store, since_ms=3_001, until_ms=5_000) == ["t4000"]
    assert page(store, until_ms=3_001, limit=2) == ["t3000", "m8"]
    assert (
        page(store, until_ms=2_000) == page(store, since_ms=5_001) == page(store, since_ms=4_500, until_ms=4_600) == []
    )
    assert page(store, since_ms=1, until_ms=2_001, bot="b", with_faults=True) == ["m7", "m2"]
    assert page(store, since_ms=3_000, before="t3000") == ["t5000"]


def test_pages_can_be_of_a_phase(database_url: str) -> None:
    with two_competitions(database_url) as store:
        for name, competition_id, phase in (("x", 1, "ladder"), ("y", 1, "finals"), ("z", 2, "ladder")):
            planned = block(store, name, 1, 2, plan=Planned(competition_id, phase, 0))
            store.commit([finished(sketch(name), planned)])
        store.commit([finished(sketch("open"), block(store, "none", 1, 2))])
        assert page(store, competition_id=1) == ["y", "x"]
        assert page(store, competition_id=1, phase="ladder") == ["x"]
        assert page(store, competition_id=2, phase="finals") == []
        assert page(store, bot="bot1", competition_id=2) == ["z"]
        found = lookups.matches(store)
        assert [(each.competition, each.phase) for each in found] == [
            (None, None),
            ("some", "ladder"),
            ("all", "finals"),
            ("all", "ladder"),
        ]


def test_a_page_tells_the_seats(store: Store) -> None:
    eight, _, _, _, four, three, _, _ = lookups.matches(store)
    assert (eight.block_id, eight.rotation, eight.players, eight.started_ms, eight.ended_ms) == (
        "duel",
        3,
        2,
        1000,
        2000,
    )
    assert four.termination == "forfeit"
    assert four.seats == (
        SeatOnPage(1, "a", "v1", 2, 8, True, 3, 1, 2.5),
        SeatOnPage(3, "b", "v1", 1, 9, False, 0, 1, 2.5),
    )
    assert [seat.place for seat in three.seats] == [None, None]


def test_one_match_is_told_with_its_block(store: Store) -> None:
    found, details = lookups.match(store, "m4")
    assert (found.id, found.termination) == ("m4", "forfeit")
    assert details.seed == "5e" * 32
    assert not details.in_play
    assert details.block == ((0, "m1"), (1, "m2"), (2, "m3"), (2, "m4"), (3, "m8"))


def test_a_deal_is_in_play_while_others_have_it_too(store: Store) -> None:
    """m5 is of an open block too, but each match of that has a deal of its own."""
    shared = block(store, "shared", 1, 3, deals="duplicate")
    store.commit([finished(sketch("s1"), shared)])
    assert [lookups.in_play(store, name) for name in ("s1", "m5", "m8")] == [True, False, False]
    assert lookups.match(store, "s1")[1].in_play
    store.close_block("shared", BlockState.DONE)
    assert not lookups.in_play(store, "s1")
    assert not lookups.match(store, "s1")[1].in_play


def test_a_match_that_is_not_there_is_said(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no match 'm99' on record"):
        lookups.matches(store, before="m99")
    with pytest.raises(UsageError, match="there is no match 'm99' on record"):
        lookups.match(store, "m99")


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"game": "haecmaec"},
        {"players": 3},
        {"game": "haecmaec", "players": 3},
        {"with_faults": True},
        {"with_faults": True, "game": "karteneck", "players": 2},
        {"since_ms": 1_000},
        {"since_ms": 1_000, "until_ms": 3_000, "game": "haecmaec", "with_faults": True},
        {"competition_id": 1, "phase": "ladder"},
        {"bot": "a"},
        {"bot": "a", "game": "haecmaec", "players": 3},
        {"bot": "a", "opponent": "b", "outcome": SeatOutcome.LAST, "with_faults": True},
        {"version_id": 1, "outcome": SeatOutcome.FORFEITED, "since_ms": 1_000},
        {"opponent": "b", "with_faults": True},
        {"veil": Veil(HELD)},
        {"veil": Veil(HELD, own=frozenset([1])), "bot": "a"},
        {"veil": Veil(HELD, own=frozenset([1])), "competition_id": 1, "phase": "ladder"},
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_no_page_reads_a_whole_table(store: Store, filters: dict[str, Any]) -> None:
    with explained(store) as steps:
        page(store, before="m8", **filters)
    assert steps
    assert not [step for step in steps if step.startswith("SCAN")]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_phase_that_is_held_back_is_not_walked(store: Store) -> None:
    """A stranger would get nothing however long the walk is. It was as long as the phase."""
    with explained(store) as steps:
        assert page(store, veil=Veil(HELD), competition_id=1, phase="ladder") == []
    assert steps == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_faulty_matches_and_times_have_indexes(store: Store) -> None:
    with explained(store) as steps:
        page(store, with_faults=True, since_ms=1_000)
    text = "\n".join(steps)
    assert "COVERING INDEX ix_match_ended_ms_number" in text
    assert "ix_match_seat_with_faults" in text
    assert "USE TEMP B-TREE FOR DISTINCT" not in text
