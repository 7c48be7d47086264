"""Does a process keep growing? Measurements of its size over time, a line through them, and a verdict."""

from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import NamedTuple

MOST_PER_MATCH = 50.0
"""Bytes that a match may leave behind. Ten million matches, more than most competitions have, leave half a gigabyte."""
NOISE = 4e6
"""Bytes by which an allocator's size goes up and down anyway. What is less in all is not held to be growth."""


class Look(NamedTuple):
    """What was to be seen at a moment."""

    seconds: float
    matches: int
    """The number recorded until then."""
    size: float
    """In bytes."""


class Growth(NamedTuple):
    """How a process grew, on the whole."""

    per_match: float
    """In bytes."""
    matches_per_hour: float
    matches: int
    """The number played meanwhile."""

    @property
    def per_hour(self) -> float:
        """In bytes."""
        return self.per_match * self.matches_per_hour

    @property
    def goes_on(self) -> bool:
        """Whether it seems to keep growing."""
        return self.per_match > MOST_PER_MATCH and self.per_match * self.matches > NOISE

    def __str__(self) -> str:
        verdict = "GROWS" if self.goes_on else "FLAT"
        rate = f"{self.per_match:+,.0f} bytes a match, {self.per_hour / 1e6:+.1f} MB an hour"
        return f"{verdict}: {rate} ({self.matches:,} matches after the warm-up, {self.matches_per_hour:,.0f} an hour)"


def growth(looks: Sequence[Look]) -> Growth:
    """The line through these looks, of which there are at least two, with a match between some of them.

    Its slope is the median of those between any two looks (Theil and Sen): a flood that swells some does not tilt it.
    """
    pairs = [(one, other) for one, other in combinations(looks, 2) if other.matches > one.matches]
    first, last = looks[0], looks[-1]
    played = last.matches - first.matches
    return Growth(
        median((other.size - one.size) / (other.matches - one.matches) for one, other in pairs),
        3600 * played / (last.seconds - first.seconds),
        played,
    )
