"""Keeps connected bots playing: takes blocks from the contests, and seats their matches when every bot has room."""

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, cast

from roost_games.replay import Result
from roost_server.play.block import Attendance, OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.session import Session

MOST_WOKEN = 64
"""How many bots are looked at again in a second although nobody has said that something changed for them."""
LOOK_SECONDS_A_BOT = 0.001
"""Between two looks at all bots, for each of them: so looking takes the same small share of the time in any arena."""


class Begun(NamedTuple):
    """A block that has been begun, and where it is from."""

    block: OpenBlock
    contest: Contest


class Staying(Container[int]):
    """The bots that may be given more to play."""

    def __init__(self, sessions: Mapping[int, Session]) -> None:
        self._sessions = sessions

    def __contains__(self, bot: object) -> bool:
        session = self._sessions.get(cast(int, bot))
        return session is not None and session.plays_on

    def connected(self, bot: int) -> Session | None:
        """The bot's session, even if it only plays what has begun; `None` if it is not here."""
        session = self._sessions.get(bot)
        return session if session is not None and session.connected else None

    def sessions(self) -> list[Session]:
        """Those of all of them."""
        return [session for session in self._sessions.values() if session.plays_on]


class Room(Container[int]):
    """The bots that can begin another block of a contest."""

    def __init__(self, contest: Contest, staying: Staying, kept: Callable[[int, Staying], int]) -> None:
        self._contest = contest
        self._staying = staying
        self._kept = kept

    def __contains__(self, bot: object) -> bool:
        number = cast(int, bot)
        session = self._staying.connected(number) if number in self._staying else None
        if session is None or not session.places.is_free:
            return False
        return session.playing + self._kept(number, self._staying) < self._contest.at_once(session)


class Matchmaker:
    """Decides what is played next, and calls `seat(block, rotation)` to start a match.

    A bot gets new blocks while fewer matches are promised to it than it plays at once. A match starts when every bot of
    its group has room for it, and the arena too.

    Code that changes what a bot may play calls `wake`: only the blocks of these bots are looked at. `look_again`
    notices what only the time has changed.
    """

    def __init__(
        self,
        seat: Callable[[OpenBlock, int], None],
        now: Callable[[], float],
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        self.contests: list[Contest] = []
        """What is played, in the order in which they are asked for blocks next."""
        self._seat = seat
        self._has_room = has_room
        self._now = now
        self._next_look = -math.inf
        self._attendance = Attendance(now)
        self._gone: dict[Contest, frozenset[int]] = {}
        """By contest, the bots for which finals wait no longer."""
        self._begun: dict[str, Begun] = {}
        self._to_start: defaultdict[int, dict[str, OpenBlock]] = defaultdict(dict)
        """By bot, the blocks that have been begun and have matches that have not been started."""
        self._startable: dict[str, OpenBlock] = {}
        """Those of them that may be started now."""
        self._woken: set[int] = set()
        self._in_turn: list[int] = []
        """The bots that `look_again` has yet to wake before it begins again."""
        self.stopped = False

    def wake(self, version_ids: Iterable[int]) -> None:
        """These bots may have room for another match, or there may be another match for them."""
        self._woken.update(version_ids)

    def came(self, version_id: int) -> None:
        """A bot has come, or may play again."""
        self._woken.add(version_id)
        for contest in self.contests:
            contest.note_change()

    def pass_time(self, sessions: Mapping[int, Session]) -> None:
        """Time has passed: `look_again`, but the more bots there are, the less often."""
        now = self._now()
        if now >= self._next_look:
            self._next_look = now + LOOK_SECONDS_A_BOT * len(sessions)
            self.look_again(sessions)

    def look_again(self, sessions: Mapping[int, Session]) -> None:
        """Something may have changed for anybody. This wakes bots that nobody has woken, of many some at a time."""
        here = {bot: not session.places.is_free for bot, session in sessions.items() if session.connected}
        for contest in self.contests:
            contest.look_again(here)
        self._in_turn = self._in_turn or list(sessions)
        self._woken.update(self._in_turn[-MOST_WOKEN:])
        del self._in_turn[-MOST_WOKEN:]

    def play(self, sessions: Mapping[int, Session]) -> list[Contest]:
        """Start everything that can be started with these bots. A bot that is leaving plays what has been begun.

        Returns the contests that should plan another round.
        """
        staying = Staying({} if self.stopped else sessions)
        woken = set(sessions) if self.stopped else self._woken
        self._woken = set()
        for bot in woken:
            self._startable.update(self._to_start.get(bot, {}))
            for contest in self.contests:
                contest.wake(bot)
        self._start_begun(staying)
        while self._begin_blocks(staying):
            pass
        # Bots that were woken by what has been started have no more room than before.
        for bot in woken | self._woken:
            self._tell_promised(bot, sessions, staying)
        self._woken = set()
        return self._wanting(staying)

    def _tell_promised(self, bot: int, sessions: Mapping[int, Session], staying: Staying) -> None:
        session = sessions.get(bot)
        if session is not None:
            session.promised = sum(len(block.to_play) for block in self._ahead(bot, staying))
            session.end_if_left()

    def _wanting(self, staying: Staying) -> list[Contest]:
        due = [contest for contest in self.contests if contest.is_due]
        present = staying.sessions() if due else []
        return [contest for contest in due if present and contest.wants_round(present)]

    def recorded(self, block: OpenBlock, match_id: str, rotation: int, result: Result) -> bool:
        """A match of a block is recorded. True if it was the last one."""
        block.record(match_id, rotation, result)
        self.wake(block.group)
        if block.is_over:
            self._finish(block)
        elif block.to_play:
            # A voided match is to be played again.
            self._set_aside(block)
        return block.is_over

    def give_up(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: start no more matches with it. Returns its blocks that are over now.

        Finals wait until it is back, or has been away for too long.
        """
        over = [block for contest in self.contests for block in contest.drop(version_id)]
        for block in over:
            block.cut_short()
            self.wake(block.group)
        for block, contest in list(self._open_blocks_of(version_id)):
            contest.give_up(block, version_id)
            self._put_away(block)
            if block.is_over:
                over.append(block)
                self._finish(block)
        return over

    def _open_blocks_of(self, version_id: int) -> Iterator[Begun]:
        for begun in self._begun.values():
            if version_id in begun.block.group and not begun.contest.in_rounds:
                yield begun

    def note_present(self, sessions: Iterable[Session]) -> None:
        """These bots are here: nobody has waited for them until now."""
        self._attendance.note(session.version_id for session in sessions if session.plays_on)

    def wait_no_longer(self, contest: Contest, seconds: float) -> None:
        """Have finals go on without the bots that have been away for longer than that, or are out."""
        if not contest.in_rounds:
            return
        begun = [block for block, of in self._begun.values() if of is contest and block.to_play]
        waited_for = {*contest.waited_for, *(bot for block in begun for bot in block.group)}
        for bot in waited_for:
            if self._attendance.away(bot):
                contest.note_waited(bot, self._attendance.passed)
        gone = contest.forfeiting.union(bot for bot in waited_for if self._attendance.away(bot) > seconds)
        concerned = gone | self._gone.get(contest, frozenset())
        self._gone[contest] = gone
        contest.wait_no_longer(partial(self._attendance.missing, seconds=seconds), concerned, begun)
        if concerned:
            self.wake(waited_for)

    def match_over(self, block: OpenBlock, rotation: int, taken_ms: Iterable[float]) -> None:
        """A match has ended, and its bots have room for another. The others have waited for each of them for a time."""
        contest = self._begun[block.id].contest
        for bot, ms in zip(block.block.seating(rotation), taken_ms, strict=True):
            contest.note_waited(bot, ms / 1000)
        self.wake(block.group)

    def _finish(self, block: OpenBlock) -> None:
        self._put_away(block)
        self._begun.pop(block.id).contest.finish(block)

    def _set_aside(self, block: OpenBlock) -> None:
        """Some of its matches have not been started."""
        for bot in block.group:
            self._to_start[bot][block.id] = block
        self.wake(block.group)

    def _put_away(self, block: OpenBlock) -> None:
        """All of its matches have been started, or no more will be."""
        self._startable.pop(block.id, None)
        for bot in block.group:
            self._to_start[bot].pop(block.id, None)
        self.wake(block.group)

    def _start_begun(self, staying: Staying) -> None:
        while self._startable and self._has_room():
            block = self._startable.pop(next(iter(self._startable)))
            if can_be_played(block, staying):
                self._start(block, staying)

    def _start(self, block: OpenBlock, staying: Staying) -> None:
        group = [session for bot in block.needed if (session := staying.connected(bot)) is not None]
        while block.to_play and self._has_room() and all(each.places.is_free for each in group):
            self._seat(block, block.start_match())
        if not block.to_play:
            self._put_away(block)
        elif not self._has_room():
            self._startable[block.id] = block

    def _begin_blocks(self, staying: Staying) -> bool:
        """Begin a block of each contest that has one for bots with room. False if there was none."""
        begun = False
        for contest in list(self.contests):
            block = contest.take(Room(contest, staying, self._kept), staying) if self._has_room() else None
            if block is not None:
                # Next time the others come first, or bots in several contests would play only one of them.
                self.contests.remove(contest)
                self.contests.append(contest)
                self._begun[block.id] = Begun(block, contest)
                self._set_aside(block)
                self._start(block, staying)
                begun = True
        return begun

    def _kept(self, bot: int, staying: Staying) -> int:
        """For how many matches a bot keeps room. It keeps none for the rest of a block that waits for a slow bot."""
        ahead = self._ahead(bot, staying)
        return sum(len(each.to_play) for each in ahead if not any(self._is_stuck(bot, staying) for bot in each.group))

    def _is_stuck(self, bot: int, staying: Staying) -> bool:
        session = staying.connected(bot)
        if session is None or session.places.is_free:
            return False
        return session.places.holds_up or any(bot in contest.slow for contest in self.contests)

    def _ahead(self, bot: int, staying: Staying) -> list[OpenBlock]:
        """The blocks with matches that a bot has yet to play."""
        return [block for block in self._to_start.get(bot, {}).values() if can_be_played(block, staying)]


def can_be_played(block: OpenBlock, staying: Staying) -> bool:
    """Whether all bots that it needs are here. One that came back may have come for other games."""
    rules = block.rules
    for bot in block.group:
        session = staying.connected(bot)
        if bot in block.out:
            continue
        if bot in block.needed if session is None else not session.plays(rules.game, rules.players):
            return False
    return True
