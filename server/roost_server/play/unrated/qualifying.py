"""Bots that have to qualify: each meets the opponents that the host names, one block after the other.

Nothing of it is rated. A bot that has qualified may play in the phase that demands it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf

from roost_ladder.blocks import Rotation
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past
from roost_server.competition.demands import BotQualification, QualificationPart, QualifyingBlock, in_words, trial_of
from roost_server.competition.qualification import NOT_BEGUN
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.roster import OpenRoster
from roost_server.play.session import Session
from roost_server.settings import Rules, Settings
from roost_server.store import Purpose


class Candidates:
    """The bots that are here and may play another block now, and their opponents. It is roster and schedule in one."""

    def __init__(self, part: QualificationPart, rules: Rules, entered: OpenRoster) -> None:
        self._part = part
        self._rules = rules
        self._entered = entered
        self.progress: dict[int, BotQualification] = {}
        """By bot, its progress."""
        self.played: dict[int, list[QualifyingBlock]] = {}
        """By version, its blocks that count."""
        self.busy: set[int] = set()
        """The versions that have a block, played or waiting."""
        self.missing: tuple[str, ...] = part.opponent
        """The opponents that were not here when somebody looked last."""
        self._opponents: tuple[int, ...] = ()

    @property
    def barred(self) -> frozenset[int]:
        """The bots that have entered and not qualified."""
        return frozenset(bot for bot in self._entered.bots if self.bars(bot))

    def bars(self, bot_id: int) -> bool:
        """Whether a bot has entered and not qualified. The opponents need not."""
        entry = self._entered.bots.get(bot_id)
        return entry is not None and not self._of(bot_id).qualified and entry.name not in self._part.opponent

    def in_words(self, bot_id: int) -> str:
        """How far a bot is."""
        away = f"; {' and '.join(self.missing)} is not here" if self.missing else ""
        return in_words(self._part, self._of(bot_id)) + away

    def _of(self, bot_id: int) -> BotQualification:
        return self.progress.get(bot_id, NOT_BEGUN)

    def entitled(self, present: Collection[Session]) -> list[Session]:
        """The bots that may play another block, if all opponents are here."""
        willing = [each for each in present if each.plays(*self._rules.kind)]
        found = {each.name: each for each in sorted(willing, key=lambda each: each.since)}
        self.missing = tuple(name for name in self._part.opponent if name not in found)
        if self.missing:
            return []
        self._opponents = tuple(found[name].version_id for name in self._part.opponent)
        return [each for each in self._entered.newest(willing) if self._is_due(each)]

    def _is_due(self, session: Session) -> bool:
        version, bot = session.version_id, self._of(session.bot_id or 0)
        free = version not in self.busy and session.name not in self._part.opponent
        return free and bot.may_try(self._part, version)

    def note(self, bot_id: int, version_id: int, block: QualifyingBlock) -> None:
        """A version has played another block."""
        played = self.played.setdefault(version_id, [])
        played.append(block)
        self.progress[bot_id] = self._of(bot_id).with_trial(trial_of(self._part, version_id, played))

    def field(self, kinds: Sequence[Kind], present: Collection[Session]) -> Participants:
        """Those of the bots that are here now."""
        return Participants(tuple(each.version_id for each in self.entitled(present)), tuple(kinds))

    def next_round(self, field: Participants, past: Past) -> list[Pairing]:
        """A block for each."""
        return [Pairing(self._rules.kind, (bot, *self._opponents)) for bot in field.bots]


class QualifyingContest(Contest):
    """Blocks of bots that have to qualify. A bot has one at a time: what it shows has an order."""

    purpose = Purpose.QUALIFICATION

    def __init__(self, settings: Settings, candidates: Candidates, rules: Rules, name: str, rotation: Rotation) -> None:
        # What a bot plays here is limited anyway, and its opponents play with everybody.
        paced = replace(settings, tables=(rules,), matches_per_bot_hour=inf, arena_seconds_per_hour=inf)
        super().__init__(paced, candidates, roster=candidates, name=name, rotation=rotation)
        self.candidates = candidates

    def _ready(self, present: Collection[Session]) -> list[Session]:
        # All of them: the field picks those that are due.
        return list(present) if self.candidates.entitled(present) else []

    def _state(self, ready: Collection[Session]) -> object:
        return frozenset(self.roster.field(self.kinds, ready).bots)

    def resume(self, open_block: OpenBlock) -> None:
        """Play a block that an earlier run planned and did not end."""
        self.candidates.busy.add(open_block.group[0])
        super().resume(open_block)

    def add(self, open_blocks: Sequence[OpenBlock]) -> None:
        """The planned blocks can be played."""
        self.candidates.busy.update(block.group[0] for block in open_blocks)
        super().add(open_blocks)

    def give_up(self, open_block: OpenBlock, version_id: int) -> None:
        """A bot is gone. What it has not played is lost; but nobody loses because an opponent has left."""
        if version_id == open_block.group[0]:
            open_block.cut_short()
        else:
            open_block.abandon()

    def finish(self, open_block: OpenBlock) -> None:
        """A block is over. One that was voided is not played again as it was: its opponents may be other versions."""
        super().finish(open_block)
        self._again.clear()

    def judge(self, block: OpenBlock, bot_id: int, played: QualifyingBlock) -> None:
        """A block is on record. Its bot may have qualified, or play another one."""
        if not block.voided:
            self.candidates.note(bot_id, block.group[0], played)
        self.candidates.busy.discard(block.group[0])
        self.note_change()
