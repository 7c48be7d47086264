"""Staged results: a host holds the results of a phase back, seals them meanwhile, and releases them.

Everything that is held back is sealed at short intervals (`store.measures.seals`), and before it is released.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import Knockout
from roost_ladder.schedules.schedule import Kind, Pairing, Past
from roost_server.accounts.audit import note
from roost_server.clocks import epoch_ms
from roost_server.competition import ledger
from roost_server.competition.file import BY_ROUNDS, PhaseName
from roost_server.competition.finals import schedule_of
from roost_server.competition.history import field_on_record
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import CLOCK
from roost_server.errors import NotYetError
from roost_server.sealing import Seal
from roost_server.store import BlockState, Store
from roost_server.store.measures.holds import Held, HeldBlocks, Release, add_release, held_now, holds, releases
from roost_server.store.measures.seals import add_seal, prepare_seal
from roost_server.store.queries import PlannedBlock, planned_blocks
from roost_server.store.results import MatchFilter, facts_by_block
from roost_server.store.store import Reading


class Released(NamedTuple):
    """What was released."""

    phase: str
    round: int | None
    """From 1; `None` if that was everything."""


def seal(store: Store, competition: Competition) -> list[Seal]:
    """Seal what has ended in the phases of a competition that are held back. Returns the seals."""
    with store.reading() as reading:
        held = [each.phase for each in held_now(reading, 0) if each.competition_id == competition.id]
        made = [
            prepared
            for phase in held
            if phase not in _released(reading, competition.id)
            for prepared in [
                prepare_seal(reading, store.backend, competition.file.name, competition.id, phase, epoch_ms())
            ]
            if prepared is not None
        ]
    if made:
        with store.writing() as connection:
            for prepared in made:
                add_seal(connection, competition.id, prepared)
    return [prepared.seal for prepared in made]


def _released(reading: Reading, competition_id: int) -> set[str]:
    """The phases whose results were all released."""
    return {each.phase for each in releases(reading, competition_id) if each.before_serial is None}


def due_releases(reading: Reading, competition: Competition, now_ms: int) -> list[str]:
    """The phases whose time has come to be released by the clock."""
    done = _released(reading, competition.id)
    timed = [hold for hold in holds(reading, competition.id) if hold.until_ms is not None]
    return [hold.phase for hold in timed if hold.phase not in done and (hold.until_ms or 0) <= now_ms]


def release_by_clock(store: Store, competition: Competition, phase: str) -> None:
    """Put on record that the time has come to which the results of a phase were held back."""
    seal(store, competition)
    _put_on_record(store, competition, phase, None, CLOCK)


def check_exportable(competition: Competition, phase: str, held: Held) -> None:
    """Raise `NotYetError` if everything of the phase that is asked for is held back."""
    if phase and HeldBlocks(competition.id, phase, 0) in held:
        raise NotYetError(f"all results of the {phase} of {competition.file.name} are held back; ask again later")


def release(store: Store, name: str, phase: str, actor: str, *, everything: bool = False) -> Released:
    """Release the results of a phase: the next round if it is held back by rounds, or everything.

    Without a `phase` it is the first that is held back. Raises `UsageError` if nothing is, or no other round is over.
    """
    competition = ledger.find(store, name)
    seal(store, competition)
    with store.reading() as reading:
        held = _to_release(reading, competition, phase)
        part = competition.file.phase(PhaseName(held.phase))
        by_rounds = part is not None and part.results == BY_ROUNDS and not everything
        number, before = _next_round(reading, competition, held) if by_rounds else (None, None)
    _put_on_record(store, competition, held.phase, before, actor)
    return Released(held.phase, number)


def _to_release(reading: Reading, competition: Competition, phase: str) -> HeldBlocks:
    held = [each for each in held_now(reading) if each.competition_id == competition.id]
    if not held:
        raise UsageError(f"no results of {competition.file.name} are held back now")
    if phase not in ("", held[0].phase):
        if phase in {each.phase for each in held}:
            raise UsageError(f"the {phase} follow from the {held[0].phase}; release the {held[0].phase} first")
        raise UsageError(f"no results of the phase {phase!r} of {competition.file.name} are held back now")
    return held[0]


def _next_round(reading: Reading, competition: Competition, held: HeldBlocks) -> tuple[int | None, int | None]:
    """The number of the next round to release and the serial with which the round after it begins.

    Both are `None` if nothing is left when it is released.
    """
    blocks = planned_blocks(reading, competition.id, PhaseName.FINALS)
    ends = finished_rounds(reading, competition, blocks)
    over = competition.phase == PhaseName.DONE
    for number, end in enumerate(ends, 1):
        if end > held.first:
            return (None, None) if over and end == ends[-1] else (number, end)
    if over:
        return None, None
    raise UsageError(
        f"round {len(ends) + 1} of the {held.phase} of {competition.file.name} is not over; release it later, or "
        "everything now with --all"
    )


def finished_rounds(reading: Reading, competition: Competition, planned: Iterable[PlannedBlock]) -> list[int]:
    """For each round of the finals that is over, the serial after its last block.

    The finals are planned again, as they were played. A round of a knockout ends when all its ties are decided.
    """
    part = competition.file.phase(PhaseName.FINALS)
    if part is None:
        return []
    blocks = [block for block in planned if block.state != BlockState.VOIDED]
    schedule = schedule_of(competition.file.name, competition.seed, part, competition.method)
    field, past = field_on_record(reading, competition), Past(recorded=False)
    wanted = MatchFilter(competition_id=competition.id, phase=PhaseName.FINALS)
    by_block = facts_by_block(reading, wanted, struck_before=0)
    results = {matches[0].block_id: [match.result() for match in matches] for matches in by_block}
    ends: list[int] = []
    pairs: set[frozenset[int]] = set()
    at = 0
    while pairings := schedule.next_round(field, past):
        meeting = {frozenset(pairing.group) for pairing in pairings}
        if isinstance(schedule, Knockout) and meeting <= pairs:
            ends.pop()  # a tie of it goes on
        else:
            pairs = meeting
        some = blocks[at : at + len(pairings)]
        if len(some) < len(pairings) or any(block.state == BlockState.OPEN for block in some):
            break
        at += len(some)
        _play_again(past, some, results)
        ends.append(max(block.serial for block in some) + 1)
    return ends


def _play_again(past: Past, blocks: Sequence[PlannedBlock], results: dict[str, list[MatchResult]]) -> None:
    for block in blocks:
        past.give(Pairing(Kind(block.game, len(block.version_ids)), block.version_ids))
    for block in blocks:
        past.finish(results.get(block.id, ()))


def _put_on_record(store: Store, competition: Competition, phase: str, before_serial: int | None, actor: str) -> None:
    with store.writing() as connection:
        add_release(connection, competition.id, Release(phase, before_serial, epoch_ms(), actor))
        details = {"competition": competition.file.name, "phase": phase, "before_block": before_serial}
        note(connection, actor, "results released", **details)
