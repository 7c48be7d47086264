"""How bots would fare under another clock: what a run says about `--decision-ms`.

A bot is never late in a match if each decision had a certain time: the least such time is what it *needs* there, given
the bank of the clock. So one number for each seat of a match answers the question for every clock with that bank.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from roost_games.referee import Clock, Referee
from roost_games.replay import Fault
from roost_games.wording import counted

STEPS = [factor * 10**power for power in range(8) for factor in (1, 2, 5)]
"""The times that are proposed, in milliseconds."""
MOST_NAMED = 3
"""At most this many bots are named."""


def needed_ms(times: Iterable[float], bank_ms: float) -> float:
    """The least time for a decision with which none of these, in milliseconds, would be late with this bank."""
    times = list(times)
    if sum(times) <= bank_ms:
        return 0.0  # As nearly always.
    sums = accumulate(sorted(times, reverse=True))
    return max((max(0.0, longest - bank_ms) / count for count, longest in enumerate(sums, 1)), default=0.0)


def needs_of(referee: Referee[Any, Any]) -> tuple[float, ...]:
    """What each seat of a match that is over needed; infinite where a decision was late, since it was cut short."""
    times: list[list[float]] = [[] for _ in referee.bank_used]
    for _, (seat, _, ms, _) in referee.decisions():
        times[seat].append(ms)
    late = {fault.seat for fault in referee.faults if fault.kind is Fault.LATE}
    bank_ms = referee.clock.bank_ms
    return tuple(math.inf if seat in late else needed_ms(own, bank_ms) for seat, own in enumerate(times))


class ClockNeeds:
    """What the bots of a run needed."""

    def __init__(self) -> None:
        self._by_bot: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, bots: Sequence[str], needs: Sequence[float]) -> None:
        """What each seat needed in a match."""
        for bot, needed in zip(bots, needs, strict=True):
            self._by_bot[bot].append(needed)

    def line(self, clock: Clock) -> str:
        """How they fared with this clock, and in a second line would with another; empty if nothing was played."""
        if not self._by_bot:
            return ""
        late = self._late(clock.decision_ms) or "nobody"
        here = f"Late with {_shown(clock.decision_ms)} a decision and {_shown(clock.bank_ms)} in the bank: {late}."
        return f"{here}\n{self._elsewhere()}."

    def _elsewhere(self) -> str:
        worst = max((ms for needs in self._by_bot.values() for ms in needs if ms < math.inf), default=0.0)
        enough = next((number for number, step in enumerate(STEPS) if step >= worst), len(STEPS) - 1)
        others = "nobody else" if any(math.inf in needs for needs in self._by_bot.values()) else "nobody"
        if enough == 0:
            return f"With --decision-ms {STEPS[0]}: {others}"
        late = self._late(STEPS[enough - 1], most=worst)
        return f"With --decision-ms {STEPS[enough - 1]}: {late}; with {STEPS[enough]}: {others}"

    def _late(self, decision_ms: float, most: float = math.inf) -> str:
        """Who needed more than the first and not more than the second, and in how many matches."""
        counts = {bot: sum(decision_ms < ms <= most for ms in needs) for bot, needs in self._by_bot.items()}
        named = sorted((bot for bot in counts if counts[bot]), key=lambda bot: -counts[bot])
        shown = [f"{bot} in {counts[bot]} of {counted(len(self._by_bot[bot]), 'match')}" for bot in named[:MOST_NAMED]]
        more = len(named) - MOST_NAMED
        return ", ".join(shown) + (f" and {counted(more, 'more bot')}" if more > 0 else "")


def _shown(ms: float) -> str:
    return f"{ms:g} ms" if ms < 1_000 else f"{ms / 1_000:g} s"
