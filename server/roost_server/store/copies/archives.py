"""Archives: replays of a phase that is over, moved from the database into a compressed file.

A file has the replays line by line in the order of recording, compressed with xz in parts of `PART` matches. It can be
read as a whole (`xzcat`), and a part of it by itself: the database says where the part with a match begins. What is
archived never changes again.
"""

import hashlib
import lzma
import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from roost_server.store.backend import Backend
from roost_server.store.errors import StoreError
from roost_server.store.models import ARCHIVE, ARCHIVE_PART, BLOCK, MATCH, REPLAY
from roost_server.store.records import line_of
from roost_server.store.store import Reading, Store

PART = 256
"""How many matches are compressed together. To read one, all of them are decompressed."""
LEVEL = 6
AT_ONCE = 5_000
"""How many replays are removed from the database in a transaction."""
MOST_PARTS = 4
"""How many decompressed parts are remembered."""


class Archived(NamedTuple):
    """An archive on record."""

    id: int
    file: Path
    sha256: str


class WrittenArchive(NamedTuple):
    """What was archived."""

    file: Path
    matches: int
    bytes: int
    moved: bool
    """Whether anything was left in the database to be moved."""


class _Part(NamedTuple):
    first_number: int
    last_number: int
    offset: int
    bytes: int


class ArchivedReplays:
    """Reads replays that are no longer in the database."""

    def __init__(self, reading: Reading, backend: Backend) -> None:
        self._reading = reading
        self._backend = backend
        self._parts: dict[tuple[int, int], dict[int, str]] = {}

    def line(self, number: int) -> str:
        """The replay of a match, by its number. Raises `StoreError` if its archive cannot be read."""
        query = (
            select(ARCHIVE.c.id, ARCHIVE.c.file, BLOCK.c.competition_id, BLOCK.c.phase, *ARCHIVE_PART.c)
            .join_from(MATCH, BLOCK)
            .join(ARCHIVE, (ARCHIVE.c.competition_id == BLOCK.c.competition_id) & (ARCHIVE.c.phase == BLOCK.c.phase))
            .join(ARCHIVE_PART, ARCHIVE_PART.c.archive_id == ARCHIVE.c.id)
            .where(MATCH.c.number == number, ARCHIVE_PART.c.first_number <= number)
            .where(ARCHIVE_PART.c.last_number >= number)
        )
        row = self._reading.execute(query).one_or_none()
        if row is None:
            raise StoreError(f"{self._backend.name}: the replay of match number {number} is missing; restore a copy")
        key = row.id, row.first_number
        if key not in self._parts:
            while len(self._parts) >= MOST_PARTS:
                del self._parts[next(iter(self._parts))]
            part = _Part(row.first_number, row.last_number, row.offset, row.bytes)
            self._parts[key] = self._read(_resolved(self._backend, row.file), part, row.competition_id, row.phase)
        return self._parts[key][number]

    def _read(self, file: Path, part: _Part, competition_id: int, phase: str) -> dict[int, str]:
        of_phase = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.phase == phase)
        within = MATCH.c.number.between(part.first_number, part.last_number)
        query = select(MATCH.c.number).join_from(MATCH, BLOCK).where(of_phase, within).order_by(MATCH.c.number)
        lines = _lines_of(file, part)
        numbers = self._reading.scalars(query).all()
        if len(numbers) != len(lines):
            raise StoreError(f"{file} is damaged: it has other matches than it should; restore a copy of it")
        return dict(zip(numbers, lines, strict=True))


def archives(reading: Reading, backend: Backend) -> list[Archived]:
    """Every archive on record."""
    rows = reading.execute(select(*ARCHIVE.c["id", "file", "sha256"]).order_by(ARCHIVE.c.id))
    return [Archived(row.id, _resolved(backend, row.file), row.sha256) for row in rows]


def archive(store: Store, competition_id: int, phase: str, file: Path) -> WrittenArchive:
    """Move the replays of a phase that is over into a new file. Raises `StoreError` if that cannot be written.

    The replays are removed from the database once the file is complete, has been read back, and is on record. If that
    is interrupted, archive the phase again: the rest is removed.
    """
    with store.reading() as reading:
        of_phase = (ARCHIVE.c.competition_id == competition_id) & (ARCHIVE.c.phase == phase)
        known = reading.execute(select(ARCHIVE).where(of_phase)).one_or_none()
    if known is None:
        _write_archive(store, competition_id, phase, file)
    written = _resolved(store.backend, known.file) if known is not None else file
    matches, moved = _remove(store, competition_id, phase)
    if moved:
        store.backend.shrink()
    return WrittenArchive(written, matches, written.stat().st_size, moved or known is None)


def _write_archive(store: Store, competition_id: int, phase: str, file: Path) -> None:
    if file.exists():
        raise StoreError(f"{file} already exists; move it away, or name another folder")
    partial = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with store.reading() as reading:
            parts = list(_write_parts(reading, competition_id, phase, partial))
            _check(reading, competition_id, phase, partial, parts)
        with store.writing() as connection:
            _record(connection, competition_id, phase, parts, _stored(store.backend, file), _digest(partial))
            partial.rename(file)
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror}") from None


def _documents(reading: Reading, competition_id: int, phase: str) -> Iterator[tuple[int, str]]:
    query = (
        select(REPLAY.c.match_number, REPLAY.c.document)
        .join_from(REPLAY, MATCH)
        .join(BLOCK)
        .where(BLOCK.c.competition_id == competition_id, BLOCK.c.phase == phase)
        .order_by(REPLAY.c.match_number)
    )
    with reading.execute(query.execution_options(yield_per=PART)) as rows:
        for number, document in rows:
            yield number, line_of(document)


def _write_parts(reading: Reading, competition_id: int, phase: str, file: Path) -> Iterator[_Part]:
    documents = _documents(reading, competition_id, phase)
    with file.open("wb") as out:
        os.chmod(file, 0o600)
        while some := list(islice(documents, PART)):
            packed = lzma.compress("".join(f"{line}\n" for _, line in some).encode(), preset=LEVEL)
            yield _Part(some[0][0], some[-1][0], out.tell(), len(packed))
            out.write(packed)
        out.flush()
        os.fsync(out.fileno())


def _check(reading: Reading, competition_id: int, phase: str, file: Path, parts: Sequence[_Part]) -> None:
    """Read the file back, and compare it with the database."""
    documents = _documents(reading, competition_id, phase)
    for part in parts:
        lines = _lines_of(file, part)
        if lines != [line for _, line in islice(documents, len(lines))]:
            raise StoreError(f"{file} was not written as it should be; check the disk")


def _record(
    connection: Connection, competition_id: int, phase: str, parts: Sequence[_Part], file: str, digest: str
) -> None:
    made_ms = time.time_ns() // 1_000_000
    number = (connection.scalar(select(func.max(ARCHIVE.c.id))) or 0) + 1
    new = {"id": number, "competition_id": competition_id, "phase": phase, "file": file}
    connection.execute(insert(ARCHIVE).values(**new, sha256=digest, made_ms=made_ms))
    if parts:
        connection.execute(insert(ARCHIVE_PART), [{"archive_id": number, **part._asdict()} for part in parts])


def _remove(store: Store, competition_id: int, phase: str) -> tuple[int, bool]:
    """Remove what has been archived from the database. Returns how many matches that has, and whether any was left."""
    of_phase = select(MATCH.c.number).join_from(MATCH, BLOCK)
    of_phase = of_phase.where(BLOCK.c.competition_id == competition_id, BLOCK.c.phase == phase)
    with store.reading() as reading:
        numbers = list(reading.scalars(of_phase.order_by(MATCH.c.number)))
    removed = 0
    for at in range(0, len(numbers), AT_ONCE):
        some = numbers[at : at + AT_ONCE]
        between = REPLAY.c.match_number.between(some[0], some[-1])
        with store.writing() as connection:
            removed += connection.execute(delete(REPLAY).where(between, REPLAY.c.match_number.in_(of_phase))).rowcount
    return len(numbers), removed > 0


def _lines_of(file: Path, part: _Part) -> list[str]:
    try:
        with file.open("rb") as packed:
            packed.seek(part.offset)
            return lzma.decompress(packed.read(part.bytes)).decode().splitlines()
    except FileNotFoundError:
        raise StoreError(f"{file} is missing, and replays were moved there; put it back") from None
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise StoreError(f"{file} is damaged: {error}; restore a copy of it") from None


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def wrong_archives(reading: Reading, backend: Backend) -> Iterator[tuple[Path, str]]:
    """The archives that are missing or were changed, and what is wrong with each."""
    for each in archives(reading, backend):
        if not each.file.is_file():
            yield each.file, "is missing, and replays were moved there"
        elif _digest(each.file) != each.sha256:
            yield each.file, "was changed: its hash is not that of the database"


def _stored(backend: Backend, file: Path) -> str:
    """How the database names a file: relative to its own folder if it is in there, so that both can be moved."""
    absolute, folder = file.absolute(), backend.folder()
    return str(absolute.relative_to(folder) if absolute.is_relative_to(folder) else absolute)


def _resolved(backend: Backend, name: str) -> Path:
    return backend.folder() / name
