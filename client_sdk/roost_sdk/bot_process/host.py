"""`python -m roost_sdk.bot_process.host CHANNEL MARK PRINTS SECONDS` is the process of a bot.

CHANNEL is the number of a socket: batches of calls come from it, each with its length before it, and an answer to each
call goes back. MARK is the number of a file in which the process notes how many calls it has begun, so that its parent
knows which call a process did not survive. What follows there is where in its code a bot was when a call had taken two
seconds, and again several times until it has taken SECONDS. What the bot prints is dropped unless PRINTS is `1`.
"""

import faulthandler
import json
import mmap
import os
import random
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby, islice
from pathlib import Path
from socket import socket
from struct import Struct
from time import perf_counter
from typing import Any

from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import AnyGame, get_game
from roost_games.replay import Seat
from roost_sdk.bot import Bot, OutOfTime
from roost_sdk.bot_process.answers import LONGEST_TEXT, Answer, AnswerKind, BotDescription, move_answer
from roost_sdk.bot_process.batches import BatchReader
from roost_sdk.bot_process.coroutines import WatchedRunner
from roost_sdk.bot_process.views import changed
from roost_sdk.clock import TimeLeft
from roost_sdk.guard import OUT_OF_MEMORY
from roost_sdk.load import load_all, load_bot
from roost_sdk.seat import BotSeat, NotStarted, Outcome, SeatedBot, blocking, decide_many
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.troubles.hangs import HANG_SECONDS

LENGTH = Struct("<I")
"""What precedes a batch: its length in bytes."""
MARK = Struct("<Q")
FLUSH_SECONDS = 0.005
"""Answers wait for others at most about this long."""
ALARM_SECONDS = 0.05
"""An alarm is set for a call, unless one has been set this short a time ago."""
ALARMS = 10
"""About how often it is noted where a bot is that hangs."""
MOST_READY = 1 << 16
"""At most about this many bytes of answers wait."""


HostCall = tuple[int, str, tuple[Any, ...]]
"""The number of the seat, or 0, the name of a method of `BotHost`, and what that is given."""


@dataclass(slots=True)
class HostedSeat:
    """A bot at a table."""

    game: AnyGame
    bot: SeatedBot
    takes_many: bool
    bank_used: float = 0.0
    view: Any = None
    """The last one that it was shown."""


class BotHost:
    """Takes calls. A call is the number of the seat, or 0, the name of a method below, and what that is given."""

    def __init__(self, channel: socket, mark: mmap.mmap, patience: float, note: Callable[[str], object]) -> None:
        self._channel = channel
        self._mark = mark
        self._patience = patience
        self._alarms = min(HANG_SECONDS, patience), max(HANG_SECONDS / 2, patience / ALARMS)
        """When a call has taken so long, it is noted where it is, and then again after each such pause."""
        self._reader = channel.makefile("rb")
        self._batches = BatchReader()
        self._ready = bytearray()
        self._flushed = 0.0
        self._alarmed = 0.0
        """When the alarm was set; 0 if it is not."""
        self._bot_class: type[Bot] = Bot
        self._seats: dict[int, HostedSeat] = {}
        self._runner = WatchedRunner(note)

    def serve(self) -> None:
        """Answer calls until the channel is closed."""
        begun = count(1)
        while calls := self._next_batch():
            for together in self._grouped(calls):
                MARK.pack_into(self._mark, 0, next(begun))
                self._set_alarm()
                if len(together) > 1:
                    self._decide_many(together)
                    deque(islice(begun, len(together) - 1), 0)
                else:
                    ((number, kind, given),) = together
                    self._say(getattr(self, kind)(number, *given))
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            self._alarmed = 0.0
            self._flush()

    def _set_alarm(self) -> None:
        """Be alarmed if the next call hangs. For quick calls the alarm of one before them is exact enough."""
        now = perf_counter()
        if now > self._alarmed + ALARM_SECONDS:
            signal.setitimer(signal.ITIMER_REAL, *self._alarms)
            self._alarmed = now

    def _grouped(self, calls: list[HostCall]) -> Iterator[list[HostCall]]:
        """Calls that are made together: decisions one after the other of a bot that takes many."""
        if not self._bot_class.takes_many():
            yield from [[call] for call in calls]
            return
        for many, group in groupby(calls, lambda call: call[1] == "decide" and self._seats[call[0]].takes_many):
            if many:
                yield list(group)
            else:
                for call in group:
                    yield [call]

    def _decide_many(self, calls: list[HostCall]) -> None:
        asked = [self._question(number, *given) for number, _, given in calls]
        outcomes = decide_many([(hosted.bot, view, legal) for hosted, view, legal in asked])
        for (hosted, _, _), outcome in zip(asked, outcomes, strict=True):
            self._say(_decision_answer(hosted.game.name, outcome))

    def _next_batch(self) -> list[HostCall]:
        size = self._reader.read(LENGTH.size)
        if len(size) < LENGTH.size:
            return []
        calls: list[HostCall] = self._batches.read(self._reader.read(*LENGTH.unpack(size)))
        return calls

    def _say(self, answer: Answer) -> None:
        self._ready += answer.to_bytes()
        if perf_counter() > self._flushed + FLUSH_SECONDS or len(self._ready) > MOST_READY:
            self._flush()

    def _flush(self) -> None:
        self._channel.sendall(self._ready)
        self._ready.clear()
        self._flushed = perf_counter()

    def describe(self, number: int, text: str, whole_file: bool, samples: Sequence[str]) -> Answer:
        """Say which bots `text` names; with `whole_file`, all that the file has itself."""
        try:
            bots = load_all(Path(text)) if whole_file else [load_bot(text, dict.fromkeys(samples, Bot))]
            return _answer(AnswerKind.LOADED, [BotDescription.of(bot) for bot in bots])
        except UsageError as error:
            return _answer(AnswerKind.NOT_LOADED, str(error))

    def load(self, number: int, text: str, memory_mb: int) -> Answer:
        """Import the bot of this process, and limit the memory that it takes from here on."""
        limit_programs(self._patience)
        try:
            self._bot_class = load_bot(text, {}).bot_class
        except UsageError as error:
            return _answer(AnswerKind.NOT_LOADED, str(error))
        limit_memory(memory_taken(), memory_mb)
        return _answer(AnswerKind.LOADED, self._bot_class.wants_moves())

    def start(
        self,
        number: int,
        game: str,
        seat: int,
        players: int,
        rng_seed: str,
        clock: Clock,
        bots: tuple[Seat, ...] = (),
    ) -> Answer:
        """Seat the bot at another table, where `bots` sit."""

        def left() -> TimeLeft:
            return TimeLeft.of(clock, hosted.bank_used)

        place = BotSeat(game, seat, players, random.Random(rng_seed), clock, bots, left)
        bot = SeatedBot(self._bot_class, place, blocking(self._runner))
        hosted = self._seats[number] = HostedSeat(get_game(game), bot, self._bot_class.takes_many(game))
        return _plain_answer(bot.start())

    def decide(self, number: int, changes: Any, bank_used: float = 0.0) -> Answer:
        """Ask for a move. Of the view comes what has changed, see `views`."""
        hosted, view, legal = self._question(number, changes, bank_used)
        return _decision_answer(hosted.game.name, hosted.bot.decide(view, legal))

    def _question(self, number: int, changes: Any, bank_used: float = 0.0) -> tuple[HostedSeat, Any, Sequence[Any]]:
        hosted = self._seats[number]
        hosted.bank_used = bank_used
        view = hosted.view = changed(changes, hosted.view)
        return hosted, view, hosted.game.legal(view)

    def seen(self, number: int, seat: int, move: Any) -> Answer:
        """Tell a bot of a move."""
        return _plain_answer(self._seats[number].bot.seen(seat, move))

    def end(self, number: int, result: Any) -> Answer:
        """Tell a bot how its match ended, and forget it."""
        return _plain_answer(self._seats.pop(number).bot.end(result))

    def reseed(self, number: int, seed: int) -> Answer:
        """Seed the randomness of the process, which a bot should not use."""
        random.seed(seed)
        return Answer(AnswerKind.DONE, 0.0)

    def drop(self, number: int) -> Answer:
        """Forget a bot whose match is not played to its end."""
        self._seats.pop(number, None)
        return Answer(AnswerKind.DONE, 0.0)


def _answer(kind: AnswerKind, told: object, ms: float = 0.0) -> Answer:
    return Answer(kind, ms, json.dumps(told).encode())


def _decision_answer(game: str, outcome: Outcome) -> Answer:
    move, error, ms = outcome
    return move_answer(game, move, ms) if error is None else _error_answer(error, ms)


def _plain_answer(outcome: Outcome) -> Answer:
    _, error, ms = outcome
    return Answer(AnswerKind.DONE, ms) if error is None else _error_answer(error, ms)


def _error_answer(error: BaseException, ms: float) -> Answer:
    if isinstance(error, MemoryError):
        # Nothing is certain in a process after that.
        os._exit(OUT_OF_MEMORY)
    if isinstance(error, NotStarted):
        return Answer(AnswerKind.UNSTARTED, ms)
    told = headline(error)[:LONGEST_TEXT], authors_lines(error)[:LONGEST_TEXT], isinstance(error, OutOfTime)
    return _answer(AnswerKind.ERROR, told, ms)


def memory_taken() -> int:
    """How many bytes of data this process has.

    Not its peak, which on Linux is inherited from the process that started it.
    """
    import resource  # not everywhere

    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def limit_memory(before: int, megabytes: int) -> None:
    """Let this process take this many megabytes more than it had `before`. Beyond that it gets `MemoryError`."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = before + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def limit_programs(patience: float) -> None:
    """Make programs behind bots obey the limit: they are stopped before the process that asks them would be."""
    os.environ.setdefault("ROOST_STDIO_SECONDS", str(patience))


def note_hangs(mark: int) -> None:
    """From now on an alarm notes in the file which code is running, even if that holds the interpreter."""
    os.lseek(mark, MARK.size, os.SEEK_SET)
    faulthandler.register(signal.SIGALRM, mark, all_threads=False)


def _no_debugger(*given: object, **named: object) -> None:
    raise UsageError(
        "breakpoint() needs roost play --trusted: otherwise a bot has a process of its own and no terminal"
    )


def main() -> None:
    """Serve the channel."""
    channel, mark, prints = map(int, sys.argv[1:4])
    note_hangs(mark)
    if not prints:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # it is a file
    sys.breakpointhook = _no_debugger
    try:
        with socket(fileno=channel) as parent:
            BotHost(
                parent, mmap.mmap(mark, MARK.size), float(sys.argv[4]), lambda dump: os.write(mark, dump.encode())
            ).serve()
    except BaseException as error:
        # A bot may raise what is no `Exception`. That ends its process, and this is all that its author needs to see.
        sys.stderr.write(f"{headline(error)}\n{authors_lines(error)}\n")
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
