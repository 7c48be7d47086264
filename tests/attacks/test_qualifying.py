"""Qualifying by other means than playing well: leaving when ahead, a friend under the opponent's name, many looks.

Each gained entry, or a rating, before the remedy that is named beside it.
"""

import asyncio
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from roost.v1 import admin_pb2, arena_pb2, play_pb2
from roost_ladder.rating.facts import MatchFacts
from roost_sdk.arena.credentials import Credentials
from roost_server.answers.standings import standings_of
from roost_server.competition.demands import QualificationPart, QualifyingBlock, trial_of
from roost_server.store.models import BLOCK, MATCH
from tests.support.arenas.hall import bounded, refusal, until
from tests.support.arenas.qualifying_world import QUALIFICATION, demanding, qualifying
from tests.support.arenas.raw_bot import Answers, RawBot

PART = QualificationPart(opponent=("house",), confidence=0.95, most_versions=1, most_blocks=100)
RUNS = 400
MARGIN = 3 * (RUNS * 0.05 * 0.95) ** 0.5
"""Three standard deviations of what chance does."""


def match(won: bool) -> MatchFacts:
    places = (1, 2) if won else (2, 1)
    return MatchFacts("b", "karteneck", (1, 2), places, (0, 0), (0, 0), (False, False), (1, 1), (1.0, 1.0))


def leaving_when_ahead(rng: Random) -> list[MatchFacts]:
    """Play the first match of a block, and the second one only if the first was lost."""
    first = rng.random() < 0.5
    return [match(first)] if first else [match(first), match(rng.random() < 0.5)]


def test_leaving_when_ahead_does_not_qualify_an_equal_bot() -> None:
    """With the mean of the matches played as the score of a block, 276 of 400 equal bots qualified like that."""
    rng = Random("leaver")
    blocks = [[QualifyingBlock(str(n), 2, leaving_when_ahead(rng)) for n in range(100)] for _ in range(RUNS)]
    assert sum(bool(trial_of(PART, 1, of_run).decided) for of_run in blocks) <= 0.05 * RUNS + MARGIN


def test_looking_after_every_block_does_not_qualify_an_equal_bot() -> None:
    rng = Random("patient")
    blocks = [
        [QualifyingBlock(str(n), 2, [match(rng.random() < 0.5), match(rng.random() < 0.5)]) for n in range(100)]
        for _ in range(RUNS)
    ]
    assert sum(bool(trial_of(PART, 1, of_run).decided) for of_run in blocks) <= 0.05 * RUNS + MARGIN


class Leaver(RawBot):
    """Plays one match at a time, and is gone as soon as the first one has ended."""

    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        await super().hear(message)
        if message.ended:
            self._call.cancel()


def test_a_bot_that_leaves_within_a_block_has_lost_the_rest(tmp_path: Path) -> None:
    """The block is over without its second match, and counts."""

    async def script() -> None:
        async with qualifying(tmp_path) as there:
            await there.open_house()
            leaver = Leaver(there.place.address, "ann", key=there.key_of("Ann"), max_matches=1)
            await leaver.connect()
            await asyncio.wait([leaver.playing])

            async def counted() -> bool:
                return bool((await there.account("Ann")).blocks == 1)

            await until(counted, pause=0.05)
            assert (await there.account("Ann")).score <= 0.5
            await leaver._channel.close()

    bounded(script)


class Silent(RawBot):
    """Never answers."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return ()


def test_nobody_loses_because_the_opponent_has_left(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path) as there:
            house = await there.open_house()
            ann = await there.come("ann", "Ann", Silent)
            await until(lambda: ann.started)
            await house.disconnect()

            def voided() -> bool:
                with there.place.store.reading() as reading:
                    return reading.scalar(select(BLOCK.c.state).where(BLOCK.c.phase == "qualification")) == "voided"

            await until(voided, pause=0.05)
            assert (await there.account("Ann")).blocks == 0

    bounded(script)


def test_nobody_but_the_host_can_be_the_opponent(tmp_path: Path) -> None:
    """A friend under the opponent's name would let everybody win. The name is reserved, with any key."""

    async def script() -> None:
        async with qualifying(tmp_path) as there:
            key = there.key_of("Mallory")
            with pytest.raises(ConnectionRefusedError) as refused:
                await RawBot(there.place.address, "house", key=key).connect()
            status, details = refused.value.args
            assert (status.name, "is reserved for the opponent" in details) == ("PERMISSION_DENIED", True)
            request = admin_pb2.MakeOwnKeyRequest(bot="house")
            shown = Credentials(key).metadata()
            again = await refusal(there.accounts.MakeOwnKey(request, metadata=shown))
            assert again[0] == "PERMISSION_DENIED"

    bounded(script)


@pytest.mark.long
def test_qualifying_gains_no_rating_and_shows_no_deal_of_the_ladder(tmp_path: Path) -> None:
    """Many qualification matches are played: none is in the standings, and no seed is one of the ladder's."""
    slow = demanding(ladder={**QUALIFICATION, "clean_matches": 40, "most_blocks": 30})

    async def script() -> None:
        async with qualifying(tmp_path, slow) as there:
            await there.open_house()
            for name, owner in (("ann", "Ann"), ("bob", "Bob")):
                await there.come(name, owner)
            await there.phase("ladder")
            await there.qualified("Ann")
            await there.qualified("Bob")
            store = there.place.store

            def rated() -> int:
                return standings_of(store, arena_pb2.GetStandingsRequest(everything=True)).matches

            await until(lambda: rated() >= 4, pause=0.05)
            await there.phase("done")
            await until(lambda: not there.place.arena.seating.tables)
            query = select(BLOCK.c.purpose, MATCH.c.seed).join_from(MATCH, BLOCK)
            with store.reading() as reading:
                rows = reading.execute(query).all()
            seeds = [row.seed for row in rows]
            assert len(set(seeds)) == len(seeds)
            assert rated() == sum(row.purpose == "rated" for row in rows)
            assert sum(row.purpose == "qualification" for row in rows) >= 80

    bounded(script)
