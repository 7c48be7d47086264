"""Reads what a journal has kept of a match, and fetches the arena's record of it.

    kept = read_kept(Path("kept/20260314T150926Z-karteneck-3f2a.jsonl"))
    with open_arena("arena.example:50051") as arena:
        replay = fetch_record(kept, arena)

The journal has what the bot saw, and the record what everybody did. The record is kept beside the journal.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from roost_games.errors import ReplayError, RoostError, UsageError
from roost_games.game import JsonValue
from roost_games.registry import get_game, part_of
from roost_games.replay import Decision, Replay
from roost_games.strict_json import parse
from roost_games.verify import verify
from roost_sdk.arena.journal import FORMAT, About
from roost_sdk.arena.reader import Reader
from roost_sdk.bounded_files import lines_of

RECORD = ".record.jsonl"
"""How the file of a record ends that belongs to the journal of the same name."""


class KeptDecision(NamedTuple):
    """A decision as a journal has it."""

    view: Any
    move: Mapping[str, JsonValue] | None
    """What the bot answered, in the notation of replays; `None` if that was no move."""
    trouble: str
    """Why it was none, in one line."""
    where: str
    """The author's lines where that happened, if the bot raised an error."""
    ms: float | None
    """How long it thought; `None` if the match ended first."""
    log: tuple[str, ...]
    """What it printed since the decision before."""


class KeptMatch(NamedTuple):
    """What a journal has kept of a match."""

    file: Path
    about: About
    decisions: tuple[KeptDecision, ...]
    result: Mapping[str, Any] | None
    """How it ended, with the keys that replays use; `None` if the arena did not say."""
    complete: bool
    """Whether no line was left out."""

    @property
    def record_file(self) -> Path:
        """Where the arena's record belongs."""
        return self.file.with_name(self.file.name.removesuffix(".jsonl") + RECORD)

    def record(self) -> Replay | None:
        """The record that was fetched, if it was. Raises `ReplayError` if it is not that of this match."""
        if not self.record_file.is_file():
            return None
        line = next(iter(lines_of(self.record_file)), b"")
        return _checked(self, Replay.from_line(line.decode(errors="replace")))


def is_kept(file: Path) -> bool:
    """Whether a file is the journal of a match."""
    if file.name.endswith(RECORD) or file.suffix != ".jsonl" or not file.is_file():
        return False
    with file.open("rb") as opened:
        return f'"{FORMAT}"'.encode() in opened.read(200)


def read_kept(file: Path) -> KeptMatch:
    """The journal in `file`. Raises `ReplayError` if it is none."""
    # The last line is cut if the program was killed.
    lines = [line for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    try:
        head, *others = [_object(line) for line in lines]
        about = About(**{name: head[name] for name in About._fields})
        decisions = tuple(_decisions(about, others))
    except (KeyError, TypeError, ValueError, RoostError) as error:
        raise ReplayError(f"{file} is not the journal of a match: {error}") from None
    ends = [line for line in others if "result" in line]
    left_out = any("left_out" in line for line in ends)
    return KeptMatch(file, about, decisions, ends[0]["result"] if ends else None, not left_out)


def fetch_record(kept: KeptMatch, reader: Reader) -> Replay:
    """Ask the arena for the record of a match, verify it, and keep it beside the journal.

    Raises `ReplayError` if it is wrong, or not that of this match.
    """
    line = reader.replay(kept.about.match)
    replay = _checked(kept, Replay.from_line(line))
    try:
        kept.record_file.write_text(f"{line.strip()}\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {kept.record_file}: {error.strerror or error}") from None
    return replay


def _checked(kept: KeptMatch, replay: Replay) -> Replay:
    """The record, if it is right by the rules and says what the journal says."""
    wrong = verify(replay) or _difference(kept, replay)
    if wrong:
        raise ReplayError(f"the record of match {kept.about.match} is wrong: {wrong}")
    return replay


def _difference(kept: KeptMatch, replay: Replay) -> str:
    """In what a record contradicts the journal; empty if in nothing."""
    about = kept.about
    if (replay.match, replay.game, len(replay.seats)) != (about.match, about.game, about.players):
        return f"it is that of {replay.game} match {replay.match} with {len(replay.seats)} seats"
    decode = get_game(about.game).decode_move
    own = [step for step in replay.steps if isinstance(step, Decision) and step.seat == about.seat]
    if not kept.complete:
        return ""
    for number, (said, step) in enumerate(zip(kept.decisions, own, strict=False), 1):
        if not step.fallback and (said.move is None or decode(dict(said.move)) != decode(step.move)):
            answered = said.trouble or json.dumps(said.move)
            return f"decision {number} of seat {about.seat} is {json.dumps(step.move)}, and the journal has {answered}"
    return ""


def _object(line: bytes) -> dict[str, Any]:
    value = parse(line)
    if not isinstance(value, dict):
        raise ReplayError("a line is no object")
    return value


def _decisions(about: About, lines: list[dict[str, Any]]) -> Iterator[KeptDecision]:
    log: list[str] = []
    for line in lines:
        if "log" in line:
            log.append(line["log"])
        elif "view" in line:
            view = read_view(about.game, about.options, line["view"])
            trouble = _trouble(line)
            yield KeptDecision(view, line.get("move"), trouble, line.get("where", ""), line.get("ms"), (*log,))
            log.clear()


def _trouble(line: Mapping[str, Any]) -> str:
    if "error" in line:
        return f"crash: {line['error']}"
    return f"what is no move: {line['sent']}" if "sent" in line else "" if "move" in line else "no answer in time"


def read_view(game: str, options: Mapping[str, JsonValue], plain: Mapping[str, JsonValue]) -> Any:
    """The view that `plain_view` wrote. Raises `TypeError`, `KeyError` or `ValueError` if it did not."""
    return _read(part_of(game).View, {**plain, "options": get_game(game).options(options)})


def _read(hint: Any, value: Any) -> Any:
    """A value of this type from JSON: the reverse of `roost_sdk.plain`."""
    if get_origin(hint) in (Union, UnionType):
        return _read(_meant(get_args(hint), value), value)
    if get_origin(hint) is tuple:
        return tuple(_read(get_args(hint)[0], part) for part in value)
    if get_origin(hint) is Literal or not isinstance(value, dict):
        return hint(value) if isinstance(hint, type) and issubclass(hint, str) else value
    hints = get_type_hints(hint)
    return hint(**{name: _read(each, value[name]) for name, each in hints.items() if name in value})


def _meant(kinds: tuple[Any, ...], value: Any) -> Any:
    """Which of several types a value has."""
    if value is None:
        return NoneType
    others = [kind for kind in kinds if kind is not NoneType]
    named = [kind for kind in others if isinstance(value, dict) and value.get("is") == kind.__name__.lower()]
    return (named or others)[0]
