"""Learning held results from what surrounds them: counts, presence, quarantine, lists, records, exports and challenges.

The attackers are somebody without a key, and Zoe, whose own bot has played and left. They ask everything, and again
after many more matches that ended with a bot in quarantine. A refused challenge used to tell of that, with the kinds of
faults and the ids of matches.
"""

from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from prometheus_client import generate_latest

from roost.v1 import arena_pb2, play_pb2, records_pb2
from tests.support.arenas.challenging_world import Silent, ask, ladder
from tests.support.arenas.hall import bounded, refusal, until
from tests.support.arenas.qualifying_world import Qualifying, qualifying
from tests.support.arenas.raw_bot import Answers, RawBot

HELD = ladder(phase={"phase": "ladder", "results": "held"})
MORE = 40
"""How many matches are played between the two times at which everything is asked."""
OF_MATCHES: list[dict[str, Any]] = [
    {},
    {"running": True},
    {"competition": "cup", "phase": "ladder"},
    {"bot": "moody"},
    {"bot": "steady", "opponent": "moody"},
    {"bot": "moody", "outcome": arena_pb2.OUTCOME_FORFEITED},
    {"bot": "steady", "outcome": arena_pb2.OUTCOME_WON},
    {"with_faults": True},
    {"since_ms": 1},
]
FILTERS = (records_pb2.RecordFilter(), records_pb2.RecordFilter(competition="cup", phase="ladder"))
BOTS = ("steady", "moody", "zebra")
FAULTS = ("ListFaults", records_pb2.ListFaultsRequest(bot="moody"))
QUESTIONS: list[tuple[str, Message]] = [
    ("GetArena", records_pb2.GetArenaRequest()),
    ("ListBots", arena_pb2.ListBotsRequest()),
    ("ListBots", arena_pb2.ListBotsRequest(connected_only=True)),
    ("GetStandings", arena_pb2.GetStandingsRequest()),
    ("GetStandings", arena_pb2.GetStandingsRequest(everything=True)),
    *(("GetCrossTable", records_pb2.GetCrossTableRequest(filter=each)) for each in FILTERS),
    *(("GetRatingHistory", records_pb2.GetRatingHistoryRequest(filter=each)) for each in FILTERS),
    *(("GetBot", records_pb2.GetBotRequest(bot=bot, filter=each)) for bot in BOTS for each in FILTERS),
    *(("ListFaults", records_pb2.ListFaultsRequest(bot=bot)) for bot in BOTS),
    ("ListCompetitions", arena_pb2.ListCompetitionsRequest()),
    ("GetCompetition", records_pb2.GetCompetitionRequest(competition="cup")),
    ("GetBracket", arena_pb2.GetBracketRequest(competition="cup")),
    ("GetCollusion", records_pb2.GetCollusionRequest(competition="cup")),
]


class Moody(RawBot):
    """Honest until it is told not to be. Then every answer is a fault."""

    honest = True

    def answers(self, decision: play_pb2.Decision) -> Answers:
        if self.honest:
            return super().answers(decision)
        return (play_pb2.Answer(match=decision.match, request=decision.request),)


class Attacker:
    """Somebody who asks everything, and shows a key or none."""

    def __init__(self, there: Qualifying, shown: Any) -> None:
        self._stub = there.place.stub
        self._shown = shown

    async def everything(self) -> list[str]:
        """All answers, in words."""
        answers = [await self.answer(method, request) for method, request in QUESTIONS]
        pages = [await self._pages(each) for each in OF_MATCHES]
        return [*answers, *pages, *await self._exported()]

    async def answer(self, method: str, request: Message) -> str:
        """One answer, in words."""
        try:
            answer = await getattr(self._stub, method)(request, metadata=self._shown)
        except grpc.aio.AioRpcError as error:
            return f"{error.code()} {error.details()}"
        if isinstance(answer, records_pb2.GetArenaResponse):
            answer.ClearField("now_ms")
        return f"{method} {answer}"

    async def _pages(self, wanted: dict[str, Any]) -> str:
        """The ids of the matches on a list, a page for each."""
        found: list[str] = []
        while True:
            request = arena_pb2.ListMatchesRequest(limit=1, before_match_id=found[-1] if found else "", **wanted)
            page = (await self._stub.ListMatches(request, metadata=self._shown)).matches
            found += [each.match_id for each in page]
            if not page or request.running:
                return f"{wanted} {found}"

    async def _exported(self) -> list[str]:
        request, files = arena_pb2.ExportCompetitionRequest(competition="cup"), dict[str, bytes]()
        async for part in self._stub.ExportCompetition(request, metadata=self._shown):
            files[part.file] = files.get(part.file, b"") + part.data
        return [f"{name} {data.decode()}" for name, data in sorted(files.items())]


async def zebra_plays_and_leaves(there: Qualifying) -> None:
    zebra = await there.come("zebra", "Zoe")
    await until(lambda: len(zebra.ended) >= 2)
    await zebra.disconnect()
    arena = there.place.arena
    await until(lambda: not any(each.seat.bot == "zebra" for table in arena.seating.tables for each in table.chairs))


@pytest.mark.long
def test_nothing_around_held_results_tells_them(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, HELD) as there:
            await there.come("steady", "Ann")
            moody: Any = await there.come("moody", "Bob", Moody)
            await there.phase("ladder")
            await zebra_plays_and_leaves(there)
            keys = (None, there.shown_by("Zoe"), there.host)
            *attackers, host = [Attacker(there, shown) for shown in keys]
            seen_by_host = await host.answer(*FAULTS)
            before = [await each.everything() for each in attackers]
            played = len(await there.place.matches())
            await there.place.matches(played + MORE)
            moody.honest = False
            await until(lambda: "moody" in there.place.arena.quarantine)
            for attacker, told in zip(attackers, before, strict=True):
                for then, now in zip(told, await attacker.everything(), strict=True):
                    assert then == now
            assert await host.answer(*FAULTS) != seen_by_host, "an admin sees what has happened meanwhile"
            await there.come("zebra", "Zoe", Silent)
            said = [await refusal(ask(there, "Zoe", "zebra", name)) for name in ("steady", "moody")]
            assert [each for _, each in said] == [
                f"{name} plays where results are held back; challenge it when they are released"
                for name in ("steady", "moody")
            ]
            metrics = generate_latest(there.place.arena.metrics._registry).decode().splitlines()
            named = {line.partition("{")[0] for line in metrics if any(bot in line for bot in BOTS)}
            assert named == {"roost_bot_matches_at_once", "roost_bot_decision_seconds"}

    bounded(script)
