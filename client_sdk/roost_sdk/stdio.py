"""Bots that are programs in any language: one line of JSON comes in for each decision, one line goes back.

`stdio_bot("./mybot --depth 3")` is a bot whose matches are played by that program; docs/bots/other-languages.md
describes the lines.
A program plays one match at a time and may play many, one after the other, so a bot that plays several matches at once
runs as many programs. What goes wrong in a program is the fault that its author would expect: it ended (crashed), its
line is not an answer (malformed), or there is no line in time (late). It is then stopped, because its next
line could belong to any question, and the next question goes to a fresh one.
"""

import asyncio
import atexit
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from itertools import count
from math import isfinite
from pathlib import Path
from queue import SimpleQueue
from subprocess import PIPE
from threading import Thread
from types import ModuleType
from typing import IO, Any
from weakref import WeakMethod, finalize

from roost_games.errors import MalformedMove, RoostError, UsageError
from roost_games.game import JsonValue
from roost_games.referee import STANDARD_CLOCK
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_games.wording import as_text, harmless
from roost_sdk.bot import Bot, OutOfTime
from roost_sdk.plain import plain_legal, plain_options, plain_result, plain_view
from roost_sdk.processes import UNLIMITED, ProcessTree, TreeLimits, check_processes

ANSWER_SECONDS = (STANDARD_CLOCK.decision_ms + STANDARD_CLOCK.bank_ms) / 1000.0
"""How long a program may take for a line: all the time that an arena gives for one decision, unless its host says
otherwise. The variable `ROOST_STDIO_SECONDS` of the environment sets another limit."""
LONGEST_LINE = 1 << 16
"""A longer line is not an answer."""
MOST_TOLD = 10
"""This many different mistakes in a program's answers are explained to its author."""
SECONDS_TO_END = 2.0
"""How long programs may take to end after their input has ended."""
SECONDS_TO_CLOSE = 0.5
"""How long a program that closes its output may take to end, if that is what it is doing."""
MOST_UNREAD = 1000
"""A program that writes more lines than this without being asked is not read any further."""


class ProgramEnded(RoostError):
    """The program of a bot is no longer running."""


class NoAnswer(RoostError):
    """A line of a program is not what was asked for."""

    def __init__(self, line: bytes, why: str) -> None:
        super().__init__(
            f"{as_text(line.strip(), 80)!r} is not an answer: {why}. An answer is one line with the number of a legal "
            "move, or with a move; what is for the author goes to stderr"
        )
        self.line = line
        self.why = why


class Program:
    """A running program, with its lines. Everything it writes to stderr is passed on to ours, line by line."""

    def __init__(self, words: Sequence[str], hear: Callable[[str], None], limits: TreeLimits = UNLIMITED) -> None:
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self.hear = hear
        """Called with what it writes to stderr, in a thread of its own."""
        self._last_line = ""
        self._process = ProcessTree(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, limits=limits)
        Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True).start()
        self._log_reader = Thread(target=self._read_log, args=(self._process.stderr,), daemon=True)
        self._log_reader.start()

    @property
    def usable(self) -> bool:
        """Whether it runs, and is a child of this very process (and not of the one that this was forked from)."""
        return not self._process.ended

    def tell(self, line: dict[str, JsonValue]) -> None:
        """Write a line that wants no answer. Raises `ProgramEnded`."""
        writer = self._process.stdin
        try:
            writer.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            writer.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def ask(self, line: dict[str, JsonValue]) -> bytes:
        """Write a line and wait for the answer to it. Raises `ProgramEnded`, or `NoAnswer` for a line out of turn."""
        if not self._answers.empty() and (early := self._answers.get()):
            raise NoAnswer(early, "it was written before anything was asked")
        self.tell(line)
        answer = self._answers.get()
        if not answer:
            raise self._ended()
        return answer

    def end_input(self) -> None:
        """Close its input."""
        self._process.close_input()

    def end_until(self, moment: float) -> bool:
        """Give it until `moment` on the monotonic clock to end by itself, then stop it. Whether it did end."""
        self._process.wait_until(moment)
        ended = self._process.ended
        self.kill()
        return ended

    def kill(self) -> None:
        """Stop it at once, and whatever it has started."""
        self._process.kill()
        self._process.close_input()

    def _ended(self) -> ProgramEnded:
        ended = self.end_until(time.monotonic() + SECONDS_TO_CLOSE)
        how = f"ended with {self._process.ending}" if ended else "closed its input or output, and did not end"
        self._log_reader.join(SECONDS_TO_CLOSE)
        return ProgramEnded(
            f"the program {how}{self._last_line and f' after writing: {as_text(self._last_line, 200)}'}"
        )

    def _read_answers(self, lines: IO[bytes]) -> None:
        with lines:
            while self._answers.qsize() < MOST_UNREAD and (line := lines.readline(LONGEST_LINE)):
                self._answers.put(line)
        self._answers.put(b"")

    def _read_log(self, lines: IO[bytes]) -> None:
        with lines:
            while read := lines.readline(LONGEST_LINE):
                line = read.decode(errors="replace").rstrip("\n")
                self._last_line = line or self._last_line
                self.hear(line)


class Programs:
    """The programs of one bot: those that wait for their next match, and how to start another."""

    def __init__(self, words: Sequence[str], limits: TreeLimits = UNLIMITED) -> None:
        self._words = tuple(words)
        self._limits = limits
        self._idle: list[Program] = []
        self._matches = count(1)
        self._told: set[str] = set()
        atexit.register(self.close)

    def next_match(self) -> int:
        """The number of a new match, from 1."""
        return next(self._matches)

    def is_news(self, what: str) -> bool:
        """Whether this is said for the first time: a program makes the same mistake in match after match."""
        known = what in self._told or len(self._told) > MOST_TOLD
        self._told.add(what)
        return not known

    def take(self, hear: Callable[[str], None]) -> Program:
        """A program that plays no match now."""
        while self._idle:
            program = self._idle.pop()
            if program.usable:
                program.hear = hear
                return program
        return Program(self._words, hear, self._limits)

    def give_back(self, program: Program, hear: Callable[[str], None]) -> None:
        """Its match is over. Until the next one `hear` is told what it wrote to stderr and what is still on its way."""
        program.hear = hear
        self._idle.append(program)

    def close(self) -> int:
        """Stop those that wait: all together, not one after the other. Returns how many did not end by themselves."""
        for program in self._idle:
            program.end_input()
        moment = time.monotonic() + SECONDS_TO_END
        waiting, self._idle = self._idle, []
        return [program.end_until(moment) for program in waiting].count(False)


def to_stderr(line: str) -> None:
    """Pass on a program's line to its author."""
    sys.stderr.write(f"{harmless(line)}\n")


class StdioBot(Bot):
    """A bot that a program plays. `stdio_bot` makes a subclass for each program."""

    matches_at_once = 4  # each match takes a program of its own, and they are asked one after the other
    programs: Programs
    _program: Program | None = None
    _begun = False

    def start(self) -> None:
        """Have a program ready."""
        self._match = self.programs.next_match()
        self._context = copy_context()
        self._take_program()

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        """Ask the program. In a thread, so that other matches go on while it thinks."""
        program = self._program or self._take_program()
        try:
            async with asyncio.timeout(answer_seconds()):
                line = await asyncio.to_thread(self._ask, program, view, legal)
            return self._move_in(line, legal)
        except NoAnswer as error:
            self._stop(program)
            if self.programs.is_news(error.why):
                self.hear(f"the program's line {error}")
            # The runner of the match sees that this is not a move, and says so.
            return as_text(error.line.strip())
        except TimeoutError:
            self._stop(program)
            raise OutOfTime("the program did not answer in time; does it flush its output after each line?") from None
        except (Exception, asyncio.CancelledError):
            self._stop(program)
            raise

    def end(self, result: Result) -> None:
        """Tell the program, and let it play another match."""
        program = self._release()
        if program is None:
            return
        place = result.places[self.seat] if result.places else None
        with suppress(ProgramEnded):
            program.tell(self._about("end", place=place, result=plain_result(result)))
            self.programs.give_back(program, self.hear)

    def hear(self, line: str) -> None:
        """Called with what the program writes to stderr during this match, and with what is wrong with its answers."""
        # In the context of the match, so that its journal knows where a line belongs.
        self._context.copy().run(to_stderr, line)

    def _take_program(self) -> Program:
        heard = WeakMethod(self.hear)
        program = self.programs.take(lambda line: (heard() or to_stderr)(line))
        self._program, self._begun = program, False
        # A match may be dropped without an end, and then nothing else would stop its program.
        self._last_resort = finalize(self, program.kill)
        return program

    def _release(self) -> Program | None:
        program, self._program = self._program, None
        if program is not None:
            self._last_resort.detach()
        return program

    def _stop(self, program: Program) -> None:
        self._release()
        program.kill()

    def _ask(self, program: Program, view: Any, legal: Sequence[Any]) -> bytes:
        if not self._begun:
            self._begun = True
            program.tell(self._start_line(view))
        listed = plain_legal(self.game, legal)
        view = plain_view(view)
        return program.ask(self._about("decide", view=view, legal=listed, legal_count=len(legal), clock=self._time()))

    def _start_line(self, view: Any) -> dict[str, JsonValue]:
        clock = _in_json(decision_ms=self.clock.decision_ms, bank_ms=self.clock.bank_ms)
        bots: list[JsonValue] = [{"name": seat.bot, "version": seat.version} for seat in self.bots]
        options, random = plain_options(view), self.rng.getrandbits(32)
        return self._about("start", options=options, clock=clock, bots=bots, random=random)

    def _time(self) -> JsonValue:
        """What is left of the clock, and how long the program may think."""
        clock = self.clock
        return _in_json(
            time_left_ms=clock.time_left_ms,
            bank_left_ms=clock.bank_left_ms,
            latency_ms=clock.latency_ms,
            think_ms=max(0.0, (clock.deadline() - time.monotonic()) * 1000),
        )

    def _about(self, kind: str, **more: JsonValue) -> dict[str, JsonValue]:
        place = {"match": self._match, "game": self.game, "seat": self.seat, "players": self.players}
        return {"type": kind, **place, **more}

    def _move_in(self, line: bytes, legal: Sequence[Any]) -> Any:
        """The move in a line, legal or not."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise NoAnswer(line, "it is not JSON") from None
        if type(answer) is int:
            if not 0 <= answer < len(legal):
                raise NoAnswer(line, f"the legal moves are numbered 0 to {len(legal) - 1}")
            return legal[answer]
        try:
            return get_game(self.game).decode_move(answer)
        except MalformedMove as error:
            raise NoAnswer(line, str(error)) from None


def _in_json(**times: float) -> dict[str, JsonValue]:
    """Times, rounded to a microsecond; unlimited time has no number in JSON."""
    return {name: round(ms, 3) if isfinite(ms) else None for name, ms in times.items()}


def answer_seconds() -> float:
    """How long a program may take for a line. Raises `UsageError` if the environment has no valid number."""
    given = os.environ.get("ROOST_STDIO_SECONDS", "")
    try:
        seconds = float(given or ANSWER_SECONDS)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise UsageError(f"ROOST_STDIO_SECONDS is a number of seconds above 0, not {given!r}")
    return seconds


def stdio_bot(
    command: str, limits: TreeLimits = UNLIMITED, wrap: Callable[[list[str]], list[str]] = list
) -> tuple[str, type[StdioBot]]:
    """The name and the class of the bot that the program started with `command` plays, within these limits.

    `wrap` makes other words of those that start it, such as a sandbox around them.

    The command is split into words as a shell does it, quotes included, but no shell runs it. Raises `UsageError` if
    there is no such program.
    """
    check_processes()
    words = _words(command)
    answer_seconds()
    file = _file_of(words)
    # The version of a bot is a fingerprint of its module's file, so this one gets a module that stands for the program.
    module = ModuleType(f"program {command}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    members = {"programs": Programs(wrap(words), limits), "version": shlex.join(words), "__module__": module.__name__}
    return file.stem, type("StdioBot", (StdioBot,), members)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"cannot split {command!r} into words: {error}") from None
    if not words:
        raise UsageError("name the program that plays, such as stdio:./mybot or 'stdio:node mybot.js'")
    if shutil.which(words[0]) is None:
        raise UsageError(_no_program(words[0]))
    return words


def _no_program(name: str) -> str:
    """What is wrong with the name of a program, and how to fix it."""
    if Path(name).is_file():
        if name.endswith(".py"):
            return f"{name} is not a program by itself; write 'stdio:python {name}'"
        return f"{name} cannot be run; chmod +x {shlex.quote(name)} makes it a program, written with its path"
    beside = "" if os.sep in name else f"; a file in this folder is written ./{name}"
    return f"there is no program {name!r}{beside}"


def _file_of(words: Sequence[str]) -> Path:
    """The file with the author's code: the first one among the arguments, as in `node mybot.js`, or the program."""
    named = (Path(word) for word in words[1:] if Path(word).is_file())
    return next(named, Path(shutil.which(words[0]) or words[0]))
