"""Which phase a competition is in: by the clock, by an admin, never backwards."""

from collections.abc import Sequence
from datetime import datetime

from roost_games.errors import UsageError
from roost_server.competition.file import CompetitionFile, PhaseName, PhasePart

ANNOUNCED = "announced"
"""What a competition is before its first phase."""
CLOCK = "clock"
"""The actor of what happens by itself."""


def due_phase(file: CompetitionFile, current: str, now: datetime) -> PhaseName | None:
    """The phase that the clock asks for; `None` if the present one goes on.

    A phase without a time is entered by an admin, or if it is the first one, at once.
    """
    later = ahead(file, current)
    if current == ANNOUNCED and later and later[0].starts is None:
        return later[0].phase
    begun = [each.phase for each in later if each.starts is not None and each.starts <= now]
    return begun[-1] if begun else None


def next_change(file: CompetitionFile, current: str) -> datetime | None:
    """When the clock will change the phase next, as far as the file says."""
    return next((each.starts for each in ahead(file, current) if each.starts is not None), None)


def check_change(file: CompetitionFile, current: str, wanted: str) -> PhaseName:
    """The phase called `wanted`, to which an admin wants to go on. Raises `UsageError` if that cannot be."""
    possible = [each.phase for each in ahead(file, current)]
    if wanted not in possible:
        say = f"it can go on to {', '.join(possible)}" if possible else "it is over"
        raise UsageError(f"{file.name} is in the phase {current!r} and cannot change to {wanted!r}; {say}")
    return PhaseName(wanted)


def ahead(file: CompetitionFile, current: str) -> Sequence[PhasePart]:
    """The phases that are still to come. One that is no longer in the file is taken for where it stood."""
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
    """Whether versions are settled in this phase."""
    return phase in (PhaseName.FREEZE, PhaseName.FINALS, PhaseName.DONE)
