"""What a ladder, and each of its bots, may use in an hour: matches, and the time for which others wait for a bot.

What is not used is saved for up to an hour. More may be used at a stroke than is left, since a match has to end; then
nothing is begun until that is made up for. Finals have no allowances: everything that is planned is played.
"""

import math
import time

from roost_server.play.block import OpenBlock
from roost_server.settings import Settings

HOUR = 3600.0


class Allowance:
    """An amount for each hour, which may be infinite."""

    __slots__ = ("_at", "_left", "amount")

    def __init__(self, amount: float) -> None:
        self.amount = amount
        self._left = amount
        self._at = time.monotonic()

    def left(self) -> float:
        """How much may be used now; less than 0 if too much has been used."""
        if math.isinf(self.amount):
            return self.amount
        now = time.monotonic()
        self._left = min(self.amount, self._left + (now - self._at) * self.amount / HOUR)
        self._at = now
        return self._left

    @property
    def share(self) -> float:
        """Which share of the amount may be used now."""
        return 1.0 if math.isinf(self.amount) else self.left() / self.amount

    def use(self, amount: float) -> None:
        """Use that much."""
        self._left = self.left() - amount


class _OfBot:
    """The allowances of a bot."""

    __slots__ = ("matches", "seconds")

    def __init__(self, settings: Settings) -> None:
        self.matches = Allowance(settings.matches_per_bot_hour)
        self.seconds = Allowance(settings.arena_seconds_per_hour)


class Allowances:
    """The allowances of a ladder and its bots."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._matches = Allowance(settings.matches_per_hour)
        self._bots: dict[str | int, _OfBot] = {}
        self._names: dict[int, str] = {}
        """By version, of which bot it is one. All versions of a bot share its allowances."""
        self._resting: set[int] = set()

    @property
    def may_begin(self) -> bool:
        """Whether the ladder may begin another block."""
        return self._matches.left() >= 1

    def begin(self, block: OpenBlock) -> None:
        """A block is begun. All its matches will be played."""
        matches = len(block.to_play)
        self._matches.use(matches)
        for bot in block.group:
            self._of(bot).matches.use(matches)

    def wait(self, bot: int, seconds: float) -> None:
        """Others have waited for a bot."""
        self._of(bot).seconds.use(seconds)

    def know(self, bot: int, name: str) -> None:
        """This is a version of the bot of this name."""
        self._names[bot] = name

    def at_once(self, bot: int, most: int) -> int:
        """How many matches a bot plays at once: all that it wants, and fewer the longer others have waited for it."""
        of_bot = self._bots.get(self._names.get(bot, bot))
        if of_bot is None:
            return most
        if of_bot.matches.left() < 1 or of_bot.seconds.left() <= 0:
            self._resting.add(bot)
            return 0
        return max(1, min(most, math.ceil(most * of_bot.seconds.share)))

    def rests(self, bot: int) -> bool:
        """Whether a bot begins nothing for now."""
        return bot in self._resting and not self.at_once(bot, 1)

    def rested(self) -> list[int]:
        """The bots that may begin something again since the last time."""
        rested = [bot for bot in self._resting if self.at_once(bot, 1)]
        self._resting.difference_update(rested)
        return rested

    def _of(self, bot: int) -> _OfBot:
        key = self._names.get(bot, bot)
        if key not in self._bots:
            self._bots[key] = _OfBot(self._settings)
        return self._bots[key]
