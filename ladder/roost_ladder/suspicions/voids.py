"""Voids: is a bot being asked when matches are voided more often than its thinking time explains?

A match is voided when the arena cannot know whether a bot was late. Nobody can cause the arena's delays, so a bot is
hit by chance: the longer it thinks, the more often. One that is hit far more often may know how to have a match voided
that it is losing.

Chance. In a voided match, the seats that were being asked are compared with all seats of that match. Each is expected
to be asked in proportion to the time that its bot takes for a match of that kind. A delay of the arena may void many
matches at once, and a bot may be asked in all of them for one reason. So a moment is one observation: was the bot being
asked in any match voided then? How often it was is compared with what is expected, by the exact distribution of a sum
of independent events of different probability. The rate of false alarms is divided by the number of bots judged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.facts import MatchFacts

SAME_MOMENT_MS = 10_000
"""Voids that follow each other within this time are of one moment."""
ANSWERING_MS = 1.0
"""What a decision takes besides the thinking, about."""

Kind = tuple[str, int]
"""A game and a number of players."""


class VoidedMatch(NamedTuple):
    """A match that was voided."""

    at_ms: int
    game: str
    bots: tuple[int, ...]
    """By seat."""
    asked: tuple[int, ...]
    """The seats that were being asked then."""


class VoidShare(NamedTuple):
    """How often a bot was being asked when matches were voided."""

    bot: int
    moments: int
    """At how many moments; a match each, unless the arena voided several at once."""
    expected: float
    """At how many it would be by its thinking time."""
    chance: float
    """How often chance alone shows a bot that is asked as often, at most."""


class VoidReport(NamedTuple):
    """What was looked at, and what was found."""

    voided: int
    """All matches that were voided."""
    moments: int
    """When somebody was being asked."""
    doubt: float
    """How often chance alone brings a bot over the line, at most."""
    shares: Mapping[int, VoidShare]
    """By bot: all that could be judged."""

    @property
    def findings(self) -> tuple[VoidShare, ...]:
        """Those over the line, the clearest first."""
        over = [share for share in self.shares.values() if share.chance <= self.doubt]
        return tuple(sorted(over, key=lambda share: share.chance))


def find_voids(voided: Iterable[VoidedMatch], facts: Iterable[MatchFacts], doubt: float) -> VoidReport:
    """Who was being asked when matches were voided. `facts`, the matches that count, tell how long bots take."""
    matches = sorted(voided)
    times = _times(facts)
    telling = [match for match in matches if match.asked]
    moments = list(_moments(telling))
    chances: defaultdict[int, list[float]] = defaultdict(list)
    asked: defaultdict[int, int] = defaultdict(int)
    for moment in moments:
        for bot, chance in _chances(moment, times).items():
            chances[bot].append(chance)
            asked[bot] += any(bot in (match.bots[seat] for seat in match.asked) for match in moment)
    shares = {bot: _share(bot, asked[bot], expected, len(chances)) for bot, expected in chances.items()}
    return VoidReport(len(matches), len(moments), doubt, shares)


def _times(facts: Iterable[MatchFacts]) -> dict[tuple[Kind, int], float]:
    """How long a bot is being asked in a match of a kind, on average."""
    found: defaultdict[tuple[Kind, int], list[float]] = defaultdict(list)
    for match in facts:
        for bot, decisions, thinking in zip(match.bots, match.decisions, match.thinking_ms, strict=True):
            found[(match.game, match.players), bot].append(thinking + ANSWERING_MS * decisions)
    return {key: float(np.mean(times)) for key, times in found.items()}


def _moments(matches: Sequence[VoidedMatch]) -> Iterator[list[VoidedMatch]]:
    moment: list[VoidedMatch] = []
    for match in matches:
        if moment and match.at_ms - moment[-1].at_ms > SAME_MOMENT_MS:
            yield moment
            moment = []
        moment.append(match)
    if moment:
        yield moment


def _chances(moment: Sequence[VoidedMatch], times: Mapping[tuple[Kind, int], float]) -> dict[int, float]:
    """By bot: how likely it is being asked in any match of the moment."""
    missed: defaultdict[int, list[float]] = defaultdict(list)
    for match in moment:
        known = [times.get(((match.game, len(match.bots)), bot)) for bot in match.bots]
        usual = float(np.mean([time for time in known if time])) if any(known) else 1.0
        chances = _inclusion([time or usual for time in known], len(match.asked))
        for bot, chance in zip(match.bots, chances, strict=True):
            missed[bot].append(1 - chance)
    return {bot: 1 - prod(each) for bot, each in missed.items()}


def _inclusion(weights: Sequence[float], drawn: int) -> list[float]:
    """How likely each is among `drawn` of them, in proportion to the weights, and never more than surely."""
    sure: set[int] = set()
    while True:
        rest = sum(weight for seat, weight in enumerate(weights) if seat not in sure)
        left = drawn - len(sure)
        over = {seat for seat, weight in enumerate(weights) if seat not in sure and left * weight >= rest}
        if not over:
            return [1.0 if seat in sure else left * weight / rest for seat, weight in enumerate(weights)]
        sure |= over


def _share(bot: int, moments: int, chances: Sequence[float], judged: int) -> VoidShare:
    return VoidShare(bot, moments, sum(chances), min(1.0, judged * _at_least(moments, chances)))


def _at_least(number: int, chances: Sequence[float]) -> float:
    """How likely at least this many of independent events happen."""
    happen = np.ones(1)
    for chance in chances:
        happen = np.convolve(happen, (1 - chance, chance))
    return float(happen[number:].sum())
