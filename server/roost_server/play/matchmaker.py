"""Keeps connected bots playing: takes blocks from the contests, seats their matches when everybody has room."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from roost_server.play.contest import Contest, OpenBlock
from roost_server.play.session import Session


class Matchmaker:
    """Decides what is played next, and calls `seat(block, rotation)` to start a match.

    A bot is given new blocks as long as fewer matches are promised to it than it plays at once, and a match starts when
    every bot of its group has room for it.
    """

    def __init__(self, contests: Iterable[Contest], seat: Callable[[OpenBlock, int], None]) -> None:
        self.contests = list(contests)
        """What is played, in the order in which they are asked for blocks next."""
        self._seat = seat
        self._blocks: dict[str, OpenBlock] = {}
        self._to_start: dict[str, OpenBlock] = {}
        """Those of them with matches that have not been started: few, so they are gone through every time."""
        self.stopped = False

    def play(self, sessions: Collection[Session]) -> list[Contest]:
        """Start whatever can be started with these bots. Who wants to leave still plays what has been begun.

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

    def ended(self, block_id: str, rotation: int) -> OpenBlock | None:
        """A match of the block is recorded. Returns the block if it was the last."""
        open_block = self._blocks[block_id]
        open_block.running.discard(rotation)
        if open_block.running or open_block.to_play:
            return None
        self._finish(open_block)
        return open_block

    def give_up(self, version_id: int) -> list[OpenBlock]:
        """A bot is gone: start no more matches with it. Returns its blocks that are over thereby.

        Finals wait until it is back, or was away for too long.
        """
        over = [each for contest in self.contests for each in contest.drop(version_id)]
        for open_block in [each for each in self._blocks.values() if version_id in each.block.group]:
            if not open_block.contest.in_rounds:
                open_block.to_play.clear()
                if not open_block.running:
                    over.append(open_block)
                    self._finish(open_block)
        for each in over:
            each.voided |= not each.ended
        return over

    def wait_no_longer(self, contest: Contest, missing: Callable[[OpenBlock], frozenset[int]]) -> None:
        """Have finals go on without the bots that are missing."""
        begun = [each for each in self._blocks.values() if each.contest is contest and each.to_play]
        contest.wait_no_longer(missing, begun)

    def void(self, block_id: str) -> None:
        """The block does not count: start none of its other matches. Its contest has it played again."""
        open_block = self._blocks[block_id]
        open_block.voided = True
        open_block.to_play.clear()

    def _finish(self, open_block: OpenBlock) -> None:
        del self._blocks[open_block.block.block_id]
        self._to_start.pop(open_block.block.block_id, None)
        open_block.contest.finish(open_block)

    def _start_begun(self, present: Mapping[int, Session]) -> None:
        for open_block in list(self._to_start.values()):
            if can_be_played(open_block, present):
                self._start(open_block, present)

    def _start(self, open_block: OpenBlock, present: Mapping[int, Session]) -> None:
        group = [present[bot] for bot in open_block.block.group if bot in present]
        while open_block.to_play and all(session.playing < session.max_matches for session in group):
            rotation = open_block.to_play.pop(0)
            open_block.running.add(rotation)
            self._seat(open_block, rotation)
        if not open_block.to_play:
            self._to_start.pop(open_block.block.block_id, None)

    def _begin_blocks(self, present: Mapping[int, Session]) -> bool:
        """Begin a block of each contest that has one for bots with room. False if there was none."""
        begun = False
        for contest in list(self.contests):
            open_block = contest.take(self._with_room(present), present)
            if open_block is not None:
                # Next time the others come first, or bots in several contests would play only one of them.
                self.contests.remove(contest)
                self.contests.append(contest)
                self._blocks[open_block.block.block_id] = self._to_start[open_block.block.block_id] = open_block
                self._start(open_block, present)
                begun = True
        return begun

    def _with_room(self, present: Mapping[int, Session]) -> set[int]:
        """Who can begin another block. For the rest of one that waits for a slow bot no room is kept."""
        slow = {bot for contest in self.contests for bot in contest.slow(present)}
        stuck = {bot for bot in slow if present[bot].playing >= present[bot].max_matches}
        promised = self._promised(present, stuck)
        return {bot for bot, session in present.items() if session.playing + promised[bot] < session.max_matches}

    def _promised(self, present: Mapping[int, Session], stuck: Collection[int] = ()) -> Counter[int]:
        """How many matches each bot has before it in blocks that have been begun, but for those of bots in `stuck`."""
        promised: Counter[int] = Counter()
        for open_block in self._to_start.values():
            group = open_block.block.group
            if open_block.to_play and can_be_played(open_block, present) and not any(bot in stuck for bot in group):
                for bot in group:
                    promised[bot] += len(open_block.to_play)
        return promised


def can_be_played(open_block: OpenBlock, present: Mapping[int, Session]) -> bool:
    """Whether all of its bots are here that it needs. One that came back may have come for other games."""
    rules = open_block.rules
    return all(
        present[bot].plays(rules.game, rules.players) if bot in present else bot in open_block.missing
        for bot in open_block.block.group
    )
