"""Calls the author's code, where it does no harm: it must not keep the connection waiting.

Plain methods are called in the event loop while they are quick, since that is the fastest way. Once they are slow they
are called in a thread, one after the other, so that the author never has to think about two threads. Methods of a bot
with coroutines are called in a task of each match. Whatever they raise ends up in an `Outcome`.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from inspect import isawaitable
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, Literal, NamedTuple, Protocol

QUICK_MS = 1.0
"""Up to this mean time, plain methods are called in the event loop."""
BATCH_MS = 20.0
"""Once the calls for one message have taken so long in the event loop, the rest of them go to the thread."""
MEMORY = 16
"""The mean goes over about so many calls."""

Kind = Literal["start", "decide", "seen", "end"]


class Outcome(NamedTuple):
    """What came of a call."""

    value: Any
    error: BaseException | None
    ms: float


Call = Callable[[], object]
"""Author's code, with its arguments."""
Then = Callable[[Outcome], None]
"""What follows from it; called in the event loop."""


class Calls(Protocol):
    """Where the methods of a bot are called: those of one match in the order in which this is asked."""

    def do(self, kind: Kind, call: Call, then: Then) -> None:
        """Call `call` now or later, then `then`."""

    def close(self) -> None:
        """Call nothing any more."""


def attempt(call: Call) -> Outcome:
    """What comes of a plain call."""
    began = perf_counter()
    try:
        value = call()
    except (Exception, SystemExit) as error:
        return Outcome(None, error, (perf_counter() - began) * 1000.0)
    return Outcome(value, None, (perf_counter() - began) * 1000.0)


async def attempt_waiting(call: Call) -> Outcome:
    """What comes of a call that may give a coroutine."""
    began = perf_counter()
    try:
        value = call()
        if isawaitable(value):
            value = await value
    except (Exception, SystemExit) as error:
        return Outcome(None, error, (perf_counter() - began) * 1000.0)
    return Outcome(value, None, (perf_counter() - began) * 1000.0)


class PlainCalls:
    """Calls plain methods, those of all matches of a bot: in the event loop or, if they are slow, in one thread.

    While something is under way in the thread, everything else goes there too. So no two methods ever run at once.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._mean_ms: dict[Kind, float] = {"start": 0.0, "decide": 0.0, "seen": 0.0, "end": 0.0}
        self._pending = 0
        self._batch_ms = 0.0
        self._jobs: SimpleQueue[tuple[Kind, Call, Then] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._closed = False

    def begin_batch(self) -> None:
        """What follows is for another message."""
        self._batch_ms = 0.0

    def do(self, kind: Kind, call: Call, then: Then) -> None:
        if self._closed:
            return
        if self._pending or self._mean_ms[kind] > QUICK_MS or self._batch_ms > BATCH_MS:
            self._give_to_thread(kind, call, then)
        else:
            outcome = attempt(call)
            self._batch_ms += outcome.ms
            self._learn(kind, outcome.ms)
            then(outcome)

    def close(self) -> None:
        self._closed = True
        self._jobs.put(None)

    def _learn(self, kind: Kind, ms: float) -> None:
        self._mean_ms[kind] += (ms - self._mean_ms[kind]) / MEMORY

    def _give_to_thread(self, kind: Kind, call: Call, then: Then) -> None:
        if self._thread is None:
            # A daemon: a bot that thinks for ever must not keep its process from ending.
            self._thread = Thread(target=self._work, name="roost bot", daemon=True)
            self._thread.start()
        self._pending += 1
        self._jobs.put((kind, call, then))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None and not self._closed:
            kind, call, then = job
            outcome = attempt(call)
            # A thought may outlive the event loop that wanted it.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._done, kind, then, outcome)

    def _done(self, kind: Kind, then: Then, outcome: Outcome) -> None:
        self._pending -= 1
        self._learn(kind, outcome.ms)
        if not self._closed:
            then(outcome)


class WaitingCalls:
    """Calls the methods of one match whose bot has coroutines, one after the other, until `end`.

    A decision that is still being thought about when the next one is wanted has lost its purpose: it is cancelled.
    """

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[tuple[Kind, Call, Then]] = asyncio.Queue()
        self._kind: Kind = "start"
        self._current: asyncio.Task[Outcome] | None = None
        self._task = asyncio.create_task(self._work())

    def do(self, kind: Kind, call: Call, then: Then) -> None:
        self._jobs.put_nowait((kind, call, then))
        if self._kind == "decide" and kind != "seen":
            self._cancel()

    def close(self) -> None:
        self._task.cancel()
        self._cancel()

    def _cancel(self) -> None:
        if self._current is not None:
            self._current.cancel()

    async def _work(self) -> None:
        while self._kind != "end":
            self._kind, call, then = await self._jobs.get()
            self._current = asyncio.create_task(attempt_waiting(call))
            await asyncio.wait([self._current])
            if not self._current.cancelled():
                then(self._current.result())
