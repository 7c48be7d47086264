"""`roost export`: writes a competition into a folder."""

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import Connection

from roost_games.errors import UsageError
from roost_server.competition import ledger
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import plays
from roost_server.export import gathering
from roost_server.export.records import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    FORMAT,
    MANIFEST_FILE,
    MATCHES_FILE,
    RULES_FILE,
    Manifest,
    block_lines,
    competition_text,
    manifest_text,
)
from roost_server.export.reports import derived
from roost_server.store import Store


def export(store: Store, name: str, folder: Path) -> list[Path]:
    """Write everything about a competition into a new folder. Returns the files. Raises `UsageError`."""
    with store.reading() as connection:
        competition = ledger.read(connection, name)
        _make(folder)
        _write(folder, _texts(connection, competition))
        with (folder / MATCHES_FILE).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in gathering.replay_lines(connection, competition.id))
    return _manifest(folder)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder} is there already; name a folder that is not") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def _texts(connection: Connection, competition: Competition) -> dict[str, str]:
    """The files by their names, but for the matches, of which there may be very many."""
    whole = gathering.competition_of(connection, competition)
    blocks = gathering.blocks_of(connection, competition.id)
    phases = sorted({block.phase for block in blocks if plays(block.phase)})
    facts = {phase: list(gathering.facts_of(connection, competition.id, phase)) for phase in phases}
    return {
        RULES_FILE: competition.document,
        COMPETITION_FILE: competition_text(whole),
        BLOCKS_FILE: block_lines(blocks),
        **derived(competition.file, whole, facts),
    }


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _manifest(folder: Path) -> list[Path]:
    files = sorted(folder.iterdir())
    manifest = Manifest(FORMAT, {file.name: digest(file) for file in files}, version("roost"))
    _write(folder, {MANIFEST_FILE: manifest_text(manifest)})
    return [*files, folder / MANIFEST_FILE]


def digest(file: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
