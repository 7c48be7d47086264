"""Where the bots of a client run: in a thread, or an event loop, that the connection has no part in.

The network hands over whole batches of tasks, one for each message of the arena, and gets back what is finished. A
quick bot costs two changes of thread a message, however many decisions it has. No bot can keep the connection waiting
by thinking. It can by holding the interpreter in one long step of C code, such as a large `json.loads`: Python has one
interpreter for all threads. `Heartbeat` finds that out.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import perf_counter, process_time
from typing import Protocol

from roost_sdk.arena.match import ArenaMatch, Task
from roost_sdk.bot import Bot
from roost_sdk.seat import Kind, has_coroutines

COLLECT_SECONDS = 0.002
"""How long what is finished may wait for the rest of its batch."""
SWITCH_SECONDS = 0.0005
"""How long a thread that computes may go on while another one wants to run; Python's own value is ten times as long."""
BEAT_SECONDS = 0.05
HELD_SECONDS = 0.2
"""If the event loop of the network cannot run for longer than this, the log says who held it up."""
GAPS_REMEMBERED = 16


Finished = Callable[[Sequence[Task]], None]
"""Is told in the event loop of the network which tasks are done."""


class Driver(Protocol):
    """Runs the tasks of a client. All methods but `serve` belong to the thread of the network."""

    def take(self, batch: Sequence[Task]) -> None:
        """Run these, after those that were taken before."""

    def drop(self, match: ArenaMatch) -> None:
        """The match is over for the network: nothing about it is wanted."""

    def close(self) -> None:
        """Run nothing more; `serve` returns."""

    def held(self, began: float, ended: float) -> float:
        """For how many seconds between two moments the network could not run because of a bot."""

    def serve(self) -> None:
        """Run tasks in this thread until `close`."""


class Returns:
    """The way back from a bot to the network: what is finished is handed over as soon as its batch is.

    If that takes longer than `COLLECT_SECONDS`, the network looks what there is. From then on everything is handed over
    at once: so no answer waits for a bot that thinks about another one.
    """

    def __init__(self, finished: Finished) -> None:
        """To be made in the event loop of the network."""
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
        """Called by the network: this many tasks are handed over."""
        self.running += count
        self._heartbeat.start()
        if count > 1:
            self._look_soon()

    def put(self, task: Task) -> None:
        """Called where bots run: a task is done, or cancelled."""
        self._done.append(task)
        # In this order: if the network has just looked, it is told.
        if self._looking is None:
            self.flush()

    def flush(self) -> None:
        """Called where bots run: there will be nothing more for a while."""
        if self._done and not self._told:
            self._told = True
            # A thought may outlive the event loop that wanted it.
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

    def take(self, batch: Sequence[Task]) -> None:
        self._returns.expect(len(batch))
        self._batches.put(batch)

    def drop(self, match: ArenaMatch) -> None:
        # A thread cannot be stopped. Tasks find out themselves that they are out of date.
        pass

    def close(self) -> None:
        self._closed = True
        self._batches.put(None)

    def serve(self) -> None:
        while (batch := self._batches.get()) is not None:
            for task in batch:
                if self._closed:
                    return
                task.run()
                self._returns.put(task)
            self._returns.flush()


class LoopDriver:
    """Runs the methods of a bot that has coroutines, in an event loop of their own; those of a match in order.

    A decision that is still being thought about when the next one is wanted has lost its purpose: it is cancelled.
    """

    def __init__(self, finished: Finished) -> None:
        self._returns = Returns(finished)
        self.held = self._returns.held
        self._orders: deque[Callable[[], None]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._players: dict[ArenaMatch, _Player] = {}
        self._over: asyncio.Event

    def take(self, batch: Sequence[Task]) -> None:
        self._returns.expect(len(batch))
        self._order(lambda: self._distribute(batch))

    def drop(self, match: ArenaMatch) -> None:
        self._order(lambda: self._drop(match))

    def close(self) -> None:
        self._order(lambda: self._over.set())

    def serve(self) -> None:
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
        """Do something in the loop of the bots, as soon as there is one."""
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
            self._current = asyncio.create_task(task.wait())
            self._current.add_done_callback(lambda _, task=task: self._return(task))  # type: ignore[misc]
            await asyncio.wait([self._current])

    def _return(self, task: Task) -> None:
        self._returns.put(task)
        # Others may be done by then.
        asyncio.get_running_loop().call_soon(self._returns.flush)


def new_driver(bot_class: type[Bot], games: Sequence[str], finished: Finished) -> Driver:
    """The driver that suits a bot. To be made in the event loop of the network.

    The network runs several times before a pong is out, and each time it may have to wait for a bot that computes. So
    threads take turns more often than usual.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    kind = LoopDriver if any(has_coroutines(bot_class, game) for game in games) else ThreadDriver
    return kind(finished)


class OwnThread:
    """A driver that serves itself: in a thread that starts with the first task."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._thread: Thread | None = None
        self.drop = driver.drop
        self.close = driver.close
        self.held = driver.held
        self.serve = driver.serve

    def take(self, batch: Sequence[Task]) -> None:
        if self._thread is None:
            # A daemon: a bot that never stops thinking must not keep its process from ending.
            self._thread = Thread(target=self.serve, name="roost bot", daemon=True)
            self._thread.start()
        self._driver.take(batch)


class Heartbeat:
    """Notices when the event loop of the network could not run, because something else held the interpreter.

    It does not count if this process computed next to nothing meanwhile: then it was stopped, or the machine asleep.
    """

    def __init__(self, busy: Callable[[], bool]) -> None:
        """It beats only while bots are `busy`. To be made in the event loop of the network."""
        self._loop = asyncio.get_running_loop()
        self._busy = busy
        self._gaps: deque[tuple[float, float]] = deque(maxlen=GAPS_REMEMBERED)
        self._beating = False
        self._at, self._computed = 0.0, 0.0

    def start(self) -> None:
        """Bots are busy from now on."""
        if not self._beating:
            self._beating = True
            self._at, self._computed = perf_counter(), process_time()
            self._loop.call_later(BEAT_SECONDS, self._beat)

    def held(self, began: float, ended: float) -> float:
        """For how many seconds between two moments the loop could not run."""
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
