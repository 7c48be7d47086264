"""Collusion: does a bot fare better or worse against others when a certain third bot sits at the table?

The question is asked for every ordered pair of a helper A and a bot B. Whether B finishes ahead of C does not depend on
the other players, as long as every bot plays for itself. So B's results against the same opponents are compared, with A
at the table and without A: opponent by opponent, and within one game and one number of players. That keeps every bot's
strength fixed, even if it differs from game to game or from opponent to opponent. Results between A and B themselves do
not enter. Tables of two have no third bot and are left out. The order in which a group sits down has to be drawn, as
all schedules do.

The change. Let C be an opponent, with M1 matches of B and C in which A played, M0 in which it did not, and M = M1 + M0.
The change of B's share of matches ahead of C is weighted by M1 M0 / M and averaged over all C (Mantel and Haenszel).

Chance. A block is one observation: what each block adds to the weighted sum is squared, and the squares are added up.
The sum by the root of this is a standard normal score, if presence changes nothing. Pairs that met in too few blocks
for that are not judged.

Style. Bots that play for themselves change each other's results too: a reckless bot at the table brings the others
closer together, two of a kind compete for the same things. So scores are measured by the usual scatter of the field.
Three quarters of standard normal scores are below 1.15. If more than a quarter of the pairs is beyond that, all scores
are reduced until it is a quarter. A pair is conspicuous only if it stands out from what presence usually does.

False alarms. The score of the clearest pair has to hold at 5 % divided by the number of pairs judged. So chance alone
brings a pair over the line in at most 5 % of all fields; docs/why/suspicions.md has the figures. If there is one, the
blocks with both its bots are taken out, lest they make others look guilty, and the remaining pairs are judged again, as
in Holm's rule.

What it cannot tell. A pair over the line is a reason to look at replays, not a proof: style that suits one bot more
than is usual in this field looks the same. Pairs that met in few blocks are not judged, and weak or rare help is not
seen. A bot that is at every table cannot be judged. In a field of four or five, or with several helpers among few bots,
help changes what is usual. A bot that only loses to another one on purpose, without touching third ones, is
not seen: their results against each other show it. And the 5 % hold for a report looked at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roost_ladder.rating.estimates import DOUBT, student_quantile
from roost_ladder.rating.results import Floats, Indices, MatchResult, Tables, gather

FEWEST_BLOCKS = 20
"""A pair is judged if it has the weight of this many blocks."""
ROUNDING = 1e-9
"""Squares below this are left over where all blocks went the same way."""
QUARTILE = 1.15035
"""A quarter of standard normal scores is further from 0."""
USUAL = 1.96
"""Beyond this are 5 % of standard normal scores."""

Flags = NDArray[np.bool_]


class Shift(NamedTuple):
    """What the presence of `helper` does to the results of `bot` against third bots."""

    helper: int
    bot: int
    share_with: float
    """How often the bot finishes ahead of third bots with the helper at the table; a tie is half."""
    share_without: float
    """The same without the helper, against the same opponents in the same proportions."""
    low: float
    """The lower end of the 95 % interval of the change, for a pair chosen in advance."""
    high: float
    blocks_with: int
    blocks_without: int
    score: float
    """In units of the usual scatter of the field: standard normal if no bot helps another."""
    chance: float
    """How often chance alone shows a pair that is as clear as this in such a field, at most."""

    @property
    def change(self) -> float:
        """Of the share; below 0 if the bot fares worse."""
        return self.share_with - self.share_without


class Suspicion(NamedTuple):
    """A pair that is over the line."""

    shift: Shift
    back: Shift | None
    """The other way round: what the bot's presence does to the helper. `None` if that cannot be judged."""
    others_changed: int
    """Of the other bots, how many the helper's presence changes beyond `USUAL`. Where these are many, it is style."""
    others: int
    """How many other bots could be judged."""


class CollusionReport(NamedTuple):
    """What was looked at, and what was found."""

    blocks: int
    """Those of three or more players."""
    bots: int
    pairs: int
    """Ordered ones."""
    judged: int
    """Those that met often enough."""
    scatter: float
    """How much further scores scatter in this field than by chance; 1 is chance alone."""
    doubt: float
    """How often chance alone brings a pair over the line, at most."""
    findings: tuple[Suspicion, ...]
    """The clearest first."""
    clearest: Shift | None
    """The clearest pair that is not over the line; `None` if no other pair can be judged."""


def find_collusion(results: Iterable[MatchResult], doubt: float = DOUBT) -> CollusionReport:
    """The pairs whose presence changes results more than chance and the usual style allow.

    Raises `ValueError` if the results cannot be results of matches in blocks.
    """
    left = [result for result in results if len(result.bots) > 2]
    first = judgement = _Judgement(left)
    findings: list[Suspicion] = []
    while (clearest := judgement.clearest()) and clearest.chance <= doubt:
        findings.append(judgement.finding(clearest))
        pair = {clearest.helper, clearest.bot}
        left = [result for result in left if not pair.issubset(result.bots)]
        judgement = _Judgement(left)
    bots = len(first.bots)
    return CollusionReport(
        blocks=first.blocks,
        bots=bots,
        pairs=bots * (bots - 1),
        judged=int(first.judged.sum()),
        scatter=first.scatter,
        doubt=doubt,
        findings=tuple(findings),
        clearest=clearest,
    )


class _Sums(NamedTuple):
    """Over all blocks. By helper and bot, as all that follows."""

    pull: Floats
    """What the helper's presence adds to the bot's results, in weighted matches."""
    weight: Floats
    """Of all matches in the change."""
    ahead_with: Floats
    """Weighted results with the helper."""
    pull_squares: Floats
    """Of the pull of each block, stretched by what the means have taken from it; so are the others below."""
    products: Floats
    """Of pull and weight of each block."""
    weight_squares: Floats
    together: Floats
    """How many blocks the two were in."""


class _Kind:
    """The blocks of one game and number of players, with what does not depend on the helper."""

    def __init__(self, tables: Tables, bots: int) -> None:
        """`tables` has the bots by their number in the whole field."""
        self.tables = tables
        self._bots = bots
        self._cells: Indices = tables.groups[:, :, None] * bots + tables.groups[:, None, :]
        self._matches: Floats = tables.matches[:, None, None] * ~np.eye(tables.players, dtype=bool)
        self._met = np.maximum(tables.by_pair(self._matches, bots), 1)
        mean = tables.by_pair(tables.ahead, bots) / self._met
        blocks = tables.by_pair(np.sign(self._matches), bots)
        self._surplus: Floats = tables.ahead - self._matches * self._each(mean)
        self._stretch = self._each(np.sqrt(blocks / np.maximum(blocks - 1, 1)))

    def _each(self, by_pair: Floats) -> Floats:
        """What is known of pairs of bots, by block, member and member."""
        return by_pair.ravel()[self._cells]

    def sums(self, helper: int) -> _Sums:
        """For one helper: a number for each bot."""
        seated = self.tables.groups == helper
        present = seated.any(axis=1)
        share = self.tables.by_pair(self._matches * present[:, None, None], self._bots) / self._met
        third = ~(seated[:, :, None] | seated[:, None, :])
        tilt = (present[:, None, None] - self._each(share)) * third
        pull, weight = tilt * self._surplus, tilt**2 * self._matches
        stretched_pull = (pull * self._stretch).sum(axis=2)
        stretched_weight = (weight * self._stretch).sum(axis=2)
        return _Sums(
            self._by_bot(pull.sum(axis=2)),
            self._by_bot(weight.sum(axis=2)),
            self._by_bot((tilt * self.tables.ahead).sum(axis=2) * present[:, None]),
            self._by_bot(stretched_pull**2),
            self._by_bot(stretched_pull * stretched_weight),
            self._by_bot(stretched_weight**2),
            self._by_bot((present[:, None] & ~seated).astype(float)),
        )

    def _by_bot(self, by_member: Floats) -> Floats:
        return self.tables.by_bot(by_member, self._bots)


def _kinds(results: Iterable[MatchResult], bots: Sequence[int]) -> Iterator[_Kind]:
    by_game: dict[str, list[MatchResult]] = {}
    for result in results:
        by_game.setdefault(result.game, []).append(result)
    for some in by_game.values():
        record = gather(some)
        numbers = np.searchsorted(bots, record.bots)
        for tables in record.tables:
            yield _Kind(tables._replace(groups=numbers[tables.groups]), len(bots))


class _Judgement:
    """All ordered pairs of a field, each by its score."""

    def __init__(self, results: Sequence[MatchResult]) -> None:
        self.bots = sorted({bot for result in results for bot in result.bots})
        kinds = list(_kinds(results, self.bots))
        self.blocks = sum(len(kind.tables.groups) for kind in kinds)
        members = [np.empty(0, np.intp), *(kind.tables.groups.ravel() for kind in kinds)]
        self._played = np.bincount(np.concatenate(members), minlength=len(self.bots))
        self._sums = _added_up(kinds, len(self.bots))
        self._effective = _ratio(self._sums.weight**2, self._sums.weight_squares)
        self.judged: Flags = (self._effective >= FEWEST_BLOCKS) & (self._sums.pull_squares > ROUNDING)
        scores = _ratio(self._sums.pull, np.sqrt(self._sums.pull_squares))
        self.scatter = _usual_scatter(scores[self.judged])
        self._scores = np.where(self.judged, scores, 0) / self.scatter

    def clearest(self) -> Shift | None:
        """The pair whose score is furthest from 0; `None` if none can be judged."""
        if not self.judged.any():
            return None
        helper, bot = divmod(int(np.abs(self._scores).argmax()), len(self.bots))
        return self._shift(helper, bot)

    def finding(self, shift: Shift) -> Suspicion:
        """The pair of this shift, with what else is known about the helper."""
        helper, bot = self.bots.index(shift.helper), self.bots.index(shift.bot)
        others = self.judged[helper].copy()
        others[bot] = False
        changed = np.abs(self._scores[helper][others]) > USUAL
        back = self._shift(bot, helper) if self.judged[bot, helper] else None
        return Suspicion(shift, back, int(changed.sum()), int(others.sum()))

    def _shift(self, helper: int, bot: int) -> Shift:
        pull, weight, ahead_with, *_, together = (float(each[helper, bot]) for each in self._sums)
        score = float(self._scores[helper, bot])
        change, width = pull / weight, self._half_width(helper, bot)
        return Shift(
            helper=self.bots[helper],
            bot=self.bots[bot],
            share_with=ahead_with / weight,
            share_without=ahead_with / weight - change,
            low=change - width,
            high=change + width,
            blocks_with=int(together),
            blocks_without=int(self._played[bot] - together),
            score=score,
            chance=min(1.0, int(self.judged.sum()) * erfc(abs(score) / sqrt(2))),
        )

    def _half_width(self, helper: int, bot: int) -> float:
        """Of the interval: the noise is what blocks deviate from the change itself, not from no change."""
        pull, weight, _, squares, products, weight_squares, _ = (float(each[helper, bot]) for each in self._sums)
        change = pull / weight
        noise = max(squares - 2 * change * products + change**2 * weight_squares, 0.0)
        quantile = student_quantile(self._effective[helper, bot] - 1)
        return float(quantile) * sqrt(noise) / weight


def _added_up(kinds: Sequence[_Kind], bots: int) -> _Sums:
    total = np.zeros((len(_Sums._fields), bots, bots))
    for kind in kinds:
        for helper in np.unique(kind.tables.groups).tolist():
            total[:, helper] += kind.sums(helper)
    return _Sums(*total)


def _ratio(above: Floats, below: Floats) -> Floats:
    """0 where there is nothing."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _usual_scatter(scores: Floats) -> float:
    """How far scores scatter, by those in the middle, which a few guilty pairs do not move."""
    return max(1.0, float(np.quantile(np.abs(scores), 0.75)) / QUARTILE) if len(scores) else 1.0
