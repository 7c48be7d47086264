"""Where bots are not told who their opponents are, no call says who has played in a block that is still open.

Two worlds have one past and one plan. In each, a match of another block has ended since: other bots have played. Nobody
but an admin gets an answer in which the worlds differ.
"""

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from google.protobuf.message import Message
from structlog.testing import capture_logs

from roost.v1 import arena_pb2, records_pb2
from roost_games.errors import RoostError
from roost_server.accounts.gate import ANYBODY, HOST, Asker
from roost_server.answers import questions
from roost_server.answers.ratings import Ratings
from roost_server.competition.file import PhaseName
from roost_server.errors import NamesHiddenError
from roost_server.export.writer import export
from roost_server.play.block import OpenBlock
from roost_server.store import Store, open_store
from tests.support.records.export_world import NAMES, Play

HIDDEN = "[entry]\nhide_names = true\n"
ASKERS = (ANYBODY, Asker("owner of anna"))
"""Somebody without a key, and the owner of a bot that plays."""
FILTERS = (records_pb2.RecordFilter(), records_pb2.RecordFilter(competition="cup", phase="ladder"))
PER_BOT: list[Message] = [
    each
    for name in NAMES
    for each in (
        *(records_pb2.GetBotRequest(bot=name, filter=wanted) for wanted in FILTERS),
        records_pb2.ListFaultsRequest(bot=name),
        arena_pb2.ListMatchesRequest(bot=name, limit=1000),
        arena_pb2.ListMatchesRequest(opponent=name, limit=1000),
        arena_pb2.ListMatchesRequest(bot=name, outcome=arena_pb2.OUTCOME_WON, limit=1000),
    )
]
ASKED: list[Message] = [
    arena_pb2.ListBotsRequest(),
    arena_pb2.GetStandingsRequest(),
    arena_pb2.GetStandingsRequest(everything=True),
    arena_pb2.GetStandingsRequest(competition="cup", phase="ladder"),
    *(records_pb2.GetCrossTableRequest(filter=wanted) for wanted in FILTERS),
    *(records_pb2.GetRatingHistoryRequest(filter=wanted) for wanted in FILTERS),
    arena_pb2.ListMatchesRequest(limit=1000),
    arena_pb2.ListCompetitionsRequest(),
    records_pb2.GetArenaRequest(),
    records_pb2.GetCompetitionRequest(competition="cup"),
    records_pb2.GetCollusionRequest(competition="cup"),
    arena_pb2.GetBracketRequest(competition="cup"),
    *PER_BOT,
]


class World(NamedTuple):
    """Records in which a match of an open block has ended."""

    store: Store
    play: Play
    played: OpenBlock
    match_id: str

    def ask(self, request: Message, asker: Asker) -> str:
        """The answer, or the error, without the time and without the id of the match that has just ended."""
        try:
            answer: Any = questions.RecordAnswers(self.store).answer(request, asker)
        except RoostError as error:
            return str(error)
        if isinstance(answer, records_pb2.GetArenaResponse):
            answer.ClearField("now_ms")
        return str(answer)


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[list[World]]:
    """Both worlds."""
    with open_store(f"sqlite:///{tmp_path}/0.db") as store, capture_logs():
        play = Play(store, "swiss", more=HIDDEN)
        blocks = asyncio.run(_past(play))
        Ratings(store).keep()
    shutil.copy(tmp_path / "0.db", tmp_path / "1.db")
    first = blocks[0]
    other = next(each for each in blocks if len(each.group) == len(first.group) and {*each.group} != {*first.group})
    with open_store(f"sqlite:///{tmp_path}/0.db") as one, open_store(f"sqlite:///{tmp_path}/1.db") as two:
        yield [_going_on(play, store, block) for store, block in ((one, first), (two, other))]


async def _past(play: Play) -> list[OpenBlock]:
    """A round of the ladder, and a plan in which three groups meet."""
    await play.begin()
    await play.phase(PhaseName.LADDER, rounds=1)
    contest = play.director.contest
    assert contest is not None
    planned: list[OpenBlock] = []
    while len({(len(each.group), frozenset(each.group)) for each in planned}) < 3:
        blocks = await contest.plan(play.present)
        await play.recorder.plan(blocks)
        contest.add(blocks)
        planned += blocks
    await play.recorder.aclose()
    return planned


def _going_on(play: Play, store: Store, block: OpenBlock) -> World:
    async def one_match() -> None:
        play.restored(store)
        play.rng = Random(7)
        await play.match(block, block.to_play[0])
        await play.recorder.aclose()

    with capture_logs():
        asyncio.run(one_match())
    Ratings(store).keep()
    request = arena_pb2.ListMatchesRequest(limit=1)
    newest: Any = questions.RecordAnswers(store).answer(request, HOST)
    return World(store, play, block, newest.matches[0].match_id)


def test_no_answer_says_who_has_played_in_an_open_block(worlds: list[World]) -> None:
    one, two = worlds
    for request in ASKED:
        for asker in ASKERS:
            assert one.ask(request, asker) == two.ask(request, asker), (type(request).__name__, request, asker)
    told = [world.ask(arena_pb2.ListMatchesRequest(limit=1), HOST) for world in worlds]
    assert re.findall("bots.*", told[0]) != re.findall("bots.*", told[1]), "admins see who has played"


def test_a_match_is_told_when_its_block_is_over(worlds: list[World]) -> None:
    world = worlds[0]
    requests: list[Message] = [
        arena_pb2.GetMatchRequest(match_id=world.match_id),
        arena_pb2.GetReplayRequest(match_id=world.match_id),
        records_pb2.ListFaultsRequest(bot="anna", match_id=world.match_id),
    ]
    answers = questions.RecordAnswers(world.store)
    for request in requests:
        for asker in ASKERS:
            with pytest.raises(NamesHiddenError, match="when all matches of its block are over"):
                answers.answer(request, asker)
        answers.answer(request, HOST)
    _end(world)
    for request in requests:
        assert answers.answer(request) == answers.answer(request, HOST)
    listed: Any = answers.answer(arena_pb2.ListMatchesRequest(limit=1000))
    assert world.match_id in {each.match_id for each in listed.matches}


def _end(world: World) -> None:
    """The other matches of the block are played."""

    async def rest() -> None:
        for rotation in world.played.to_play[1:]:
            await world.play.match(world.played, rotation)
        await world.play.recorder.close(world.played)
        await world.play.recorder.aclose()

    with capture_logs():
        world.play.restored(world.store)
        asyncio.run(rest())


def test_an_export_has_only_blocks_that_are_over(worlds: list[World], tmp_path: Path) -> None:
    for number, world in enumerate(worlds):
        export(world.store, "cup", tmp_path / f"export-{number}", "ladder", everything=False)
        for file in (tmp_path / f"export-{number}").iterdir():
            assert world.match_id not in file.read_text()
