"""How many matches an attack is played for, and what they say: what an equal wins by chance, and what was gained."""

import math
import os
import sys

ROUNDS = int(os.environ.get("ROOST_ATTACK_ROUNDS", "1"))
"""Attacks whose gain is a share of matches are played this many times as long. With 13, they would show 30 points."""
DEVIATIONS = 3.5
"""A fair coin is farther off on one side once in 4,300 runs."""


def chance_limit(matches: int) -> float:
    """How many of these matches no equal wins by chance."""
    return matches / 2 + DEVIATIONS * math.sqrt(matches) / 2


def say_gain(what: str, won: float, matches: int) -> None:
    """Print what was gained, in points with the 95 % interval. `pytest -rP` shows it."""
    share, margin = won / matches, 1.96 * math.sqrt(0.25 / matches)
    low, gain, high = (_points(share + change) for change in (-margin, 0.0, margin))
    sys.stdout.write(f"{what}: won {won:g} of {matches}, {gain:+.0f} points ({low:+.0f} to {high:+.0f})\n")


def _points(share: float) -> float:
    held = min(max(share, 0.001), 0.999)
    return 400 * math.log10(held / (1 - held))
