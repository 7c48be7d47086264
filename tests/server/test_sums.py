"""Sums that the database keeps: a reader that begins with them agrees with the records, however they came about."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from roost.v1 import arena_pb2, records_pb2
from roost_ladder.rating.fit import fit
from roost_ladder.rating.pairs import pairs
from roost_ladder.rating.results import gather
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.serving.records import loaded_ratings
from roost_server.store import BlockState, FinishedMatch, NewBlock, Store, StoreError, open_store, queries
from roost_server.store.sums import kept
from tests.support.old import restore
from tests.support.records.matches import sketch, two_competitions
from tests.support.records.random_record import QUESTIONS, RandomRecord, check_answer, worked_out


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


def check_everything(store: Store, live: LiveAnswers) -> None:
    """Every question about standings and pairs has the right answer."""
    for question in QUESTIONS:
        request = arena_pb2.GetStandingsRequest(**question)
        expected = worked_out(store, request)
        check_answer(live.standings_of(request), expected)
        of_record = {key: value for key, value in question.items() if key != "everything"}
        asked = records_pb2.GetCrossTableRequest(filter=records_pb2.RecordFilter(**of_record))
        check_pairs(live.cross_table_of(asked), gather(expected.results()) if expected.results() else None)


def check_pairs(answer: records_pb2.GetCrossTableResponse, record: object) -> None:
    expected = [] if record is None else pairs(record, fit(record))  # type: ignore[arg-type]
    given = [
        (each.version_id, each.opponent_version_id, each.matches, each.blocks, each.defies) for each in answer.pairs
    ]
    assert given == [(each.bot, each.opponent, each.matches, each.blocks, each.defies) for each in expected]
    measured = [[each.share, each.share_low, each.share_high, each.expected] for each in answer.pairs]
    right = [[each.share, each.low, each.high, each.expected] for each in expected]
    np.testing.assert_allclose(measured, right, atol=1e-8)


@pytest.mark.short(2)
@pytest.mark.parametrize("seed", range(4))
def test_kept_sums_lead_to_what_the_records_say(store: Store, seed: int) -> None:
    """Kept now and then, by one that goes on or one that begins again, as after a kill."""
    world, ratings, rng = RandomRecord(store, seed), Ratings(store), Random(seed)
    for _ in range(120):
        world.happen()
        if rng.random() < 0.15:
            ratings.keep()
        if rng.random() < 0.05:
            ratings = Ratings(store)
    check_everything(store, LiveAnswers(store))
    check_everything(store, LiveAnswers(store, ratings))


def test_an_old_record_is_added_up_in_portions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are cut by the ends of portions, open and closed, and some are voided."""
    world = RandomRecord(store, seed=9)
    for _ in range(150):
        world.happen()
    monkeypatch.setattr(kept, "CHUNK", 7)
    told: list[int] = []
    Ratings(store).keep(told.append)
    assert told == list(range(7, 7 * len(told) + 1, 7))
    assert len(told) > 5
    check_everything(store, LiveAnswers(store))


@pytest.mark.parametrize("name", ["schema1", "schema2_arena", "schema2_ladder"])
def test_the_records_of_an_older_roost_are_added_up(name: str, tmp_path: Path) -> None:
    """By the first arena that opens the database. Those who only read begin with its sums."""
    url = f"sqlite:///{restore(name, tmp_path / 'roost.db')}"
    with open_store(url) as store:
        assert queries.match_count(store) > 0
        Ratings(store).keep()
    with open_store(url, read_only=True) as store, store.reading() as reading:
        assert kept.kept_through(reading) == queries.match_count(store)
        request = arena_pb2.GetStandingsRequest(everything=True)
        check_answer(LiveAnswers(store).standings_of(request), worked_out(store, request))


def test_bots_of_the_first_roost_have_done_what_its_records_say(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{restore('schema1', tmp_path / 'roost.db')}") as store:
        done = [(bot.name, bot.matches, bot.wins, bot.faults) for bot in bots(store, Ratings(store)).bots]
    assert done == [("bot0", 2, 2, 0), ("bot1", 2, 0, 3)]


def test_what_is_new_since_the_sums_were_kept_is_read(store: Store) -> None:
    world, ratings = RandomRecord(store, seed=2), Ratings(store)
    for _ in range(60):
        world.happen()
    ratings.keep()
    reader = LiveAnswers(store)
    check_everything(store, reader)
    for _ in range(60):
        world.happen()
    check_everything(store, reader)
    check_everything(store, LiveAnswers(store))


def test_a_reader_that_is_far_behind_loads_the_sums_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_server.answers.ratings.FAR_BEHIND", 5)
    world, reader = RandomRecord(store, seed=3), LiveAnswers(store)
    check_everything(store, reader)
    for _ in range(100):
        world.happen()
    Ratings(store).keep()
    check_everything(store, reader)


def test_a_block_may_end_without_another_match(store: Store) -> None:
    """Its last match was voided, or it was: the sums change although no match is new."""
    ratings = Ratings(store)
    for block_id, state in (("a", BlockState.DONE), ("b", BlockState.VOIDED)):
        store.open_block(NewBlock(block_id, "karteneck", {}, "00" * 32, "cyclic", (1, 2), 1))
        store.commit([FinishedMatch(sketch(f"{block_id}-0", (1, 2)), block_id, 0, (1, 2), 1_000, 2_000)])
        ratings.keep()
        store.close_block(block_id, state)
        ratings.keep()
    answer = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest(everything=True))
    assert answer.matches == 1
    assert [(each.version_id, each.wins, each.blocks) for each in answer.standings] == [(1, 1, 1), (2, 0, 1)]


def test_only_one_can_keep(store: Store) -> None:
    """Another one with older sums is refused, and begins again with those that are kept."""
    world, one, other = RandomRecord(store), Ratings(store), Ratings(store)
    for ratings in (one, other):
        for _ in range(20):
            world.happen()
        ratings.keep()
    for _ in range(20):
        world.happen()
    with pytest.raises(StoreError, match="saved by somebody else"):
        one.keep()
    one.keep()
    check_everything(store, LiveAnswers(store))


def test_a_reader_cannot_keep(store: Store, database_url: str) -> None:
    RandomRecord(store).happen()
    with open_store(database_url, read_only=True) as reading:
        check_everything(store, LiveAnswers(reading))
        with pytest.raises(StoreError, match="for reading only"):
            Ratings(reading).keep()


def test_a_save_that_fails_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums are written, and the disk is full when the history follows."""
    world, ratings = RandomRecord(store, seed=5), Ratings(store)
    for _ in range(40):
        world.happen()
    with monkeypatch.context() as disk:
        disk.setattr("roost_server.store.sums.history.add", full)
        with pytest.raises(StoreError, match="disk is full"):
            ratings.keep()
    with store.reading() as reading:
        assert kept.kept_through(reading) == 0
    check_everything(store, LiveAnswers(store, ratings))
    ratings.keep()
    check_everything(store, LiveAnswers(store))


def full(*_: object) -> None:
    raise StoreError("the disk is full")


def test_a_page_over_records_is_shown_once_they_are_loaded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that its first visitor does not wait for it."""
    world = RandomRecord(store)
    for _ in range(60):
        world.happen()
    ratings = loaded_ratings(store)
    monkeypatch.delattr(kept.Sums, "load")
    check_everything(store, LiveAnswers(store, ratings))
    with pytest.raises(AttributeError, match="load"):
        check_everything(store, LiveAnswers(store))
