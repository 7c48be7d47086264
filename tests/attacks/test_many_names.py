"""Claiming names and owners in bulk: to squat on good names, or to enter more bots than one owner may.

In ten seconds, one owner used to claim 697 names and one address used to register 684 owners.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from roost.v1 import admin_pb2
from roost.v1.admin_pb2_grpc import AccountsStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import gate, invitations, owners
from roost_server.accounts.limits import Buckets, RequestLimits
from tests.support.arenas.hall import Hall, bounded, hall, settings
from tests.support.arenas.proxied import BEHIND_A_PROXY, coming_from
from tests.support.arenas.raw_bot import RawBot

CUP = """
name = "cup"
[[games]]
game = "karteneck"
players = [2]
[entry]
who = "WHO"
bots_per_owner = 2
names_per_owner = 5
[[phases]]
phase = "ladder"
[[phases]]
phase = "done"
"""
TRIES = 100
NO_LIMIT = RequestLimits(requests_per_second=1e6, burst=1_000_000)
"""What protects names and registrations is not the limit of all requests."""


@asynccontextmanager
async def arena(folder: Path, who: str = "open", **hosting: Any) -> AsyncIterator[tuple[Hall, Any]]:
    async with (
        hall(folder, settings(), CUP.replace("WHO", who), limits=NO_LIMIT, **hosting) as place,
        grpc.aio.insecure_channel(place.address) as channel,
    ):
        yield place, AccountsStub(channel)  # type: ignore[no-untyped-call,unused-ignore]


async def outcomes(calls: list[Awaitable[Any]]) -> Counter[str]:
    """How often calls end in each way."""

    async def outcome(call: Awaitable[Any]) -> str:
        try:
            await call
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    return Counter(await asyncio.gather(*map(outcome, calls)))


def test_making_keys_for_a_hundred_names(tmp_path: Path) -> None:
    async def script() -> None:
        async with arena(tmp_path) as (place, accounts):
            key = (await accounts.Register(admin_pb2.RegisterRequest(owner="Ann"))).key
            shown = Credentials(key).metadata()
            wanted = [admin_pb2.MakeOwnKeyRequest(bot=f"name-{number}") for number in range(TRIES)]
            ended = await outcomes([accounts.MakeOwnKey(request, metadata=shown) for request in wanted])
            assert ended == {"OK": 5, "INVALID_ARGUMENT": TRIES - 5}
            assert len(owners.bots(place.store)) == 5

    bounded(script)


def test_connecting_under_a_hundred_names(tmp_path: Path) -> None:
    """Two bots enter the competition. The others are refused, and leave no name behind."""

    async def script() -> None:
        async with arena(tmp_path) as (place, accounts):
            key = (await accounts.Register(admin_pb2.RegisterRequest(owner="Ann"))).key
            came = 0
            for number in range(TRIES // 5):
                bot = RawBot(place.address, f"name-{number}", key=key)
                try:
                    await bot.connect()
                except ConnectionRefusedError:
                    continue
                came += 1
                await bot.disconnect()
            assert came == len(owners.bots(place.store)) == 2

    bounded(script)


def test_registering_a_hundred_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one address twenty at once, and then one every ten seconds."""
    now = 0.0
    monkeypatch.setattr(gate, "Buckets", partial(Buckets, now=lambda: now))

    async def script() -> None:
        nonlocal now
        async with arena(tmp_path) as (place, accounts):
            for at_once in (20, 1):
                wanted = [admin_pb2.RegisterRequest(owner=f"owner {at_once} {number}") for number in range(TRIES)]
                ended = await outcomes([accounts.Register(request) for request in wanted])
                assert ended == {"OK": at_once, "RESOURCE_EXHAUSTED": TRIES - at_once}
                now += 10.0
            assert len(owners.owners(place.store)) == 21

    bounded(script)


def test_registering_with_an_invitation_from_many_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An invitation for a thousand that has leaked is used up slowly, wherever the calls come from."""
    monkeypatch.setattr(gate, "Buckets", partial(Buckets, now=lambda: 0.0))

    async def script() -> None:
        async with arena(tmp_path, "invited", **BEHIND_A_PROXY) as (place, accounts):
            token = invitations.invite(place.store, "test", uses=1_000)
            wanted = [admin_pb2.RegisterRequest(owner=f"owner {n}", invitation=token) for n in range(TRIES)]
            calls = [accounts.Register(each, metadata=coming_from(f"10.0.0.{n}")) for n, each in enumerate(wanted)]
            ended = await outcomes(calls)
            assert ended == {"OK": 20, "RESOURCE_EXHAUSTED": TRIES - 20}

    bounded(script)
