"""A bot that takes 256 matches, answers pings, never gets ready, and comes back as another version.

Four honest bots used to be taken from 4,179 decisions a second to none.
"""

import asyncio
from functools import partial
from pathlib import Path

import grpc
import pytest

from roost.v1 import admin_pb2, arena_pb2
from roost.v1.admin_pb2_grpc import AccountsStub
from roost_server.play import quarantine
from roost_server.play.pacing import places
from tests.support.arenas.hall import Hall, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import UnreadyBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.cups import cup

NEVER = 1e6
"""More seconds than any test takes: nobody is spared by being patient."""
MATCHES = 5
HONEST = ("ann", "bob", "cay", "dee")
CUP = cup("ladder", "done", entry={"who": "open", "bots_per_owner": 2, "versions_per_hour": 3})


@pytest.mark.parametrize("at_once", [1, 4])
def test_honest_bots_play_on_beside_bots_that_never_get_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Each of them is given one match, and the honest bot in it plays others meanwhile."""
    monkeypatch.setattr(places, "PATIENT_SECONDS", 0.05)

    async def script() -> None:
        async with (
            hall(tmp_path, settings(ready_seconds=NEVER)) as place,
            UnreadyBot(place.address, "one", max_matches=256) as one,
            UnreadyBot(place.address, "two", max_matches=256) as two,
        ):
            bots = [RawBot(place.address, name, max_matches=at_once) for name in HONEST]
            for bot in bots:
                await bot.connect()
            await until(lambda: one.started and two.started)
            before = [len(bot.ended) for bot in bots]
            await until(lambda: all(len(bot.ended) > some + MATCHES for bot, some in zip(bots, before, strict=True)))
            assert [len(one.started), len(two.started)] == [1, 1]
            assert one.ended == two.ended == []
            for bot in bots:
                await bot.disconnect()

    bounded(script)


def test_a_bot_that_got_ready_once_is_given_more(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings()) as place,
            RawBot(place.address, "ann", max_matches=8),
            RawBot(place.address, "bob", max_matches=8),
        ):
            most = 0

            def at_once() -> bool:
                nonlocal most
                most = max(most, *(session.playing for session in place.arena.lobby.sessions))
                return most == 8

            await until(at_once, pause=0)

    bounded(script)


@pytest.mark.long
def test_another_version_of_a_bot_in_quarantine_is_in_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "FIRST_CHECK_SECONDS", 0.1)

    async def script() -> None:
        chosen = settings(ready_seconds=0.1, quarantine_after=2)
        async with hall(tmp_path, chosen) as place, RawBot(place.address, "ann"), RawBot(place.address, "bob"):
            for version in ("v1", "v2"):
                async with UnreadyBot(place.address, "never", version, max_matches=256) as never:
                    await until(partial(len, never.ended))
            async with UnreadyBot(place.address, "never", "v3", max_matches=256) as never:
                await until(lambda: never.ended)
                assert {name for each in never.started.values() for name in each.bots} == {"never", "nobody"}
                assert "faults in 2 matches in a row" in await reason(place, never)
            # One that gets ready shows it in a practice match, and plays.
            async with RawBot(place.address, "never", "v4") as mended:
                await until(lambda: "ann" in {name for each in mended.started.values() for name in each.bots})
                assert "never" not in place.arena.quarantine

    bounded(script)


async def reason(place: Hall, bot: RawBot) -> str:
    """Why it is in quarantine, as its owner sees it."""
    bots = (await place.stub.ListBots(arena_pb2.ListBotsRequest())).bots
    return next(str(each.quarantine_reason) for each in bots if each.version_id == bot.welcome.version_id)


def test_new_versions_are_limited(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(), CUP) as place,
            grpc.aio.insecure_channel(place.address) as channel,
        ):
            accounts: AccountsStub = AccountsStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
            key = (await accounts.Register(admin_pb2.RegisterRequest(owner="Ann"))).key
            for version in ("v1", "v2", "v3", "v1", "v3"):
                async with RawBot(place.address, "ann", version, key=key):
                    pass
            with pytest.raises(ConnectionRefusedError) as refused:
                await RawBot(place.address, "ann", "v4", key=key).connect()
            status, details = refused.value.args
            assert status == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert details == "3 new versions of ann have connected in the last hour; wait, or connect one of them"
            # Another bot of hers has versions of its own.
            async with RawBot(place.address, "ann-2", "v4", key=key):
                await asyncio.sleep(0)

    bounded(script)
