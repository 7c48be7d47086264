"""Answers that are kept while they are still true, so that a thousand visitors cost as much as a few.

A question is asked once, however many wait for its answer. `Kept` holds values up to a number of bytes and forgets
those that were not used for the longest time.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
Now = Callable[[], float]
SOON_SECONDS = 0.2
"""How long a visitor waits for something newer than what there is, such as while the arena is busy."""
STALE_SECONDS = 5.0
"""What is older than this is not shown, however long its successor takes."""


class Stamp(NamedTuple):
    """When a value was made, and what the arena's state was then."""

    state: Hashable
    at: float


noted_states: ContextVar[set[Hashable] | None] = ContextVar("noted_states", default=None)
"""The states of the answers that go into what is being made, if anybody wants to know."""


def note_state(state: Hashable) -> None:
    """Say of which state an answer is that is being used."""
    if (noted := noted_states.get()) is not None:
        noted.add(state)


class Kept(Generic[T]):
    """Values by key, at most `most_bytes` of them."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """The value, if it is still here."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, value: T, size: int) -> None:
        """Keep a value of about `size` bytes, and forget others if there is no room."""
        self.drop(key)
        self._values[key] = (value, size)
        self._bytes += size
        while self._bytes > self._most_bytes:
            _, (_, forgotten) = self._values.popitem(last=False)
            self._bytes -= forgotten

    def drop(self, key: Hashable) -> None:
        """Forget a value."""
        if found := self._values.pop(key, None):
            self._bytes -= found[1]


class SingleFlight(Generic[T]):
    """Does a thing once for all who want it at the same time."""

    def __init__(self) -> None:
        self._flying: dict[Hashable, asyncio.Task[T]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """What `make` returns or raises. A caller that goes away does not stop it for the others."""
        return await asyncio.shield(self._task(key, make))

    async def get_soon(self, key: Hashable, make: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """The same, or `otherwise` if it takes longer than `SOON_SECONDS`. It goes on for those who come later."""
        task = self._task(key, make)
        done, _ = await asyncio.wait((task,), timeout=SOON_SECONDS)
        return task.result() if done else otherwise

    def _task(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> asyncio.Task[T]:
        task = self._flying.get(key)
        if task is None:
            task = asyncio.ensure_future(_awaited(make))
            self._flying[key] = task
            task.add_done_callback(lambda done: self._landed(key, done))
        return task

    def _landed(self, key: Hashable, task: asyncio.Task[T]) -> None:
        self._flying.pop(key, None)
        if not task.cancelled():
            task.exception()  # read, so that an error nobody waited for is not logged as lost


async def _awaited(make: Callable[[], Awaitable[T]]) -> T:
    return await make()


class ArenaWatch(Generic[T]):
    """A cheap question about the state of the arena, asked at most once in `seconds`, failures included."""

    def __init__(self, ask: Callable[[], Awaitable[T]], seconds: float, now: Now = time.monotonic) -> None:
        self._ask = ask
        self._seconds = seconds
        self._now = now
        self._asked_at = -seconds
        self._last: T | Exception | None = None
        self._flight: SingleFlight[T] = SingleFlight()

    async def get(self) -> T:
        """The latest answer, or the error that came instead."""
        age, last = self._now() - self._asked_at, self._last
        if last is None or age >= STALE_SECONDS or (age >= self._seconds and isinstance(last, Exception)):
            return await self._flight.get("state", self._look)
        if isinstance(last, Exception):
            raise last
        return last if age < self._seconds else await self._flight.get_soon("state", self._look, last)

    async def _look(self) -> T:
        try:
            answer = await self._ask()
        except Exception as error:
            self._last = error
            raise
        else:
            self._last = answer
            return answer
        finally:
            self._asked_at = self._now()


class Freshness(NamedTuple):
    """How long a value may be shown."""

    changing: float
    """For this many seconds, even if the arena's state has changed."""
    unchanged: float
    """For this many seconds while the state is the same: some things change with the clock alone."""

    def allows(self, made: Stamp, state: Hashable, now: float) -> bool:
        """Whether a value made then may be shown now."""
        age = now - made.at
        return age < (self.unchanged if made.state == state else self.changing)
