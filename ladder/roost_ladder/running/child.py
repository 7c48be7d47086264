"""What runs in a child process: it does what its parent asks for, and shows that it makes progress.

The parent sends a function and its arguments. The function is a generator. What it yields goes to the parent in
batches, several times a second and when the request is done: a message for each match would cost as much as many
decisions. Just as often, a second thread checks whether the match has advanced, and if so sends a sign of life. A bot
that never answers stops these signs, even if it holds the interpreter. That is how the parent knows.

A child whose parent has gone ends: between requests at the end of the pipe, and during one because the second thread
notices. So a bot that never answers does not keep its process running.
"""

import os
import resource
import sys
import threading
import time
from asyncio import Runner
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import RoostError
from roost_games.registry import get_game
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits, Period, PlayedMatch, as_played
from roost_sdk.load import LoadedBot
from roost_sdk.local import LocalMatch, rng_of
from roost_sdk.seat import BotSeat, Call, Reply, SeatedBot, Trouble, blocking, replies

PULSE_SECONDS = 0.25
OUT_OF_MEMORY = 79
"""The exit code of a child that has run out of memory."""
MOST_TROUBLES = 3
"""How many troubles of one match are reported."""


class Alive(NamedTuple):
    """A sign of life."""


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
        self.memory = 0
        """How much it had taken when its bots were loaded."""

    def __call__(self) -> tuple[object, ...]:
        match = self.match
        return (self.steps,) if match is None else (self.steps, match.referee.decision, match.referee.waiting)


PROGRESS = ChildProgress()
LOADED: dict[BotSpec, LoadedBot] = {}
RUNNER = Runner()
ALONE: list[SeatedBot] = []
"""The bot of a process that has only one, once it is seated."""


def load(specs: tuple[BotSpec, ...], limits: MatchLimits) -> Iterator[None]:
    """Import bots. The memory that they take is counted from here."""
    for spec in specs:
        if spec not in LOADED:
            LOADED[spec] = spec.load()
    PROGRESS.memory = memory_taken()
    limit_programs(limits)
    yield from ()


def limit_programs(limits: MatchLimits) -> None:
    """Make programs behind bots obey the limits."""
    # The bot stops its program itself, before its parent would stop this process.
    os.environ.setdefault("ROOST_STDIO_SECONDS", str(limits.patience))


def memory_taken() -> int:
    """How many bytes of data this process has.

    Not its peak, which on Linux is inherited from the process that started it.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def limit_memory(before: int, megabytes: int) -> None:
    """Let this process take this many megabytes more than it had `before`. Beyond that it gets `MemoryError`."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = before + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def play_fixtures(fixtures: tuple[Fixture, ...], limits: MatchLimits) -> Iterator[PlayedMatch]:
    """Play matches one after the other, with all bots in this process. They have been loaded."""
    for fixture in fixtures:
        yield _play(fixture, limits)


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
        tell=troubles.append,
    )
    # For the bots of this match, not for all that are loaded. What earlier matches have left behind counts too: if that
    # is too much, the match is played again by fresh processes.
    limit_memory(PROGRESS.memory, limits.memory_mb * len(fixture.bots))
    PROGRESS.match = match
    PROGRESS.steps += 1
    match.play()
    if any("MemoryError" in trouble.what for trouble in troubles):
        # Nobody can tell here whose fault that is: the bot that asks last gets the error.
        os._exit(OUT_OF_MEMORY)
    return as_played(
        fixture,
        match.referee,
        Period(started_ms, epoch_ms()),
        recording=limits.recording,
        troubles=tuple(troubles[:MOST_TROUBLES]),
    )


def seat_alone(spec: BotSpec, game: str, seat: int, players: int, seed: bytes, limits: MatchLimits) -> Iterator[bool]:
    """Import the only bot of this process, limit its memory and seat it. Yields whether it wants to see all moves."""
    bot_class = spec.load().bot_class
    limit_memory(memory_taken(), limits.memory_mb)
    limit_programs(limits)
    place = BotSeat(game, seat, players, rng_of(seed, seat), limits.clock)
    ALONE.append(SeatedBot(bot_class, place, blocking(RUNNER)))
    yield bot_class.wants_moves()


def take(calls: Sequence[Call]) -> Iterator[Reply]:
    """Call the only bot of this process."""
    for call in calls:
        PROGRESS.steps += 1
        try:
            yield from replies(ALONE[0], [call])
        except MemoryError:
            os._exit(OUT_OF_MEMORY)


def epoch_ms() -> int:
    """Now, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


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
        while True:
            time.sleep(PULSE_SECONDS)
            if os.getppid() != self._parent:
                os._exit(1)
            now = PROGRESS()
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
    pipe = Connection(int(sys.argv[1]))
    sys.path[:] = pipe.recv()
    parent = ParentPipe(pipe)
    threading.Thread(target=parent.show_life, daemon=True).start()
    parent.serve()
