"""What bots score against the mix of bots that nothing beats, in whole numbers: the same on every machine.

`roost_ladder.rating.lottery` says what this mix is, and shows scores with intervals. What decides a competition must
not depend on how a machine rounds, so here the margins of the pairs are whole numbers, and all that follows is exact.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from roost_ladder.rating.lottery import lottery_scores
from roost_ladder.rating.results import Indices

NEAR = 1e-6
"""Bots that score so nearly a half may be in the mix, by numbers that are rounded."""


def unbeaten_margins(margins: Indices) -> list[Fraction]:
    """By bot: its margin over the mix that nothing beats, which is 0 for the bots in it and never above.

    `margins` has, by bot and bot, by how much the first is ahead of the second; the opposite the other way round. If
    several mixes are unbeaten, it is the middle between the lowest and the highest margin over them.
    """
    most = 1 + int(np.abs(margins).max())
    some = np.flatnonzero(lottery_scores(0.5 + margins / (2 * most)) > 0.5 - NEAR).tolist()
    while True:
        programme = _Programme(most + margins.astype(object), some)
        programme.climb(range(programme.width))
        # Who is level with the mix may be in another one, and who beats it is level if more may be in it.
        more = sorted(set(programme.level()).difference(some))
        if not more:
            return [-most * each for each in programme.middles()]
        some += more


class _Programme:
    """The linear programme: the largest sum of `x` with `gains @ x <= 1` and `x >= 0`, by the simplex method.

    The `x` are of `some` bots, and with each row comes what it leaves of its 1. Each step lets one of these numbers
    grow from 0 until another one gets 0. All entries of the table are whole, over a common denominator. The number
    grows that gains most; after a step without a gain the first one that gains (Bland's rule), so steps do not lead
    round in a circle.
    """

    def __init__(self, gains: "np.ndarray[tuple[int, int], np.dtype[np.object_]]", some: Sequence[int]) -> None:
        bots, self.width = len(gains), len(some)
        self._table = np.ones((bots + 1, self.width + 1), object)
        """A row for each number that is not 0, with what it loses if one that is 0 grows, then what it is; the aim."""
        self._table[:-1, :-1] = gains[:, some]
        self._table[-1] = [-1] * self.width + [0]
        self._whole = 1
        """The denominator of all entries."""
        self._left = list(range(bots))
        """By row: which number it gives. That of a bot is what its row leaves, later ones are those of the mix."""
        self._zero = [bots + place for place in range(self.width)]
        """By column: which number is 0."""

    def climb(self, free: Sequence[int]) -> None:
        """Go to the best `x`, from the one before. Only numbers in `free` columns grow."""
        before, stuck = Fraction(-1), False
        while growing := [place for place in free if self._table[-1, place] < 0]:
            self._grow(min(growing, key=self._zero.__getitem__ if stuck else self._table[-1].__getitem__))
            now = Fraction(self._table[-1, -1], self._whole)
            before, stuck = now, now == before

    def _grow(self, place: int) -> None:
        table = self._table
        room = [
            (Fraction(table[row, -1], table[row, place]), number, row)
            for row, number in enumerate(self._left)
            if table[row, place] > 0
        ]
        row = min(room)[2]
        pivot, gone, grown = table[row, place], table[:, place].copy(), table[row].copy()
        table = (table * pivot - np.outer(gone, grown)) // self._whole
        table[row], table[:, place] = grown, -gone
        table[row, place] = self._whole
        self._table, self._whole = table, pivot
        self._left[row], self._zero[place] = self._zero[place], self._left[row]

    def level(self) -> Iterator[int]:
        """The bots whose rows leave nothing."""
        bots = len(self._left)
        yield from (number for number in self._zero if number < bots)
        yield from (number for row, number in enumerate(self._left) if number < bots and not self._table[row, -1])

    def middles(self) -> list[Fraction]:
        """By bot: the middle between the least and the most that its row leaves, over all `x` that are as good."""
        free = [place for place in range(self.width) if not self._table[-1, place]]
        return [self._middle(bot, free) for bot in range(len(self._left))]

    def _middle(self, bot: int, free: Sequence[int]) -> Fraction:
        return (self._most(bot, free) - self._most(bot, free, sign=-1)) / 2

    def _most(self, bot: int, free: Sequence[int], sign: int = 1) -> Fraction:
        """The most that the row of a bot leaves, or with the other sign what is left of the least."""
        if bot in self._left:
            self._table[-1] = sign * self._table[self._left.index(bot)]
        else:
            self._table[-1] = [-sign * self._whole * (number == bot) for number in self._zero] + [0]
        self.climb(free)
        return Fraction(self._table[-1, -1], self._whole)
