"""What was planned and played in a phase of a competition, from the records: where its contest goes on."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import Connection, select

from roost_ladder.schedules.schedule import Kind, Pairing, Past
from roost_server.store import BlockState, Store
from roost_server.store.models import BLOCK, BLOCK_MEMBER
from roost_server.store.phase_results import Played, blocks_of

CHUNK = 5_000
"""How many rows are fetched at a time. There may be millions of matches, so nothing is kept of single ones."""


class History(NamedTuple):
    """A phase so far."""

    past: Past
    """Every block that the schedule has given out and that was not voided, and the results of those that are done."""
    owed: list[Pairing]
    """The blocks that were voided and not played again."""
    next_serial: int


def history_of(
    store: Store, competition_id: int, phase: str, going_on: Collection[str] = (), *, recorded: bool = True
) -> History:
    """What has happened in this phase, with a past that keeps what ratings need if that is to be `recorded`.

    Blocks that are `going_on` are taken as open, whatever became of them by now.
    """
    past = Past(recorded=recorded)
    owed: Counter[Pairing] = Counter()
    last = -1
    with store.reading() as connection:
        for last, block_id, state, pairing in _planned(connection, competition_id, phase):  # noqa: B007  the last counts
            # Finals plan no more before what was voided is played again, so this stands for one that was.
            owed[pairing] -= owed[pairing] > 0
            if state == BlockState.VOIDED and block_id not in going_on:
                owed[pairing] += 1
            else:
                past.give(pairing)
        for results in blocks_of(connection, Played(competition_id, phase)):
            if results[0].block_id not in going_on:
                past.finish(results)
    return History(past, list(owed.elements()), last + 1)


def _planned(connection: Connection, competition_id: int, phase: str) -> Iterator[tuple[int, str, str, Pairing]]:
    """Every block that was drawn up: its serial number, its id, its state and who meets."""
    of_phase = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.phase == phase)
    columns = (*BLOCK.c["serial", "id", "state", "game", "players"], BLOCK_MEMBER.c.version_id)
    query = select(*columns).join(BLOCK_MEMBER).where(of_phase).order_by(BLOCK.c.serial, BLOCK_MEMBER.c.position)
    with connection.execution_options(yield_per=CHUNK).execute(query) as rows:
        for (serial, block_id, state, game, players), members in groupby(rows, itemgetter(0, 1, 2, 3, 4)):
            yield serial, block_id, state, Pairing(Kind(game, players), tuple(member.version_id for member in members))
