"""Is a bot better than even? Evidence that may be looked at after every block, at no cost in honesty.

A score is between 0 and 1, and even is 1/2. Somebody who doubts that the bot is better takes bets at fair odds: stake
a share s of what you have on each block, and a score of x turns it into 1 + s (2x - 1) times as much. As long as the
bot is not better than even, what you have does not grow on average, whatever the scores depend on. Then the chance that
it ever reaches 1/a times what you began with is at most a (Ville's inequality). So once it has, the bot is better than
even with a confidence of 1 - a, although somebody looked after every block and stopped when it pleased.

Nobody knows the best share beforehand: a small one for a bot that is a little better, a large one for one that is much
better. So the money is spread over several. docs/formats/export.md describes the same for those who check it.

Unlike the test of `roost compare`, in `roost_ladder.rating.sprt`, it proves its rate for any number of blocks and any
distribution of scores, and it needs more of them. It never says that a bot is not better.
"""

from dataclasses import dataclass, field

SHARES = (0.25, 0.5, 0.75)
EVEN = 0.5


@dataclass(slots=True)
class Evidence:
    """What bets on a bot have won so far."""

    blocks: int = 0
    best: float = 1.0
    """The most that there has been, where 1 was the beginning."""
    total: float = 0.0
    """The sum of all scores."""
    _money: list[float] = field(default_factory=lambda: [1.0] * len(SHARES))
    """By share of the stake."""

    def add(self, score: float) -> None:
        """One more block."""
        self.blocks += 1
        self.total += score
        gain = (score - EVEN) / EVEN
        self._money = [money * (1 + share * gain) for money, share in zip(self._money, SHARES, strict=True)]
        self.best = max(self.best, sum(self._money) / len(SHARES))

    @property
    def score(self) -> float:
        """The mean score; even before the first block."""
        return self.total / self.blocks if self.blocks else EVEN

    @property
    def confidence(self) -> float:
        """How surely the bot is better than even, from 0 to below 1."""
        return 1 - 1 / self.best
