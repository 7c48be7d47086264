"""Memory: does a bot fare better in the later matches of a deal than in the first one?

With duplicate deals, the matches of a block are dealt the same cards or dice. A bot that remembers the first match
knows what is coming in the others. So each block of a bot is one observation: its share of opponents left behind in the
later matches, less that in the first.

Chance. The order in which a group sits down is drawn and the seats rotate, so a bot is in every seat equally often in
the first match and in the later ones. If it remembers nothing, the difference has the mean 0, whatever the game and the
opponents. The sum of the differences by the root of the sum of their squares is then a standard normal score. Only
gains are suspicious: where one bot gains, the others lose. The rate of false alarms is divided by the number of bots
judged.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import erfc, sqrt
from statistics import fmean
from typing import NamedTuple

from roost_ladder.rating.estimates import Estimate, mean_of
from roost_ladder.rating.results import MatchResult

FEWEST_BLOCKS = 20
"""A bot is judged if it has played this many blocks."""


class MemoryGain(NamedTuple):
    """How a bot fares in the first match of a deal, and in the later ones."""

    bot: int
    blocks: int
    share_first: float
    """The share of opponents that it leaves behind; a tie is half."""
    share_later: float
    gain: Estimate
    """The difference and its 95 % interval."""
    chance: float
    """How often chance alone shows a bot of such a field that gains as clearly, at most."""


class MemoryReport(NamedTuple):
    """What was looked at, and what was found."""

    blocks: int
    """Those with several matches of one deal."""
    judged: int
    """How many bots have played enough of them."""
    doubt: float
    """How often chance alone brings a bot over the line, at most."""
    findings: tuple[MemoryGain, ...]
    """The clearest first."""


class _Pair(NamedTuple):
    first: float
    later: float

    @property
    def gain(self) -> float:
        return self.later - self.first


def find_memory(blocks: Iterable[Sequence[MatchResult]], doubt: float) -> MemoryReport:
    """The bots that gain in later matches more than chance allows.

    `blocks` are those whose matches share a deal, each with its matches in the order in which they were played.
    """
    several = [block for block in blocks if len(block) > 1]
    by_bot: defaultdict[int, list[_Pair]] = defaultdict(list)
    for block in several:
        for bot, shares in _shares(block).items():
            by_bot[bot].append(_Pair(shares[0], fmean(shares[1:])))
    judged = {bot: pairs for bot, pairs in by_bot.items() if _can_be_judged(pairs)}
    gains = sorted((_gain(bot, pairs, len(judged)) for bot, pairs in judged.items()), key=lambda gain: gain.chance)
    return MemoryReport(len(several), len(judged), doubt, tuple(gain for gain in gains if gain.chance <= doubt))


def _shares(block: Sequence[MatchResult]) -> dict[int, list[float]]:
    """By bot, the share of opponents that it left behind in each match."""
    found: dict[int, list[float]] = {}
    for match in block:
        for bot, place in zip(match.bots, match.places, strict=True):
            behind = sum((other > place) + (other == place) / 2 for other in match.places) - 0.5
            found.setdefault(bot, []).append(behind / (len(match.bots) - 1))
    return found


def _can_be_judged(pairs: Sequence[_Pair]) -> bool:
    return len(pairs) >= FEWEST_BLOCKS and len({pair.gain for pair in pairs}) > 1


def _gain(bot: int, pairs: Sequence[_Pair], judged: int) -> MemoryGain:
    gains = [pair.gain for pair in pairs]
    score = sum(gains) / sqrt(sum(gain**2 for gain in gains))
    chance = min(1.0, judged * erfc(score / sqrt(2)) / 2)
    first, later = (fmean(each) for each in zip(*pairs, strict=True))
    return MemoryGain(bot, len(pairs), first, later, mean_of(gains), chance)
