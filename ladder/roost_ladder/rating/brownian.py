"""Brownian motion between two bounds: how a test that is watched all the time ends, and when.

A sequential test follows a sum of many small, independent steps until it leaves an interval. Seen from afar that is
Brownian motion with a drift, and the drift is what the test wants to know. Outcomes have an order, from what speaks for
the lowest drift to what speaks for the highest: out at the lower bound early, out there late, still inside, out at the
upper bound late, out there early. The chance of an outcome up to the observed one falls with the drift, so it tells
which drifts agree with what was observed, although the data themselves chose the moment of the look.
"""

from math import erfc, exp, log, pi, sqrt
from typing import NamedTuple

NEGLIGIBLE = 1e-12
MOST_CROSSINGS = 1000
FAR_BELOW = -30.0
"""Below this, the normal distribution is taken from its asymptotic series."""


class Motion(NamedTuple):
    """A motion that begins at 0, and ends when it leaves the room between the bounds."""

    lower: float
    upper: float
    drift: float
    """In a unit of time."""
    variance: float
    """In a unit of time."""

    def chance_up_to(self, time: float, position: float) -> float:
        """The chance of this outcome, or one that speaks for a lower drift.

        Without bounds it is a normal distribution. Reflecting the start at a bound makes that right at this bound and
        wrong at the other, which takes a reflection of the reflection, and so on. The terms become small quickly: a
        further one is the chance to go once more from bound to bound.
        """
        room = self.upper - self.lower
        start, end = -self.lower, min(max(position, self.lower), self.upper) - self.lower
        pull = 2 * self.drift / self.variance
        shift, spread = self.drift * time, sqrt(self.variance * time)

        def below(image: float, weight: float) -> float:
            return _weighted_normal(weight, (end - image - shift) / spread)

        def above(image: float, weight: float) -> float:
            return _weighted_normal(weight, (image + shift - end) / spread)

        chance = below(start, 0.0)
        for crossing in range(MOST_CROSSINGS):
            near, far = crossing * room, (crossing + 1) * room
            terms = (
                above(-start - 2 * near, -pull * (start + near)),
                -above(start - 2 * far, -pull * far),
                -below(2 * far - start, pull * (far - start)),
                below(2 * far + start, pull * far),
            )
            chance += sum(terms)
            if max(map(abs, terms)) < NEGLIGIBLE:
                break
        return min(max(chance, 0.0), 1.0)


def _weighted_normal(weight: float, score: float) -> float:
    """exp(weight) times the normal distribution below `score`, also where one is huge and the other tiny."""
    if score > FAR_BELOW:
        return exp(weight + log(erfc(-score / sqrt(2)) / 2))
    return exp(weight - score * score / 2 - log(-score * sqrt(2 * pi)))
