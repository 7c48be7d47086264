"""Who is given matches of a competition."""

import asyncio

import pytest

from roost.v1 import play_pb2
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.schedule import Kind
from roost_server.competition.ledger import EnteredBot
from roost_server.play.contest import Contest
from roost_server.play.roster import OpenRoster
from roost_server.play.session import Session
from roost_server.settings import Settings, tables_of
from tests.support.arenas.table_world import FakePulse

DUEL = Kind("karteneck", 2)


class World:
    """Versions of bots that come one after the other."""

    def __init__(self) -> None:
        self.time = 0.0
        self.sessions: list[Session] = []
        entrants = [EnteredBot(bot_id, f"bot{bot_id}", f"owner{bot_id}", None) for bot_id in (1, 2, 3)]
        self.roster = OpenRoster(entrants, apart=False)

    def come(self, version_id: int, bot_id: int) -> None:
        self.time += 1
        hello = play_pb2.Hello(name=f"bot{bot_id}", version=f"v{version_id}")
        session = Session(hello, version_id, Settings(), FakePulse(lambda: self.time), bot_id=bot_id)
        session.connected = True
        self.sessions.append(session)


@pytest.fixture
def world() -> World:
    world = World()
    for version_id, bot_id in [(11, 1), (21, 2), (31, 3), (12, 1)]:
        world.come(version_id, bot_id)
    return world


def test_the_version_that_came_last_plays(world: World) -> None:
    assert sorted(world.roster.field([DUEL], world.sessions).bots) == [12, 21, 31]


def test_a_former_version_is_given_nothing_also_when_the_newer_one_has_a_long_queue(world: World) -> None:
    async def script() -> set[int]:
        contest = Contest(
            Settings(tables=tables_of(("karteneck",), (2,))), LeastPlayed(b"", turns=4), roster=world.roster
        )
        planned: set[int] = set()
        while contest.wants_round(world.sessions) and contest.waiting < 100:
            blocks = await contest.plan(world.sessions)
            contest.add(blocks)
            planned |= {bot for each in blocks for bot in each.block.group}
            # What does not include the newer version is begun at once, so that its queue grows beside the others'.
            contest.take({21, 31}, {12, 21, 31})
        return planned

    assert asyncio.run(script()) == {12, 21, 31}
