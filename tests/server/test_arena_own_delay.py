"""Our own delay: the event loop stands still exactly when a bot answers. The bot must not suffer for it."""

import time
from pathlib import Path

from roost.v1 import play_pb2
from roost_server.store import BlockState
from tests.support.arenas.hall import HARD_CLOCK, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.thread_bot import ThreadBot
from tests.support.records.matches import counted, on_record

ALL_THE_TIME = (HARD_CLOCK.decision_ms + HARD_CLOCK.bank_ms) / 1000


def test_an_answer_that_is_late_only_because_of_us_voids_the_block(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(players=2, clock=HARD_CLOCK)) as place:
            with ThreadBot(place.address, "punctual") as punctual:
                async with RawBot(place.address, "x", max_matches=1) as x:
                    await until(punctual.asked.is_set)
                    # From here to the end of the sleep the arena does nothing.
                    punctual.may_answer.set()
                    punctual.answered.wait()
                    time.sleep(2 * ALL_THE_TIME)
                    await until(lambda: x.ended)
                    (replay, *_) = await place.matches(1)
                    assert replay.result.termination == "voided"
                    assert replay.result.reason == "the arena itself was late"
                    assert replay.result.faults == ()
                    assert x.ended[0][1].result.termination == play_pb2.TERMINATION_VOIDED
                    # The same bots play a new deal, all rotations of it.
                    finished = await place.matches(2, lambda replay: replay.result.termination != "voided")
                    assert replay.seed not in [each.seed for each in finished]
                    rows = on_record(place.store)
                    assert rows[0].block_state == BlockState.VOIDED
                    assert rows[0].id == replay.match
                    assert rows[0].block_id not in [row.block_id for row in counted(place.store)]
                    await until(lambda: replay.match in [reveal.match_id for reveal in x.reveals])

    bounded(script)


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
