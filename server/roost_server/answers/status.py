"""The host's view of an arena as a whole, as messages of `roost.v1`, answered from a store alone."""

from importlib.metadata import version
from pathlib import Path

from roost.v1 import admin_pb2
from roost_games.errors import UsageError
from roost_server.accounts.audit import note
from roost_server.accounts.requests import Caller
from roost_server.answers.bots import bots
from roost_server.answers.competitions import competitions
from roost_server.answers.ratings import Ratings
from roost_server.clocks import epoch_ms
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.competition.history import forecast_of
from roost_server.competition.phases import check_change
from roost_server.store import Store, queries
from roost_server.store.copies import backup

MINUTE_MS = 60_000


def get_status(store: Store, _: Caller, request: admin_pb2.GetStatusRequest) -> admin_pb2.GetStatusResponse:
    """The part of an arena's status that is on record. A running arena adds the rest."""
    return admin_pb2.GetStatusResponse(
        version=version("roost"),
        database=store.name,
        database_bytes=store.size(),
        finished_matches=queries.match_count(store),
        last_minute=queries.matches_since(store, epoch_ms() - MINUTE_MS),
        competitions=competitions(store).competitions,
        quarantined=[bot for bot in bots(store, Ratings(store)).bots if bot.quarantine_since_ms],
    )


def change_phase(store: Store, caller: Caller, request: admin_pb2.ChangePhaseRequest) -> admin_pb2.ChangePhaseResponse:
    """Take a competition to another phase while the arena is stopped. Raises `UsageError` if that is not possible."""
    competition = ledger.find(store, request.competition)
    phase = check_change(competition.file, competition.phase, request.phase)
    if phase is PhaseName.FINALS and (problem := forecast_of(store, competition).problem):
        raise UsageError(problem)
    changed = ledger.change_phase(store, competition, phase, caller.actor)
    return admin_pb2.ChangePhaseResponse(before=competition.phase, phase=changed.phase)


def back_up(store: Store, caller: Caller, request: admin_pb2.BackupRequest) -> admin_pb2.BackupResponse:
    """Copy the database into a new file. Raises `UsageError` or `StoreError` if that cannot be written.

    The audit log has it only if the store is open for writing.
    """
    if not request.path or "\0" in request.path:
        raise UsageError("name a file for the copy")
    size = backup.back_up(store.backend, Path(request.path))
    if not store.read_only:
        with store.writing() as connection:
            note(connection, caller.actor, "backup made", file=request.path, bytes=size)
    return admin_pb2.BackupResponse(bytes=size, path=request.path)
