"""What is held back, in words and with its commitments, as messages of `roost.v1`, from a store alone."""

from collections.abc import Iterator

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_server.accounts.requests import Caller
from roost_server.competition import ledger, staging
from roost_server.competition.file import BY_ROUNDS, PhaseName, PhasePart
from roost_server.competition.ledger import Competition
from roost_server.competition.wording import held_in_words as in_words
from roost_server.sealing import Seal
from roost_server.store import Store
from roost_server.store.measures.holds import Held, Veil, held_now
from roost_server.store.measures.seals import newest_seals

MOST_SEALS = 500


def held_in_words(store: Store, veil: Veil, competition: str = "", phase: str = "") -> str:
    """What is held back from somebody who asks about a phase, a competition, or everything; empty if nothing is."""
    if not veil.held:
        return ""
    names = [competition] if competition else ledger.names(store)
    found = [ledger.find(store, name) for name in names]
    told = [_of_competition(each, part) for each in found for part in held_parts(each, veil.held)]
    return " ".join(words for of_phase, words in told if phase in ("", of_phase))


def _of_competition(competition: Competition, part: PhasePart) -> tuple[str, str]:
    return part.phase, f"{competition.file.name}: {in_words(part)}"


def held_parts(competition: Competition, held: Held) -> Iterator[PhasePart]:
    """The phases of a competition that are held back. One that only waits for an earlier one is told like that."""
    before: PhasePart | None = None
    for each in held:
        part = competition.file.phase(PhaseName(each.phase)) if each.competition_id == competition.id else None
        if part is None:
            continue
        if before is not None and each.first == 0 and not part.is_held:
            part = part.model_copy(update={"results": before.results})
        before = part
        yield part


def held_phases(store: Store, competition: Competition) -> list[arena_pb2.HeldPhase]:
    """The phases of a competition that are held back now."""
    with store.reading() as reading:
        held = held_now(reading)
        seals = {part.phase: newest_seals(reading, competition.id, part.phase, 1) for part in competition.file.phases}
    return [
        arena_pb2.HeldPhase(
            phase=part.phase,
            until_ms=ledger.milliseconds(part.results_until) or 0,
            by_rounds=part.results == BY_ROUNDS,
            summary=in_words(part),
            seal=next(map(seal_message, seals[part.phase]), None),
        )
        for part in held_parts(competition, held)
    ]


def seal_message(seal: Seal) -> records_pb2.ResultSeal:
    """A commitment on the wire."""
    return records_pb2.ResultSeal(**seal._asdict())


def release_results(
    store: Store, caller: Caller, request: admin_pb2.ReleaseResultsRequest
) -> admin_pb2.ReleaseResultsResponse:
    """Release results that are held back: the next round, or everything. Raises `UsageError` if that cannot be."""
    released = staging.release(store, request.competition, request.phase, caller.actor, everything=request.everything)
    return admin_pb2.ReleaseResultsResponse(phase=released.phase, round=released.round or 0)
