"""A contest: where the matchmaker gets its blocks from.

It asks a schedule for rounds, draws their deals, and keeps the blocks that wait to be played. An arena without
competitions plays one contest in which everybody takes part; a competition is a contest for each phase that is played.
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
from roost_ladder.schedules.schedule import Field, Kind, Pairing, Past, Schedule
from roost_ladder.schedules.sure import Sure
from roost_server.play.block import OpenBlock, Paces
from roost_server.play.roster import Everybody, Roster
from roost_server.play.session import Session
from roost_server.settings import Rules, Settings
from roost_server.store import Planned

log = structlog.get_logger()
AHEAD = 2
"""So many blocks wait for each bot that plays one match at once before no more are planned: quick bots never stand."""
PATIENCE = 2
"""A block can be passed over so often by others that its bots are free for."""
WAITING_MORE = 6
"""A bot with so many blocks more waiting for it than for another gets none for now: it does not hold up the rest."""


class Drawn(NamedTuple):
    """What chance and the plan add to a pairing."""

    block_id: str
    seed: bytes
    plan: Planned | None


def draw_at_random(_: Pairing) -> Drawn:
    """A deal that nobody can know, for an arena that has no master seed."""
    return Drawn(secrets.token_hex(8), secrets.token_bytes(32), None)


def _enough(present: Collection[Session]) -> int:
    """How many blocks should wait: two for each bot, or more if bots play many matches at once."""
    return max(AHEAD * len(present), sum(session.max_matches for session in present) // 2)


def _unhurried(sessions: Collection[Session], waiting: Counter[int]) -> list[Session]:
    """Those without a much longer queue before them than others have."""
    least = min((waiting[session.version_id] for session in sessions), default=0)
    return [session for session in sessions if waiting[session.version_id] < least + WAITING_MORE]


class Contest:
    """Blocks for the matchmaker, by one schedule under one set of rules.

    With `in_rounds` a round is planned only when everything before it is over, which is what finals need. Without it
    planning runs ahead of play, and a bot that is slow or away delays nobody but those who wait for it.
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
        """Whether the schedule is at its end and everything is played. More bots can begin it anew."""
        self._rules = {rules.kind: rules for rules in settings.tables}
        self._schedule = schedule
        self.roster: Roster = Everybody() if roster is None else roster
        self.resumed: set[str] = set()
        """The ids of the blocks that earlier runs left to this one."""
        self.draw = draw
        self._rotation = rotation
        # Of all schedules one asks for ratings. For the others they would only take memory, match by match.
        self.recorded = isinstance(schedule, Sure)
        """Whether its past keeps what ratings need."""
        self._past = Past(recorded=self.recorded)
        self._news: list[MatchResult] = []
        """Results that came while the schedule was thinking, which must see one past."""
        self._again: list[Pairing] = []
        self._waiting: list[OpenBlock] = []
        self._unfinished = 0
        self._planning = self._urgent = False
        self._done_with: object = None
        """For which field and how many results the schedule had nothing more to play."""
        self._paces = Paces()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of tables that are played."""
        return tuple(self._rules)

    def rules_of(self, kind: Kind) -> Rules | None:
        """The rules at tables of this kind, if there are any."""
        return self._rules.get(kind)

    @property
    def waiting(self) -> int:
        """How many blocks are planned and not begun."""
        return len(self._waiting)

    def slow(self, bots: Collection[int]) -> set[int]:
        """Those for whom nobody should wait: see `Paces`. In finals everybody waits for everybody."""
        return set() if self.in_rounds else self._paces.slow(bots)

    def remember(self, past: Past, owed: Iterable[Pairing] = ()) -> None:
        """This was played in former runs of the arena. What is `owed` was voided there and is to be played again.

        While the contest is held back this can be done in another thread.
        """
        self._past = past
        for pairing in owed:
            past.give(pairing)
            self._again.append(pairing)

    def hold_back(self) -> None:
        """Plan nothing until `release`: what was played before is still being read. Blocks that are there go on."""
        self._planning = True

    def release(self) -> None:
        """Plan from now on."""
        self._planning = False
        self._take_in_news()

    def resume(self, open_block: OpenBlock) -> None:
        """Play a block that an earlier run planned and did not end."""
        self.resumed.add(open_block.id)
        self._unfinished += 1
        self._waiting.append(open_block)

    def take(self, free: Collection[int], here: Collection[int]) -> OpenBlock | None:
        """The first block that waits for none but these free bots. It waits no longer.

        Small tables are filled sooner than large ones. So a block that was passed over often enough, and all of whose
        bots are here, keeps those of them that are free for itself; but not while it waits for a slow one.
        """
        kept: set[int] = set()
        passed: list[OpenBlock] = []
        for open_block in self._waiting:
            group = [bot for bot in open_block.group if bot not in open_block.missing]
            if all(bot in free and bot not in kept for bot in group):
                self._waiting.remove(open_block)
                open_block.begin()
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
        """Whether those of a group that are not free are here, and quick."""
        busy = [bot for bot in group if bot not in free]
        return all(bot in here for bot in group) and self.slow(here).isdisjoint(busy)

    def wait_no_longer(self, missing: Callable[[OpenBlock], frozenset[int]], begun: Iterable[OpenBlock] = ()) -> None:
        """Have blocks played without the bots that are missing: they forfeit. Also the rest of those that were `begun`.

        For finals, which have to end.
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
        """Draw the next round, or what is to be played again. `add` ends the planning, when everything is on record."""
        self._planning = True
        pairings, self._again = self._again, []
        self._urgent = bool(pairings)
        if not pairings:
            pairings = await self._next_round(present)
        return [self._open(pairing) for pairing in pairings]

    async def _next_round(self, present: Collection[Session]) -> list[Pairing]:
        ready = self._ready(present)
        of_whom = self.roster.field(self._kinds_by_need(), ready)
        # In a thread of its own: a schedule that fits ratings takes its time, and matches must not wait for it.
        pairings = list(await asyncio.to_thread(self._round, of_whom))
        if not self.in_rounds:
            # More would be planned without knowing who is here then.
            pairings = pairings[: _enough(ready)]
        self.over = not pairings and not self._unfinished
        self._done_with = None if pairings else self._state(ready)
        for pairing in pairings:
            self._past.give(pairing)
        return pairings

    def _kinds_by_need(self) -> Sequence[Kind]:
        """Of a round only the beginning may be taken. So what was planned least comes first, but in finals."""
        return self.kinds if self.in_rounds else sorted(self.kinds, key=self._past.tally.blocks.__getitem__)

    def _round(self, of_whom: Field) -> Sequence[Pairing]:
        try:
            return self._schedule.next_round(of_whom, self._past)
        except UsageError as error:
            # Too many groups to go through, for example: nothing is played until the field is another one.
            log.warning("cannot plan", contest=self.name, error=str(error))
            return ()

    def _ready(self, present: Collection[Session]) -> list[Session]:
        """For whom more is to be planned; nobody if enough waits that can be played.

        What waits for somebody who does not play on is not counted, and what waits for a slow bot only for that one:
        the others would stand.
        """
        if self.in_rounds:
            return [] if self._unfinished else list(present)
        present = self.roster.entitled(present)
        here = {session.version_id for session in present}
        slow = self.slow(here)
        blocks = [each.group for each in self._waiting if here.issuperset(each.group)]
        waiting = Counter(bot for group in blocks for bot in group)
        quick = [session for session in present if session.version_id not in slow]
        enough = sum(slow.isdisjoint(group) for group in blocks) >= _enough(quick)
        hungry = [session for session in present if session.version_id in slow and waiting[session.version_id] < AHEAD]
        return [] if enough and not hungry else [*_unhurried(quick, waiting), *hungry]

    def _state(self, ready: Collection[Session]) -> object:
        return self.roster.field(self.kinds, ready), self._past.ended + len(self._news)

    def _open(self, pairing: Pairing) -> OpenBlock:
        rules = self._rules[pairing.kind]
        drawn = self.draw(pairing)
        block = Block(drawn.block_id, rules.game, pairing.group, drawn.seed, self._rotation)
        return OpenBlock(block, rules, self.settings, list(range(block.rotations)), drawn.plan)

    def add(self, open_blocks: Sequence[OpenBlock]) -> None:
        """The blocks that were planned can be played. They are before those that wait, if they are played again."""
        self._planning = False
        self._take_in_news()
        self._unfinished += len(open_blocks)
        self._waiting = [*open_blocks, *self._waiting] if self._urgent else [*self._waiting, *open_blocks]

    def drop(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: the blocks that waited for it are played no more. Finals wait for it all the same."""
        if self.in_rounds:
            return []
        dropped = [each for each in self._waiting if version_id in each.group]
        self._waiting = [each for each in self._waiting if each not in dropped]
        self._unfinished -= len(dropped)
        return dropped

    def retire(self) -> list[OpenBlock]:
        """Play no more but what has been begun. Returns the blocks that were waiting."""
        waiting, self._waiting = self._waiting, []
        self._unfinished -= len(waiting)
        return waiting

    def finish(self, open_block: OpenBlock) -> None:
        """A block is over. One that was voided is played again, with another deal."""
        self._unfinished -= 1
        self._paces.end(open_block)
        if open_block.voided:
            self._again.append(open_block.pairing)
        else:
            self._news.extend(open_block.results)
        if not self._planning:
            self._take_in_news()

    def _take_in_news(self) -> None:
        self._past.finish(self._news)
        self._news = []
