"""Seals on record: `prepare_seal` makes one of what has ended, and `add_seal` puts it on record."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from roost_server.sealing import FIRST, Seal, SealedBlock, digest_of_hashes, digest_of_seal, sha256
from roost_server.store.backend import Backend
from roost_server.store.copies.archives import ArchivedReplays
from roost_server.store.copies.epochs import epochs
from roost_server.store.models import BLOCK, MATCH, REPLAY, SEAL, SEALED_BLOCK, BlockState
from roost_server.store.records import line_of
from roost_server.store.store import Reading


class PreparedSeal(NamedTuple):
    """A seal that is not on record yet."""

    seal: Seal
    blocks: tuple[SealedBlock, ...]


def newest_seals(reading: Reading, competition_id: int, phase: str, limit: int | None = None) -> list[Seal]:
    """The seals of a phase, the newest first."""
    mine = (SEAL.c.competition_id == competition_id) & (SEAL.c.phase == phase)
    query = select(*SEAL.c[Seal._fields]).where(mine).order_by(SEAL.c.number.desc())
    return [Seal._make(row) for row in reading.execute(query.limit(limit))]


def sealed_blocks(reading: Reading, competition_id: int, phase: str) -> list[SealedBlock]:
    """The blocks under the seals of a phase, in the order in which their seals list them."""
    mine = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.phase == phase)
    query = select(*SEALED_BLOCK.c[SealedBlock._fields]).join(BLOCK).where(mine)
    return [SealedBlock._make(row) for row in reading.execute(query.order_by(SEALED_BLOCK.c.seal, BLOCK.c.serial))]


def prepare_seal(
    reading: Reading, backend: Backend, competition: str, competition_id: int, phase: str, at_ms: int
) -> PreparedSeal | None:
    """A seal for all blocks of a phase that have ended and are under none; `None` if there are none."""
    unsealed = (
        select(*BLOCK.c["id", "state"])
        .join_from(BLOCK, SEALED_BLOCK, isouter=True)
        .where(BLOCK.c.competition_id == competition_id, BLOCK.c.phase == phase)
        .where(BLOCK.c.state != BlockState.OPEN, SEALED_BLOCK.c.block_id.is_(None))
    )
    ended = reading.execute(unsealed.order_by(BLOCK.c.serial)).all()
    if not ended:
        return None
    before = next(iter(newest_seals(reading, competition_id, phase, 1)), None)
    number, then = (before.number + 1, before.at_ms) if before else (0, 0)
    epoch = max((each.began_ms for each in epochs(reading)), default=0)
    digests = [
        SealedBlock(row.id, number, digest_of_hashes(row.id, row.state, _hashes(reading, backend, row.id)))
        for row in ended
    ]
    seal = Seal(phase, number, max(at_ms, then), epoch, "")
    digest = digest_of_seal(competition, seal, before.digest if before else FIRST, [each.digest for each in digests])
    return PreparedSeal(seal._replace(digest=digest), tuple(digests))


def _hashes(reading: Reading, backend: Backend, block_id: str) -> Iterator[tuple[str, str]]:
    """The matches of a block in the order of recording, each with the hash of its line of JSON."""
    query = select(*MATCH.c["number", "id"], REPLAY.c.document).outerjoin_from(MATCH, REPLAY)
    archived = ArchivedReplays(reading, backend)
    for row in reading.execute(query.where(MATCH.c.block_id == block_id).order_by(MATCH.c.number)).all():
        yield row.id, sha256(archived.line(row.number) if row.document is None else line_of(row.document))


def add_seal(connection: Connection, competition_id: int, prepared: PreparedSeal) -> None:
    """Put a seal on record."""
    connection.execute(insert(SEAL).values(competition_id=competition_id, **prepared.seal._asdict()))
    connection.execute(insert(SEALED_BLOCK), [each._asdict() for each in prepared.blocks])
