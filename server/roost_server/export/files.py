"""The files of an export: written from a database, read back by the checker.

Their forms are strict, because the files to check may come from anybody.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import ConfigDict, FailFast, Field

from roost_ladder.rating.fit import LATEST, Method
from roost_sdk.bounded_files import open_regular, too_large

COMPETITION_FILE = "competition.json"
RULES_FILE = "competition.toml"
BLOCKS_FILE = "blocks.jsonl"
MATCHES_FILE = "matches.jsonl"
MANIFEST_FILE = "manifest.json"
BRACKET_FILE = "bracket.json"
RESULT_FILE = "result.csv"
SEALS_FILE = "seals.jsonl"
"""Only where results were held back."""
QUALIFICATION_FILE = "qualification.csv"
README_FILE = "README.txt"
"""For people. Other versions of Roost may word it differently."""
FORMAT: Final = "roost-export/1"

DONE = "done"
"""The state of a block whose matches count."""
MEBIBYTE = 1 << 20
MOST_BYTES = {
    MANIFEST_FILE: MEBIBYTE,
    RULES_FILE: MEBIBYTE,
    COMPETITION_FILE: 16 * MEBIBYTE,
    BLOCKS_FILE: 1024 * MEBIBYTE,
    SEALS_FILE: 256 * MEBIBYTE,
    MATCHES_FILE: 64 * 1024 * MEBIBYTE,
}
MOST_BYTES_OF_REPORT = 64 * MEBIBYTE
MOST_SEATS = 8
"""No game has more."""
STRICT = ConfigDict(strict=True, extra="forbid")
T = TypeVar("T")
Hex = Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]
Count = Annotated[int, Field(ge=0, lt=1 << 53)]
Milliseconds = Count
Several = Annotated[tuple[T, ...], FailFast()]
"""Reading ends at the first wrong one: there may be millions."""
RulingWord = Literal["ban", "unban", "disqualify", "reinstate", "rename", "move", "void", "extend"]


@dataclass(frozen=True, slots=True)
class ExportedBot:
    """A version that took part."""

    __pydantic_config__ = STRICT
    version_id: int
    name: str
    version: str
    owner: str
    pinned: bool
    """Whether this is the version that plays the finals."""
    voids: Count = 0
    """How many matches were voided while it was being asked. Older exports do not say so."""
    withdrawn_ms: Milliseconds = 0
    """When its bot was withdrawn; 0 if it was not. Older exports do not say so."""
    let_in: bool = True
    """Whether its bot has qualified, or need not. Older exports do not say so: nobody had to."""


@dataclass(frozen=True, slots=True)
class ExportedBlock:
    """A block that was planned, and its outcome."""

    __pydantic_config__ = STRICT
    id: str
    phase: str
    serial: Count
    game: str
    options: dict[str, Any]
    rotation: Literal["cyclic", "full"]
    state: str
    seed: Hex
    """In hex."""
    version_ids: Annotated[tuple[int, ...], Field(min_length=2, max_length=MOST_SEATS)]
    matches: Several[tuple[str, int]]
    """The id and the rotation of each of its matches, in the order in which they ended."""
    times: Several[tuple[Milliseconds, Milliseconds]] = ()
    """When each of them started and ended, since 1970. Older exports do not say so."""
    deals: Literal["own", "duplicate"] = "duplicate"
    """Whether its matches share a deal. Older exports do not say so: they always did."""
    resumed: Count = 0
    """How often an arena resumed it after a stop. What was being played then is not on record."""
    epoch: Count = 0
    """The epoch from which its seed derives. Older exports do not say so: it was always the first."""


@dataclass(frozen=True, slots=True)
class ExportedRuling:
    """A decision of the host about an owner, a bot, a match or a phase."""

    __pydantic_config__ = STRICT
    at_ms: Milliseconds
    actor: str
    kind: RulingWord
    subject: str
    """The owner, bot, match or phase that it is about, as it was called then."""
    reason: str
    before: str = ""
    """The former name or owner; the former time of a phase, in milliseconds since 1970."""
    after: Annotated[str, Field(max_length=100)] = ""
    version_ids: Several[int] = ()
    """The versions that it is about."""
    match: str = ""


@dataclass(frozen=True, slots=True)
class ExportedSeal:
    """A commitment to results that were held back."""

    __pydantic_config__ = STRICT
    phase: str
    number: Count
    at_ms: Milliseconds
    epoch: Count
    digest: Hex
    blocks: tuple[tuple[str, Hex], ...] | None
    """The id and the digest of each block under it; no id where it is held back. `None` if all of them are."""


@dataclass(frozen=True, slots=True)
class ExportedRelease:
    """Results that were held back were released."""

    __pydantic_config__ = STRICT
    phase: str
    before_serial: Count | None
    """Those of the blocks with smaller serials; `None` for all of the phase."""
    at_ms: Milliseconds
    actor: str


@dataclass(frozen=True, slots=True)
class ExportedCompetition:
    """A competition as a whole."""

    __pydantic_config__ = STRICT
    name: str
    phase: str
    commitment: str
    seed: Hex
    """The master seed in hex; empty until the competition is done."""
    phases: Several[tuple[str, int, str]]
    """Every phase that it entered, when, and by whom."""
    bots: Several[ExportedBot]
    epochs: Several[tuple[Annotated[int, Field(ge=1, lt=1 << 53)], str]] = ()
    """The epochs after the first: when each began, and why."""
    only: Annotated[str, Field(pattern="^(ladder|finals)?$")] = ""
    """The phase to which the export is limited; empty if it has all."""
    seeding: Several[int] = ()
    """If it has the finals alone: their versions by rank on the ladder, which cannot be checked without the ladder."""
    winner: str | None = None
    """The name of the bot that won, empty while there is none. Older exports say nothing, and have no result."""
    rulings: Several[ExportedRuling] = ()
    """What the host decided, the oldest first. Older exports have none."""
    releases: Several[ExportedRelease] = ()
    """What was released of the results that were held back, the first one first. Older exports have none."""
    held: Several[tuple[str, Count]] = ()
    """What is held back, and not in this export: the phase, and the serial from which on its blocks are left out."""
    ratings: Annotated[int, Field(ge=1, le=LATEST)] = Method.EACH_MATCH.value
    """How its matches are weighed. Older exports do not say so: every match counted the same."""
    format: Literal["roost-export/1"] = FORMAT


@dataclass(frozen=True, slots=True)
class Manifest:
    """The hashes of the files of an export."""

    format: str
    sha256: dict[str, str]
    """By the file's name, in hex."""
    roost: str = ""
    """The version of Roost that wrote it."""


def competition_text(competition: ExportedCompetition) -> str:
    """The file about the competition as a whole."""
    return json.dumps(asdict(competition), indent=2, ensure_ascii=False) + "\n"


def block_lines(blocks: Iterable[ExportedBlock]) -> str:
    """The file of the blocks: a line of JSON for each, by phase and serial."""
    return "".join(json.dumps(asdict(block), ensure_ascii=False) + "\n" for block in blocks)


def seal_lines(seals: Iterable[ExportedSeal]) -> str:
    """The file of the seals: a line of JSON for each, by phase and number."""
    return "".join(json.dumps(asdict(seal), ensure_ascii=False) + "\n" for seal in seals)


def manifest_text(manifest: Manifest) -> str:
    """The file of the hashes."""
    return json.dumps(asdict(manifest), indent=2) + "\n"


def most_bytes(name: str) -> int:
    """How large a file of an export may be."""
    return MOST_BYTES.get(name, MOST_BYTES_OF_REPORT)


def digest(file: Path) -> str:
    """The SHA-256 of a file of an export, in hex. Raises `OSError` for a link, a folder or a file that is too large."""
    with open_regular(file, follow=False) as content:
        if file.stat().st_size > most_bytes(file.name):
            raise too_large(file, most_bytes(file.name))
        return hashlib.file_digest(content, "sha256").hexdigest()
