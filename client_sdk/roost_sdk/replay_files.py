"""Files of replays, one JSON object per line: append to one, read one match out of it, verify all of it.

checked = verify_files([Path("matches.jsonl")])
print(checked.summary())
"""

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from lzma import LZMAError
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from roost_games.errors import ReplayError, RoostError, UsageError
from roost_games.replay import Replay, parse_lines
from roost_games.verify import verify
from roost_games.wording import counted
from roost_sdk.bounded_files import lines_of, open_regular

Advance = Callable[[int], None]
Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""Called with what is done and how many parts it has. The context manager yields a function to call with parts done."""
IN_FILE = re.compile(r"(?P<file>.+\.jsonl(?:\.xz)?)(?::(?P<number>[0-9]+))?")
MOST_FINDINGS = 1_000
"""A check ends after this many: files may come from anybody, and have any number of wrong lines."""
STOPPED = f"the check was stopped after {MOST_FINDINGS:,} findings"
SQLITE_HEADER = b"SQLite format 3\0"
"""How every SQLite database begins."""


@contextlib.contextmanager
def no_progress(what: str, total: int) -> Iterator[Advance]:
    """A `Progress` that shows nothing."""
    yield lambda done: None


class ReplayFile:
    """A file to which the record of each match is appended as soon as the match is over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            half_a_line = _ends_within_a_line(path)
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise UsageError(self._cannot(error)) from None
        if half_a_line:
            self._write(b"\n")

    def add(self, replay: Replay) -> None:
        """Write the record of a match. It survives a crash of this process once this returns."""
        self._write(replay.to_line().encode() + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise RoostError(self._cannot(error)) from None

    def _cannot(self, error: OSError) -> str:
        return f"cannot write replays to {self.path}: {error.strerror or error}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._file.close()


def _ends_within_a_line(path: Path) -> bool:
    """Whether a run that was killed left half a line, which must not run into what is appended."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() != b"\n"


def _unreadable(file: Path, error: Exception) -> UsageError:
    """Why a file cannot be read. A compressed one may be damaged or cut off."""
    return UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}")


def place_of(text: str) -> tuple[Path, int] | None:
    """The file and the number that `matches.jsonl` or `matches.jsonl:3` names; `None` for the id of a match.

    Raises `UsageError` for a file of another kind.
    """
    if found := IN_FILE.fullmatch(text):
        return Path(found["file"]), int(found["number"] or 1)
    if Path(text).is_file():
        raise UsageError(f"{text} is not a file of replays: their names end in .jsonl or .jsonl.xz")
    return None


def line_of(file: Path, number: int) -> str:
    """The record of the match with this number, from 1. Blank lines do not count."""
    if number < 1:
        raise UsageError(f"matches in a file are counted from 1: {file}:1")
    try:
        wanted = next(islice(filter(bytes.strip, lines_of(file)), number - 1, None), None)
    except (OSError, LZMAError, EOFError) as error:
        raise _unreadable(file, error) from None
    if wanted is None:
        raise UsageError(f"there is no match number {number} in {file}")
    try:
        return wanted.decode().strip()
    except UnicodeDecodeError:
        raise ReplayError(f"match number {number} in {file} is not a record: it is not UTF-8") from None


def same_deal_in(file: Path, replay: Replay) -> str | None:
    """The record of another match of the file with the same deal under rotated seats, if there is one."""
    deal = replay.commitment or replay.seed
    if deal is None:
        return None
    try:
        for line in lines_of(file):
            if deal.encode() in line and _is_rotated(Replay.from_line(line), replay):
                return line.decode().strip()
    except (OSError, LZMAError, EOFError) as error:
        raise _unreadable(file, error) from None
    return None


def _is_rotated(one: Replay, other: Replay) -> bool:
    """Whether they are two matches of the same bots and the same deal."""
    deals = [(each.game, each.options, each.commitment, each.seed, Counter(each.seats)) for each in (one, other)]
    return deals[0] == deals[1] and one.match != other.match


class RecordFlaw(NamedTuple):
    """Something that is wrong with a record."""

    file: Path
    line: int | None
    """`None` if it is not about a line."""
    match: str
    """The id of the match, if the line could be read."""
    step: int | None
    what: str

    def __str__(self) -> str:
        match = f" match {self.match}:" if self.match else ":"
        step = "" if self.step is None else f" step {self.step}:"
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line}{match}{step} {self.what}"


@dataclass(slots=True)
class Checked:
    """The outcome of a verification."""

    tell: Callable[[RecordFlaw], None] | None = None
    """Hears about each finding at once."""
    matches: int = 0
    findings: list[RecordFlaw] = field(default_factory=list)
    commitments: dict[str, str] = field(default_factory=dict)
    """By competition: what its master seed was checked against, to be compared with what was published."""

    remarks: list[str] = field(default_factory=list)
    """What could not be checked, and why."""
    older: int = 0
    """How many matches were recorded by a version that did not write when and why seats forfeited."""

    def count(self, replay: Replay | ReplayError) -> None:
        """Count the record on a line, good or bad."""
        self.matches += 1
        self.older += isinstance(replay, Replay) and replay.result.forfeited is None

    def gather(self, findings: Iterable[RecordFlaw]) -> None:
        """Keep findings as they come, and tell them. After `MOST_FINDINGS` the rest is not looked at."""
        for finding in findings:
            if len(self.findings) == MOST_FINDINGS:
                self.remarks += [] if STOPPED in self.remarks else [STOPPED]
                return
            self.findings.append(finding)
            if self.tell is not None:
                self.tell(finding)

    def advice(self) -> Iterator[str]:
        """What is left for a person to compare."""
        yield from self.remarks
        if self.older:
            yield (
                f"{self.older} of {counted(self.matches, 'match')} recorded by an older version, without `forfeited`: "
                "the check covers whether seats can have forfeited there, but not when and why"
            )
        for name, commitment in self.commitments.items():
            yield f"{name}: commitment {commitment}; compare it with what was published"

    def summary(self) -> str:
        """One line."""
        matches = counted(self.matches, "match")
        if not self.findings:
            return f"{matches} checked, no problems found"
        return f"{matches} checked, {counted(len(self.findings), 'problem')} found"

    def to_json(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "matches": self.matches,
            "in_order": self.matches - len(self.findings),
            "findings": [{**finding._asdict(), "file": str(finding.file)} for finding in self.findings],
            **({"commitments": self.commitments} if self.commitments else {}),
            **({"remarks": self.remarks} if self.remarks else {}),
            **({"older": self.older} if self.older else {}),
        }


def verify_files(
    files: Iterable[Path], tell: Callable[[RecordFlaw], None] | None = None, progress: Progress = no_progress
) -> Checked:
    """Replay every match in these files by the rules, and say which records deviate from them."""
    checked = Checked(tell)
    paths = list(files)
    with progress("verifying", sum(map(_size, paths))) as advance:
        for path in paths:
            checked.gather(_verify_file(path, checked, advance))
    return checked


def _size(file: Path) -> int:
    """The length of a file. Raises `UsageError` if there is none, or if it is a database."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name the files of replays in it")
    try:
        with open_regular(file) as content:
            if content.read(len(SQLITE_HEADER)) == SQLITE_HEADER:
                raise UsageError(f"{file} is a database; write roost verify --db {file}")
        return file.stat().st_size
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None


def _verify_file(file: Path, checked: Checked, advance: Advance) -> Iterator[RecordFlaw]:
    """The findings in one file. Raises `UsageError` if it is not a file of replays."""
    held: list[RecordFlaw] = []
    lines = _Lines(file, advance)
    for number, replay in parse_lines(lines):
        checked.count(replay)
        finding = judge(file, number, replay)
        if finding and not lines.found_object:
            held.append(finding)
            if len(held) == MOST_FINDINGS:
                break
        elif finding:
            yield from held
            held.clear()
            yield finding
    if not lines.found_object:
        raise UsageError(f"{file} holds no replays: {_what_is_wrong(held)}")
    yield from held


def _what_is_wrong(held: list[RecordFlaw]) -> str:
    return f"line {held[0].line} is {held[0].what}" if held else "it is empty"


def judge(file: Path, line: int, replay: Replay | ReplayError) -> RecordFlaw | None:
    """What is wrong with the record on a line, or with the line."""
    if isinstance(replay, ReplayError):
        return RecordFlaw(file, line, "", None, str(replay))
    deviation = verify(replay)
    return RecordFlaw(file, line, replay.match, deviation.step, deviation.what) if deviation else None


class _Lines(Iterable[bytes]):
    """The lines of a file, with progress, and whether one of them could be a JSON object, broken or not."""

    def __init__(self, file: Path, advance: Advance) -> None:
        self._file = file
        self._advance = advance
        self.found_object = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for line in lines_of(self._file):
                self.found_object = self.found_object or line.lstrip().startswith(b"{")
                yield line
                if line:
                    self._advance(len(line) + 1)
        except (OSError, LZMAError, EOFError) as error:
            raise _unreadable(self._file, error) from None
