"""What a host asks about an arena as a whole, as messages of `roost.v1`, answered from a store alone."""

from importlib.metadata import version
from pathlib import Path

from sqlalchemy import func, select

from roost.v1 import admin_pb2
from roost_games.errors import UsageError
from roost_server.accounts.audit import note
from roost_server.accounts.requests import Caller
from roost_server.answers import competitions as of_competitions
from roost_server.answers import records as answers
from roost_server.clocks import epoch_ms
from roost_server.competition import ledger
from roost_server.competition.phases import check_change
from roost_server.store import Store, StoreError, backup
from roost_server.store.models import MATCH

MINUTE_MS = 60_000
NEWEST = 100_000
"""So many matches are looked at for those of the last minute: no arena plays more in one."""


def status(store: Store) -> admin_pb2.GetStatusResponse:
    """How things stand, as far as the records say."""
    finished, last_minute = _matches(store)
    return admin_pb2.GetStatusResponse(
        version=version("roost"),
        database=store.name,
        database_bytes=store.size(),
        finished_matches=finished,
        last_minute=last_minute,
        competitions=of_competitions.competitions(store).competitions,
        quarantined=[bot for bot in answers.bots(store).bots if bot.quarantine_since_ms],
    )


def _matches(store: Store) -> tuple[int, int]:
    """How many there are, and how many ended within the last minute."""
    with store.reading() as connection:
        # They are numbered without gaps.
        finished = connection.scalar(select(func.max(MATCH.c.number))) or 0
        recent = (MATCH.c.number > finished - NEWEST) & (MATCH.c.ended_ms > epoch_ms() - MINUTE_MS)
        return finished, connection.scalar(select(func.count()).select_from(MATCH).where(recent)) or 0


def change_phase(store: Store, caller: Caller, request: admin_pb2.ChangePhaseRequest) -> admin_pb2.ChangePhaseResponse:
    """Take a competition into another phase while nothing is played. Raises `UsageError` if that cannot be."""
    competition = ledger.find(store, request.competition)
    phase = check_change(competition.file, competition.phase, request.phase)
    changed = ledger.change_phase(store, competition, phase, caller.actor)
    return admin_pb2.ChangePhaseResponse(before=competition.phase, phase=changed.phase)


def back_up(store: Store, caller: Caller, request: admin_pb2.BackupRequest) -> admin_pb2.BackupResponse:
    """Copy the database into a new file. Raises `UsageError` if that cannot be written."""
    if not request.path or "\0" in request.path:
        raise UsageError("name a file for the copy")
    try:
        size = backup.back_up(store.backend, Path(request.path))
    except (StoreError, OSError) as error:
        raise UsageError(str(error)) from None
    with store.writing() as connection:
        note(connection, caller.actor, "backup made", file=request.path, bytes=size)
    return admin_pb2.BackupResponse(bytes=size)
