"""Keeps connected bots playing: opens blocks, seats their matches when everybody has room, sees them through."""

import math
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from roost_games.game import Options
from roost_ladder.blocks import Block
from roost_ladder.least_played import LeastPlayed
from roost_server.clocks import epoch_ms
from roost_server.session import Session
from roost_server.settings import Rules

HEAD_START = 4
"""By so many blocks a kind of table may be ahead of the least played one. Then bots wait until enough of them are free
for that one: small tables are easier to fill, and would otherwise leave nobody for the large ones."""


@dataclass(slots=True)
class OpenBlock:
    """A block whose matches are not all recorded."""

    block: Block
    rules: Rules
    to_play: list[int]
    """The rotations that have not been started."""
    running: set[int] = field(default_factory=set)
    on_record: bool = False
    """Whether the store knows it."""
    voided: bool = False
    ended: list[str] = field(default_factory=list)
    """The ids of its matches that have ended."""
    created_ms: int = field(default_factory=epoch_ms)
    """Several of its matches may end before it is on record, and all of them must say the same about it."""


class Matchmaker:
    """Decides what is played next, and calls `seat(block, rotation)` to start a match.

    A bot is given new blocks as long as fewer matches are promised to it than it plays at once, and a match starts when
    every bot of its group has room for it.
    """

    def __init__(self, tables: Iterable[Rules], seat: Callable[[OpenBlock, int], None]) -> None:
        self._kinds = {(rules.game, rules.players): rules for rules in tables}
        self._schedule = LeastPlayed(tuple(self._kinds), Random(secrets.randbits(64)))
        self._seat = seat
        self._blocks: dict[str, OpenBlock] = {}
        self._again: list[OpenBlock] = []
        self.stopped = False

    def take_up(self, block: Block, options: Options, to_play: list[int], ended: list[str]) -> None:
        """Go on with a block that a former run of the arena left open, as soon as its bots are here."""
        rules = Rules(block.game, len(block.group), options)
        self._blocks[block.block_id] = OpenBlock(block, rules, to_play, on_record=True, ended=ended)

    def play(self, sessions: Collection[Session]) -> None:
        """Start whatever can be started with these bots. Who wants to leave still plays what has been begun."""
        here = {session.version_id: session for session in sessions if session.connected and not self.stopped}
        staying = {bot: session for bot, session in here.items() if not session.leaving}
        self._start_waiting(here)
        while (opened := self._open_block(staying)) is not None:
            self._start(opened, staying)
        promised = self._promised(here)
        for session in sessions:
            session.promised = promised.get(session.version_id, 0)

    def ended(self, block_id: str, rotation: int) -> bool:
        """A match of the block is recorded. True if it was the last."""
        open_block = self._blocks[block_id]
        open_block.running.discard(rotation)
        if open_block.running or open_block.to_play:
            return False
        del self._blocks[block_id]
        return True

    def give_up(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: start no more matches with it. Returns its blocks that are over thereby."""
        over = []
        for open_block in [each for each in self._blocks.values() if version_id in each.block.group]:
            open_block.to_play.clear()
            if not open_block.running:
                over.append(self._blocks.pop(open_block.block.block_id))
        return over

    def void(self, block_id: str) -> None:
        """The block does not count: start none of its other matches, and play such a block again soon."""
        open_block = self._blocks[block_id]
        if not open_block.voided:
            open_block.voided = True
            open_block.to_play.clear()
            self._again.append(open_block)

    def _start_waiting(self, present: dict[int, Session]) -> None:
        for open_block in list(self._blocks.values()):
            if open_block.to_play and _can_be_played(open_block, present):
                self._start(open_block, present)

    def _start(self, open_block: OpenBlock, present: dict[int, Session]) -> None:
        group = [present[bot] for bot in open_block.block.group]
        while open_block.to_play and all(session.playing < session.max_matches for session in group):
            rotation = open_block.to_play.pop(0)
            open_block.running.add(rotation)
            self._seat(open_block, rotation)

    def _open_block(self, present: dict[int, Session]) -> OpenBlock | None:
        free = self._with_room(present)
        for former in self._again:
            if all(bot in free for bot in former.block.group) and _can_be_played(former, present):
                self._again.remove(former)
                return self._new_block(former.rules, former.block.group)
        most = math.inf
        for kind in self._schedule.kinds_by_need():
            game, players = kind
            willing = [bot for bot, session in present.items() if session.plays(game, players)]
            if len(willing) < players:
                continue
            most = min(most, self._schedule.blocks(kind) + HEAD_START)
            group = self._schedule.choose(kind, players, [bot for bot in willing if bot in free])
            if group is not None and self._schedule.blocks(kind) < most:
                return self._new_block(self._kinds[kind], group)
        return None

    def _with_room(self, present: dict[int, Session]) -> set[int]:
        promised = self._promised(present)
        return {bot for bot, session in present.items() if session.playing + promised[bot] < session.max_matches}

    def _promised(self, present: dict[int, Session]) -> Counter[int]:
        """How many matches each bot has before it in blocks that have been opened."""
        promised: Counter[int] = Counter()
        for open_block in self._blocks.values():
            if open_block.to_play and _can_be_played(open_block, present):
                for bot in open_block.block.group:
                    promised[bot] += len(open_block.to_play)
        return promised

    def _new_block(self, rules: Rules, group: tuple[int, ...]) -> OpenBlock:
        block = Block(secrets.token_hex(8), rules.game, group, secrets.token_bytes(32))
        open_block = OpenBlock(block, rules, list(range(block.rotations)))
        self._blocks[block.block_id] = open_block
        self._schedule.count((rules.game, rules.players), group)
        return open_block


def _can_be_played(open_block: OpenBlock, present: Mapping[int, Session]) -> bool:
    """Whether all of its bots are here. One that came back may have come for other games."""
    rules = open_block.rules
    return all(bot in present and present[bot].plays(rules.game, rules.players) for bot in open_block.block.group)
