"""Group commits: what is awaited is on the disk, what queues goes together, and a failure reaches whom it concerns."""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from roost_server.store import (
    BlockState,
    Change,
    FinishedMatch,
    GroupWriter,
    NewBlock,
    RecordRefused,
    Store,
    StoreError,
    open_store,
    queries,
)
from tests.support.records.matches import SEED, block, finished, ids_on_record, sketch

T = TypeVar("T")


def run(play: Coroutine[Any, Any, T]) -> T:
    """Fails instead of waiting forever."""
    return asyncio.run(asyncio.wait_for(play, timeout=120))


@pytest.fixture
def six(store: Store) -> list[FinishedMatch]:
    """Matches m0 to m5, ready to be saved."""
    new = block(store)
    return [finished(sketch(f"m{number}"), new, number) for number in range(6)]


class Gate:
    """Notes the groups that a store commits, and can hold a commit up or make it fail."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.groups: list[list[str]] = []
        self.open = threading.Event()
        self.open.set()
        self.error: Exception | None = None
        self._commit = store.commit
        monkeypatch.setattr(store, "commit", self.commit)

    def commit(self, changes: Sequence[Change]) -> None:
        self.groups.append([each.replay.match if isinstance(each, FinishedMatch) else each.id for each in changes])
        assert self.open.wait(timeout=120)
        if self.error is not None:
            raise self.error
        self._commit(changes)


@pytest.fixture
def gate(store: Store, six: list[FinishedMatch], monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(store, monkeypatch)


async def started(*saves: Coroutine[Any, Any, None]) -> list["asyncio.Task[None]"]:
    """Tasks that have run up to their first wait, in this order."""
    tasks = [asyncio.create_task(save) for save in saves]
    await asyncio.sleep(0)
    return tasks


def test_what_was_awaited_is_on_the_disk(store: Store, database_url: str) -> None:
    ids = tuple(store.register_version(name, "v1") for name in ("a", "b"))
    new = NewBlock("b1", "karteneck", {}, SEED, "all", ids, 1)

    async def play() -> None:
        writer = GroupWriter(store)
        with open_store(database_url, read_only=True) as reader:
            await writer.open_block(new)
            assert [each.id for each in queries.unfinished_blocks(reader)] == ["b1"]
            await writer.save(finished(sketch("m1"), new))
            assert ids_on_record(reader) == ["m1"]
            await writer.close_block("b1", BlockState.DONE)
            assert queries.unfinished_blocks(reader) == []
        await writer.aclose()

    run(play())


def test_what_comes_during_a_commit_goes_together_into_the_next_in_order(
    store: Store, gate: Gate, six: list[FinishedMatch]
) -> None:
    async def play() -> None:
        writer = GroupWriter(store)
        gate.open.clear()
        tasks = await started(*map(writer.save, six[:2]))
        await asyncio.sleep(0)
        tasks += await started(*map(writer.save, six[2:]))
        gate.open.set()
        await asyncio.gather(*tasks)
        await writer.aclose()

    run(play())
    assert gate.groups == [["m0", "m1"], ["m2", "m3", "m4", "m5"]]
    assert ids_on_record(store) == [f"m{number}" for number in range(6)]


def test_a_group_has_a_greatest_size(store: Store, gate: Gate, six: list[FinishedMatch]) -> None:
    async def play() -> None:
        writer = GroupWriter(store, max_group=2)
        gate.open.clear()
        tasks = await started(*map(writer.save, six))
        gate.open.set()
        await asyncio.gather(*tasks)
        await writer.aclose()

    run(play())
    assert gate.groups == [["m0", "m1"], ["m2", "m3"], ["m4", "m5"]]


def test_a_failing_disk_is_told_to_everybody_in_the_group_and_the_writer_goes_on(
    store: Store, gate: Gate, six: list[FinishedMatch]
) -> None:
    async def play() -> list[BaseException | None]:
        writer = GroupWriter(store)
        first, *others = six[:3]
        gate.open.clear()
        tasks = await started(writer.save(first), *map(writer.save, others))
        gate.error = StoreError("the disk is full")
        gate.open.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        gate.error = None
        await asyncio.gather(*map(writer.save, [first, *others]))
        await writer.aclose()
        return outcomes

    outcomes = run(play())
    assert [(type(error), str(error)) for error in outcomes] == [(StoreError, "the disk is full")] * 3
    assert len(set(map(id, outcomes))) == 3
    assert ids_on_record(store) == ["m0", "m1", "m2"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_real_full_disk_reaches_the_waiting(store: Store, six: list[FinishedMatch]) -> None:
    match = six[0]
    with store.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    large = replace(match, replay=replace(match.replay, options={"noise": SEED * 2_000 + str(list(range(5_000)))}))

    async def play() -> None:
        writer = GroupWriter(store)
        with pytest.raises(StoreError, match="the disk is full; free some space"):
            await writer.save(large)
        await writer.aclose()

    run(play())
    assert ids_on_record(store) == []


@pytest.mark.parametrize("mistake", ["unknown block", "no text"])
def test_only_the_one_to_blame_is_refused(store: Store, gate: Gate, six: list[FinishedMatch], mistake: str) -> None:
    good = six[:4]
    bad = replace(good[2], block_id="nowhere" if mistake == "unknown block" else "\udc00")
    del good[2]

    async def play() -> list[BaseException | None]:
        writer = GroupWriter(store)
        gate.open.clear()
        tasks = await started(*map(writer.save, [good[0], good[1], bad, good[2]]))
        gate.open.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        await writer.aclose()
        return outcomes

    outcomes = run(play())
    assert [error is None for error in outcomes] == [True, True, False, True]
    assert isinstance(outcomes[2], RecordRefused if mistake == "unknown block" else StoreError)
    assert ids_on_record(store) == ["m0", "m1", "m3"]


def test_closing_writes_what_is_queued_and_takes_nothing_more(
    store: Store, gate: Gate, six: list[FinishedMatch]
) -> None:
    async def play() -> None:
        writer = GroupWriter(store, max_group=2)
        *queued, late = six
        gate.open.clear()
        tasks = await started(*map(writer.save, queued))
        closing = asyncio.create_task(writer.aclose())
        await asyncio.sleep(0)
        with pytest.raises(StoreError, match="shutting down"):
            await writer.save(late)
        assert not closing.done()
        gate.open.set()
        await closing
        assert all(task.done() for task in (await asyncio.wait(tasks))[0])
        await writer.aclose()

    run(play())
    assert ids_on_record(store) == [f"m{number}" for number in range(5)]


def test_a_waiter_that_gives_up_takes_nothing_back(store: Store, gate: Gate, six: list[FinishedMatch]) -> None:
    async def play() -> None:
        writer = GroupWriter(store)
        gate.open.clear()
        committing, queued, patient = await started(*map(writer.save, six[:3]))
        committing.cancel()
        queued.cancel()
        await asyncio.sleep(0)
        gate.open.set()
        await patient
        await writer.aclose()

    run(play())
    assert ids_on_record(store) == ["m0", "m1", "m2"]
