"""What a competition recalls of its records after a restart. What is owed then: see tests/chaos/test_going_on.py."""

from collections.abc import Iterator
from itertools import product

import pytest

from roost_ladder.rating.results import gather
from roost_ladder.schedules import schedule
from roost_ladder.schedules.schedule import Past
from roost_server.competition.history import history_of
from roost_server.store import BlockState, FinishedMatch, NewBlock, Planned, Store
from roost_server.store.results import MatchFilter, facts
from tests.support.records.matches import sketch, two_competitions
from tests.support.records.results import assert_same

GROUPS = [(1, 2), (3, 1), (2, 3), (1, 2), (4, 5)]


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


def test_the_past_is_that_of_the_records(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is taken in block by block, and matches of several blocks were recorded in turns."""
    monkeypatch.setattr(schedule, "GATHERED_AT_ONCE", 0)
    for serial, group in enumerate(GROUPS):
        plan = Planned(1, "ladder", serial)
        new = NewBlock(f"b{serial}", "karteneck", {}, "00" * 32, "cyclic", group, created_ms=serial, plan=plan)
        store.open_block(new)
    for rotation, (serial, group) in product((0, 1), enumerate(GROUPS)):
        replay = sketch(f"{serial} {rotation}", (2, 1) if serial % 2 else (1, 2))
        turned = group[rotation:] + group[:rotation]
        store.commit([FinishedMatch(replay, f"b{serial}", rotation, turned, 1_000, 2_000)])
    for serial in range(len(GROUPS)):
        store.close_block(f"b{serial}", BlockState.DONE)

    with store.reading() as reading:
        results = [match.result() for match in facts(reading, MatchFilter(competition_id=1, phase="ladder"))]
    assert len(results) == 2 * len(GROUPS)
    past, counted = history_of(store, 1, "ladder").past, Past(results=results)
    assert_same(past.record(), gather(results))
    assert past.ended == counted.ended
    assert [past.score(bot) for bot in range(1, 6)] == [counted.score(bot) for bot in range(1, 6)]
    assert history_of(store, 1, "ladder", {"b1", "b3"}, recorded=False).past.ended == 2 * (len(GROUPS) - 2)
