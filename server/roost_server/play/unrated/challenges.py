"""Challenges: matches of bots that an owner asks for, and that are never rated.

Their deals are drawn at random, so they tell nothing about those of a competition. Rated matches come first: a bot for
which some are waiting gives challenges only a small share of its places, or of its time if it has few.
"""

import time
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import NamedTuple

from roost_ladder.schedules.schedule import Pairing, Participants, Past
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.session import Session
from roost_server.settings import Rules, Settings
from roost_server.store import Purpose

SHARE = 20
"""A bot that is wanted for rated matches gives challenges one in this many of its places, or of its time, and the arena
one in this many of the matches that it plays at once."""
WAIT_SECONDS = 3_600.0
"""What has not begun after this time is not played."""


class Offer(NamedTuple):
    """A competition in which bots may be challenged, and how they play there."""

    name: str
    settings: Settings
    takes_part: Callable[[int | None], bool]
    """Whether a bot does, by its number."""

    def rules_for(self, game: str, players: int) -> Rules | None:
        """How this game is played at tables of this size; `None` if it is not."""
        return next((rules for rules in self.settings.tables if rules.kind == (game, players)), None)


class NothingPlanned:
    """The schedule of a contest whose blocks are asked for."""

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        """Nothing."""
        return ()


class Willing(Container[int]):
    """Those of the bots with room that give it to a challenge now."""

    def __init__(self, free: Container[int], gives: Callable[[int], bool]) -> None:
        self._free = free
        self._gives = gives

    def __contains__(self, bot: object) -> bool:
        return bot in self._free and isinstance(bot, int) and self._gives(bot)


class ChallengeContest(Contest):
    """The blocks of challenges. It plans nothing: what was asked for is added to it."""

    purpose = Purpose.CHALLENGE

    def __init__(
        self,
        settings: Settings,
        offers: Callable[[], Sequence[Offer]],
        rated: Callable[[], Collection[Contest]],
        most_at_once: Callable[[], int],
    ) -> None:
        super().__init__(settings.unpaced(), NothingPlanned(), name="challenges")
        self.hold_back()
        self.offers = offers
        """Where bots may be challenged now."""
        self._rated = rated
        self._most_at_once = most_at_once
        self._begun: dict[str, OpenBlock] = {}
        self._places: dict[int, int] = {}
        """By bot, how many matches it played at once when it was looked at last."""
        self._rests_until: dict[int, float] = {}

    @property
    def refusal(self) -> str:
        """Why no challenge is played for now; empty if some may be."""
        for contest in self._rated():
            if contest.in_rounds and not contest.over:
                return "no challenges are played during finals; ask again when they are over"
            if contest.paused:
                return "no challenges are played while the disk is as full as the host allows; ask again later"
        return ""

    def settings_for(self, rules: Rules) -> Settings:
        """How a block is played that an earlier run has left."""
        return next((each.settings for each in self.offers() if rules in each.settings.tables), self.settings)

    def look_again(self, here: Mapping[int, bool]) -> None:
        """Time has passed: bots may give more. Nobody is too slow for a challenge."""
        now = time.monotonic()
        self._rests_until = {bot: until for bot, until in self._rests_until.items() if until > now}
        for bot in list(self.waited_for):
            self.wake(bot)

    def at_once(self, session: Session) -> int:
        """How many matches a bot may play at once."""
        self._places[session.version_id] = session.places.at_once
        return session.places.at_once

    def add(self, open_blocks: Sequence[OpenBlock]) -> None:
        """These were asked for, and are on record."""
        self._unfinished += len(open_blocks)
        self._queue.append(open_blocks)

    def take(self, free: Container[int], here: Container[int]) -> OpenBlock | None:
        """The first block whose bots have room for it."""
        if self.refusal or len(self._played) >= max(1, self._most_at_once() // SHARE):
            return None
        open_block = super().take(Willing(free, self._gives), here)
        if open_block is not None:
            self._begun[open_block.id] = open_block
        return open_block

    @property
    def _played(self) -> list[OpenBlock]:
        """The blocks of which a match is being played. One whose bots are in quarantine or away delays no others."""
        return [block for block in self._begun.values() if block.running]

    def _gives(self, bot: int) -> bool:
        """Whether a bot gives a challenge a place: one at a time, and after some rest if rated matches want it."""
        if any(bot in block.group for block in self._played):
            return False
        rests = self._rests_until.get(bot, 0.0) > time.monotonic()
        return not rests or not any(contest.wants(bot) for contest in self._rated())

    def finish(self, open_block: OpenBlock) -> None:
        """A block is over. One that was voided is not played again."""
        super().finish(open_block)
        self._again.clear()
        self._news.clear()
        self._begun.pop(open_block.id, None)
        now = time.monotonic()
        for bot in open_block.group if open_block.begun else ():
            rest = (now - open_block.begun) * (SHARE / self._places.get(bot, 1) - 1)
            self._rests_until[bot] = now + max(0.0, rest)

    def overdue(self) -> list[OpenBlock]:
        """The blocks that have waited for too long. They wait no longer."""
        late = time.monotonic() - WAIT_SECONDS
        found = [block for block in self._queue if block.waits_since < late]
        for block in found:
            self._queue.remove(block)
        self._unfinished -= len(found)
        return found
