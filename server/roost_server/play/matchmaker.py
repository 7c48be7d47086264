"""Keeps connected bots playing: takes blocks from the contests, and seats their matches when every bot has room."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from roost_games.replay import Result
from roost_server.play.block import Attendance, OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.session import Session


class Begun(NamedTuple):
    """A block that has been begun, and where it is from."""

    block: OpenBlock
    contest: Contest


class Matchmaker:
    """Decides what is played next, and calls `seat(block, rotation)` to start a match.

    A bot gets new blocks while fewer matches are promised to it than it plays at once. A match starts when every bot of
    its group has room for it.
    """

    def __init__(self, seat: Callable[[OpenBlock, int], None], now: Callable[[], float]) -> None:
        self.contests: list[Contest] = []
        """What is played, in the order in which they are asked for blocks next."""
        self._seat = seat
        self._attendance = Attendance(now)
        self._begun: dict[str, Begun] = {}
        self._to_start: dict[str, OpenBlock] = {}
        """Those of them with matches that have not been started: few, so they are gone through every time."""
        self.stopped = False

    def play(self, sessions: Collection[Session]) -> list[Contest]:
        """Start everything that can be started with these bots. A bot that is leaving plays what has been begun.

        Returns the contests that should plan another round.
        """
        here = {session.version_id: session for session in sessions if session.connected and not self.stopped}
        self._start_begun(here)
        staying = {bot: session for bot, session in here.items() if session.plays_on}
        while self._begin_blocks(staying):
            pass
        promised = self._promised(here)
        for session in sessions:
            session.promised = promised.get(session.version_id, 0)
        return [contest for contest in self.contests if staying and contest.wants_round(staying.values())]

    def recorded(self, block: OpenBlock, match_id: str, rotation: int, result: Result) -> bool:
        """A match of a block is recorded. True if it was the last one."""
        block.record(match_id, rotation, result)
        if block.is_over:
            self._finish(block)
        elif block.to_play:
            # A voided match is to be played again.
            self._to_start[block.id] = block
        return block.is_over

    def give_up(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: start no more matches with it. Returns its blocks that are over now.

        Finals wait until it is back, or has been away for too long.
        """
        over = [block for contest in self.contests for block in contest.drop(version_id)]
        for block in over:
            block.cut_short()
        for block in list(self._open_blocks_of(version_id)):
            block.cut_short()
            if block.is_over:
                over.append(block)
                self._finish(block)
        return over

    def _open_blocks_of(self, version_id: int) -> Iterator[OpenBlock]:
        for block, contest in self._begun.values():
            if version_id in block.group and not contest.in_rounds:
                yield block

    def note_present(self, sessions: Iterable[Session]) -> None:
        """These bots are here: nobody has waited for them until now."""
        self._attendance.note(session.version_id for session in sessions if session.plays_on)

    def wait_no_longer(self, contest: Contest, seconds: float) -> None:
        """Have finals go on without the bots that have been away for longer than that."""
        begun = [block for block, of in self._begun.values() if of is contest and block.to_play]
        contest.wait_no_longer(partial(self._attendance.missing, seconds=seconds), begun)

    def _finish(self, block: OpenBlock) -> None:
        self._to_start.pop(block.id, None)
        self._begun.pop(block.id).contest.finish(block)

    def _start_begun(self, present: Mapping[int, Session]) -> None:
        for block in list(self._to_start.values()):
            if can_be_played(block, present):
                self._start(block, present)

    def _start(self, block: OpenBlock, present: Mapping[int, Session]) -> None:
        group = [present[bot] for bot in block.group if bot in present]
        while block.to_play and all(session.playing < session.max_matches for session in group):
            self._seat(block, block.start_match())
        if not block.to_play:
            self._to_start.pop(block.id, None)

    def _begin_blocks(self, present: Mapping[int, Session]) -> bool:
        """Begin a block of each contest that has one for bots with room. False if there was none."""
        begun = False
        for contest in list(self.contests):
            block = contest.take(self._with_room(present), present)
            if block is not None:
                # Next time the others come first, or bots in several contests would play only one of them.
                self.contests.remove(contest)
                self.contests.append(contest)
                self._begun[block.id] = Begun(block, contest)
                self._to_start[block.id] = block
                self._start(block, present)
                begun = True
        return begun

    def _with_room(self, present: Mapping[int, Session]) -> set[int]:
        """Who can begin another block. No room is kept for the rest of a block that waits for a slow bot."""
        slow = {bot for contest in self.contests for bot in contest.slow(present)}
        stuck = {bot for bot in slow if present[bot].playing >= present[bot].max_matches}
        promised = self._promised(present, stuck)
        return {bot for bot, session in present.items() if session.playing + promised[bot] < session.max_matches}

    def _promised(self, present: Mapping[int, Session], stuck: Collection[int] = ()) -> Counter[int]:
        """How many matches each bot has ahead in blocks that have been begun, without those of bots in `stuck`."""
        promised: Counter[int] = Counter()
        for block in self._to_start.values():
            if block.to_play and can_be_played(block, present) and not any(bot in stuck for bot in block.group):
                for bot in block.group:
                    promised[bot] += len(block.to_play)
        return promised


def can_be_played(block: OpenBlock, present: Mapping[int, Session]) -> bool:
    """Whether all bots that it needs are here. One that came back may have come for other games."""
    rules = block.rules
    return all(
        present[bot].plays(rules.game, rules.players) if bot in present else bot in block.missing for bot in block.group
    )
