"""Thinking: has the time that a version takes for its decisions changed at some point?

A version never changes: changed code is another version. But a remote bot declares its version, and the arena cannot
see what really plays. A new program under an old version often takes another time to think.

The time. The logarithm of the milliseconds per decision, averaged over the matches of a block, less the bot's mean for
that game and number of players. The blocks of a bot, in the order in which they were played, are cut into 20 parts. A
part is one observation, because blocks near each other have much in common, such as the load of the bot's machine.

The change. At every point with three parts or more on either side, the means before and after are compared by Student's
test. The clearest point counts, at a rate of false alarms divided by the number of points and of bots judged.

Load. Times may often change because a machine or the arena is loaded at some hours. There the line moves outwards:
scores are measured by the usual scatter of the field, which is what its bots show at their clearest points. A change by
less than a quarter is never reported.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.estimates import student_chance
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import Floats

PARTS = 20
FEWEST_BLOCKS = 3 * PARTS
"""A bot is judged if it has played this many blocks."""
POINTS = range(3, PARTS - 2)
"""After how many parts a change may be."""
LEAST = 1.25
"""A change by less than this factor is not reported."""
ANSWERING_MS = 1.0
"""What a decision takes besides the thinking, about. Changes far below it are not seen."""
ROUNDING = 1e-9
"""A smaller error is left over where all parts took the same time."""
FREEDOM = PARTS - 2
QUARTILE = 2.18
"""By chance, a quarter of the scores at the clearest point is further from 0 (simulated)."""


class ThinkingChange(NamedTuple):
    """A version whose thinking time changed."""

    bot: int
    since: str
    """The block with which the change begins."""
    before_ms: float
    """A decision took as long as this before, and as long as the other since then: typical times."""
    after_ms: float
    blocks_before: int
    blocks_after: int
    chance: float
    """How often chance alone shows a change as clear as this in such a field, at most."""


class ThinkingReport(NamedTuple):
    """What was looked at, and what was found."""

    judged: int
    """How many versions have played enough blocks."""
    scatter: float
    """How much further times scatter in this field than by chance; 1 is chance alone."""
    doubt: float
    """How often chance alone brings a version over the line, at most."""
    findings: tuple[ThinkingChange, ...]
    """The clearest first."""


class _Record(NamedTuple):
    """The blocks of a bot in their order."""

    blocks: Sequence[str]
    times: Floats
    """By block: the logarithm of the time, less the mean of its kind."""
    usual: float
    """The mean of all kinds."""

    def scores(self) -> Floats:
        """By point: how clear a change there is."""
        parts = np.array([part.mean() for part in np.array_split(self.times, PARTS)])
        return np.array([_score(parts[:point], parts[point:]) for point in POINTS])


def find_thinking(facts: Iterable[MatchFacts], doubt: float) -> ThinkingReport:
    """The versions whose thinking time changed by more than chance allows. `facts` are in the order of play."""
    records = {bot: record for bot, record in _records(facts).items() if len(record.times) >= FEWEST_BLOCKS}
    scores = {bot: record.scores() for bot, record in records.items()}
    scatter = _usual_scatter([float(np.abs(each).max()) for each in scores.values()])
    changes = [_change(bot, records[bot], scores[bot] / scatter, len(records)) for bot in records]
    over = [change for change in changes if change.chance <= doubt and _large(change)]
    return ThinkingReport(len(records), scatter, doubt, tuple(sorted(over, key=lambda change: change.chance)))


def _records(facts: Iterable[MatchFacts]) -> dict[int, _Record]:
    """By bot. A block is where its first match is."""
    times: defaultdict[int, dict[str, list[float]]] = defaultdict(dict)
    kinds: dict[str, tuple[str, int]] = {}
    for match in facts:
        kinds[match.block_id] = match.game, match.players
        for bot, decisions, thinking in zip(match.bots, match.decisions, match.thinking_ms, strict=True):
            if decisions:
                time = float(np.log(max(thinking, 0.0) / decisions + ANSWERING_MS))
                times[bot].setdefault(match.block_id, []).append(time)
    return {bot: _record(of_bot, kinds) for bot, of_bot in times.items()}


def _record(times: Mapping[str, Sequence[float]], kinds: Mapping[str, tuple[str, int]]) -> _Record:
    means = {block: float(np.mean(of_block)) for block, of_block in times.items()}
    by_kind: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for block, mean in means.items():
        by_kind[kinds[block]].append(mean)
    usual = {kind: float(np.mean(of_kind)) for kind, of_kind in by_kind.items()}
    surplus = np.array([mean - usual[kinds[block]] for block, mean in means.items()])
    return _Record(list(means), surplus, float(np.mean(list(means.values()))))


def _score(before: Floats, after: Floats) -> float:
    squares = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
    error = sqrt(squares / FREEDOM * (1 / len(before) + 1 / len(after)))
    return float(after.mean() - before.mean()) / max(error, ROUNDING)


def _usual_scatter(clearest: Sequence[float]) -> float:
    """By the scores of the bots in the middle, which a few that changed do not move; 1 where there are too few bots."""
    if len(clearest) < 3:
        return 1.0
    return max(1.0, float(np.quantile(clearest, 0.75, method="lower")) / QUARTILE)


def _change(bot: int, record: _Record, scores: Floats, judged: int) -> ThinkingChange:
    best = int(np.abs(scores).argmax())
    before = sum(len(part) for part in np.array_split(record.times, PARTS)[: POINTS[best]])
    was, now = record.times[:before].mean(), record.times[before:].mean()
    return ThinkingChange(
        bot=bot,
        since=record.blocks[before],
        before_ms=_typical(record.usual + was),
        after_ms=_typical(record.usual + now),
        blocks_before=before,
        blocks_after=len(record.times) - before,
        chance=min(1.0, judged * len(POINTS) * student_chance(float(scores[best]), FREEDOM)),
    )


def _typical(logarithm: float) -> float:
    return max(0.0, exp(logarithm) - ANSWERING_MS)


def _large(change: ThinkingChange) -> bool:
    ratio = (change.after_ms + ANSWERING_MS) / (change.before_ms + ANSWERING_MS)
    return max(ratio, 1 / ratio) >= LEAST
