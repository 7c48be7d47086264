"""What the standings of a ladder and those of an arena show alike."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from roost_cli.terminal.fitted import Column

ABOVE_NOTE = "above: how likely a bot is stronger than the next one."
NOTHING = "-"
NEARLY_SURE = 0.995
"""More than this is not yet everything, but would be rounded to it."""


class PlacesAt(Protocol):
    """What a bot did at tables of one size."""

    @property
    def players(self) -> int:
        """The size."""

    @property
    def mean_place(self) -> float:
        """1 is the best."""


def ranks(best: int, worst: int) -> str:
    """The ranks that the results allow: `2`, or `2-4`."""
    return f"{best}" if best == worst else f"{best}-{worst}"


def rating(points: float, low: float, high: float) -> str:
    """The rating with half the width of its interval, which is even around it."""
    return f"{points:.0f} ±{(high - low) / 2:.0f}"


def mean_place(places: Iterable[PlacesAt], size: int) -> str:
    """The mean place at tables of this size."""
    return next((f"{at.mean_place:.2f}" for at in places if at.players == size), NOTHING)


def above_next(likelihoods: Sequence[float | None], drop: int) -> list[Column]:
    """The column of how likely a bot is stronger than the one below it; none if that is not known of any."""
    known = any(each is not None for each in likelihoods)
    return [Column(">above", [_likelihood(each) for each in likelihoods], drop)] if known else []


def _likelihood(share: float | None) -> str:
    if share is None:
        return NOTHING
    return "> 99 %" if share > NEARLY_SURE else f"{100 * share:.0f} %"
