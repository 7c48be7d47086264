"""Recording matches and blocks: all or nothing, once, and exactly what was handed in."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from roost_games.registry import GAME_NAMES
from roost_games.replay import Replay
from roost_games.verify import verify
from roost_server.answers.ratings import Ratings, everything
from roost_server.store import (
    BlockClosed,
    BlockState,
    NewBlock,
    RecordRefused,
    Store,
    StoreError,
    open_store,
    queries,
    results,
)
from roost_server.store.queries import RecordedMatch
from tests.support.records.matches import SEED, block, counted, finished, ids_on_record, played, sketch


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_a_match_comes_back_as_it_was_played(store: Store, game: str, players: int) -> None:
    ids = [store.register_version(f"bot{seat}", "v1") for seat in range(players)]
    replay = played("m1", game, players)
    store.commit([finished(replay, block(store, "b1", *ids))])
    read = Replay.from_line(queries.replay(store, "m1"))
    assert read == replay
    assert verify(read) is None
    assert [(seat.bot, seat.version, seat.owner) for seat in read.seats] == [
        (f"bot{seat}", "v1", "somebody") for seat in range(players)
    ]


def test_matches_are_numbered_in_the_order_in_which_they_are_saved(store: Store) -> None:
    new = block(store)
    store.commit([finished(sketch("z"), new, 0), finished(sketch("a"), new, 1)])
    store.commit([finished(sketch("m"), new, 2)])
    assert [(row.number, row.id) for row in counted(store)] == [(1, "z"), (2, "a"), (3, "m")]
    assert [Replay.from_line(line).match for line in queries.replays(store)] == ["z", "a", "m"]


def test_a_group_is_recorded_as_a_whole_or_not_at_all(store: Store) -> None:
    new = block(store)
    stray = replace(finished(sketch("m2"), new, 1), block_id="nowhere")
    with pytest.raises(RecordRefused, match=r"roost[.\w]+: this contradicts what is recorded"):
        store.commit([finished(sketch("m1"), new), stray])
    assert ids_on_record(store) == []


def test_a_match_of_an_unknown_bot_is_refused(store: Store) -> None:
    with pytest.raises(RecordRefused, match=r"(?i)foreign key"):
        store.commit([replace(finished(sketch("m1"), block(store)), version_ids=(1, 99))])


def test_to_save_a_match_again_changes_nothing(store: Store) -> None:
    match = finished(sketch("m1"), block(store))
    store.commit([match, match])
    store.commit([match])
    assert ids_on_record(store) == ["m1"]


def test_an_id_stands_for_one_match(store: Store) -> None:
    new = block(store)
    store.commit([finished(sketch("m1", (1, 2)), new)])
    with pytest.raises(RecordRefused, match="match m1 is already on record with another replay"):
        store.commit([finished(sketch("m1", (2, 1)), new)])
    with pytest.raises(RecordRefused, match="match m2 comes twice with different replays"):
        store.commit([finished(sketch("m2", (1, 2)), new, 1), finished(sketch("m2", (2, 1)), new, 1)])
    assert [row.facts.places for row in counted(store) if row.facts] == [(1, 2)]


def test_a_rotation_counts_once(store: Store) -> None:
    new = block(store)
    store.commit([finished(sketch("m1", (), termination="voided"), new, 4)])
    store.commit([finished(sketch("m2"), new, 4)])
    with pytest.raises(RecordRefused, match=r"(?i)unique"):
        store.commit([finished(sketch("m3"), new, 4)])
    assert ids_on_record(store) == ["m1", "m2"]


def test_an_open_block_lists_what_was_played_of_it(store: Store) -> None:
    ids = tuple(store.register_version(name, "v1") for name in ("a", "b"))
    first = NewBlock("b1", "haecmaec", {"slap": True}, SEED, "all", (ids[1], ids[0]), 17)
    store.commit([first, replace(first, id="b0", created_ms=18), replace(first, id="gone")])
    store.commit([finished(sketch("m9"), first, 1), finished(sketch("m1", (), termination="voided"), first, 0)])
    store.close_block("gone", BlockState.VOIDED)
    one, two = queries.unfinished_blocks(store)
    assert one[:7] == ("b1", "haecmaec", '{"slap":true}', 2, SEED, "all", 17)
    assert one.version_ids == (ids[1], ids[0])
    assert one.recorded == (RecordedMatch("m9", 1, "finished"), RecordedMatch("m1", 0, "voided"))
    assert (two.id, two.recorded) == ("b0", ())


def test_a_block_matches_and_its_end_can_go_into_one_commit(store: Store) -> None:
    ids = tuple(store.register_version(name, "v1") for name in ("a", "b"))
    new = NewBlock("b1", "karteneck", {}, SEED, "all", ids, 1)
    store.commit([BlockClosed("b1", BlockState.DONE), finished(sketch("m1"), new), new])
    assert [(row.id, row.block_state) for row in counted(store)] == [("m1", BlockState.DONE)]


def test_how_a_block_ended_is_final(store: Store) -> None:
    block(store, "b1")
    store.close_block("b1", BlockState.DONE)
    store.close_block("b1", BlockState.DONE)
    with pytest.raises(RecordRefused, match="block b1 cannot be closed as voided: it is already done"):
        store.close_block("b1", BlockState.VOIDED)
    with pytest.raises(RecordRefused, match="block b2 cannot be closed as done: it is not on record"):
        store.close_block("b2", BlockState.DONE)


def test_to_open_a_block_again_changes_nothing_unless_it_differs(store: Store) -> None:
    new = block(store, "b1")
    store.close_block("b1", BlockState.DONE)
    store.open_block(new)
    assert queries.unfinished_blocks(store) == []
    for other in (replace(new, seed="00"), replace(new, version_ids=new.version_ids[::-1])):
        with pytest.raises(RecordRefused, match="block b1 is already on record with another deal"):
            store.open_block(other)
    with pytest.raises(RecordRefused, match="block b2 comes twice with different deals"):
        store.commit([replace(new, id="b2"), replace(new, id="b2", seed="00")])


def test_a_bot_version_is_registered_once(store: Store) -> None:
    first = store.register_version("a", "v1", 5)
    assert store.register_version("a", "v1", 99) == first
    assert store.register_version("a", "v2", 6) != first
    assert [row[1:] for row in queries.versions(store)] == [("a", "v1", 5), ("a", "v2", 6)]


def test_threads_that_register_the_same_version_get_the_same_id(store: Store) -> None:
    together = threading.Barrier(4)

    def register(_: int) -> int:
        together.wait()
        return store.register_version("a", "v1")

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(register, range(4)))) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_is_said_and_recovered_from(store: Store) -> None:
    new = block(store)
    matches = [finished(played(f"m{number}", "bratwurmeck"), new, number) for number in range(8)]
    with store.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"roost\.db: the disk is full; free some space"):
        store.commit(matches)
    assert ids_on_record(store) == []
    with store.writing() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    store.commit(matches)
    assert ids_on_record(store) == [f"m{number}" for number in range(8)]


def test_a_reader_works_beside_the_writer_and_sees_one_state(store: Store, database_url: str) -> None:
    new = block(store)
    store.commit([finished(sketch(f"m{i}"), new, i) for i in range(3)])
    with open_store(database_url, read_only=True) as reader, reader.reading() as reading:
        streaming = results.recorded(reading)
        assert next(streaming).id == "m0"
        store.commit([finished(sketch("m3"), new, 3)])
        assert [row.id for row in streaming] == ["m1", "m2"]
        assert ids_on_record(reader) == ["m0", "m1", "m2", "m3"]


def test_a_store_that_was_closed_stays_closed(store: Store) -> None:
    store.close()
    for use in (lambda: store.register_version("a", "v1"), lambda: store.commit([]), lambda: queries.versions(store)):
        with pytest.raises(StoreError, match=r"roost[.\w]+ has been closed"):
            use()


def test_a_reader_notices_a_file_that_was_moved_and_its_return(tmp_path: Path) -> None:
    here, away, url = tmp_path / "roost.db", tmp_path / "away.db", f"sqlite:///{tmp_path / 'roost.db'}"
    with open_store(url) as writer:
        writer.commit([finished(sketch("m0"), block(writer), 0)])
    with open_store(url, read_only=True) as reader:
        assert ids_on_record(reader) == ["m0"]
        here.rename(away)
        with pytest.raises(StoreError, match=r"roost\.db: it cannot be opened; check that it is there"):
            ids_on_record(reader)
        away.rename(here)
        assert ids_on_record(reader) == ["m0"]


def test_a_reader_rates_the_file_that_took_the_place_of_another(tmp_path: Path) -> None:
    here, url = tmp_path / "roost.db", f"sqlite:///{tmp_path / 'roost.db'}"
    for name, matches in (("roost.db", 3), ("other.db", 2)):
        with open_store(f"sqlite:///{tmp_path / name}") as writer:
            new = block(writer)
            writer.commit([finished(sketch(f"m{number}"), new, number) for number in range(matches)])
    with open_store(url, read_only=True) as reader:
        ratings = Ratings(reader)
        assert ratings.rated(everything()).matches == 3
        (tmp_path / "other.db").replace(here)
        assert ratings.rated(everything()).matches == 2
