"""What follows from a competition's master seed and ladder: ids of blocks, schedules, the seeding of finals, brackets.

The arena plays by it, and exports are checked against it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from roost_ladder.blocks import seed_of_block
from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import Tie, bracket
from roost_ladder.schedules.registry import MAKERS, OPEN_TURNS, Terms
from roost_ladder.schedules.schedule import Participants, Past, Schedule
from roost_server.competition.file import CompetitionFile, PhaseName, PhasePart
from roost_server.competition.ranking import measured, ranked

KNOCKOUT = "knockout"


class Finalist(NamedTuple):
    """A pinned version."""

    version_id: int
    owner: str


def block_id_of(competition: str, phase: str, serial: int) -> str:
    """The id of a block of a competition."""
    return f"{competition}-{phase}-{serial}"


def schedule_of(competition: str, seed: bytes, part: PhasePart, method: Method = LATEST) -> Schedule:
    """The schedule of a phase. Its random choices follow from the master seed."""
    drawn = seed_of_block(seed, f"{competition}-{part.phase}-schedule")
    times = part.blocks_per_pairing if part.plays_by == KNOCKOUT else part.rounds
    budget = part.budget if part.phase is PhaseName.FINALS else None
    return MAKERS[part.plays_by](Terms(drawn, times, 0, OPEN_TURNS, budget, part.most_groups, method))


def finals_field(
    file: CompetitionFile,
    finalists: Iterable[Finalist],
    ladder: Iterable[Sequence[MatchResult]],
    method: Method = LATEST,
) -> Participants:
    """Who plays the finals, by rank on the ladder; then those who did not play the ladder, in the order of entry.

    The results of the ladder come block by block; single matches are not kept.
    """
    past, order = Past(), file.seeding_order
    for results in ladder:
        past.finish(counting(file, results))
    rank = {bot: place for place, bot in enumerate(ranked(measured(past, order, method), order))}
    seeded = sorted(finalists, key=lambda finalist: rank.get(finalist.version_id, len(rank)))
    return Participants(
        tuple(finalist.version_id for finalist in seeded),
        tuple(rules.kind for rules in file.rules()),
        owners={} if file.entry.own_bots_may_meet else dict(seeded),
    )


def counting(file: CompetitionFile, results: Iterable[MatchResult]) -> Iterator[MatchResult]:
    """Those of these results that the rules let count for rankings."""
    return (result for result in results if file.faults.forfeits == "count" or not result.forfeited)


def bracket_of(file: CompetitionFile, field: Participants, finals: Sequence[MatchResult]) -> list[list[Tie]]:
    """The rounds of the bracket so far; none if the finals are no knockout, or have not begun."""
    part = file.phase(PhaseName.FINALS)
    if part is None or part.plays_by != KNOCKOUT or not finals:
        return []
    return bracket(field, Past(results=finals, recorded=False), part.blocks_per_pairing)


def table_names(versions: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """The names of versions in tables: the bot's name, with the version where a bot has several.

    Versions are given by number, name and version.
    """
    known = list(versions)
    several = Counter(name for _, name, _ in known)
    return {number: name if several[name] == 1 else f"{name} ({version})" for number, name, version in known}
