"""Our own delay: the event loop stands still exactly when a bot answers. The bot must not suffer for it."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roost.v1 import play_pb2
from roost_ladder.blocks import Deals
from roost_server.store import BlockState
from tests.support.arenas.hall import HARD_CLOCK, Hall, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.thread_bot import ThreadBot
from tests.support.records.matches import counted, on_record

ALL_THE_TIME = (HARD_CLOCK.decision_ms + HARD_CLOCK.bank_ms) / 1000


def test_an_answer_that_is_late_only_because_of_us_counts(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, clock=HARD_CLOCK, own_delay_ms=60_000.0)) as place,
            punctual_bot(place) as (punctual, x),
        ):
            stand_still(punctual)
            await until(lambda: x.ended)
            (replay, *_) = await place.matches(1)
            assert (replay.result.termination, replay.result.faults) == ("finished", ())

    bounded(script)


@pytest.mark.parametrize("deals", list(Deals))
def test_an_answer_that_may_have_been_late_voids_the_match(tmp_path: Path, deals: Deals) -> None:
    """With deals of their own that match alone; with a shared one its block."""

    async def script() -> None:
        chosen = settings(players=2, clock=HARD_CLOCK, own_delay_ms=1.0, deals=deals)
        async with hall(tmp_path, chosen) as place, punctual_bot(place) as (punctual, x):
            stand_still(punctual)
            await until(lambda: x.ended)
            (replay, *_) = await place.matches(1)
            assert replay.result.termination == "voided"
            assert replay.result.reason == "the arena itself was late"
            assert replay.result.faults == ()
            assert [replay.seats[seat].bot for seat in replay.result.asked] == ["punctual"]
            assert x.ended[0][1].result.termination == play_pb2.TERMINATION_VOIDED
            # The same bots play again, on other deals.
            finished = await place.matches(2, lambda replay: replay.result.termination != "voided")
            assert replay.seed not in [each.seed for each in finished]
            await until(lambda: replay.match in [reveal.match_id for reveal in x.reveals])
            rows = on_record(place.store)
            assert rows[0].id == replay.match
            counting = {row.block_id for row in counted(place.store)}
            assert (rows[0].block_id in counting) == (deals is Deals.OWN)
            assert (rows[0].block_state == BlockState.VOIDED) == (deals is Deals.DUPLICATE)

    bounded(script)


@asynccontextmanager
async def punctual_bot(place: Hall) -> AsyncIterator[tuple[ThreadBot, RawBot]]:
    """A bot in a thread of its own that has been asked something, and its opponent."""
    with ThreadBot(place.address, "punctual") as punctual:
        async with RawBot(place.address, "x", max_matches=1) as x:
            await until(punctual.asked.is_set)
            yield punctual, x


def stand_still(punctual: ThreadBot) -> None:
    """The bot answers, and the arena does nothing for longer than the bot has."""
    punctual.may_answer.set()
    punctual.answered.wait()
    time.sleep(2 * ALL_THE_TIME)


def test_a_silent_bot_is_late_in_the_end(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=2, clock=HARD_CLOCK, max_faults=1)
        async with (
            hall(tmp_path, chosen) as place,
            SilentBot(place.address, "silent") as silent,
            RawBot(place.address, "x"),
        ):
            await until(lambda: silent.decisions)
            time.sleep(2 * ALL_THE_TIME)
            for replay in await place.matches(1):
                assert [str(fault.kind) for fault in replay.result.faults] == ["late"]
                assert replay.seats[replay.result.faults[0].seat].bot == "silent"

    bounded(script)
