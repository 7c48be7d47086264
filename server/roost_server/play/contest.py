"""A contest: where the matchmaker gets its blocks from.

It asks a schedule for rounds, draws their deals, and keeps the blocks that wait to be played. An arena without
competitions plays one contest for all bots. A competition has a contest for each phase in which matches are played.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import structlog

from roost_games.errors import UsageError
from roost_ladder.blocks import Block, Rotation
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.sure import Sure
from roost_server.play.block import OpenBlock, Paces
from roost_server.play.roster import Everybody, Roster
from roost_server.play.session import Session
from roost_server.settings import Settings
from roost_server.store import Planned

log = structlog.get_logger()
AHEAD = 2
"""Blocks planned ahead per concurrent match, so that fast bots never idle."""
PATIENCE = 2
"""How often a block may be passed over before its bots are kept free for it."""
WAITING_MORE = 6
"""A bot with this many more blocks waiting for it than for another gets none for now, so as not to delay the others."""


class Drawn(NamedTuple):
    """What chance and the plan add to a pairing."""

    block_id: str
    seed: bytes
    plan: Planned | None


def draw_at_random(_: Pairing) -> Drawn:
    """A deal that nobody can predict, for an arena without a master seed."""
    return Drawn(secrets.token_hex(8), secrets.token_bytes(32), None)


def _enough(present: Collection[Session]) -> int:
    """How many blocks should wait: two for each bot, or more if bots play many matches at once."""
    return max(AHEAD * len(present), sum(session.max_matches for session in present) // 2)


def _with_short_queue(sessions: Collection[Session], waiting: Counter[int]) -> list[Session]:
    """The bots whose queue is not much longer than the shortest."""
    least = min((waiting[session.version_id] for session in sessions), default=0)
    return [session for session in sessions if waiting[session.version_id] < least + WAITING_MORE]


class Contest:
    """Blocks for the matchmaker, by one schedule under one set of rules.

    With `in_rounds` a round is planned only when everything before it is over, as finals need it. Without it planning
    runs ahead of play, and a bot that is slow or away delays only the bots that are to meet it.
    """

    def __init__(
        self,
        settings: Settings,
        schedule: Schedule,
        *,
        roster: Roster | None = None,
        draw: Callable[[Pairing], Drawn] = draw_at_random,
        name: str = "",
        rotation: Rotation = Rotation.CYCLIC,
        in_rounds: bool = False,
    ) -> None:
        self.name = name
        self.settings = settings
        self.in_rounds = in_rounds
        self.over = False
        """Whether the schedule is at its end and everything is played. It can go on when more bots come."""
        self.problem = ""
        """Why no round can be planned; empty if one can. A contest with a problem is not over."""
        self._rules = {rules.kind: rules for rules in settings.tables}
        self._schedule = schedule
        self.roster: Roster = Everybody() if roster is None else roster
        self.resumed: set[str] = set()
        """The ids of the blocks that earlier runs left to this one."""
        self.draw = draw
        self._rotation = rotation
        # Only one schedule asks for ratings. For the others they would be a waste of memory.
        self.recorded = isinstance(schedule, Sure)
        """Whether its past keeps what ratings need."""
        self._past = Past(recorded=self.recorded)
        self._news: list[MatchResult] = []
        """Results that came while the schedule was planning: it must not see the past change."""
        self._again: list[Pairing] = []
        self._voids: Counter[frozenset[int]] = Counter()
        """By group, how many of its blocks were voided since one was done."""
        self._waiting: list[OpenBlock] = []
        self._unfinished = 0
        self._planning = self._urgent = False
        self._done_with: object = None
        """The field and the number of results for which the schedule had nothing more to play."""
        self._paces = Paces()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of tables that are played."""
        return tuple(self._rules)

    @property
    def waiting(self) -> int:
        """How many blocks are planned and not begun."""
        return len(self._waiting)

    def slow(self, bots: Collection[int]) -> set[int]:
        """The bots that nobody should wait for: see `Paces`. In finals all bots wait for each other."""
        return set() if self.in_rounds else self._paces.slow(bots)

    def remember(self, past: Past, owed: Iterable[Pairing] = ()) -> None:
        """What earlier runs of the arena have played. What is `owed` was voided there and is to be played again.

        While the contest is held back this can be done in another thread.
        """
        self._past = past
        for pairing in owed:
            past.give(pairing)
            self._again.append(pairing)

    def hold_back(self) -> None:
        """Plan nothing until `release`: what was played before is still being read. Resumed blocks are played."""
        self._planning = True

    def release(self) -> None:
        """Start planning."""
        self._planning = False
        self._add_news()

    def resume(self, open_block: OpenBlock) -> None:
        """Play a block that an earlier run planned and did not end."""
        self.resumed.add(open_block.id)
        self._unfinished += 1
        self._waiting.append(open_block)

    def take(self, free: Collection[int], here: Collection[int]) -> OpenBlock | None:
        """The first block whose bots are all free. It is taken off the queue.

        Small tables fill up sooner than large ones. So a block that was passed over often, and whose bots are all here,
        reserves those of them that are free, unless it waits for a slow bot.
        """
        kept: set[int] = set()
        passed: list[OpenBlock] = []
        for open_block in self._waiting:
            group = [bot for bot in open_block.group if bot not in open_block.missing]
            if all(bot in free and bot not in kept for bot in group):
                self._waiting.remove(open_block)
                open_block.begin(self._voids[frozenset(open_block.group)])
                self._paces.begin(open_block)
                for each in passed:
                    if not set(group).isdisjoint(each.group):
                        each.pass_over()
                return open_block
            passed.append(open_block)
            if open_block.passed_over >= PATIENCE and self._come_soon(group, free, here):
                kept.update(group)
        return None

    def _come_soon(self, group: Collection[int], free: Collection[int], here: Collection[int]) -> bool:
        """Whether the bots of a group that are not free are here, and fast."""
        busy = [bot for bot in group if bot not in free]
        return all(bot in here for bot in group) and self.slow(here).isdisjoint(busy)

    def wait_no_longer(self, missing: Callable[[OpenBlock], frozenset[int]], begun: Iterable[OpenBlock] = ()) -> None:
        """In finals, which have to end: play blocks without the bots that are missing, which forfeit.

        That includes the remaining matches of blocks that were `begun`.
        """
        for open_block in (*self._waiting, *begun) if self.in_rounds else ():
            open_block.play_without(missing(open_block))

    def wants_round(self, present: Collection[Session]) -> bool:
        """Whether the schedule should be asked for more."""
        if self._planning:
            return False
        if self._again:
            return True
        ready = self._ready(present)
        return bool(ready) and self._done_with != self._state(ready)

    async def plan(self, present: Collection[Session]) -> list[OpenBlock]:
        """Draw the next round, or what is to be played again. Call `add` when that is on record."""
        self._planning = True
        pairings, self._again = self._again, []
        self._urgent = bool(pairings)
        if not pairings:
            pairings = await self._next_round(present)
        return [self._open(pairing) for pairing in pairings]

    async def _next_round(self, present: Collection[Session]) -> list[Pairing]:
        ready = self._ready(present)
        field = self.roster.field(self._kinds_by_need(), ready)
        # In a thread: a schedule that fits ratings takes a while, and matches must not wait for it.
        pairings = list(await asyncio.to_thread(self._round, field))
        if not self.in_rounds:
            # No more than that: nobody knows which bots will be here later.
            pairings = pairings[: _enough(ready)]
        if self.in_rounds and not pairings and not self._past.given and not self.problem:
            self.problem = "the finals cannot be played: their bots fill no table"
        self.over = not pairings and not self._unfinished and not self.problem
        self._done_with = None if pairings else self._state(ready)
        for pairing in pairings:
            self._past.give(pairing)
        return pairings

    def _kinds_by_need(self) -> Sequence[Kind]:
        """The kinds of tables; outside finals the least planned ones first, since a round may be cut short."""
        return self.kinds if self.in_rounds else sorted(self.kinds, key=self._past.tally.blocks.__getitem__)

    def _round(self, field: Participants) -> Sequence[Pairing]:
        self.problem = ""
        try:
            return self._schedule.next_round(field, self._past)
        except UsageError as error:
            # Too many groups to go through, for example: nothing is played until the field changes.
            self.problem = f"no round can be planned: {error}"
            log.warning("cannot plan", contest=self.name, error=str(error))
        except Exception as error:  # whatever it is, it must neither end the competition nor stop it without a word
            self.problem = f"no round can be planned: {type(error).__name__}: {error}"
            log.exception("cannot plan", contest=self.name)
        return ()

    def _ready(self, present: Collection[Session]) -> list[Session]:
        """The bots to plan more for; none if enough blocks are waiting that can be played.

        A block that waits for an absent bot does not count. One that waits for a slow bot counts only for that bot:
        the others would idle.
        """
        if self.in_rounds:
            return [] if self._unfinished else list(present)
        present = self.roster.entitled(present)
        here = {session.version_id for session in present}
        slow = self.slow(here)
        blocks = [each.group for each in self._waiting if here.issuperset(each.group)]
        waiting = Counter(bot for group in blocks for bot in group)
        fast = [session for session in present if session.version_id not in slow]
        enough = sum(slow.isdisjoint(group) for group in blocks) >= _enough(fast)
        short = [session for session in present if session.version_id in slow and waiting[session.version_id] < AHEAD]
        return [] if enough and not short else [*_with_short_queue(fast, waiting), *short]

    def _state(self, ready: Collection[Session]) -> object:
        return self.roster.field(self.kinds, ready), self._past.ended + len(self._news)

    def _open(self, pairing: Pairing) -> OpenBlock:
        rules = self._rules[pairing.kind]
        drawn = self.draw(pairing)
        block = Block(drawn.block_id, rules.game, pairing.group, drawn.seed, self._rotation, self.settings.deals)
        return OpenBlock(block, rules, self.settings, list(range(block.rotations)), drawn.plan)

    def add(self, open_blocks: Sequence[OpenBlock]) -> None:
        """The planned blocks can be played. Those that are played again come first."""
        self._planning = False
        self._add_news()
        self._unfinished += len(open_blocks)
        self._waiting = [*open_blocks, *self._waiting] if self._urgent else [*self._waiting, *open_blocks]

    def drop(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: drop the blocks that waited for it. Finals do wait for it."""
        if self.in_rounds:
            return []
        dropped = [each for each in self._waiting if version_id in each.group]
        self._waiting = [each for each in self._waiting if each not in dropped]
        self._unfinished -= len(dropped)
        return dropped

    def retire(self) -> list[OpenBlock]:
        """Play only what has been begun. Returns the blocks that were waiting."""
        waiting, self._waiting = self._waiting, []
        self._unfinished -= len(waiting)
        return waiting

    def finish(self, open_block: OpenBlock) -> None:
        """A block is over. One that was voided is played again, with another deal."""
        self._unfinished -= 1
        self._paces.end(open_block)
        if open_block.voided:
            self._again.append(open_block.pairing)
            self._voids[frozenset(open_block.group)] += 1
        else:
            self._voids.pop(frozenset(open_block.group), None)
            self._news.extend(open_block.results)
        if not self._planning:
            self._add_news()

    def _add_news(self) -> None:
        self._past.finish(self._news)
        self._news = []
