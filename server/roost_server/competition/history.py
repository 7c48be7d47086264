"""What was planned and played in a phase of a competition, from the records: where its contest goes on."""

from collections import Counter
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import select

from roost_ladder.results import MatchResult
from roost_ladder.schedules.schedule import Kind, Pairing
from roost_server.store import BlockState, Store
from roost_server.store.models import BLOCK, BLOCK_MEMBER
from roost_server.store.phase_results import Played, results_of


class History(NamedTuple):
    """A phase so far."""

    pairings: list[Pairing]
    """Every block that the schedule has given out and that was not voided, in order."""
    owed: list[Pairing]
    """Those that were voided and not played again."""
    results: list[MatchResult]
    """Of the blocks that are done."""
    next_serial: int


def history_of(store: Store, competition_id: int, phase: str, going_on: Collection[str] = ()) -> History:
    """What has happened in this phase. Blocks that are `going_on` are taken as open, whatever became of them by now."""
    of_phase = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.phase == phase)
    blocks = select(*BLOCK.c["serial", "game", "players", "state", "id"], BLOCK_MEMBER.c.version_id).join(BLOCK_MEMBER)
    blocks = blocks.where(of_phase).order_by(BLOCK.c.serial, BLOCK_MEMBER.c.position)
    with store.reading() as connection:
        pairings: list[Pairing] = []
        owed: Counter[Pairing] = Counter()
        last = -1
        rows = groupby(connection.execute(blocks), itemgetter(0, 1, 2, 3, 4))
        for (serial, game, players, state, block_id), members in rows:
            last = serial
            pairing = Pairing(Kind(game, players), tuple(member.version_id for member in members))
            # Finals plan no more before what was voided is played again, so this stands for one that was.
            owed[pairing] -= owed[pairing] > 0
            if state == BlockState.VOIDED and block_id not in going_on:
                owed[pairing] += 1
            else:
                pairings.append(pairing)
        played = results_of(connection, Played(competition_id, phase))
        results = [result for result in played if result.block_id not in going_on]
        return History(pairings, list(owed.elements()), results, last + 1)
