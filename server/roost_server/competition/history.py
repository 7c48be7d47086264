"""What was planned and played in a phase of a competition, from the records: where its contest goes on."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from roost_ladder.schedules.schedule import Kind, Pairing, Past
from roost_server.store import BlockState, Store
from roost_server.store.queries import planned_blocks
from roost_server.store.results import MatchFilter, facts_by_block


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
    with store.reading() as reading:
        for block in planned_blocks(reading, competition_id, phase):
            pairing, last = Pairing(Kind(block.game, len(block.version_ids)), block.version_ids), block.serial
            # Finals plan no more before what was voided is played again, so this block is played in its place.
            owed[pairing] -= owed[pairing] > 0
            if block.state == BlockState.VOIDED and block.id not in going_on:
                owed[pairing] += 1
            else:
                past.give(pairing)
        # There may be millions of matches, so nothing is kept of single ones.
        for matches in facts_by_block(reading, MatchFilter(competition_id=competition_id, phase=phase)):
            if matches[0].block_id not in going_on:
                past.finish(match.result() for match in matches)
    return History(past, list(owed.elements()), last + 1)
