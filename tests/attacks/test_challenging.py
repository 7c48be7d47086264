"""Challenging others without end: to keep a bot from its rated matches, or to learn what the ladder deals.

Without a rest between challenges, a bot that plays one match at a time gave every second match to them.
"""

import asyncio
from pathlib import Path

import pytest
from grpc.aio import AioRpcError

from roost.v1 import arena_pb2
from roost_server.answers.matches import matches
from tests.support.arenas.challenging_world import LADDER, ask, ladder, over
from tests.support.arenas.hall import bounded, refusal, until
from tests.support.arenas.qualifying_world import Qualifying, qualifying

BUSY = ladder()
MOST = 1 / 20
"""What a bot that is wanted for rated matches gives to challenges."""


async def challenge_again_and_again(there: Qualifying, owner: str, bot: str) -> None:
    """Ask for another challenge as soon as the last one is over, until the arena refuses."""
    while True:
        try:
            asked = await ask(there, owner, bot, "victim", matches=2)
        except AioRpcError:
            return
        await over(there, asked.challenge_id)


@pytest.mark.long
def test_challenges_take_a_small_share_of_a_busy_bot(tmp_path: Path) -> None:
    """Two owners challenge a bot that plays one match at a time. Its rated matches go on at nearly the same pace."""

    async def script() -> None:
        async with qualifying(tmp_path, BUSY) as there:
            for name in ("victim", "mallory", "eve", "cid"):
                await there.come(name, name.title(), max_matches=1)
            await there.phase("ladder")
            await asyncio.gather(
                challenge_again_and_again(there, "Mallory", "mallory"), challenge_again_and_again(there, "Eve", "eve")
            )
            await there.phase("done")
            await until(lambda: not there.place.arena.seating.tables)
            played = matches(there.place.store, arena_pb2.ListMatchesRequest(bot="victim", limit=1000)).matches
            asked_for = [number for number, match in enumerate(played) if match.challenge]
            during = played[min(asked_for) : max(asked_for) + 1]
            # Its limit is 20 in an hour: ten blocks, and a rest after each. Chance moves how long a block takes.
            assert len(asked_for) == 20
            assert len(asked_for) / len(during) < 3 * MOST

    bounded(script)


def test_nobody_asks_for_more_than_the_host_allows(tmp_path: Path) -> None:
    """Neither with another bot, nor with another account against the same victim."""

    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            for name, owner in (("victim", "Victim"), ("one", "Mallory"), ("two", "Mallory"), ("three", "Eve")):
                await there.come(name, owner)
            for bot in ("one", "two"):
                await over(there, (await ask(there, "Mallory", bot, "victim", matches=6)).challenge_id)
            for bot in ("one", "two"):
                assert "you have 0 left" in (await refusal(ask(there, "Mallory", bot, "victim")))[1]
            said = await refusal(ask(there, "Eve", "three", "victim", matches=10))
            assert said == ("RESOURCE_EXHAUSTED", "victim can be challenged to 8 more matches in this hour")

    bounded(script)
