"""The phases of a competition, entered by the clock or an admin, never backwards."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from roost_games.errors import UsageError
from roost_server.competition.file import CompetitionFile, PhaseName, PhasePart

ANNOUNCED = "announced"
"""The state of a competition before its first phase."""
CLOCK = "clock"
"""The actor of changes by the clock."""
PLAYED = (PhaseName.LADDER, PhaseName.FINALS)
"""The phases in which blocks are played."""


def due_phases(file: CompetitionFile, current: str, now: datetime, *, played_out: bool = False) -> list[PhaseName]:
    """The phases that are due by the clock, the latest last; none if the current one goes on.

    The last one begins, or if it cannot, the one before it. A phase without a time is entered by an admin; the first
    one is then due at once. Finals are never left out or cut short by the clock: after them the competition is done
    when they are `played_out`, but not before its time.
    """
    later = ahead(file, current)
    if current == ANNOUNCED and later and later[0].starts is None:
        return [later[0].phase]
    if current == PhaseName.FINALS and played_out and (later[0].starts is None or later[0].starts <= now):
        return [PhaseName.DONE]
    return [each.phase for each in _timed(file, later) if each.starts is not None and each.starts <= now]


def _timed(file: CompetitionFile, later: Sequence[PhasePart]) -> Sequence[PhasePart]:
    """The phases that the clock alone can begin: with finals it does not end the competition."""
    return [each for each in later if each.phase is not PhaseName.DONE or file.phase(PhaseName.FINALS) is None]


def next_change(file: CompetitionFile, current: str) -> datetime | None:
    """When the clock changes the phase next; `None` if the file has no time for it."""
    return next((each.starts for each in _timed(file, ahead(file, current)) if each.starts is not None), None)


def extended(file: CompetitionFile, begins_ms: Mapping[str, int]) -> CompetitionFile:
    """The file with the times of the host's rulings: a phase begins then, unless the file says later."""
    later = [_later(part, begins_ms.get(part.phase, 0)) for part in file.phases]
    return file.model_copy(update={"phases": tuple(later)}) if begins_ms else file


def _later(part: PhasePart, begins_ms: int) -> PhasePart:
    begins = datetime.fromtimestamp(begins_ms / 1000, UTC)
    return part if part.starts is None or part.starts >= begins else part.model_copy(update={"starts": begins})


def put_off(file: CompetitionFile, current: str, by_ms: int) -> dict[str, tuple[int, int]]:
    """By phase to come that has a time, that time and one that much later. Raises `UsageError` if there is none."""
    timed = [(each.phase, each.starts) for each in ahead(file, current) if each.starts is not None]
    if not timed:
        raise UsageError(f"no later phase of {file.name} has a time; `roost admin phase` changes it by hand")
    times = {phase.value: int(starts.timestamp() * 1000) for phase, starts in timed}
    return {phase: (ms, ms + by_ms) for phase, ms in times.items()}


def check_change(file: CompetitionFile, current: str, wanted: str) -> PhaseName:
    """The phase called `wanted`, if an admin may change to it. Raises `UsageError` otherwise."""
    possible = [each.phase for each in ahead(file, current)]
    if wanted not in possible:
        say = f"it can go on to {', '.join(possible)}" if possible else "it is over"
        raise UsageError(f"{file.name} is in the phase {current!r} and cannot change to {wanted!r}; {say}")
    return PhaseName(wanted)


def ahead(file: CompetitionFile, current: str) -> Sequence[PhasePart]:
    """The phases still to come. The current one may have left the file."""
    if current == ANNOUNCED:
        return file.phases
    order = list(PhaseName)
    return [each for each in file.phases if order.index(each.phase) > order.index(PhaseName(current))]


def over(current: str) -> list[PhaseName]:
    """The phases before the current one."""
    order = list(PhaseName)
    return [] if current == ANNOUNCED else order[: order.index(PhaseName(current))]


def plays(phase: str) -> bool:
    """Whether blocks are played in this phase."""
    return phase in PLAYED


def pins_versions(phase: str) -> bool:
    """Whether versions are pinned in this phase."""
    return phase in (PhaseName.FREEZE, PhaseName.FINALS, PhaseName.DONE)
