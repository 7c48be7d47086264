"""Keys at a running arena: what ends a stream, how many of them there may be, and a flood that slows nobody."""

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from roost.v1 import admin_pb2, arena_pb2
from roost.v1.admin_pb2_grpc import AccountsStub, AdminStub
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import gate, keys, owners
from roost_server.accounts.keys import SHOWN, Scope
from roost_server.accounts.limits import Buckets, RequestLimits
from roost_server.clocks import epoch_ms
from roost_server.serving import services
from roost_server.store import Store, queries
from tests.support.arenas.hall import Hall, bounded, hall, settings, until
from tests.support.arenas.raw_bot import RawBot
from tests.support.cups import cup

ENTRY = {"who": "open", "bots_per_owner": 1}
CUP = cup("ladder", "done", entry=ENTRY)


def owner_key(store: Store, name: str, **more: Any) -> str:
    if name not in {owner.name for owner in owners.owners(store)}:
        owners.add_owner(store, name, "test")
    return keys.make_key(store, Scope.OWNER, "test", owner=name, **more)


def shown(key: str) -> Any:
    return Credentials(key).metadata()


async def refused(bot: RawBot) -> str:
    """The status with which a bot is turned away."""
    with pytest.raises(ConnectionRefusedError) as refusal:
        await bot.connect()
    return str(refusal.value.args[0].name)


def test_a_revoked_key_ends_its_streams_and_no_others(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(grace_seconds=0.2), CUP) as place:
            admin = shown(keys.make_key(place.store, Scope.ADMIN, "test"))
            ann, bob = owner_key(place.store, "Ann"), owner_key(place.store, "Bob")
            async with (
                RawBot(place.address, "a", key=ann) as a,
                RawBot(place.address, "b", key=bob) as b,
                grpc.aio.insecure_channel(place.address) as channel,
            ):
                await until(lambda: a.decisions and b.decisions)
                desk: Any = AdminStub(channel)
                await desk.EndKey(admin_pb2.EndKeyRequest(prefix=ann[:SHOWN]), metadata=admin)
                await a.playing
                assert a.status is grpc.StatusCode.UNAUTHENTICATED
                assert "was revoked" in a.details
                assert not b.playing.done()
                assert await refused(RawBot(place.address, "a", key=ann)) == "UNAUTHENTICATED"
                other = owner_key(place.store, "Ann")
                async with RawBot(place.address, "a", "v2", key=other) as again:
                    await until(lambda: again.ended)

    bounded(script)


def test_a_key_that_expires_ends_its_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is up two seconds after the stream was opened, however long the key is really valid."""
    valid_ms = 600_000
    monkeypatch.setattr(services, "epoch_ms", lambda: epoch_ms() + valid_ms - 2_000)

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP) as place:
            ann = owner_key(place.store, "Ann", expires_ms=epoch_ms() + valid_ms)
            async with RawBot(place.address, "a", key=ann) as a:
                await a.playing
                assert a.status is grpc.StatusCode.UNAUTHENTICATED

    bounded(script)


def planned_with(place: Hall, bot: RawBot) -> bool:
    """Whether blocks of a bot are open."""
    version_id = bot.welcome.version_id
    return any(version_id in block.version_ids for block in queries.unfinished_blocks(place.store))


def test_the_same_key_twice(tmp_path: Path) -> None:
    """As docs/hosting/competition.md says."""

    async def script() -> None:
        async with hall(tmp_path, settings(bots_per_owner=3), CUP) as place:
            ann, bob = owner_key(place.store, "Ann"), owner_key(place.store, "Bob")
            async with RawBot(place.address, "a", key=ann) as old, RawBot(place.address, "b", key=bob) as b:
                await until(lambda: old.ended)
                assert await refused(RawBot(place.address, "a", key=ann)) == "ALREADY_EXISTS"
                assert await refused(RawBot(place.address, "a", key=bob)) == "PERMISSION_DENIED"
                async with RawBot(place.address, "a", "v2", key=ann) as new:
                    # The old one ends what was planned with it, and is given nothing more.
                    await until(lambda: len(new.ended) >= 12 and not planned_with(place, old))
                    ended, so_far = len(old.ended), len(new.ended)
                    await until(lambda: len(new.ended) >= so_far + 6)
                    assert len(old.ended) == ended
                    assert await refused(RawBot(place.address, "a2", key=ann)) == "INVALID_ARGUMENT"
                    async with RawBot(place.address, "a", "v3", key=ann):
                        assert await refused(RawBot(place.address, "a", "v4", key=ann)) == "RESOURCE_EXHAUSTED"
                assert not b.playing.done()

    bounded(script)


def test_who_is_refused_has_claimed_no_name(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(bots_per_owner=2), CUP) as place:
            ann, bob = owner_key(place.store, "Ann"), owner_key(place.store, "Bob")
            async with RawBot(place.address, "a", key=ann), RawBot(place.address, "a", "v2", key=ann):
                assert await refused(RawBot(place.address, "good-name", key=ann)) == "RESOURCE_EXHAUSTED"
            await until(lambda: not any(each.connected for each in place.arena.lobby.sessions))
            assert await refused(RawBot(place.address, "good-name", key=ann)) == "INVALID_ARGUMENT"
            assert [each.name for each in owners.bots(place.store)] == ["a"]
            async with RawBot(place.address, "good-name", key=bob) as b:
                assert b.welcome.version_id

    bounded(script)


def test_an_owner_sees_to_own_things(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(), CUP) as place,
            grpc.aio.insecure_channel(place.address) as channel,
        ):
            desk: Any = AccountsStub(channel)
            ann = shown((await desk.Register(admin_pb2.RegisterRequest(owner="Ann"))).key)
            own = (await desk.MakeOwnKey(admin_pb2.MakeOwnKeyRequest(bot="a"), metadata=ann)).key
            async with RawBot(place.address, "a", key=own):
                account = await desk.GetAccount(admin_pb2.GetAccountRequest(), metadata=ann)
                assert (account.owner, [bot.name for bot in account.bots]) == ("Ann", ["a"])
                assert [(entry.competition, entry.bot, entry.phase) for entry in account.entries] == [
                    ("cup", "a", "ladder")
                ]
                assert len(account.keys) == 2
                await desk.ChangeEntry(admin_pb2.ChangeEntryRequest(competition="cup", bot="a"), metadata=ann)
            async with RawBot(place.address, "a", "v2", key=own):
                account = await desk.GetAccount(admin_pb2.GetAccountRequest(), metadata=ann)
                assert not account.entries, "who was withdrawn does not come back by connecting"
            back = admin_pb2.ChangeEntryRequest(competition="cup", bot="a", enter=True)
            await desk.ChangeEntry(back, metadata=ann)
            account = await desk.GetAccount(admin_pb2.GetAccountRequest(), metadata=ann)
            assert len(account.entries) == 1
            bots = await place.stub.ListBots(arena_pb2.ListBotsRequest())
            assert {bot.owner for bot in bots.bots} == {"Ann"}
            assert all(bot.last_seen_ms >= bot.first_seen_ms > 0 for bot in bots.bots)

    bounded(script)


def test_a_flood_is_turned_away_and_others_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = RequestLimits(requests_per_second=5.0, burst=20)
    now = 0.0
    monkeypatch.setattr(gate, "Buckets", partial(Buckets, now=lambda: now))

    async def script() -> None:
        nonlocal now
        async with (
            hall(tmp_path, settings(), CUP, limits=limits) as place,
            grpc.aio.insecure_channel(place.address) as channel,
        ):
            ann, bob = shown(owner_key(place.store, "Ann")), shown(owner_key(place.store, "Bob"))

            async def ask(metadata: Any) -> str:
                stub: Any = ArenaStub(channel)
                try:
                    await stub.ListBots(arena_pb2.ListBotsRequest(), metadata=metadata)
                except grpc.aio.AioRpcError as error:
                    return error.code().name
                return "OK"

            assert [await ask(ann), await ask(bob)] == ["OK", "OK"]
            flood = await asyncio.gather(*(ask(ann) for _ in range(100)))
            assert Counter(flood) == {"OK": 19, "RESOURCE_EXHAUSTED": 81}
            made_up = await asyncio.gather(*(ask(shown(f"roost_{number}")) for number in range(100)))
            assert Counter(made_up) == {"UNAUTHENTICATED": 20, "RESOURCE_EXHAUSTED": 80}
            assert await ask(bob) == "OK"
            assert [await ask(ann), await ask(shown("roost_more"))] == ["RESOURCE_EXHAUSTED"] * 2
            now += 0.2
            assert [await ask(ann), await ask(ann)] == ["OK", "RESOURCE_EXHAUSTED"]

    bounded(script)


def test_names_are_hidden_from_everybody_while_a_match_runs(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(), cup("ladder", "done", entry={**ENTRY, "hide_names": True})) as place:
            ann, bob = owner_key(place.store, "Ann"), owner_key(place.store, "Bob")
            async with RawBot(place.address, "a", key=ann) as a, RawBot(place.address, "b", key=bob):
                await until(lambda: a.started)
                assert all(sorted(started.bots) == ["", "a"] for started in a.started.values())
                ask = arena_pb2.ListMatchesRequest
                await until(lambda: place.arena.seating.tables)
                running = (await place.stub.ListMatches(ask(running=True))).matches
                assert {name for match in running for name in match.bots} <= {""}
                assert not (await place.stub.ListMatches(ask(running=True, bot="b"))).matches
                await until(lambda: len(a.ended) >= 4)
                ended = (await place.stub.ListMatches(ask(competition="cup"))).matches
                assert all(sorted(match.bots) == ["a", "b"] for match in ended)

    bounded(script)
