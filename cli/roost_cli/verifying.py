"""What `roost verify` does: read the files line by line, adjudicate each match, keep what deviates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import typer

from roost_cli.terminal.progress import Advance, progress
from roost_games.errors import ReplayError, UsageError
from roost_games.replay import Replay, parse_lines
from roost_games.verify import verify
from roost_games.wording import counted


class Finding(NamedTuple):
    """A line of a file that is not in order."""

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
    """What came out of a run."""

    matches: int = 0
    findings: list[Finding] = field(default_factory=list)
    commitments: dict[str, str] = field(default_factory=dict)
    """By competition: what its master seed was checked against, for those who know what was published."""

    def gather(self, findings: Iterable[Finding], *, tell: bool) -> None:
        """Keep `findings`, and print each as it comes if `tell` is set."""
        for finding in findings:
            self.findings.append(finding)
            if tell:
                typer.echo(str(finding))

    def advice(self) -> Iterator[str]:
        """What is left for a person to compare."""
        for name, commitment in self.commitments.items():
            yield f"{name}: commitment {commitment}; compare it with what was published"

    def summary(self) -> str:
        """The run in one line."""
        matches = counted(self.matches, "match")
        if not self.findings:
            return f"{matches} checked, all in order"
        return f"{matches} checked, {len(self.findings)} not in order"


def verify_files(files: list[Path], *, tell: bool) -> Checked:
    """Check every match in `files`; deviations are printed as they are found if `tell` is set."""
    checked = Checked()
    with progress("verifying", sum(map(_size, files))) as advance:
        for file in files:
            checked.gather(_verify_file(file, checked, advance), tell=tell)
    return checked


def _size(file: Path) -> int:
    """How long a file is. Raises `UsageError` if it is none."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name the files of replays in it")
    try:
        return file.stat().st_size
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None


def _verify_file(file: Path, checked: Checked, advance: Advance) -> Iterator[Finding]:
    """The findings in one file. Raises `UsageError` if it is no file of replays at all."""
    held: list[Finding] = []
    lines = _Lines(file, advance)
    for number, replay in parse_lines(lines):
        checked.matches += 1
        finding = judge(file, number, replay)
        if finding and not lines.found_object:
            held.append(finding)
        elif finding:
            yield from held
            held.clear()
            yield finding
    if not lines.found_object:
        raise UsageError(f"{file} holds no replays: {_what_is_wrong(held)}")
    yield from held


def _what_is_wrong(held: list[Finding]) -> str:
    return f"line {held[0].line} is {held[0].what}" if held else "it is empty"


def judge(file: Path, line: int, replay: Replay | ReplayError) -> Finding | None:
    """What is not in order about the record on a line, or what was wrong with the line."""
    if isinstance(replay, ReplayError):
        return Finding(file, line, "", None, str(replay))
    deviation = verify(replay)
    return Finding(file, line, replay.match, deviation.step, deviation.what) if deviation else None


class _Lines(Iterable[bytes]):
    """The lines of a file, with progress, and whether one of them could be a JSON object, broken or not."""

    def __init__(self, file: Path, advance: Advance) -> None:
        self._file = file
        self._advance = advance
        self.found_object = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._file.open("rb") as lines:
                for line in lines:
                    self.found_object = self.found_object or line.lstrip().startswith(b"{")
                    yield line
                    self._advance(len(line))
        except OSError as error:
            raise UsageError(f"cannot read {self._file}: {error.strerror}") from None


def findings_json(checked: Checked) -> dict[str, object]:
    """The run, for programs."""
    return {
        "matches": checked.matches,
        "in_order": checked.matches - len(checked.findings),
        "findings": [{**finding._asdict(), "file": str(finding.file)} for finding in checked.findings],
        **({"commitments": checked.commitments} if checked.commitments else {}),
    }
