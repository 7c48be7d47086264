"""The result of a competition: a place for every bot in the field that was not disqualified, and what decided it.

It follows from the record alone, so that anybody can work it out: docs/hosting/competition.md says how. The arena shows
it, an export has it as a file, and `roost verify` checks that file.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import Tie, champion
from roost_ladder.schedules.schedule import Participants, Past
from roost_server.competition.file import CompetitionFile
from roost_server.competition.finals import bracket_of, counting
from roost_server.competition.ranking import Criterion, Measures, measured, sort_key

BRACKET, SEEDING = "bracket", "seeding"
"""What puts a bot ahead of the next one, beside a criterion."""


class Placed(NamedTuple):
    """A bot in the result."""

    version_id: int
    place: int
    decided_by: str
    """What puts it ahead of the next one; empty for the last one."""
    seed: int
    """Its place in the seeding of the finals, from 1: the order of the ladder, then of entry."""
    measures: Measures | None = None
    """In the phase that decides; `None` in a bracket, and without a match there."""
    lost_to: int | None = None
    """In a bracket: who put it out."""
    lost_in: int | None = None
    """In which round."""


class CompetitionResult(NamedTuple):
    """The places, the best first."""

    places: tuple[Placed, ...]
    winner: int | None
    """`None` if nobody took part, or a knockout was ended before its final."""


def result_of(
    file: CompetitionFile,
    field: Participants,
    finals: Sequence[MatchResult],
    deciding: Sequence[MatchResult],
    disqualified: Collection[int] = (),
    method: Method = LATEST,
) -> CompetitionResult:
    """The result of a field.

    A bracket follows from all matches that were played in the `finals`, because they decided who met. Everything else
    follows from the matches that count in the phase that is `deciding`: the finals, or the ladder if there were none.
    """
    seeds = {bot: number for number, bot in enumerate(field.bots, 1)}
    if rounds := bracket_of(file, field, finals):
        return _by_bracket(rounds, seeds, disqualified)
    past = Past()
    past.finish(counting(file, deciding))
    measures = measured(past, file.order, method)
    rows = [Placed(bot, 0, "", seed, measures.get(bot)) for bot, seed in seeds.items() if bot not in disqualified]
    return _by_ranking(rows, file.order)


def _by_ranking(rows: Sequence[Placed], order: Sequence[Criterion]) -> CompetitionResult:
    """By what decides; equal ones by seeding. Bots without a match come last."""

    def key(row: Placed) -> tuple[float, ...]:
        return (*([0.0, *sort_key(row.measures, order)] if row.measures else [1.0]), row.seed)

    ordered = sorted(rows, key=key)
    decided = [_what_decides(one, other, order) for one, other in pairwise(ordered)]
    places = zip(ordered, [*decided, ""], strict=False)
    placed = tuple(row._replace(place=place, decided_by=by) for place, (row, by) in enumerate(places, 1))
    return CompetitionResult(placed, placed[0].version_id if placed else None)


def _what_decides(one: Placed, other: Placed, order: Sequence[Criterion]) -> str:
    if one.measures is None:
        return SEEDING
    if other.measures is None:
        return order[0]
    values = zip(order, sort_key(one.measures, order), sort_key(other.measures, order), strict=True)
    return next((criterion for criterion, better, worse in values if better != worse), SEEDING)


def _by_bracket(
    rounds: Sequence[Sequence[Tie]], seeds: dict[int, int], disqualified: Collection[int]
) -> CompetitionResult:
    """By the round in which a bot lost; within a round by the place of the bot that it lost to.

    The disqualified are left out, and the others move up.
    """
    best = champion(rounds)
    order = [best] if best is not None else sorted(_still_in(rounds[-1]), key=seeds.__getitem__)
    lost: dict[int, tuple[int, int]] = {}
    for number in range(len(rounds), 0, -1):
        losers = {tie.winner: loser for tie in rounds[number - 1] if (loser := _loser(tie)) is not None}
        out = [(losers[bot], bot) for bot in order if bot in losers]
        order += [loser for loser, _ in out]
        lost |= {loser: (bot, number) for loser, bot in out}
    left = [bot for bot in order if bot not in disqualified]
    places = enumerate(left, 1)
    placed = [Placed(bot, at, BRACKET, seeds[bot], None, *lost.get(bot, ())) for at, bot in places]
    placed[-1:] = [last._replace(decided_by="") for last in placed[-1:]]
    return CompetitionResult(tuple(placed), left[0] if best is not None and left else None)


def _still_in(ties: Sequence[Tie]) -> Iterator[int]:
    """The bots of the last round that have not lost."""
    for tie in ties:
        if tie.winner is not None:
            yield tie.winner
        else:
            yield from (bot for bot in (tie.high, tie.low) if bot is not None)


def _loser(tie: Tie) -> int | None:
    if tie.winner is None or tie.low is None:
        return None
    return tie.low if tie.winner == tie.high else tie.high
