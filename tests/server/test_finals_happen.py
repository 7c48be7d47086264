"""Finals that cannot be planned do not end a competition: its phase stays, and everybody can see why."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from roost.v1 import admin_pb2, arena_pb2
from roost_games.errors import UsageError
from roost_ladder.schedules.schedule import Pairing, Participants, Past
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.competition.ledger import Competition
from roost_server.play.contest import Contest
from roost_server.play.director import Director
from roost_server.settings import Settings
from roost_server.store import Store, open_store
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.cups import cup

CUP = cup(
    *(
        {"phase": phase, "starts": datetime(2026, 1, day, tzinfo=UTC)}
        for day, phase in enumerate(("registration", "freeze", "finals", "done"), start=1)
    )
)
LATER = datetime(2026, 2, 1, tzinfo=UTC)
REASON = "the finals cannot be played: with 1 bot not even a table of 2 can be filled"


def enter(store: Store, competition: Competition, name: str) -> None:
    owner_id = owners.add_owner(store, f"owner of {name}", "test")
    bot = owners.add_bot(store, f"owner of {name}", name, "test")
    store.register_version(name, "v1", bot_id=bot.id)
    ledger.enter(store, competition, bot.id, owner_id)


def test_finals_with_one_bot_wait_for_another(tmp_path: Path) -> None:
    """The last phase that can begin does. It is logged once, however often the clock looks."""

    async def script(store: Store) -> None:
        competition = ledger.draw_up(store, parse_competition(CUP), CUP)
        enter(store, competition, "a")
        director = Director(store, competition, Settings())
        await director.start()
        assert await director.tick(LATER)
        assert (director.competition.phase, director.problem) == ("freeze", REASON)
        assert not await director.tick(LATER)
        with pytest.raises(UsageError, match=REASON):
            await director.change_phase("finals", "host")
        assert ledger.find(store, "cup").phase == "freeze"
        enter(store, competition, "b")
        assert await director.tick(LATER)
        assert (director.competition.phase, director.problem) == ("finals", "")

    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, capture_logs() as logs:
        asyncio.run(script(store))
    assert [each["reason"] for each in logs if each["event"] == "phase cannot begin"] == [REASON]


class Broken:
    """A schedule that has no answer."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        raise self._error


@pytest.mark.parametrize("error", [UsageError("too many groups"), ZeroDivisionError("division by zero")])
def test_a_schedule_that_fails_does_not_end_a_contest(error: Exception) -> None:
    contest = Contest(Settings(), Broken(error), in_rounds=True)
    bots: Any = [SimpleNamespace(version_id=number, plays=lambda *_: True) for number in (1, 2)]
    with capture_logs() as logs:
        assert asyncio.run(contest.plan(bots)) == []
    assert not contest.over
    assert str(error) in contest.problem
    assert [each["event"] for each in logs] == ["cannot plan"]


def test_everybody_can_see_why_a_competition_does_not_go_on(tmp_path: Path) -> None:
    """In the list of competitions, the host's status and the metrics."""
    none = REASON.replace("1 bot", "0 bots")

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP) as place:
            asked = arena_pb2.ListCompetitionsRequest()
            await until(lambda: place.arena.directors[0].problem)
            (status,) = (await place.stub.ListCompetitions(asked)).competitions
            assert (status.phase, status.problem) == ("freeze", none)
            shown = Credentials(keys.make_key(place.store, Scope.ADMIN, "test")).metadata()
            async with grpc.aio.insecure_channel(place.address) as channel:
                call = channel.unary_unary(
                    "/roost.v1.Admin/GetStatus",
                    request_serializer=admin_pb2.GetStatusRequest.SerializeToString,
                    response_deserializer=admin_pb2.GetStatusResponse.FromString,
                )
                answer = await call(admin_pb2.GetStatusRequest(), metadata=shown)
            assert answer.competitions[0].problem == none
            assert place.arena._reading().problems == {"cup": none}

    bounded(script)
