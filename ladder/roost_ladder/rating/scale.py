"""The Elo scale: 400 points for a factor of ten in the odds, around 1500."""

from math import log

MEAN_RATING = 1500.0
ELO = 400 / log(10)
"""Points for a factor of e in the odds."""
