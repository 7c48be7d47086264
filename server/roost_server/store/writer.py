"""Group commits for an asyncio program: what arrives while a commit runs goes into the next one.

A commit waits for the disk, whether it holds one match or a hundred. While one runs in a worker thread, further changes
queue up and are then committed together: the busier the arena, the larger the groups.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from roost_server.store.errors import RecordRefused, StoreError
from roost_server.store.models import BlockState
from roost_server.store.records import BlockClosed, Change, FinishedMatch, NewBlock
from roost_server.store.store import Store

Waiting = tuple[Change, "asyncio.Future[None]"]


class GroupWriter:
    """Writes to a store from one event loop. Each method returns when its change is on the disk.

    Changes are committed in the order in which they were submitted. If one cannot be written, its caller gets
    `StoreError` and nothing of it is on record, so its result must not be announced. A failure of the disk or a lock
    concerns the whole group; a `RecordRefused` concerns one change. The writer does not retry, because it cannot know
    whether the arena would rather wait or give up. It stays usable, and submitting the same change again is safe.

    If a caller is cancelled while it waits, its change is still written.
    """

    def __init__(self, store: Store, max_group: int = 500) -> None:
        self._store = store
        self._max_group = max_group
        self._queue: list[Waiting] = []
        self._commit: asyncio.Future[list[StoreError | None]] | None = None
        self._closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="roost-store")

    async def save(self, match: FinishedMatch) -> None:
        """Record a match."""
        await self._hand_in(match)

    async def open_block(self, block: NewBlock) -> None:
        """Record that a block is going to be played."""
        await self._hand_in(block)

    async def close_block(self, block_id: str, state: BlockState) -> None:
        """Record that an open block is `done` or `voided`."""
        await self._hand_in(BlockClosed(block_id, state))

    async def aclose(self) -> None:
        """Accept nothing more, write what is queued, and stop the thread. The store stays open."""
        self._closed = True
        self._start_commit()
        while self._commit is not None:
            await asyncio.wait([self._commit])
        self._thread.shutdown()

    def _hand_in(self, change: Change) -> "asyncio.Future[None]":
        if self._closed:
            raise StoreError("nothing more can be recorded: the arena is shutting down")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((change, done))
        if self._commit is None:
            # Not at once: what is submitted together is committed together.
            asyncio.get_running_loop().call_soon(self._start_commit)
        return done

    def _start_commit(self) -> None:
        if self._commit is not None or not self._queue:
            return
        group, self._queue = self._queue[: self._max_group], self._queue[self._max_group :]
        changes = [change for change, _ in group]
        self._commit = asyncio.get_running_loop().run_in_executor(self._thread, outcomes, self._store, changes)
        self._commit.add_done_callback(partial(self._end_commit, group))

    def _end_commit(self, group: list[Waiting], commit: "asyncio.Future[list[StoreError | None]]") -> None:
        self._commit = None
        self._start_commit()
        for (_, done), error in zip(group, commit.result(), strict=True):
            if done.cancelled():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)


def outcomes(store: Store, changes: Sequence[Change]) -> list[StoreError | None]:
    """Commit `changes` together. Returns for each what went wrong, or `None`.

    If a change is refused, each is committed alone, so that only the refused one fails.
    """
    try:
        store.commit(changes)
    except RecordRefused as error:
        return [error] if len(changes) == 1 else _one_by_one(store, changes)
    except StoreError as error:
        # One for each caller: raising an exception adds the caller's traceback to it.
        return [StoreError(*error.args) for _ in changes]
    except Exception as error:
        # A bug, perhaps in one change only. Its caller must hear of it, and the others must continue.
        return [_unexpected(store, error)] if len(changes) == 1 else _one_by_one(store, changes)
    return [None for _ in changes]


def _one_by_one(store: Store, changes: Sequence[Change]) -> list[StoreError | None]:
    return [outcome for change in changes for outcome in outcomes(store, [change])]


def _unexpected(store: Store, error: Exception) -> StoreError:
    wrapped = StoreError(f"{store.name}: {error!r}")
    wrapped.__cause__ = error
    return wrapped
