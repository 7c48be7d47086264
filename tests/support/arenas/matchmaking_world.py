"""A matchmaker without an arena: fake sessions, and matches that end when a test says so."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from roost_games.replay import Result
from roost_ladder.blocks import Deals
from roost_ladder.schedules.registry import open_schedule
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.matchmaker import Matchmaker
from roost_server.settings import Settings, tables_of
from tests.support.arenas.table_world import FakeSession
from tests.support.records.matches import sketch


class MatchmakingWorld:
    """An open contest between bots that are numbered from 1."""

    def __init__(
        self,
        games: tuple[str, ...] = ("karteneck",),
        counts: tuple[int, ...] = (2,),
        bots: int = 2,
        schedule: str = "least-played",
        deals: Deals = Deals.OWN,
        now: Callable[[], float] = time.monotonic,
        **changes: Any,
    ) -> None:
        settings = Settings(tables=tables_of(games, counts), deals=deals, **changes)
        self.contest = Contest(settings, open_schedule(schedule, b"world"))
        self.matchmaker = Matchmaker(self._seat, now)
        self.matchmaker.contests = [self.contest]
        self.bots = {number: FakeSession(number) for number in range(1, bots + 1)}
        self.running: list[tuple[OpenBlock, int]] = []

    def _seat(self, open_block: OpenBlock, rotation: int) -> None:
        self.running.append((open_block, rotation))
        for bot in open_block.block.group:
            self.bots[bot].playing += 1
            assert self.bots[bot].playing <= self.bots[bot].max_matches
            assert self.bots[bot].connected
            assert open_block.ended or rotation or not self.bots[bot].leaving
            assert self.bots[bot].plays(open_block.rules.game, open_block.rules.players)

    @staticmethod
    def begun(open_blocks: list[OpenBlock]) -> list[OpenBlock]:
        """Those of which something has been played. The others were only planned, and are voided."""
        assert all(each.voided for each in open_blocks if not each.ended)
        return [each for each in open_blocks if each.ended]

    def play(self) -> None:
        """Start what can be started, and plan as long as that is wanted, as the arena does."""
        sessions = cast(Any, self.bots)
        while self.matchmaker.play(sessions):
            planned = asyncio.run(self.contest.plan([each for each in sessions.values() if each.plays_on]))
            self.contest.add(planned)
            if not planned:
                break

    def look_again(self) -> None:
        """Time has passed, or something about a bot was changed by hand."""
        self.matchmaker.look_again(cast(Any, self.bots))

    def end(self, *, voided: bool = False, taken_ms: Sequence[float] | None = None) -> bool:
        """The match that runs longest ends. The others have waited for each bot. True if its block is over."""
        open_block, rotation = self.running.pop(0)
        for bot in open_block.block.group:
            self.bots[bot].playing -= 1
        self.matchmaker.match_over(open_block, rotation, taken_ms or [0.0] * len(open_block.group))
        places = tuple(range(1, open_block.rules.players + 1))
        result = sketch("match", places, players=len(places)).result
        if voided:
            open_block.match_voided()
            result = Result((), (), "voided")
        return self.matchmaker.recorded(open_block, f"match {rotation}", rotation, result)
