"""Reads an export back. What it returns is valid; otherwise it raises `Damaged`, which says what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from os.path import lexists
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from roost_games.errors import RoostError, UsageError
from roost_ladder.blocks import Block, Deals, Rotation
from roost_sdk.bounded_files import lines_of, read_regular
from roost_server.competition.file import CompetitionFile, parse_competition
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    FORMAT,
    MANIFEST_FILE,
    RULES_FILE,
    SEALS_FILE,
    ExportedBlock,
    ExportedCompetition,
    ExportedSeal,
    Manifest,
    most_bytes,
)

T = TypeVar("T")


class Damaged(RoostError):
    """A file of an export is damaged."""

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"{file}: {what}")
        self.file = file
        self.what = what


class Exported(NamedTuple):
    """An export without its matches."""

    folder: Path
    manifest: Manifest
    file: CompetitionFile
    competition: ExportedCompetition
    blocks: list[ExportedBlock]
    seals: list[ExportedSeal]
    """The commitments to results that are or were held back, by phase and number."""


def read_export(folder: Path) -> Exported:
    """Read an export without its matches. Raises `Damaged`."""
    manifest, competition = read_manifest(folder), read_competition(folder)
    return Exported(
        folder, manifest, _read_rules(folder), competition, _read_blocks(folder, competition), _read_seals(folder)
    )


def read_manifest(folder: Path) -> Manifest:
    """The hashes of an export. Raises `Damaged`."""
    manifest = _checked(Manifest, read_text(folder, MANIFEST_FILE), MANIFEST_FILE)
    if manifest.format != FORMAT:
        raise Damaged(MANIFEST_FILE, f"the form of the export is {manifest.format!r}; this Roost reads {FORMAT!r}")
    return manifest


def read_competition(folder: Path) -> ExportedCompetition:
    """The competition as a whole. Raises `Damaged`."""
    return _checked(ExportedCompetition, read_text(folder, COMPETITION_FILE), COMPETITION_FILE)


def commitments_in(folder: Path) -> dict[str, str]:
    """The commitment to the master seed, by the name of the competition; empty if it cannot be read."""
    try:
        competition = read_competition(folder)
    except Damaged:
        return {}
    return {competition.name: competition.commitment}


def seeded_elsewhere(folder: Path) -> bool:
    """Whether the seeding of the finals follows from matches that are not in the export."""
    try:
        return bool(read_competition(folder).seeding)
    except Damaged:
        return False


def read_text(folder: Path, name: str) -> str:
    """A file as text. Raises `Damaged`."""
    with readable(name):
        return read_regular(folder / name, most_bytes(name), follow=False).decode()


def read_lines(folder: Path, name: str) -> Iterator[bytes]:
    """The lines of a file. Raises `Damaged`."""
    with readable(name):
        yield from lines_of(folder / name, follow=False)


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn errors of reading a file into `Damaged`."""
    try:
        yield
    except FileNotFoundError:
        raise Damaged(name, "is missing") from None
    except OSError as error:
        raise Damaged(name, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Damaged(name, f"is not UTF-8 at byte {error.start}") from None


def _read_rules(folder: Path) -> CompetitionFile:
    try:
        return parse_competition(read_text(folder, RULES_FILE), "the file")
    except UsageError as error:
        raise Damaged(RULES_FILE, str(error)) from None


def _read_blocks(folder: Path, competition: ExportedCompetition) -> list[ExportedBlock]:
    known = {bot.version_id for bot in competition.bots}
    blocks: dict[str, ExportedBlock] = {}
    for number, line in enumerate(read_lines(folder, BLOCKS_FILE), 1):
        block = _checked(ExportedBlock, line, BLOCKS_FILE, f"line {number}: ")
        if block.id in blocks or not _possible(block, known):
            raise Damaged(BLOCKS_FILE, f"line {number}: there cannot be such a block")
        blocks[block.id] = block
    return list(blocks.values())


def _read_seals(folder: Path) -> list[ExportedSeal]:
    """Exports without results that were held back have none."""
    if not lexists(folder / SEALS_FILE):
        return []
    lines = enumerate(read_lines(folder, SEALS_FILE), 1)
    return [_checked(ExportedSeal, line, SEALS_FILE, f"line {number}: ") for number, line in lines]


def _possible(block: ExportedBlock, known: set[int]) -> bool:
    """Whether its bots are distinct and take part, and its matches are rotations that it has, at possible times."""
    members = set(block.version_ids)
    rotations = range(as_block(block).rotations)
    timed = not block.times or len(block.times) == len(block.matches)
    distinct = len(members) == len(block.version_ids) and members <= known
    return distinct and timed and all(r in rotations for _, r in block.matches)


def as_block(block: ExportedBlock) -> Block:
    """The block as the ladder package has it."""
    seed, rotation, deals = bytes.fromhex(block.seed), Rotation(block.rotation), Deals(block.deals)
    return Block(block.id, block.game, block.version_ids, seed, rotation, deals)


def _checked(form: type[T], text: str | bytes, name: str, where: str = "") -> T:
    try:
        return TypeAdapter(form).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise Damaged(name, f"is not what it should be: {where}{place and place + ': '}{first['msg']}") from None
