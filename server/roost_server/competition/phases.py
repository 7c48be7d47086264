"""The phases of a competition, entered by the clock or an admin, never backwards."""

from collections.abc import Sequence
from datetime import datetime

from roost_games.errors import UsageError
from roost_server.competition.file import CompetitionFile, PhaseName, PhasePart

ANNOUNCED = "announced"
"""The state of a competition before its first phase."""
CLOCK = "clock"
"""The actor of changes by the clock."""


def due_phase(file: CompetitionFile, current: str, now: datetime) -> PhaseName | None:
    """The phase that is due by the clock; `None` if the current one goes on.

    A phase without a time is entered by an admin; the first one is then due at once.
    """
    later = ahead(file, current)
    if current == ANNOUNCED and later and later[0].starts is None:
        return later[0].phase
    begun = [each.phase for each in later if each.starts is not None and each.starts <= now]
    return begun[-1] if begun else None


def next_change(file: CompetitionFile, current: str) -> datetime | None:
    """When the clock changes the phase next; `None` if the file has no time for it."""
    return next((each.starts for each in ahead(file, current) if each.starts is not None), None)


def check_change(file: CompetitionFile, current: str, wanted: str) -> PhaseName:
    """The phase called `wanted`, if an admin may change to it. Raises `UsageError` otherwise."""
    possible = [each.phase for each in ahead(file, current)]
    if wanted not in possible:
        say = f"it can go on to {', '.join(possible)}" if possible else "it is over"
        raise UsageError(f"{file.name} is in the phase {current!r} and cannot change to {wanted!r}; {say}")
    return PhaseName(wanted)


def ahead(file: CompetitionFile, current: str) -> Sequence[PhasePart]:
    """The phases still to come. The current one need not be in the file any more."""
    if current == ANNOUNCED:
        return file.phases
    order = list(PhaseName)
    return [each for each in file.phases if order.index(each.phase) > order.index(PhaseName(current))]


def plays(phase: str) -> bool:
    """Whether blocks are played in this phase."""
    return phase in (PhaseName.LADDER, PhaseName.FINALS)


def takes_entries(phase: str) -> bool:
    """Whether bots can enter, and new versions of them count."""
    return phase in (PhaseName.REGISTRATION, PhaseName.LADDER)


def pins_versions(phase: str) -> bool:
    """Whether versions are pinned in this phase."""
    return phase in (PhaseName.FREEZE, PhaseName.FINALS, PhaseName.DONE)
