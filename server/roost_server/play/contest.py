"""A contest: where the matchmaker gets its blocks from.

It asks a schedule for rounds, draws their deals, and keeps the blocks that wait to be played. An arena without
competitions plays one contest for all bots. A competition has a contest for each phase in which matches are played.
"""

import asyncio
import secrets
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import NamedTuple

import structlog

from roost_games.errors import UsageError
from roost_ladder.blocks import Block, Rotation
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.sure import Sure
from roost_server.play.block import OpenBlock
from roost_server.play.pacing.ahead import Paces, enough, to_plan_for
from roost_server.play.pacing.allowances import Allowances
from roost_server.play.pacing.queue import BlockQueue
from roost_server.play.roster import Everybody, Roster
from roost_server.play.session import Session
from roost_server.settings import Rules, Settings
from roost_server.store import Planned, Purpose

log = structlog.get_logger()
LOOK_SHARE = 32
"""Whether more is to be planned is looked at after changes to one in this many of the bots and blocks there are."""


class Drawn(NamedTuple):
    """What chance and the plan add to a pairing."""

    block_id: str
    seed: bytes
    plan: Planned | None


def draw_at_random(_: Pairing) -> Drawn:
    """A deal that nobody can predict, for an arena without a master seed."""
    return Drawn(secrets.token_hex(8), secrets.token_bytes(32), None)


class Contest:
    """Blocks for the matchmaker, by one schedule under one set of rules.

    With `in_rounds` a round is planned only when everything before it is over, as finals need it. Without it planning
    runs ahead of play, and a bot that is slow or away delays only the bots that are to meet it.
    """

    purpose = Purpose.RATED

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
        self.out: frozenset[int] = frozenset()
        """In finals, the versions of bots that were withdrawn or ruled out: they forfeit."""
        self._past = Past(recorded=self.recorded)
        self._news: list[MatchResult] = []
        """Results that came while the schedule was planning: it must not see the past change."""
        self._again: list[Pairing] = []
        self._voids: Counter[frozenset[int]] = Counter()
        """By group, how many of its blocks were voided since one was done."""
        self._queue = BlockQueue()
        self._unfinished = 0
        self._planning = self._urgent = False
        self._done_with: object = None
        """The field and the number of results for which the schedule had nothing more to play."""
        self._paces = Paces()
        self.slow: set[int] = set()
        """The bots that nobody should wait for: see `Paces`. In finals all bots wait for each other."""
        self._allowances = Allowances(settings)
        self.paused = False
        """Whether nothing is begun for now, because the disk is as full as the host allows."""
        self._waited: defaultdict[int, float] = defaultdict(float)
        """By bot, for how many seconds this round of finals has waited for it."""
        self._changes = self._looked_at = 0
        """How much has changed since `wants_round` looked, and how many bots and blocks it looked at."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of tables that are played."""
        return tuple(self._rules)

    @property
    def waiting(self) -> int:
        """How many blocks are planned and not begun."""
        return len(self._queue)

    @property
    def waited_for(self) -> Collection[int]:
        """The bots that planned blocks wait for."""
        return self._queue.bots

    def look_again(self, here: Mapping[int, bool]) -> None:
        """Time has passed: find out which bots are slow, and whether more should be planned.

        `here` are the bots that are here, and whether each plays as many matches as it takes.
        """
        slow = set() if self.in_rounds else self._paces.slow(here)
        # Others may have been kept free for blocks with a bot that is slow now.
        for bot in slow ^ self.slow:
            for block in self._queue.of_bot(bot):
                for other in block.group:
                    self._queue.wake(other)
        for bot in self._allowances.rested():
            self._queue.wake(bot)
        self.slow = slow
        self._looked_at = 0

    def note_change(self) -> None:
        """A bot has come, or may play again."""
        self._changes += 1

    def at_once(self, session: Session) -> int:
        """How many matches a bot may play at once."""
        most = min(session.places.at_once, self.settings.matches_at_once or sys.maxsize)
        if self.in_rounds:
            return most
        self._allowances.know(session.version_id, session.name)
        return self._allowances.at_once(session.version_id, most)

    def note_waited(self, version_id: int, seconds: float) -> None:
        """Others have waited for a bot, thinking or away."""
        if self.in_rounds:
            self._waited[version_id] += seconds
        else:
            self._allowances.wait(version_id, seconds)

    @property
    def forfeiting(self) -> frozenset[int]:
        """The bots that are out, and those for which this round of finals waits no longer."""
        spent = (bot for bot, seconds in self._waited.items() if seconds > self.settings.round_seconds)
        return self.out.union(spent)

    def wants(self, version_id: int) -> bool:
        """Whether planned blocks wait for a bot."""
        return self._queue.count(version_id) > 0

    def settings_for(self, rules: Rules) -> Settings:
        """How a block with these rules is played."""
        return self.settings

    def wake(self, version_id: int) -> None:
        """A bot may have room for another match."""
        self._queue.wake(version_id)

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
        self._looked_at = 0
        self._add_news()

    def resume(self, open_block: OpenBlock) -> None:
        """Play a block that an earlier run planned and did not end."""
        self.resumed.add(open_block.id)
        open_block.play_without((), self.out)
        self._unfinished += 1
        self._queue.append([open_block])

    def take(self, free: Container[int], here: Container[int]) -> OpenBlock | None:
        """The first block whose bots are all free, see `BlockQueue.take`. None if the ladder has to pause."""

        def comes_soon(group: Sequence[int]) -> bool:
            return not any(bot in self.slow or self._rests(bot) for bot in group if bot not in free)

        if not self.in_rounds and (self.paused or not self._allowances.may_begin):
            return None

        open_block = self._queue.take(free, here, comes_soon)
        if open_block is not None:
            self._changes += 1
            open_block.begin(self._voids[frozenset(open_block.group)])
            self._paces.begin(open_block)
            self._allowances.begin(open_block)
        return open_block

    def _rests(self, version_id: int) -> bool:
        """Whether a bot has used up what it may use in an hour."""
        return not self.in_rounds and self._allowances.rests(version_id)

    def wait_no_longer(
        self,
        missing: Callable[[OpenBlock], frozenset[int]],
        bots: Iterable[int],
        begun: Iterable[OpenBlock] = (),
    ) -> None:
        """In finals, which have to end: play the blocks of these bots without those that are missing or out.

        They forfeit. That includes the remaining matches of blocks that were `begun`.
        """
        waiting = {block.id: block for bot in bots for block in self._queue.of_bot(bot)}
        for open_block in (*waiting.values(), *begun):
            open_block.play_without(missing(open_block), self.forfeiting)

    @property
    def is_due(self) -> bool:
        """Whether `wants_round` is worth asking: it looks at everything, so not after every change."""
        if self._planning:
            return False
        waits = self.in_rounds and self._unfinished
        return bool(self._again) or (not waits and LOOK_SHARE * self._changes >= self._looked_at)

    def wants_round(self, present: Collection[Session]) -> bool:
        """Whether the schedule should be asked for more."""
        if not self.is_due or self._again:
            return self.is_due
        self._changes, self._looked_at = 0, len(present) + len(self._queue)
        ready = self._ready(present)
        return bool(ready) and self._done_with != self._state(ready)

    async def plan(self, present: Collection[Session]) -> list[OpenBlock]:
        """Draw the next round, or what is to be played again. Call `add` when that is on record."""
        self._planning = True
        pairings, self._again = self._again, []
        self._urgent = bool(pairings)
        if not pairings:
            pairings = await self._next_round(present)
        return await asyncio.to_thread(self._open_all, pairings)

    def _open_all(self, pairings: Sequence[Pairing]) -> list[OpenBlock]:
        return [self._open(pairing) for pairing in pairings]

    async def _next_round(self, present: Collection[Session]) -> list[Pairing]:
        self._waited.clear()
        ready = self._ready(present)
        field = self.roster.field(self._kinds_by_need(), ready)
        # In a thread: a schedule that fits ratings takes a while, and matches must not wait for it.
        pairings = list(await asyncio.to_thread(self._round, field))
        if not self.in_rounds:
            # No more than that: nobody knows which bots will be here later.
            pairings = pairings[: enough([session.places.at_once for session in ready])]
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
        """The bots to plan more for; none if enough blocks are waiting."""
        if self.in_rounds:
            return [] if self._unfinished else list(present)
        present = [each for each in self.roster.entitled(present) if not self._rests(each.version_id)]
        here = {session.version_id: session for session in present}
        at_once = {bot: session.places.at_once for bot, session in here.items()}
        return [here[bot] for bot in to_plan_for(at_once, self.slow, self._queue)]

    def _state(self, ready: Collection[Session]) -> object:
        return self.roster.field(self.kinds, ready), self._past.ended + len(self._news)

    def _open(self, pairing: Pairing) -> OpenBlock:
        rules = self._rules[pairing.kind]
        drawn = self.draw(pairing)
        block = Block(drawn.block_id, rules.game, pairing.group, drawn.seed, self._rotation, self.settings.deals)
        to_play = list(range(block.rotations))
        return OpenBlock(block, rules, self.settings, to_play, drawn.plan, purpose=self.purpose)

    def add(self, open_blocks: Sequence[OpenBlock]) -> None:
        """The planned blocks can be played. Those that are played again come first."""
        self._planning = False
        self._add_news()
        for open_block in open_blocks:
            open_block.play_without((), self.out)
        self._unfinished += len(open_blocks)
        self._looked_at = 0
        if self._urgent:
            self._queue.put_first(open_blocks)
        else:
            self._queue.append(open_blocks)

    def drop(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: drop the blocks that waited for it. Finals do wait for it."""
        if self.in_rounds:
            return []
        dropped = self._queue.of_bot(version_id)
        for each in dropped:
            self._queue.remove(each)
        self._unfinished -= len(dropped)
        return dropped

    def give_up(self, open_block: OpenBlock, version_id: int) -> None:
        """A bot is gone: start no more matches of a block that was begun with it."""
        open_block.cut_short()

    def retire(self) -> list[OpenBlock]:
        """Play only what has been begun. Returns the blocks that were waiting."""
        waiting, self._queue = list(self._queue), BlockQueue()
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
        self._changes += 1
        if not self._planning:
            self._add_news()

    def _add_news(self) -> None:
        self._past.finish(self._news)
        self._news = []
