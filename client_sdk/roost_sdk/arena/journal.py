"""Writes down every match that a bot plays at an arena, on its own side: what it saw, answered and logged.

    with Journal(Path("kept")) as journal:
        client = Client(MyBot, name="mybot", journal=journal)
        ...

Each match has a file of its own, JSON Lines in the format `roost-kept/1` (docs/bots/improve.md has its keys). The
bot does not wait for it: lines go into a queue, and a thread writes them about once a second. Everything is bounded. If
the thread falls behind, decisions are left out, and the file says how many. When the files together exceed a limit, the
oldest are removed. If the disk is full, the bot plays on, and the log says so once.
"""

import io
import json
import logging
import os
import re
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self, TextIO
from weakref import WeakKeyDictionary

from roost.v1 import play_pb2
from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_games.wording import as_text
from roost_sdk.plain import plain_result, plain_view
from roost_sdk.seat import Method
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.wire import codec_for

FORMAT = "roost-kept/1"
DEFAULT_MB = 1000
"""How many megabytes the files of a folder may have together, unless told otherwise."""
WRITE_SECONDS = 1.0
MOST_WAITING = 20_000
"""At most this many lines wait to be written."""
MOST_LOGGED = 2_000
"""At most this many log lines of a match are kept."""
LONGEST_LOG_LINE = 2_000
OWN_NAMES = re.compile(r"\d{8}T\d{6}Z-[a-z]+-[\w.-]+\.jsonl")
"""Only files with such names are counted and removed."""
NOT_FOR_FILES = re.compile(r"[^\w.-]+")
log = logging.getLogger("roost_sdk")

Line = Callable[[], dict[str, JsonValue]]
"""Makes a line when it is written, not while the bot plays."""
speaker: ContextVar["MatchJournal | None"] = ContextVar("speaker", default=None)
"""The match whose bot is running here; log lines belong to it."""


class About(NamedTuple):
    """What is known about a match when it begins."""

    match: str
    game: str
    options: dict[str, JsonValue]
    """Those that differ from the defaults."""
    seat: int
    players: int
    bots: list[str]
    """Who sits where."""
    random: str
    """`Random(random)` is what the bot had as `rng`."""


def about_match(started: play_pb2.MatchStarted, random: str) -> About:
    """What an arena says about a match when it begins."""
    codec = codec_for(started.game)
    return About(
        started.match_id,
        started.game,
        codec.options_from_wire(started.options).to_json(),
        started.seat,
        started.players,
        list(started.bots),
        random,
    )


class MatchJournal:
    """What is kept about one match."""

    def __init__(self, journal: "Journal", about: About) -> None:
        self.file = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{about.game}-{NOT_FOR_FILES.sub('-', about.match)[:60]}.jsonl"
        self._journal = journal
        self._game = about.game
        self._began = time.monotonic()
        self._asked: tuple[int, Any] | None = None
        self._logged = self._left_out = 0
        head = {"format": FORMAT, **about._asdict(), "version": journal.version, "began": f"{datetime.now(UTC):%FT%TZ}"}
        journal.running.add(self.file)
        self._put(lambda: head, always=True)

    def asked(self, request: int, view: Any) -> None:
        """The bot is about to decide."""
        self._asked = request, view

    def decided(self, request: int, move: Any, error: BaseException | None, ms: float, latency_ms: float) -> None:
        """The bot has decided, or failed to."""
        if self._asked is None or self._asked[0] != request:
            return
        view, at = self._asked[1], self._at()
        self._asked = None
        self._put(lambda: self._decision(request, view, move, error, ms, latency_ms, at))

    def log(self, text: str) -> None:
        """The bot has said something."""
        self._logged += 1
        at = self._at()
        if self._logged <= MOST_LOGGED:
            self._put(lambda: {"log": as_text(text, LONGEST_LOG_LINE), "at": at})
        elif self._logged == MOST_LOGGED + 1:
            self._put(lambda: {"log": f"(more than {MOST_LOGGED} lines; the rest is not kept)", "at": at})

    def ended(self, result: Result) -> None:
        """The match is over."""
        self._note_unanswered()
        left_out, at = self._left_out, self._at()
        last = {"left_out": left_out} if left_out else {}
        self._put(lambda: {"result": plain_result(result), **last, "at": at}, always=True)

    def close(self) -> None:
        """Nothing more will be known about the match."""
        self._note_unanswered()
        self._journal.running.discard(self.file)

    def bind(self, method: Method) -> Method:
        """A method of the bot; what is logged while it runs belongs to this match."""
        return partial(self._call, method)

    def _call(self, method: Method, *arguments: object) -> object:
        before = speaker.set(self)
        try:
            value = method(*arguments)
        finally:
            speaker.reset(before)
        return self._awaited(value) if isawaitable(value) else value

    async def _awaited(self, value: Any) -> object:
        speaker.set(self)
        return await value

    def _note_unanswered(self) -> None:
        if self._asked is None:
            return
        (request, view), at = self._asked, self._at()
        self._asked = None
        self._put(lambda: {"decision": request, "view": plain_view(view), "unanswered": True, "at": at})

    def _decision(
        self, request: int, view: Any, move: Any, error: BaseException | None, ms: float, latency_ms: float, at: float
    ) -> dict[str, JsonValue]:
        times = {"ms": round(ms, 3), "latency_ms": round(latency_ms, 3), "at": at}
        return {"decision": request, "view": plain_view(view), **self._answer(move, error), **times}

    def _answer(self, move: Any, error: BaseException | None) -> dict[str, JsonValue]:
        if error is not None:
            return {"error": headline(error), "where": authors_lines(error)}
        try:
            return {"move": get_game(self._game).encode_move(move)}
        except Exception:
            # The bot may have returned anything. It is not a move, and this only says so.
            return {"sent": as_text(move)}

    def _at(self) -> float:
        """Seconds since the match began."""
        return round(time.monotonic() - self._began, 3)

    def _put(self, line: Line, *, always: bool = False) -> None:
        if not self._journal.put(self.file, line, always=always):
            self._left_out += 1


class Journal:
    """Writes the journals of a bot's matches into a folder while its `with` block lasts."""

    version = ""
    """The version of the bot, for the head of each file."""

    def __init__(self, folder: Path, *, most_mb: int = DEFAULT_MB) -> None:
        """Makes `folder` if necessary. Raises `UsageError` if nothing can be written there."""
        self.folder = folder
        self.running: set[str] = set()
        """The files of matches that are being played: they are not removed."""
        self._most_bytes = most_mb * 1_000_000
        self._waiting: deque[tuple[str, Line]] = deque()
        self._over = Event()
        self._failing = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir()) if _is_ours(path)}
            (folder / ".roost-kept").touch()
            (folder / ".roost-kept").unlink()
        except OSError as error:
            raise UsageError(f"cannot keep matches in {folder}: {error.strerror or error}") from None
        self._writer = Thread(target=self._write_on, name="roost journal", daemon=True)

    def begin(self, about: About) -> MatchJournal:
        """The journal of a match that begins."""
        return MatchJournal(self, about)

    def put(self, file: str, line: Line, *, always: bool = False) -> bool:
        """Queue a line. Returns whether there was room for it; there is if it must be written `always`."""
        if not always and len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting.append((file, line))
        return True

    def __enter__(self) -> Self:
        self._listening = _listening()
        self._listening.__enter__()
        self._writer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listening.__exit__(kind, error, at)
        self._over.set()
        self._writer.join()

    def _write_on(self) -> None:
        over = False
        while not over:
            over = self._over.wait(WRITE_SECONDS)
            self._write_waiting()

    def _write_waiting(self) -> None:
        """Write everything that waits, then make room."""
        texts: defaultdict[str, list[str]] = defaultdict(list)
        while self._waiting:
            file, line = self._waiting.popleft()
            texts[file].append(_written(line))
        for file, lines in texts.items():
            self._append(file, "".join(f"{each}\n" for each in lines).encode(errors="replace"))
        self._make_room()

    def _append(self, file: str, text: bytes) -> None:
        try:
            with (self.folder / file).open("ab") as opened:
                opened.write(text)
        except OSError as error:
            with suppress(OSError):
                os.truncate(self.folder / file, self._sizes.get(file, 0))
            if not self._failing:
                log.warning("cannot keep matches in %s: %s; the bot plays on", self.folder, error.strerror or error)
            self._failing = True
            return
        self._failing = False
        self._sizes[file] = self._sizes.get(file, 0) + len(text)

    def _make_room(self) -> None:
        """Remove the oldest files while all of them together are too large. Names begin with the time."""
        total = sum(self._sizes.values())
        for file in sorted(self._sizes):
            if total <= self._most_bytes:
                return
            if file not in self.running:
                total -= self._sizes.pop(file)
                with suppress(OSError):
                    (self.folder / file).unlink()


def open_journal(folder: Path | None, most_mb: int) -> AbstractContextManager[Journal | None]:
    """A journal for `folder`; nothing for `None`."""
    return nullcontext() if folder is None else Journal(folder, most_mb=most_mb)


def _written(line: Line) -> str:
    try:
        return json.dumps(line(), ensure_ascii=False)
    except Exception as error:
        # A bot may return a move made of anything.
        return json.dumps({"not_written": headline(error)})


def _is_ours(path: Path) -> bool:
    return OWN_NAMES.fullmatch(path.name) is not None and path.is_file()


class _LogHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        journal = speaker.get()
        if journal is not None:
            journal.log(self.format(record))


class _Tee(io.TextIOBase):
    """Passes on what is written, and tells the lines of a bot to its journal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun: WeakKeyDictionary[MatchJournal, str] = WeakKeyDictionary()

    def write(self, text: str) -> int:
        journal = speaker.get()
        if journal is not None:
            *lines, rest = (self._begun.pop(journal, "") + text).split("\n")
            for line in lines:
                journal.log(line)
            if rest:
                self._begun[journal] = rest[:LONGEST_LOG_LINE]
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


@contextmanager
def _listening() -> Iterator[None]:
    """Hear what bots print and log."""
    handler = _LogHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Tee(out), _Tee(err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        logging.getLogger().removeHandler(handler)
