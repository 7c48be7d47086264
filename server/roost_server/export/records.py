"""What an export holds of a competition, and its form in files: written from a database, read back by the checker."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from roost_games.errors import UsageError

COMPETITION_FILE = "competition.json"
RULES_FILE = "competition.toml"
BLOCKS_FILE = "blocks.jsonl"
MATCHES_FILE = "matches.jsonl"
MANIFEST_FILE = "manifest.json"
FORMAT = "roost-export/1"


@dataclass(frozen=True, slots=True)
class ExportedBot:
    """A version that took part."""

    version_id: int
    name: str
    version: str
    owner: str
    pinned: bool
    """Whether this is the version that plays the finals."""


@dataclass(frozen=True, slots=True)
class ExportedBlock:
    """A deal that was planned, and what became of it."""

    id: str
    phase: str
    serial: int
    game: str
    options: dict[str, Any]
    rotation: str
    state: str
    seed: str
    """In hex."""
    version_ids: tuple[int, ...]
    matches: tuple[tuple[str, int], ...]
    """The id and the rotation of each of its matches, in the order in which they ended."""


@dataclass(frozen=True, slots=True)
class ExportedCompetition:
    """A competition as a whole."""

    name: str
    phase: str
    commitment: str
    seed: str
    """The master seed in hex; empty until the competition is done."""
    phases: tuple[tuple[str, int, str], ...]
    """Every phase that it came into, when, and by whom."""
    bots: tuple[ExportedBot, ...]
    format: str = field(default=FORMAT)


def competition_text(competition: ExportedCompetition) -> str:
    """The file about the competition as a whole."""
    return json.dumps(asdict(competition), indent=2, ensure_ascii=False) + "\n"


def block_lines(blocks: Iterable[ExportedBlock]) -> str:
    """The file of the blocks: a line of JSON for each, by phase and serial."""
    return "".join(json.dumps(asdict(block), ensure_ascii=False) + "\n" for block in blocks)


def read_competition(folder: Path) -> ExportedCompetition:
    """The competition of an export. Raises `UsageError` if the file cannot be read as one."""
    try:
        data = json.loads((folder / COMPETITION_FILE).read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise UsageError(f"{folder} is an export of the form {data['format']!r}; this Roost reads {FORMAT!r}")
        bots = tuple(ExportedBot(**each) for each in data.pop("bots"))
        phases = tuple((phase, at, actor) for phase, at, actor in data.pop("phases"))
        return ExportedCompetition(**data, bots=bots, phases=phases)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / COMPETITION_FILE} cannot be read: {error}") from None


def read_blocks(folder: Path) -> list[ExportedBlock]:
    """The blocks of an export. Raises `UsageError` if the file cannot be read as such."""
    try:
        text = (folder / BLOCKS_FILE).read_text(encoding="utf-8")
        return [_block(json.loads(line)) for line in text.splitlines()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / BLOCKS_FILE} cannot be read: {error}") from None


def _block(data: dict[str, Any]) -> ExportedBlock:
    members = tuple(int(each) for each in data.pop("version_ids"))
    matches = tuple((str(match), int(rotation)) for match, rotation in data.pop("matches"))
    return ExportedBlock(**data, version_ids=members, matches=matches)
