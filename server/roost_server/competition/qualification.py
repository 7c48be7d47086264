"""The progress of the bots of a competition with their qualification, from the records."""

from roost_ladder.blocks import Rotation
from roost_ladder.rating.facts import MatchFacts
from roost_server.competition.demands import (
    QUALIFICATION,
    BotQualification,
    QualifyingBlock,
    trial_of,
)
from roost_server.competition.file import CompetitionFile
from roost_server.store import BlockState, Purpose
from roost_server.store.lookups.bots import bots_by_version, entered_bots
from roost_server.store.queries import planned_blocks
from roost_server.store.results import MatchFilter, facts, facts_by_block
from roost_server.store.store import Reading

NOT_BEGUN = BotQualification(())


def qualifications(reading: Reading, competition_id: int, file: CompetitionFile) -> dict[int, BotQualification]:
    """By id, the bots that have entered a competition; none if it demands nothing of them."""
    part = file.qualification
    if part is None:
        return {}
    entered = entered_bots(reading, competition_id)
    found = {bot_id: BotQualification((), exempt=name in part.opponent) for bot_id, name in entered.items()}
    bot_of = bots_by_version(reading)
    for version_id, blocks in blocks_by_version(reading, competition_id, file).items():
        bot_id = bot_of.get(version_id)
        if bot_id in found and bot_id is not None:
            found[bot_id] = found[bot_id].with_trial(trial_of(part, version_id, blocks))
    return found


def blocks_by_version(reading: Reading, competition_id: int, file: CompetitionFile) -> dict[int, list[QualifyingBlock]]:
    """The blocks that are done, by the version that had to show something: it sits first in rotation 0.

    The versions are in the order in which they began.
    """
    wanted = MatchFilter(competition_id=competition_id, phase=QUALIFICATION, purpose=Purpose.QUALIFICATION)
    # What a host strikes later does not undo a qualification.
    by_block = facts_by_block(reading, wanted, struck_before=0)
    played: dict[str, list[MatchFacts]] = {matches[0].block_id: matches for matches in by_block}
    found: dict[int, list[QualifyingBlock]] = {}
    for block in planned_blocks(reading, competition_id, QUALIFICATION):
        if block.state == BlockState.DONE:
            rotations = Rotation(file.rotation).matches(len(block.version_ids))
            matches = played.get(block.id, [])
            found.setdefault(block.version_ids[0], []).append(QualifyingBlock(block.id, rotations, matches))
    return found


def block_played(reading: Reading, block_id: str, rotations: int) -> QualifyingBlock:
    """One block that is done."""
    wanted = MatchFilter(block_id=block_id, purpose=Purpose.QUALIFICATION)
    return QualifyingBlock(block_id, rotations, list(facts(reading, wanted, struck_before=0)))


def versions_let_in(reading: Reading, competition_id: int, file: CompetitionFile) -> frozenset[int] | None:
    """The versions of the bots that have qualified; `None` if they need not."""
    if file.qualification is None:
        return None
    bots = {bot_id for bot_id, each in qualifications(reading, competition_id, file).items() if each.qualified}
    return frozenset(version_id for version_id, bot_id in bots_by_version(reading).items() if bot_id in bots)
