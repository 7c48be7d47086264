"""Who qualified in a competition, from an export: who was let in, by which blocks, and whether they fit the rules.

It is the rule that an arena follows (`competition.demands`), read from the files alone.
"""

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import StringIO

from roost_ladder.rating.facts import MatchFacts
from roost_server.competition.demands import (
    QUALIFICATION,
    BotQualification,
    QualificationPart,
    QualifyingBlock,
    Trial,
    trial_of,
)
from roost_server.competition.file import CompetitionFile
from roost_server.export.files import DONE, QUALIFICATION_FILE, ExportedBlock, ExportedBot, ExportedCompetition
from roost_server.export.reader import as_block
from roost_server.export.rulings import names_in

COLUMNS = ("bot", "version", "owner", "blocks", "score", "confidence", "clean_matches", "decided_by")
Played = Mapping[int, Sequence[QualifyingBlock]]
"""By version, the blocks that it has played for its qualification, in the order of the plan."""


def qualifying_blocks(blocks: Sequence[ExportedBlock], matches: Mapping[str, Sequence[MatchFacts]]) -> Played:
    """What counts for qualifications. `matches` are those that were not voided, by block."""
    found: dict[int, list[QualifyingBlock]] = {}
    for block in sorted(blocks, key=lambda each: each.serial):
        if (block.phase, block.state) == (QUALIFICATION, DONE):
            played = QualifyingBlock(block.id, as_block(block).rotations, matches.get(block.id, ()))
            found.setdefault(block.version_ids[0], []).append(played)
    return found


def qualified_bots(part: QualificationPart, bots: Sequence[ExportedBot], played: Played) -> dict[str, BotQualification]:
    """By name, how far the bots came."""
    names = {bot.version_id: bot.name for bot in bots}
    found = {name: BotQualification((), exempt=name in part.opponent) for name in names.values()}
    for version_id, blocks in played.items():
        found[names[version_id]] = found[names[version_id]].with_trial(trial_of(part, version_id, blocks))
    return found


def qualification_file(file: CompetitionFile, competition: ExportedCompetition, played: Played) -> dict[str, str]:
    """How far the versions came, as a file by its name; none if nothing was demanded."""
    part = file.qualification
    if part is None or competition.only:
        return {}
    shown = qualified_bots(part, competition.bots, played)
    trials = {trial.version_id: trial for bot in shown.values() for trial in bot.trials}
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for bot in competition.bots:
        if bot.version_id in trials:
            writer.writerow([bot.name, bot.version, bot.owner, *_cells(trials[bot.version_id])])
    return {QUALIFICATION_FILE: out.getvalue()}


def _cells(trial: Trial) -> list[object]:
    return [trial.blocks, trial.score, trial.confidence, trial.clean, trial.decided]


def wrong_qualification(
    file: CompetitionFile, competition: ExportedCompetition, blocks: Sequence[ExportedBlock], played: Played
) -> Iterator[tuple[str, str]]:
    """What is wrong with qualifications, and where."""
    part = file.qualification
    if part is None or competition.only:
        return
    shown = qualified_bots(part, competition.bots, played)
    for bot in competition.bots:
        if bot.let_in != shown[bot.name].qualified:
            said, true = ("was let in", "has not qualified") if bot.let_in else ("was not let in", "has qualified")
            yield "competition.json", f"says that {bot.name} {said}, the matches say that it {true}"
    yield from _wrong_blocks(file, part, competition, blocks)
    yield from _uninvited(file, competition, blocks)


def _wrong_blocks(
    file: CompetitionFile, part: QualificationPart, competition: ExportedCompetition, blocks: Sequence[ExportedBlock]
) -> Iterator[tuple[str, str]]:
    """Every block of a qualification has one bot and the opponents that the rules name, at their table."""
    rules, names = file.qualification_rules(), names_in(competition)
    for block in blocks:
        if block.phase != QUALIFICATION or rules is None:
            continue
        met = [{name for name, _ in names[version_id]} for version_id in block.version_ids[1:]]
        fits = len(met) == len(part.opponent) and all(name in may for name, may in zip(part.opponent, met, strict=True))
        if not fits or (block.game, len(block.version_ids)) != rules.kind:
            yield block.id, "is not a qualification as the rules demand it"


def _uninvited(
    file: CompetitionFile, competition: ExportedCompetition, blocks: Collection[ExportedBlock]
) -> Iterator[tuple[str, str]]:
    """Nobody plays without having qualified in the phase that demands it, or in the finals."""
    barred = {bot.version_id: bot.name for bot in competition.bots if not bot.let_in}
    for block in blocks:
        if block.phase in (file.demanding, "finals"):
            for version_id in block.version_ids:
                if version_id in barred:
                    yield block.id, f"{barred[version_id]} played it, and has not qualified"
