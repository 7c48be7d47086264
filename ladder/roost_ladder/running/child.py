"""What runs in a child process: it does what its parent asks for, and shows that it makes progress.

The parent sends a function and its arguments. The function is a generator. What it yields goes to the parent in
batches, several times a second and when the request is done: a message for each match would cost as much as many
decisions. Just as often, a second thread checks whether the match has advanced, and if so sends a sign of life. A bot
that never answers stops these signs, even if it holds the interpreter. That is how the parent knows.

A child whose parent has gone ends: between requests at the end of the pipe, and during one because the second thread
notices. So a bot that never answers does not keep its process running.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

from roost_games.errors import RoostError
from roost_games.registry import get_game
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits, Period, PlayedMatch, as_played
from roost_ladder.running.hall import Hall
from roost_ladder.running.table import epoch_ms
from roost_sdk.bot_process.host import limit_memory, limit_programs, memory_taken
from roost_sdk.guard import OUT_OF_MEMORY
from roost_sdk.load import LoadedBot
from roost_sdk.local import LocalMatch
from roost_sdk.processes import hide_memory
from roost_sdk.troubles.hangs import ThreadHang
from roost_sdk.troubles.log import Trouble

PULSE_SECONDS = 0.25
MOST_TROUBLES = 3
"""How many different troubles of one match are reported."""


class Alive(NamedTuple):
    """A sign of life."""


class ChildRemark(NamedTuple):
    """A line for the person who looks on."""

    line: str


class Done(NamedTuple):
    """The request is done."""


class RequestFailed(NamedTuple):
    """The request cannot be done."""

    error: RoostError


class ChildProgress:
    """Where the child is in its work: a value that changes as long as it makes progress."""

    def __init__(self) -> None:
        self.match: LocalMatch | None = None
        self.steps = 0
        self.tell: Callable[[str], None] = lambda line: None
        """Has the parent show a line."""
        self.memory = 0
        """How much it had taken when its bots were loaded."""

    @property
    def slow_seconds(self) -> float:
        """What takes longer than this is slow."""
        return 0.0 if self.match is None else self.match.slow_seconds

    @property
    def called(self) -> str:
        """The trusted bot that is being called; empty if none is."""
        return "" if self.match is None else self.match.called

    def advance(self) -> None:
        """Something has been done."""
        self.steps += 1

    def progress(self) -> tuple[object, ...]:
        """What changes as long as the child makes progress."""
        return (self.steps,) if self.match is None else (self.steps, *self.match.progress())


PROGRESS = ChildProgress()
LOADED: dict[BotSpec, LoadedBot] = {}
HALLS: dict[MatchLimits, Hall] = {}
"""Where bots play that have processes of their own."""


def load(specs: tuple[BotSpec, ...], limits: MatchLimits) -> Iterator[None]:
    """Import bots. The memory that they take is counted from here."""
    for spec in specs:
        if spec not in LOADED:
            LOADED[spec] = spec.load()
    PROGRESS.memory = memory_taken()
    limit_programs(limits.patience)
    yield from ()


def play_fixtures(fixtures: tuple[Fixture, ...], limits: MatchLimits) -> Iterator[PlayedMatch]:
    """Play matches, in this order. Trusted bots play in this process, and have been loaded."""
    if all(bot.trusted for fixture in fixtures for bot in fixture.bots):
        for fixture in fixtures:
            yield _play(fixture, limits)
    else:
        yield from _play_apart(fixtures, limits)


def _play_apart(fixtures: tuple[Fixture, ...], limits: MatchLimits) -> Iterator[PlayedMatch]:
    """Play matches in which bots have processes of their own. These are kept for the next job."""
    hall = HALLS.pop(limits, None) or Hall(limits, beat=PROGRESS.advance, tell=PROGRESS.tell)
    try:
        tables = list(hall.play(fixtures))
    except BaseException:
        hall.close()
        raise
    HALLS[limits] = hall
    for table in tables:
        yield as_played(
            table.fixture,
            table.referee,
            Period(table.started_ms, table.ended_ms),
            recording=limits.recording,
            troubles=summed_up(table.troubles),
            stops=tuple(table.stops),
            at_once=True,
        )


def _play(fixture: Fixture, limits: MatchLimits) -> PlayedMatch:
    started_ms = epoch_ms()
    troubles: list[Trouble] = []
    match = LocalMatch(
        get_game(fixture.game),
        [LOADED[spec] for spec in fixture.bots],
        fixture.seed,
        options=fixture.options,
        clock=limits.clock,
        max_faults=limits.max_faults,
        match=fixture.match,
        versions=[spec.version for spec in fixture.bots],
        tell=troubles.append,
    )
    # For the bots of this match, not for all that are loaded. What earlier matches have left behind counts too.
    limit_memory(PROGRESS.memory, limits.memory_mb * len(fixture.bots))
    PROGRESS.match = match
    PROGRESS.steps += 1
    match.play()
    if any("MemoryError" in trouble.what for trouble in troubles):
        # Nothing is certain in a process after that, nor whose fault it is: the bot that asks last gets the error.
        os._exit(OUT_OF_MEMORY)
    return as_played(
        fixture,
        match.referee,
        Period(started_ms, epoch_ms()),
        recording=limits.recording,
        troubles=summed_up(troubles),
    )


def summed_up(troubles: Sequence[Trouble]) -> tuple[Trouble, ...]:
    """The troubles of a match, each once, with how often it happened."""
    times = Counter((trouble.seat, trouble.what) for trouble in troubles)
    first = {(trouble.seat, trouble.what): trouble for trouble in reversed(troubles)}
    return tuple([first[key]._replace(times=times[key]) for key in list(times)[:MOST_TROUBLES]])


class ParentPipe:
    """The pipe to the parent, shared by two threads. Messages go through it in lists."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._parent = os.getppid()
        self._turn = threading.Lock()
        self._ready: list[object] = []

    def say(self, message: object) -> None:
        """Have a message sent by the next `flush`."""
        with self._turn:
            self._ready.append(message)

    def flush(self) -> None:
        """Send what is ready. Without a parent, end the process."""
        try:
            with self._turn:
                if self._ready:
                    self._pipe.send(self._ready)
                    self._ready = []
        except OSError:
            os._exit(1)

    def show_life(self) -> None:
        """Send signs of life until the process ends. Without a parent, end it."""
        last: tuple[object, ...] = ()
        hang = ThreadHang(PROGRESS, threading.main_thread().ident or 0)
        while True:
            time.sleep(PULSE_SECONDS)
            if os.getppid() != self._parent:
                os._exit(1)
            if line := hang.look():
                self.say(ChildRemark(line))
            now = PROGRESS.progress()
            if now != last:
                last = now
                self.say(Alive())
            self.flush()

    def serve(self) -> None:
        """Do what the parent asks for, until it closes the pipe."""
        while True:
            try:
                function, given = self._pipe.recv()
            except (EOFError, OSError):
                return
            try:
                for message in function(*given):
                    self.say(message)
                self.say(Done())
            except RoostError as error:
                self.say(RequestFailed(error))
            self.flush()
            PROGRESS.match = None
            PROGRESS.steps += 1


def main() -> None:
    """Serve the pipe whose number is the argument. The first message is the path for imports."""
    hide_memory()
    pipe = Connection(int(sys.argv[1]))
    sys.path[:] = pipe.recv()
    parent = ParentPipe(pipe)
    PROGRESS.tell = lambda line: parent.say(ChildRemark(line))
    threading.Thread(target=parent.show_life, daemon=True).start()
    parent.serve()
