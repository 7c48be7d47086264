"""Runs the bots of a client in a thread or an event loop that is separate from the connection's.

The network hands over tasks in batches, one batch for each message of the arena, and collects finished tasks in the
same way. A quick bot therefore costs two thread switches per message, no matter how many decisions the message has. A
bot that thinks never delays the connection. A bot that holds the interpreter in one long step of C code, such as a
large `json.loads`, does, because all threads share one interpreter. `Heartbeat` detects that.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread, get_ident
from time import perf_counter, process_time
from typing import Protocol

from roost_sdk.arena.match import ArenaMatch, Task, run_together
from roost_sdk.bot import Bot
from roost_sdk.seat import Kind, has_coroutines
from roost_sdk.tracebacks import dump_of, where_it_was
from roost_sdk.troubles.hangs import where_thread_is

COLLECT_SECONDS = 0.002
"""How long a finished task may wait for the rest of its batch."""
SWITCH_SECONDS = 0.0005
"""How long a thread may compute while another one wants to run. Python's default is ten times as long."""
BEAT_SECONDS = 0.05
HELD_SECONDS = 0.2
"""If the network's event loop cannot run for longer than this, the log names the bot that held it up."""
GAPS_REMEMBERED = 16


Finished = Callable[[Sequence[Task]], None]
"""Called with finished tasks, in the network's event loop."""


class Driver(Protocol):
    """Runs the tasks of a client. All methods but `serve` are called in the network's thread."""

    def take(self, batch: Sequence[Task]) -> None:
        """Run these tasks after all earlier ones."""

    def drop(self, match: ArenaMatch) -> None:
        """Forget a match: its results are no longer wanted."""

    def close(self) -> None:
        """Stop running tasks, and make `serve` return."""

    def held(self, began: float, ended: float) -> float:
        """How many seconds between two moments a bot kept the network from running."""

    def calling(self) -> Collection[Task]:
        """The calls of bots that have begun and not ended."""

    def where(self, task: Task) -> str:
        """The author's line that one of these calls is at; empty if it is at none."""

    def serve(self) -> None:
        """Run tasks in this thread until `close`."""


class Returns:
    """Returns finished tasks from the bots to the network, a whole batch at a time.

    If a batch takes longer than `COLLECT_SECONDS`, the network collects what is finished. From then on every task is
    handed over at once, so that no answer waits while the bot thinks about another one.
    """

    def __init__(self, finished: Finished) -> None:
        """Must be called in the network's event loop."""
        self._loop = asyncio.get_running_loop()
        self._finished = finished
        self._done: deque[Task] = deque()
        self.running = 0
        """How many tasks are with the bots."""
        self._looking: asyncio.TimerHandle | None = None
        self._told = False
        self._heartbeat = Heartbeat(lambda: self.running > 0)
        self.held = self._heartbeat.held

    def expect(self, count: int) -> None:
        """Expect this many tasks to finish. Called in the network's thread."""
        self.running += count
        self._heartbeat.start()
        if count > 1:
            self._look_soon()

    def put(self, task: Task) -> None:
        """Return a task that is done or cancelled. Called where bots run."""
        self._done.append(task)
        # The order matters: if the network has just collected, it must be told.
        if self._looking is None:
            self.flush()

    def flush(self) -> None:
        """Hand over what is finished. Called where bots run, when no more is coming for a while."""
        if self._done and not self._told:
            self._told = True
            # A decision may outlive the event loop that asked for it.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._collect)

    def _look_soon(self) -> None:
        if self._looking is None:
            self._looking = self._loop.call_later(COLLECT_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        if self._collect() and self.running:
            self._look_soon()

    def _collect(self) -> int:
        self._told = False
        done = []
        while self._done:
            done.append(self._done.popleft())
        self.running -= len(done)
        if not self.running and self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if done:
            self._finished(done)
        return len(done)


class ThreadDriver:
    """Runs plain methods, one after the other: no two methods of a bot ever run at once."""

    def __init__(self, finished: Finished) -> None:
        self._returns = Returns(finished)
        self.held = self._returns.held
        self._batches: SimpleQueue[Sequence[Task] | None] = SimpleQueue()
        self._closed = False
        self._current: Task | None = None
        self._thread = 0

    def take(self, batch: Sequence[Task]) -> None:
        self._returns.expect(len(batch))
        self._batches.put(batch)

    def drop(self, match: ArenaMatch) -> None:
        # A thread cannot be stopped. Tasks find out themselves that they are out of date.
        pass

    def close(self) -> None:
        self._closed = True
        self._batches.put(None)

    def calling(self) -> Collection[Task]:
        task = self._current
        return () if task is None else (task,)

    def where(self, task: Task) -> str:
        return where_thread_is(self._thread)

    def serve(self) -> None:
        self._thread = get_ident()
        while (batch := self._batches.get()) is not None:
            for tasks in self._together(batch):
                if self._closed:
                    return
                self._current = tasks[0]
                if len(tasks) > 1:
                    run_together(tasks)
                else:
                    tasks[0].run()
                self._current = None
                for task in tasks:
                    self._returns.put(task)
            self._returns.flush()

    def _together(self, batch: Sequence[Task]) -> Iterator[Sequence[Task]]:
        """What is run at once: a task by itself, but all waiting decisions of a bot that takes many.

        Those come last, so that nothing of their matches is ahead of them; each match has one open decision at most.
        """
        many: list[Task] = []
        while batch:
            for task in batch:
                if task.kind == "decide" and task.match.takes_many:
                    many.append(task)
                else:
                    yield (task,)
            batch = self._waiting() if many else ()
        if many:
            yield many

    def _waiting(self) -> Sequence[Task]:
        """What has come meanwhile."""
        with suppress(Empty):
            batch = self._batches.get_nowait()
            if batch is not None:
                return batch
            self._batches.put(None)
        return ()


class LoopDriver:
    """Runs the methods of a bot that has coroutines, in an event loop of their own; those of a match in order.

    A decision that is unfinished when the next one is asked for is cancelled: nobody wants it now.
    """

    def __init__(self, finished: Finished) -> None:
        self._returns = Returns(finished)
        self.held = self._returns.held
        self._orders: deque[Callable[[], None]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._players: dict[ArenaMatch, _Player] = {}
        self._thread = 0
        self._over: asyncio.Event

    def take(self, batch: Sequence[Task]) -> None:
        self._returns.expect(len(batch))
        self._order(lambda: self._distribute(batch))

    def drop(self, match: ArenaMatch) -> None:
        self._order(lambda: self._drop(match))

    def close(self) -> None:
        self._order(lambda: self._over.set())

    def calling(self) -> Collection[Task]:
        playing = [player.called for player in list(self._players.values())]
        return [task for task in playing if task is not None]

    def where(self, task: Task) -> str:
        player = self._players.get(task.match)
        return where_thread_is(self._thread) or ("" if player is None else player.where())

    def serve(self) -> None:
        self._thread = get_ident()
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._obey()
        await self._over.wait()
        for match in list(self._players):
            self._drop(match)

    def _order(self, order: Callable[[], None]) -> None:
        """Call something in the bots' event loop, as soon as it exists."""
        self._orders.append(order)
        if self._loop is not None:
            # After the end the loop is closed.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._obey)

    def _obey(self) -> None:
        while self._orders:
            self._orders.popleft()()

    def _distribute(self, batch: Sequence[Task]) -> None:
        for task in batch:
            if task.match not in self._players:
                self._players[task.match] = _Player(self._returns)
            self._players[task.match].take(task)
            if task.kind == "end":
                # It plays on to its end, but there will be no other task.
                del self._players[task.match]

    def _drop(self, match: ArenaMatch) -> None:
        player = self._players.pop(match, None)
        if player is not None:
            player.cancel()


class _Player:
    """One match of a bot with coroutines."""

    def __init__(self, returns: Returns) -> None:
        self._returns = returns
        self._tasks: asyncio.Queue[Task] = asyncio.Queue()
        self._kind: Kind = "start"
        self._current: asyncio.Task[None] | None = None
        self.called: Task | None = None
        """The call that has begun and not ended."""
        self._playing = asyncio.create_task(self._play())

    def take(self, task: Task) -> None:
        self._tasks.put_nowait(task)
        if self._kind == "decide" and task.kind != "seen":
            self._cancel_current()

    def cancel(self) -> None:
        self._playing.cancel()
        self._cancel_current()
        while not self._tasks.empty():
            self._return(self._tasks.get_nowait())

    def _cancel_current(self) -> None:
        if self._current is not None:
            self._current.cancel()

    async def _play(self) -> None:
        while self._kind != "end":
            task = await self._tasks.get()
            self._kind = task.kind
            self.called = task
            self._current = asyncio.create_task(task.wait())
            self._current.add_done_callback(partial(self._done, task))
            await asyncio.wait([self._current])

    def where(self) -> str:
        """The author's line at which its coroutine waits."""
        coroutine = None if self._current is None else self._current.get_coro()
        return where_it_was(dump_of(coroutine)).rpartition("\n")[2]

    def _done(self, task: Task, current: "asyncio.Task[None]") -> None:
        self.called = None
        self._return(task)
        error = None if current.cancelled() else current.exception()
        # An interrupt ends `serve`, which raises it. The event loop would report it a second time.
        if isinstance(error, Exception):
            raise error

    def _return(self, task: Task) -> None:
        self._returns.put(task)
        # Others may be done by then.
        asyncio.get_running_loop().call_soon(self._returns.flush)


def new_driver(bot_class: type[Bot], games: Sequence[str], finished: Finished) -> Driver:
    """The driver that suits a bot. Must be called in the network's event loop.

    Sending a pong takes the network several turns, and it may have to wait for a computing bot before each. So threads
    are switched more often than by default.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    kind = LoopDriver if any(has_coroutines(bot_class, game) for game in games) else ThreadDriver
    return kind(finished)


class OwnThread:
    """A driver with a thread of its own, which starts with the first task."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._thread: Thread | None = None
        self.drop = driver.drop
        self.close = driver.close
        self.held = driver.held
        self.calling = driver.calling
        self.where = driver.where
        self.serve = driver.serve

    def take(self, batch: Sequence[Task]) -> None:
        if self._thread is None:
            # A daemon: a bot that never stops thinking must not keep its process from ending.
            self._thread = Thread(target=self.serve, name="roost bot", daemon=True)
            self._thread.start()
        self._driver.take(batch)


class Heartbeat:
    """Notices when the network's event loop could not run because something else held the interpreter.

    A gap in which this process hardly computed does not count: the process was stopped, or the machine slept.
    """

    def __init__(self, busy: Callable[[], bool]) -> None:
        """It beats only while bots are `busy`. Must be called in the network's event loop."""
        self._loop = asyncio.get_running_loop()
        self._busy = busy
        self._gaps: deque[tuple[float, float]] = deque(maxlen=GAPS_REMEMBERED)
        self._beating = False
        self._at, self._computed = 0.0, 0.0

    def start(self) -> None:
        """Start beating: bots are busy."""
        if not self._beating:
            self._beating = True
            self._at, self._computed = perf_counter(), process_time()
            self._loop.call_later(BEAT_SECONDS, self._beat)

    def held(self, began: float, ended: float) -> float:
        """How many seconds between two moments the loop could not run."""
        self._note()
        return max((min(ended, end) - max(began, begin) for begin, end in self._gaps), default=0.0)

    def _beat(self) -> None:
        self._note()
        self._beating = self._busy()
        if self._beating:
            self._loop.call_later(BEAT_SECONDS, self._beat)

    def _note(self) -> None:
        now, computed = perf_counter(), process_time()
        gap = now - self._at - BEAT_SECONDS
        if gap > HELD_SECONDS and computed - self._computed > BEAT_SECONDS:
            self._gaps.append((self._at, now))
        self._at, self._computed = now, computed
