"""Specialists: bots that are surely stronger or weaker in one game, or at one table size, than in all others.

The comparison. The matches of a part, which is a game or a table size, are fitted alone, and so are all others. These
are different blocks, so the two strengths of a bot are independent. What is compared is how far the bot is above the
mean of the bots that play both.

Scale. Luck may count for more at one kind of table than at another; then all bots are closer together there, and those
at the top and at the bottom are none the less no specialists. So the difference has to be sure as it is, and also when
the strengths elsewhere are stretched until they are spread as widely as those in the part. And the bot has to have
another rank there.

The middle. Several specialists move the mean, so the difference also has to be sure beside the median of all.

Looking at many. All bots in all parts share the 5 %: the clearest has to hold at 5 % by their number. It is then left
out of the mean that others are compared with in this part, since a strong specialist makes all others look weaker, and
the next one has to hold at 5 % by one less, until one does not.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple, Self

import numpy as np

from roost_ladder.rating.elo import ELO
from roost_ladder.rating.estimates import DOUBT, normal_score, student_quantile
from roost_ladder.rating.fit import LATEST, Fit, Method, fit
from roost_ladder.rating.groups import GroupSums, GroupTables, Record, grouped
from roost_ladder.rating.results import Floats, Indices

FEWEST = 4
"""Parts in which fewer bots have played are not compared: where one of three differs, all do."""
STRETCH = 3.0
"""Strengths are stretched by this factor at most, or shrunk by it."""


class Specialty(NamedTuple):
    """The matches of a game, or those at tables of one size."""

    game: str | None = None
    players: int | None = None

    def has(self, tables: GroupTables) -> bool:
        """Whether these are among them."""
        return self.game in (None, tables.kind.game) and self.players in (None, tables.players)

    def __str__(self) -> str:
        return f"at tables of {self.players}" if self.game is None else f"in {self.game}"


class Specialist(NamedTuple):
    """A bot that is surely stronger or weaker in a part than in all other matches."""

    bot: int
    part: Specialty
    rank: int
    """By its rating over everything."""
    rank_there: int
    """By its rating in this part alone, among the bots that have played there and elsewhere."""
    points: float
    """By how much it is rated higher there than elsewhere."""
    margin: float
    """Half of the 95 % interval of that."""

    @classmethod
    def told(cls, bot: int, where: tuple[str, int], ranks: tuple[int, int], points: tuple[float, float, float]) -> Self:
        """From what an arena says: game or size, ranks over everything and there, points with their interval."""
        game, players = where
        middle, low, high = points
        return cls(bot, Specialty(game or None, players or None), *ranks, middle, (high - low) / 2)


class _Comparison(NamedTuple):
    """The strengths of bots in a part and elsewhere."""

    part: Specialty
    rest: Specialty | None
    """What is elsewhere, if that is a part too."""
    bots: Indices
    """Those that have played both, by their index in the record."""
    there: Fit
    elsewhere: Fit

    def difference(self, of: Floats, stretch: float = 1.0) -> tuple[Floats, Floats]:
        """By how much each bot is further above the mean of some bots there than elsewhere; and its variance."""
        apart = np.eye(len(of)) - of / of.sum()
        there, elsewhere = (apart @ each.covariance @ apart.T for each in (self.there, self.elsewhere))
        difference = apart @ (self.there.strengths - stretch * self.elsewhere.strengths)
        return difference, np.diagonal(there + stretch**2 * elsewhere)

    @property
    def freedom(self) -> Floats:
        """Of the variances."""
        return np.minimum(self.there.freedom, self.elsewhere.freedom)

    def scores(self, of: Floats) -> Floats:
        """How sure the differences are, as values of the normal distribution, without sign."""
        found = []
        for stretch in (1.0, self._stretch(of)):
            difference, variance = self.difference(of, stretch)
            centres = (0.0, np.median(difference[of > 0]))
            found += [normal_score((difference - each) / np.sqrt(variance), self.freedom) for each in centres]
        moved = _ranks(self.there.strengths) != _ranks(self.elsewhere.strengths)
        agreed = np.abs(np.sign(found).sum(axis=0)) == len(found)
        return np.where(moved & agreed, np.abs(found).min(axis=0), 0)

    def _stretch(self, of: Floats) -> float:
        """How much more widely strengths are spread in the part, less what luck adds to either."""
        there, elsewhere = (_spread(each, of / of.sum()) for each in (self.there, self.elsewhere))
        return float(np.clip(np.sqrt(there / elsewhere), 1 / STRETCH, STRETCH)) if there and elsewhere else 1.0


def specialists(record: Record, fitted: Fit, method: Method = LATEST) -> list[Specialist]:
    """The clearest first. `fitted` is the fit of this record."""
    sums = grouped(record)
    comparisons = list(_comparisons(sums, method))
    fields = [np.minimum(each.there.field, each.elsewhere.field) for each in comparisons]
    named: list[tuple[int, int]] = []
    for left in range(sum(map(len, fields)), 0, -1):
        scores = [each.scores(field) for each, field in zip(comparisons, fields, strict=True)]
        for at, row in named:
            scores[at][row] = 0
        at = max(range(len(scores)), key=lambda each: scores[each].max())
        row = int(scores[at].argmax())
        if scores[at][row] <= NormalDist().inv_cdf(1 - DOUBT / 2 / left) or np.count_nonzero(fields[at]) < FEWEST:
            break
        named.append((at, row))
        fields[at][row] = 0
    ranks = _ranks(fitted.strengths)
    return [_specialist(sums, comparisons[at], fields[at], row, ranks) for at, row in named]


def _comparisons(sums: GroupSums, method: Method) -> Iterator[_Comparison]:
    """Each game and each table size, where there are several. Two that are each other's rest are compared once."""
    parts = [*(Specialty(game=each) for each in sorted({tables.kind.game for tables in sums.tables}))]
    parts += [Specialty(players=each) for each in sorted({tables.players for tables in sums.tables})]
    seen: dict[tuple[bool, ...], Specialty] = {}
    for part in parts:
        inside = tuple(map(part.has, sums.tables))
        outside = tuple(not each for each in inside)
        if any(inside) and any(outside) and not {inside, outside} & seen.keys():
            seen[inside] = part
            rest = [each for each in parts if tuple(map(each.has, sums.tables)) == outside]
            found = _comparison(sums, part, rest[0] if rest else None, method)
            if len(found.bots) >= FEWEST:
                yield found


def _comparison(sums: GroupSums, part: Specialty, rest: Specialty | None, method: Method) -> _Comparison:
    there, elsewhere = (
        _alone(sums, [tables for tables in sums.tables if part.has(tables) is inside]) for inside in (True, False)
    )
    both = np.intersect1d(there.bots, elsewhere.bots)
    fits = [_only(fit(each, method=method), np.searchsorted(each.bots, both)) for each in (there, elsewhere)]
    return _Comparison(part, rest, np.searchsorted(sums.bots, both), *fits)


def _alone(sums: GroupSums, some: Sequence[GroupTables]) -> GroupSums:
    """Some of the tables, with the bots that have played there."""
    played = np.unique(np.concatenate([each.groups.ravel() for each in some]))
    renamed = [each._replace(groups=np.searchsorted(played, each.groups)) for each in some]
    return GroupSums(sums.bots[played], tuple(renamed))


def _only(fitted: Fit, bots: Indices) -> Fit:
    """What a fit says about some of its bots."""
    field = np.broadcast_to(fitted.field, fitted.strengths.shape)[bots]
    return Fit(fitted.strengths[bots], fitted.covariance[np.ix_(bots, bots)], fitted.freedom[bots], field=field)


def _spread(fitted: Fit, weights: Floats) -> float:
    """The variance of the strengths, less what luck adds to it."""
    apart = np.eye(len(weights)) - weights
    luck = np.diagonal(apart @ fitted.covariance @ apart.T)
    return max(float(weights @ ((apart @ fitted.strengths) ** 2 - luck)), 0.0)


def _ranks(strengths: Floats) -> Indices:
    """1 for the strongest."""
    return 1 + np.argsort(np.argsort(-strengths, kind="stable"), kind="stable")


def _specialist(sums: GroupSums, found: _Comparison, field: Floats, row: int, ranks: Indices) -> Specialist:
    """Named by the part in which its rank is further from the one over everything."""
    difference, variance = found.difference(field)
    points, bot = ELO * float(difference[row]), int(found.bots[row])
    margin = ELO * student_quantile(float(found.freedom[row])) * float(np.sqrt(variance[row]))
    rank, there, elsewhere = (
        int(each) for each in (ranks[bot], _ranks(found.there.strengths)[row], _ranks(found.elsewhere.strengths)[row])
    )
    about = Specialist(int(sums.bots[bot]), found.part, rank, there, points, margin)
    if found.rest is None or abs(there - rank) >= abs(elsewhere - rank):
        return about
    return about._replace(part=found.rest, rank_there=elsewhere, points=-points)


def specialists_line(found: Sequence[Specialist], names: Mapping[int, str]) -> str:
    """All of them in a line; empty if there are none. `names` are text or markup."""
    return "; ".join(f"{names[each.bot]}: {_said(each)}" for each in found)


def _said(found: Specialist) -> str:
    word = "stronger" if found.points > 0 else "weaker"
    points = f"{abs(found.points):.0f} ±{found.margin:.0f} points {word} than elsewhere"
    return f"rank {found.rank} overall, {found.rank_there} {found.part} ({points})"
