"""Results that were held back, in an export: seals and releases, and whether what was released is what was sealed.

docs/formats/export.md says what a seal is the hash of, so that anybody can check it.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from roost_games.wording import counted
from roost_server.competition.file import PhaseName
from roost_server.export.files import (
    MATCHES_FILE,
    SEALS_FILE,
    ExportedBlock,
    ExportedCompetition,
    ExportedSeal,
)
from roost_server.export.reader import Exported, read_lines
from roost_server.sealing import FIRST, Seal, digest_of_hashes, digest_of_seal

PHASES = (PhaseName.LADDER.value, PhaseName.FINALS.value)
SLACK_MS = 600_000
"""A block that ended this long before the release may have been put on record after it, and be under no seal."""
MINUTE_MS = 60_000


class _Sealing(NamedTuple):
    """What is known about the seals of one phase."""

    seals: Sequence[ExportedSeal]
    of_block: Mapping[str, ExportedSeal]


def wrong_seals(exported: Exported, noted: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """What is wrong with seals, and where. `noted` are digests that somebody wrote down when they were published."""
    competition = exported.competition
    yield from _not_there(exported, noted)
    if not exported.seals and not any(part.is_held for part in exported.file.phases):
        return
    hashes = _hashes_of_lines(exported)
    for phase in PHASES:
        blocks = {block.id: block for block in exported.blocks if block.phase == phase}
        sealing = _sealing(exported.seals, phase)
        yield from _wrong_chain(competition, phase, sealing.seals)
        yield from _wrong_blocks(sealing, blocks, hashes)
        yield from _unsealed(exported, phase, sealing, blocks.values())


def _not_there(exported: Exported, noted: Collection[str]) -> Iterator[tuple[str, str]]:
    known = {seal.digest for seal in exported.seals}
    for digest in noted:
        if digest.strip().lower() not in known:
            again = "; the records were restored, which loses seals" if exported.competition.epochs else ""
            yield SEALS_FILE, f"does not have the seal {digest} that was published{again}"


def _sealing(every: Iterable[ExportedSeal], phase: str) -> _Sealing:
    seals = [seal for seal in every if seal.phase == phase]
    return _Sealing(seals, {block: seal for seal in seals for block, _ in seal.blocks or () if block})


def _wrong_chain(
    competition: ExportedCompetition, phase: str, seals: Sequence[ExportedSeal]
) -> Iterator[tuple[str, str]]:
    """Each seal contains the one before it and the digests of its blocks. Numbers, times and epochs rise."""
    before, at_ms, epoch = FIRST, 0, 0
    epochs = {0, *(began_ms for began_ms, _ in competition.epochs)}
    for number, each in enumerate(seals):
        where = f"seal {number} of the {phase}"
        if each.number != number:
            yield where, "is missing"
            return
        if each.at_ms < at_ms or each.epoch < epoch or each.epoch not in epochs:
            yield where, "was not made when it says"
        if each.blocks is not None:
            seal = Seal(each.phase, each.number, each.at_ms, each.epoch, each.digest)
            if digest_of_seal(competition.name, seal, before, [digest for _, digest in each.blocks]) != each.digest:
                yield where, "does not follow from its blocks and the seal before it"
        before, at_ms, epoch = each.digest, each.at_ms, each.epoch


def _wrong_blocks(
    sealing: _Sealing, blocks: Mapping[str, ExportedBlock], hashes: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The blocks of the export are as they were sealed."""
    listed = [(block, digest, seal) for seal in sealing.seals for block, digest in seal.blocks or () if block]
    if len({block for block, _, _ in listed}) < len(listed):
        yield SEALS_FILE, "a block is under two seals"
    for block_id, digest, seal in listed:
        block = blocks.get(block_id)
        if block is None:
            yield block_id, f"is under seal {seal.number}, and not in the export"
            continue
        matches = [(match, hashes.get(match, "")) for match, _ in block.matches]
        if digest_of_hashes(block.id, block.state, matches) != digest:
            yield block_id, f"is not what seal {seal.number} of the {seal.phase} was put on: it was changed since"
        elif _ended_ms(block) > seal.at_ms:
            yield block_id, f"ended after seal {seal.number} was put on it"


def _unsealed(
    exported: Exported, phase: str, sealing: _Sealing, blocks: Collection[ExportedBlock]
) -> Iterator[tuple[str, str]]:
    """What ended while results were held back is under a seal."""
    if not any(part.is_held and part.phase == phase for part in exported.file.phases):
        return
    released = [
        each.at_ms for each in exported.competition.releases if each.phase == phase and each.before_serial is None
    ]
    until_ms = min([*released, *(seal.at_ms for seal in sealing.seals[-1:] if not released)], default=0) - SLACK_MS
    for block in blocks:
        # One that was resumed may have been closed long after its last match.
        if block.id not in sealing.of_block and not block.resumed and 0 < _ended_ms(block) < until_ms:
            yield block.id, "ended while results were held back, and is under no seal"


def _ended_ms(block: ExportedBlock) -> int:
    return max((ended for _, ended in block.times), default=0)


def _hashes_of_lines(exported: Exported) -> dict[str, str]:
    """By match, the SHA-256 of its line."""
    found: dict[str, str] = {}
    for line in read_lines(exported.folder, MATCHES_FILE):
        text = line.removesuffix(b"\n")
        # If it is not the record of a match, the check of the matches says what is wrong with it.
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            found[str(json.loads(text)["match"])] = hashlib.sha256(text).hexdigest()
    return found


def remarks(exported: Exported) -> Iterator[str]:
    """What somebody should know who relies on the seals."""
    for phase, _ in exported.competition.held:
        yield f"results of the {phase} are held back, and not in this export"
    ended = {block.id: _ended_ms(block) for block in exported.blocks}
    for phase in PHASES:
        sealing = _sealing(exported.seals, phase)
        late = [seal.at_ms - ended[block] for block, seal in sealing.of_block.items() if ended.get(block)]
        if late:
            minutes = counted(-(-max(late) // MINUTE_MS), "minute")
            yield f"results of the {phase} were sealed within {minutes} after their blocks had ended"
