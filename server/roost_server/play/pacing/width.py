"""How many matches a bot is given at once, found by how fast it answers.

A bot declares how many it takes at most. What it can really do depends on how it thinks: one that computes for
30 ms only makes others wait longer if it is asked in more matches, and one that answers in microseconds, or thinks in
several threads, does many times as much. So every bot begins with one match. It is given twice as many while its
answers hardly take longer than when they were quickest, and half as many when they take much longer.

Only how many matches a bot begins is limited. No match that is being played is touched.
"""

import math

FEWEST_ANSWERS = 8
ANSWERS_A_MATCH = 2
"""How many answers are looked at together: this many, and more if more matches are played at once."""
MORE_TIMES, MORE_MS = 2.0, 20.0
"""A bot gets more if its answers take less than this many times as long as when they were quickest, plus a little."""
FEWER_TIMES, FEWER_MS = 3.0, 60.0
"""It gets fewer if they take more than this."""
SAFE_SHARE, RISKY_SHARE = 0.25, 0.5
"""The slowest answer, as a share of the time for a decision: below the first a bot may get more, above the second it
gets fewer. So all that wait in a full batch are answered before the bank is touched."""
WARY_LOOKS = 16
"""How many looks a bot that came close to the limit is given no more than it could take then."""


class Width:
    """How many matches a bot is given at once, at most `most`. With `fixed` nothing is measured."""

    __slots__ = ("_answers", "_least_ms", "_slowest", "_sum_ms", "_wary", "answer_ms", "fixed", "most", "number")

    def __init__(self, most: int, fixed: int | None = None) -> None:
        self.most = most
        self.fixed = None if fixed is None else min(fixed, most)
        """What the host has set for every bot, once it has been ready for a match."""
        self.number = 1
        self.answer_ms = 0.0
        """The mean time for an answer, at the last look; 0 before the first."""
        self._least_ms = math.inf
        self._answers = 0
        self._sum_ms = self._slowest = 0.0
        self._wary = 0

    @property
    def is_measured(self) -> bool:
        """Whether there has been a look at its answers."""
        return math.isfinite(self._least_ms)

    def restart(self) -> None:
        """Begin with one match again."""
        self.number = 1
        self._reset()

    def note_ready(self) -> bool:
        """The bot got ready for a match. Returns whether the number is larger now."""
        if self.fixed is None or self.number == self.fixed:
            return False
        self.number = self.fixed
        return True

    def note_answer(self, ms: float, limit_ms: float) -> bool:
        """An answer took this long, of the time for a decision. Returns whether it is time to `look`."""
        self._answers += 1
        self._sum_ms += ms
        share = ms / limit_ms
        if share > self._slowest:
            self._slowest = share
        return self._answers >= max(FEWEST_ANSWERS, ANSWERS_A_MATCH * self.number) or share > RISKY_SHARE

    def look(self, playing: int) -> bool:
        """Adapt the number to the latest answers. Returns whether it is larger now."""
        self.answer_ms = self._sum_ms / self._answers
        self._least_ms = min(self.answer_ms, self._least_ms)
        self._wary = max(0, self._wary - 1)
        before = self.number
        if self.fixed is None:
            self.number = min(self.most, self._adapted(playing))
        self._reset()
        return self.number > before

    def _adapted(self, playing: int) -> int:
        if self._slowest > RISKY_SHARE:
            self._wary = WARY_LOOKS
        if self._slowest > RISKY_SHARE or self.answer_ms > FEWER_TIMES * self._least_ms + FEWER_MS:
            return max(1, self.number // 2)
        return 2 * self.number if self._may_grow(playing) else self.number

    def _may_grow(self, playing: int) -> bool:
        """Whether it uses what it has, and answers about as fast as with fewer matches."""
        fast = self.answer_ms < MORE_TIMES * self._least_ms + MORE_MS and self._slowest < SAFE_SHARE
        return fast and not self._wary and 4 * playing >= 3 * self.number

    def _reset(self) -> None:
        self._answers = 0
        self._sum_ms = self._slowest = 0.0
