"""What was planned and played in a competition so far, from the records."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import Tie
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.competition.finals import bracket_of, finals_field
from roost_server.competition.forecast import USUAL_PACE, Forecast, forecast
from roost_server.competition.ledger import Competition
from roost_server.competition.qualification import versions_let_in
from roost_server.competition.result import CompetitionResult, result_of
from roost_server.store import BlockState, Store
from roost_server.store.measures.holds import Held
from roost_server.store.measures.rulings import struck_versions
from roost_server.store.queries import planned_blocks, recent_play
from roost_server.store.results import MatchFilter, facts, facts_by_block
from roost_server.store.store import Reading

ENOUGH = 100
"""Fewer matches say nothing about the pace."""


class History(NamedTuple):
    """A phase so far."""

    past: Past
    """Every block that was planned and not voided, and the results of those that are done."""
    owed: list[Pairing]
    """The blocks that were voided and not played again."""
    next_serial: int


def history_of(
    store: Store, competition_id: int, phase: str, going_on: Collection[str] = (), *, recorded: bool = True
) -> History:
    """What has happened in a phase. With `recorded` the past keeps what ratings need.

    Blocks that are `going_on` are treated as open, whatever their state on record.
    """
    past = Past(recorded=recorded)
    owed: Counter[Pairing] = Counter()
    last = -1
    with store.reading() as reading:
        for block in planned_blocks(reading, competition_id, phase):
            pairing, last = Pairing(Kind(block.game, len(block.version_ids)), block.version_ids), block.serial
            # Finals replay a voided block before they plan further, so this block is its replacement.
            owed[pairing] -= owed[pairing] > 0
            if block.state == BlockState.VOIDED and block.id not in going_on:
                owed[pairing] += 1
            else:
                past.give(pairing)
        # There may be millions of matches, so single ones are not kept.
        # The plan follows from everything that was played, whatever a host has struck since.
        for matches in facts_by_block(
            reading, MatchFilter(competition_id=competition_id, phase=phase), struck_before=0
        ):
            if matches[0].block_id not in going_on:
                past.finish(match.result() for match in matches)
    return History(past, list(owed.elements()), last + 1)


def forecast_of(store: Store, competition: Competition) -> Forecast:
    """What the competition will take with the bots that take part, at the pace of the last hour that was played."""
    with store.reading() as reading:
        owners = ledger.owners_let_in(reading, competition.id, competition.file)
    return forecast(competition.file, owners, measured_pace(store) or USUAL_PACE)


def measured_pace(store: Store) -> float | None:
    """How many matches an hour were recorded when matches were recorded last; `None` before there are enough."""
    recent = recent_play(store)
    return recent.matches / recent.hours if recent.matches >= ENOUGH and recent.hours else None


def bracket_on_record(reading: Reading, competition: Competition, held: Held = ()) -> list[list[Tie]]:
    """The rounds of the bracket so far, without what is held back; none if there is no knockout, or not yet."""
    finals = _results(reading, competition, PhaseName.FINALS, struck_before=0, held=held)
    if not finals:
        return []
    return bracket_of(competition.file, field_on_record(reading, competition), finals)


def field_on_record(reading: Reading, competition: Competition) -> Participants:
    """Who plays the finals, in the order of the ladder: by what counted when that was settled."""
    settled_ms = ledger.field_settled_ms(reading, competition.id)
    of_ladder = MatchFilter(competition_id=competition.id, phase=PhaseName.LADDER)
    ladder = facts_by_block(reading, of_ladder, struck_before=settled_ms)
    let_in = versions_let_in(reading, competition.id, competition.file)
    pinned = [each for each in ledger.finalists(reading, competition.id) if let_in is None or each.version_id in let_in]
    results = ([match.result() for match in block] for block in ladder)
    return finals_field(competition.file, pinned, results, competition.method)


def result_on_record(reading: Reading, competition: Competition) -> CompetitionResult | None:
    """The result of a competition; `None` before it is done."""
    if competition.phase != PhaseName.DONE:
        return None
    finals = _results(reading, competition, PhaseName.FINALS, struck_before=0)
    return result_of(
        competition.file,
        field_on_record(reading, competition),
        finals,
        _results(reading, competition, PhaseName.FINALS if finals else PhaseName.LADDER),
        struck_versions(reading).get(competition.id, ()),
        competition.method,
    )


def _results(
    reading: Reading,
    competition: Competition,
    phase: PhaseName,
    *,
    struck_before: int | None = None,
    held: Held = (),
) -> list[MatchResult]:
    of_phase = MatchFilter(competition_id=competition.id, phase=phase, held=held)
    return [match.result() for match in facts(reading, of_phase, struck_before=struck_before)]
