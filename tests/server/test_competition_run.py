"""Whole small competitions, from registration to their end, with bots of the SDK."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from sqlalchemy import func, select, update

from roost.v1 import admin_pb2, arena_pb2
from roost.v1.admin_pb2_grpc import AccountsStub, AdminStub
from roost_bots import SAMPLES
from roost_games.chance import commitment_of
from roost_ladder.blocks import seed_of_block
from roost_sdk.arena import client as sdk_client
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import grpc_links
from roost_server.accounts import keys
from roost_server.accounts.keys import Scope
from roost_server.answers.standings import standings_of
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.store import Store, open_store
from roost_server.store.models import BLOCK, BLOCK_MEMBER, BOT_VERSION, COMPETITION, MATCH, MATCH_SEAT
from tests.support.arenas.arena_program import address_of, program
from tests.support.arenas.hall import Hall, bounded, check_records, hall, settings
from tests.support.arenas.hall import until as hall_until
from tests.support.cups import cup
from tests.support.ports import free_port
from tests.support.records.matches import counted, rewrite_rules

CUP = """
name = "cup"
title = "Cup"
[[games]]
game = "karteneck"
players = [2]
[clock]
decision_ms = 60000
[entry]
who = "invited"
bots_per_owner = 2
[faults]
absence_seconds = 1
[[phases]]
phase = "registration"
[[phases]]
phase = "ladder"
[[phases]]
phase = "freeze"
[[phases]]
phase = "finals"
schedule = "round-robin"
rounds = ROUNDS
[[phases]]
phase = "done"
"""
STRAIGHT_TO_FINALS = cup(
    "registration", {"phase": "finals", "rounds": 4}, "done", clock={"decision_ms": 60_000}, entry={"who": "open"}
)
ROTATIONS = 2
"""Of a deal at a table of two."""
ALL = 3 * 4 * ROTATIONS
"""Matches of these finals: three pairs, four times."""


class Planned(NamedTuple):
    """A block of the finals."""

    id: str
    seed: str
    bots: tuple[str, ...]


until = partial(hall_until, pause=0.2)
"""Conditions are checked rarely here, because each check reads records or asks the arena."""


class People:
    """Owners with one bot each at an arena, whose bots come and go."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.keys: dict[str, str] = {}
        self._playing: dict[str, tuple[Client, asyncio.Task[None]]] = {}

    async def register(self, names: Sequence[str], invitation: str) -> None:
        async with grpc.aio.insecure_channel(self.address) as channel:
            accounts: Any = AccountsStub(channel)
            for name in names:
                request = admin_pb2.RegisterRequest(owner=name.upper(), invitation=invitation)
                self.keys[name] = (await accounts.Register(request)).key

    async def come(self, name: str, version: str = "v1") -> None:
        """Connect, and return when the arena has said welcome."""
        bot = Client(SAMPLES["random"], name=name, version=version, max_matches=2)
        task = asyncio.create_task(bot.run(grpc_links(self.address, Credentials(self.keys[name]))))
        self._playing[name] = (bot, task)
        await until(lambda: bot.welcome is not None or task.done())
        assert not task.done()

    async def go(self, *names: str) -> None:
        """Disconnect without a word."""
        for name in names or list(self._playing):
            bot, task = self._playing.pop(name)
            bot.stop()
            await task


@asynccontextmanager
async def people_at(address: str) -> AsyncIterator[People]:
    people = People(address)
    try:
        yield people
    finally:
        await people.go()


class Host:
    """Somebody with an admin's key."""

    def __init__(self, channel: grpc.aio.Channel, key: str) -> None:
        self._stub: Any = AdminStub(channel)
        self._shown = Credentials(key).metadata()

    async def ask(self, method: str, request: Any) -> Any:
        return await getattr(self._stub, method)(request, metadata=self._shown)

    async def phase(self, wanted: str) -> str:
        request = admin_pb2.ChangePhaseRequest(competition="cup", phase=wanted)
        return str((await self.ask("ChangePhase", request)).before)


def finals(store: Store) -> list[Planned]:
    """The blocks of the finals in the order of the plan."""
    query = select(BLOCK.c.id, BLOCK.c.seed).where(BLOCK.c.phase == "finals").order_by(BLOCK.c.serial)
    members = select(BLOCK_MEMBER.c.block_id, BOT_VERSION.c.name, BOT_VERSION.c.version).join(BOT_VERSION)
    with store.reading() as connection:
        groups: dict[str, list[str]] = {}
        for block_id, name, version in connection.execute(members.order_by(BLOCK_MEMBER.c.position)):
            groups.setdefault(block_id, []).append(f"{name} {version}")
        return [Planned(id, seed, tuple(groups[id])) for id, seed in connection.execute(query)]


def played_by(store: Store, phase: str) -> set[str]:
    query = (
        select(BOT_VERSION.c.name, BOT_VERSION.c.version)
        .join_from(MATCH, BLOCK)
        .join(MATCH_SEAT)
        .join(BOT_VERSION)
        .where(BLOCK.c.phase == phase)
    )
    with store.reading() as connection:
        return {f"{name} {version}" for name, version in connection.execute(query)}


async def phase_is(place: Hall, wanted: str) -> arena_pb2.CompetitionStatus:
    """Wait for a phase."""
    status = arena_pb2.CompetitionStatus()

    async def there() -> bool:
        answer = await place.stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())
        status.CopyFrom(answer.competitions[0])
        return bool(status.phase == wanted)

    await until(there)
    return status


async def matches_of(place: Hall) -> int:
    request = arena_pb2.ListMatchesRequest(competition="cup", limit=1000)
    return len((await place.stub.ListMatches(request)).matches)


@pytest.mark.long
def test_from_registration_to_the_end(tmp_path: Path) -> None:
    """Four owners; one comes with a newer version before the freeze, one never comes back for the finals."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(grace_seconds=0.2), CUP.replace("ROUNDS", "2")) as place,
            grpc.aio.insecure_channel(place.address) as channel,
            people_at(place.address) as people,
        ):
            host = Host(channel, keys.make_key(place.store, Scope.ADMIN, "test"))
            token = (await host.ask("Invite", admin_pb2.InviteRequest(uses=4))).invitation
            await people.register("abcd", token)
            for name in "abcd":
                await people.come(name)
            status = await phase_is(place, "registration")
            assert (status.entries, status.seed, await matches_of(place)) == (4, "", 0)
            commitment = status.commitment

            assert await host.phase("ladder") == "registration"
            await until(lambda: played_by(place.store, "ladder") >= {"a v1", "b v1", "c v1", "d v1"})
            await people.go("a")
            await people.come("a", "v2")
            await until(lambda: "a v2" in played_by(place.store, "ladder"))
            assert await host.phase("freeze") == "ladder"
            await people.go("d")
            # A version that comes after the freeze plays no part.
            await people.go("b")
            await people.come("b", "late")
            await until(lambda: not place.arena.seating.tables)
            ladder = await matches_of(place)

            assert await host.phase("finals") == "freeze"
            await people.go("b")
            await people.come("b", "v1")
            status = await phase_is(place, "done")
            assert commitment_of(bytes.fromhex(status.seed)) == commitment == status.commitment
            assert played_by(place.store, "finals") == {"a v2", "b v1", "c v1", "d v1"}
            planned = finals(place.store)
            pairs = [frozenset(block.bots) for block in planned]
            assert {pair: pairs.count(pair) for pair in pairs} == {
                frozenset(pair): 2 for pair in combinations(["a v2", "b v1", "c v1", "d v1"], 2)
            }
            for block in planned:
                assert block.seed == seed_of_block(bytes.fromhex(status.seed), block.id).hex()
            assert await matches_of(place) == ladder + 12 * ROTATIONS

            request = arena_pb2.GetStandingsRequest(competition="cup")
            standings = (await place.stub.GetStandings(request)).standings
            assert {row.name: (row.matches, row.blocks) for row in standings} == dict.fromkeys("abcd", (12, 6))
            absent = standings[-1]
            assert (absent.name, absent.wins) == ("d", 0), "who stays away forfeits"
            with pytest.raises(grpc.aio.AioRpcError, match="it is over"):
                await host.phase("finals")
            acts = (await host.ask("ListActs", admin_pb2.ListActsRequest())).acts
            assert [act.act for act in acts].count("phase changed") == 5
            check_without_forfeits(place.store)

    bounded(script)


def check_without_forfeits(store: Store) -> None:
    """Under the rules of an older competition, the matches that `d` forfeited would count for nobody."""
    rewrite_rules(store, "cup", CUP.replace("ROUNDS", "2").replace("[faults]", '[faults]\nforfeits = "ignore"'))
    answer = standings_of(store, arena_pb2.GetStandingsRequest(competition="cup"))
    assert {row.name: (row.matches, row.blocks) for row in answer.standings} == dict.fromkeys("abc", (8, 4))
    assert answer.matches == 12


@pytest.mark.long
def test_two_competitions_at_once(tmp_path: Path) -> None:
    """One bot plays both; each has its own matches and standings."""
    first = CUP.replace("ROUNDS", "1").replace('"invited"', '"open"')
    second = first.replace('"cup"', '"other"').replace("karteneck", "bratwurmeck")

    async def script() -> None:
        async with (
            hall(tmp_path, settings(), first, second) as place,
            grpc.aio.insecure_channel(place.address) as channel,
            people_at(place.address) as people,
        ):
            host = Host(channel, keys.make_key(place.store, Scope.ADMIN, "test"))
            await people.register("ab", "")
            for name in "ab":
                await people.come(name)
            for competition in ("cup", "other"):
                change = admin_pb2.ChangePhaseRequest(competition=competition, phase="ladder")
                await host.ask("ChangePhase", change)
            games = {"cup": "karteneck", "other": "bratwurmeck"}
            for competition, game in games.items():
                request = arena_pb2.ListMatchesRequest(competition=competition)

                async def played(request: arena_pb2.ListMatchesRequest = request) -> bool:
                    return len((await place.stub.ListMatches(request)).matches) >= 4

                await until(played)
                assert {match.game for match in (await place.stub.ListMatches(request)).matches} == {game}
                ask = arena_pb2.GetStandingsRequest(competition=competition)

                async def rated(ask: arena_pb2.GetStandingsRequest = ask) -> bool:
                    return len((await place.stub.GetStandings(ask)).standings) == 2

                await until(rated)
            status = await host.ask("GetStatus", admin_pb2.GetStatusRequest())
            assert [each.name for each in status.competitions] == ["cup", "other"]
            assert (status.connected, status.finished_matches >= 8) == (2, True)
            # The one ends, the other goes on.
            await host.phase("done")
            before = status.finished_matches

            async def goes_on() -> bool:
                asked = await host.ask("GetStatus", admin_pb2.GetStatusRequest())
                return bool(asked.finished_matches > before + 4)

            await until(goes_on)

    bounded(script)


def draw_up_with_seed(database: Path, text: str, seed: bytes) -> str:
    """A competition with this master seed, and an admin's key."""
    with open_store(f"sqlite:///{database}") as store:
        ledger.draw_up(store, parse_competition(text), text)
        with store.writing() as connection:
            new = {"seed": seed.hex(), "commitment": commitment_of(seed)}
            connection.execute(update(COMPETITION).values(**new))
        return keys.make_key(store, Scope.ADMIN, "test")


def finished_finals(store: Store) -> int:
    query = select(func.count()).select_from(MATCH).join(BLOCK).where(BLOCK.c.phase == "finals")
    with store.reading() as connection:
        return int(connection.scalar(query) or 0)


async def play_finals(folder: Path, seed: bytes, kills: Sequence[int]) -> list[Planned]:
    """A competition that goes straight to its finals. Its arena is killed after each of these numbers of matches."""
    folder.mkdir()
    database, file = folder / "roost.db", folder / "cup.toml"
    file.write_text(STRAIGHT_TO_FINALS)
    key = draw_up_with_seed(database, STRAIGHT_TO_FINALS, seed)
    listen = f"127.0.0.1:{free_port()}"
    async with people_at(listen) as people:
        for enough in (*kills, ALL):
            async with program("arena_program", database, listen, 0.0, file) as arena:
                assert await address_of(arena) == listen
                if not people.keys:
                    await begin(people, key)
                await until(lambda enough=enough: over(database, enough))  # type: ignore[misc]
                arena.kill()
    with open_store(f"sqlite:///{database}") as store:
        check_records(store)
        return finals(store)


async def begin(people: People, key: str) -> None:
    await people.register("abc", "")
    for name in "abc":
        await people.come(name)
    async with grpc.aio.insecure_channel(people.address) as channel:
        await Host(channel, key).phase("finals")


def over(database: Path, enough: int) -> bool:
    with open_store(f"sqlite:///{database}", read_only=True) as store:
        return finished_finals(store) >= enough and (enough < ALL or ledger.find(store, "cup").phase == "done")


@pytest.mark.long
def test_killed_in_the_middle_of_the_finals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same blocks with the same deals are played as without, each of them once."""
    monkeypatch.setattr(sdk_client, "LONGEST_PAUSE", 0.4)
    seed = secrets.token_bytes(32)
    runs: list[list[Planned]] = []

    async def script() -> None:
        runs.append(await play_finals(tmp_path / "whole", seed, ()))
        runs.append(await play_finals(tmp_path / "killed", seed, (3, 14)))

    bounded(script, seconds=180.0)
    whole, killed = runs
    assert killed == whole
    assert len(whole) == ALL // ROTATIONS
    for folder in ("whole", "killed"):
        with open_store(f"sqlite:///{tmp_path / folder}/roost.db", read_only=True) as store:
            assert finished_finals(store) == ALL
            rotations = [(row.block_id, row.facts.bots) for row in counted(store) if row.facts]
            assert len(set(rotations)) == len(rotations)
