"""A sequential test of a mean: it looks after every observation, and stops as soon as the answer is clear enough.

Observations are differences between two bots, one for each block of matches. The test has two hypotheses about their
mean: it is `low`, or it is `high`. It follows the logarithm of the likelihood ratio (LLR) and stops at Wald's bounds,
log((1 - beta) / alpha) above and log(beta / (1 - alpha)) below. Then a mean of `low` or less is called `high` with a
chance of about alpha at most, and a mean of `high` or more is called `low` with a chance of about beta at most.

Nobody knows how differences are distributed, so the ratio is that of the two distributions which explain the observed
differences best, one among all with the mean `low` and one among all with the mean `high` (a generalised SPRT, as chess
engines are tested with the five results of a pair of games; here a block may have any results). With many blocks of
variance v this is nearly n * (high - low) * (mean - (high + low) / 2) / v.

Care at the start. A few blocks can agree by accident before anything else has been seen. So a virtual block is added,
in which the bots differ as much as they can: one half favours one bot, the other half the other. A run of ties, or of
blocks that are all won alike, then does not end the test too soon.

Limits
- The rates hold for many blocks, each of which decides little. They are not proved but measured, for worlds like our
  games: `python -m benchmarks.simulations.compare` prints them. They are rougher if ten blocks
  can decide between the hypotheses, or if the bots differ in very few blocks, but then by much.
- Blocks must be independent of each other, and alike.
- If the mean is between the hypotheses either answer may come, and it takes longest.
- A test that is repeated until the answer pleases is wrong more often than alpha says.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from math import erfc, exp, log, log1p, pi, sqrt
from typing import NamedTuple

DIGITS = 9
"""Differences count as equal if this many decimals are: some are thirds, and sums of thirds in another order."""
PRECISION = 1e-10
"""The precision of the tilt; the error in a likelihood is of the order of its square."""
MOST_STEPS = 100
HALVINGS = 40
"""How often an interval is halved in the search for a mean; the error left is about 1e-12."""
NEGLIGIBLE = 1e-12
MOST_CROSSINGS = 1000
FAR_BELOW = -30.0
"""Below this, the normal distribution is taken from its asymptotic series."""


class Verdict(StrEnum):
    """What a test says."""

    STRONGER = "stronger"
    """The high mean is accepted."""
    NOT_STRONGER = "not stronger"
    """The low mean is accepted."""
    UNDECIDED = "undecided"


class Hypotheses(NamedTuple):
    """The two means between which a test decides."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The mean that favours neither, or nearly so."""
        return (self.low + self.high) / 2


class SequentialEstimate(NamedTuple):
    """A number and its 95 % interval."""

    low: float
    middle: float
    high: float


@dataclass(slots=True)
class Sample:
    """Differences that were observed, and the virtual block."""

    largest: float
    """No difference is larger than this, nor smaller than the negative of it."""
    blocks: int = 0
    total: float = 0.0
    counts: dict[float, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts.update({-self.largest: 0.5, self.largest: 0.5})

    def add(self, difference: float) -> None:
        """One more block."""
        self.blocks += 1
        self.total += difference
        value = round(difference, DIGITS)
        self.counts[value] = self.counts.get(value, 0.0) + 1.0

    @property
    def mean(self) -> float:
        """The mean difference; 0 before the first."""
        return self.total / self.blocks if self.blocks else 0.0

    def variance(self, mean: float) -> float:
        """The mean square of the distance from a mean, the virtual block included."""
        return sum(count * (value - mean) ** 2 for value, count in self.counts.items()) / (self.blocks + 1)

    def log_likelihood(self, mean: float) -> float:
        """Of the most likely distribution with this mean, compared with the most likely of all.

        It gives each value that was observed, with the distance d from the mean, its share of the observations divided
        by 1 + tilt * d. The tilt is such that the mean comes out right.
        """
        distances = [(value - mean, count) for value, count in self.counts.items()]
        tilt = _tilt(distances)
        return -sum(count * log1p(tilt * distance) for distance, count in distances)


def _tilt(distances: list[tuple[float, float]]) -> float:
    """Where sum of count * d / (1 + tilt * d) is 0: Newton's method, kept between the poles.

    The sum falls as the tilt grows, from the pole of the largest distance to the pole of the smallest.
    """
    below, above = -1 / max(distances)[0], -1 / min(distances)[0]
    tilt = 0.0
    for _ in range(MOST_STEPS):
        slope = change = 0.0
        for distance, count in distances:
            part = distance / (1 + tilt * distance)
            slope += count * part
            change += count * part * part
        below, above = (tilt, above) if slope > 0 else (below, tilt)
        step = slope / change
        if abs(step) < PRECISION:
            break
        tilt = tilt + step if below < tilt + step < above else (below + above) / 2
    return tilt


class Sprt(NamedTuple):
    """A test: its rates of error, and with them its bounds."""

    alpha: float
    """How often a low mean may be called high."""
    beta: float
    """How often a high mean may be called low."""

    @property
    def upper(self) -> float:
        """At this LLR or above, the high mean is accepted."""
        return log((1 - self.beta) / self.alpha)

    @property
    def lower(self) -> float:
        """At this LLR or below, the low mean is accepted."""
        return log(self.beta / (1 - self.alpha))

    def verdict(self, llr: float) -> Verdict:
        """Whether an LLR is at a bound."""
        if llr >= self.upper:
            return Verdict.STRONGER
        return Verdict.NOT_STRONGER if llr <= self.lower else Verdict.UNDECIDED

    def estimate(self, sample: Sample, means: Hypotheses) -> SequentialEstimate:
        """The mean as seen after a test that has just ended, or goes on.

        A test stops when luck has helped it to a bound, so the plain mean is too far out, and its plain interval too
        short. Here the bounds are taken into account: the true mean is below the middle of the estimate in about half
        of all cases, and in the interval in about 95 of 100 (see `Motion`).
        """
        if not sample.blocks:
            return SequentialEstimate(-sample.largest, 0.0, sample.largest)
        end = self._end(sample, means)
        low, middle, high = (self._mean_with(chance, end, sample.largest) for chance in (0.975, 0.5, 0.025))
        return SequentialEstimate(low, middle, high)

    def _end(self, sample: Sample, means: Hypotheses) -> "_End":
        """Blocks come one by one, so a test ends a little beyond a bound; it is taken back to where it crossed it."""
        lead = sample.blocks * (sample.mean - means.middle)
        gain = (means.high - means.low) / sample.variance(means.middle)
        llr = llr_of(sample, means)
        if self.verdict(llr) is not Verdict.UNDECIDED and llr * lead > 0:
            gain = llr / lead
        at = min(max(gain * lead, self.lower), self.upper)
        time = sample.blocks * (at / (gain * lead) if lead else 1.0)
        return _End(time, at, means.middle, gain, gain**2 * sample.variance(sample.mean))

    def _mean_with(self, chance: float, end: "_End", largest: float) -> float:
        """The mean at which an outcome up to the observed one has this chance, which falls as the mean grows."""
        below, above = -largest, largest
        for _ in range(HALVINGS):
            mean = (below + above) / 2
            motion = Motion(self.lower, self.upper, end.gain * (mean - end.middle), end.variance)
            below, above = (mean, above) if motion.chance_up_to(end.time, end.llr) > chance else (below, mean)
        return (below + above) / 2


def llr_of(sample: Sample, means: Hypotheses) -> float:
    """The logarithm of the likelihood ratio: above 0 the high mean is more likely, below 0 the low one."""
    return sample.log_likelihood(means.high) - sample.log_likelihood(means.low)


class _End(NamedTuple):
    """Where a test is, as a motion of its LLR."""

    time: float
    """In blocks."""
    llr: float
    middle: float
    """The mean at which the LLR does not drift."""
    gain: float
    """By how much a block moves the LLR for each unit of its difference."""
    variance: float
    """Of the LLR of one block."""


class Motion(NamedTuple):
    """Brownian motion that begins at 0 and ends when it leaves the room between two bounds.

    A sequential test follows a sum of many small, independent steps until it leaves an interval. Seen from afar that is
    Brownian motion with a drift, and the drift is what the test wants to know. Outcomes have an order, from what speaks
    for the lowest drift to what speaks for the highest: out at the lower bound early, out there late, still inside, out
    at the upper bound late, out there early. The chance of an outcome up to the observed one falls with the drift. So
    it tells which drifts agree with what was observed, although the data themselves chose the moment of the look.
    """

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
