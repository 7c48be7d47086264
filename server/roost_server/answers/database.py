"""An arena's database, asked without an arena.

It can be read while an arena writes to it. Changes need a stopped arena.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from roost_games.errors import UsageError
from roost_sdk.arena.reader import Reader
from roost_server.accounts.audit import note, note_restored
from roost_server.accounts.gate import HOST
from roost_server.accounts.requests import COMMAND
from roost_server.answers import administration
from roost_server.answers.questions import RecordAnswers
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.competition.phases import over, plays
from roost_server.errors import NotFoundError
from roost_server.store import Store, open_store, queries
from roost_server.store.copies.archives import WrittenArchive, archive
from roost_server.store.copies.backup import restore
from roost_server.store.store import backend_of


class DatabaseReader(Reader):
    """Answers what anybody may ask an arena, from its records alone. Anyone with the database sees everything."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._records = RecordAnswers(store)

    def ask(self, request: Message) -> Any:
        """The response to a request. Raises `RoostError`."""
        try:
            return self._records.answer(request, HOST)
        except NotFoundError as error:
            raise UsageError(str(error)) from None

    def replay(self, match_id: str) -> str:
        """The record of a match, one line of JSON, even if its deal is still being played."""
        return queries.replay(self._store, match_id)

    def export(self, competition: str, folder: Path, phase: str = "", *, most_bytes: int | None = None) -> list[Path]:
        """Everything about a competition, as files in a new folder. One's own records are not limited."""
        # Imported here because it is slow to import, and only exports need it.
        from roost_server.export.writer import export

        return export(self._store, competition, folder, phase)


@contextmanager
def open_database(url: str) -> Iterator[DatabaseReader]:
    """The database at `url`. Raises `StoreError`, which says what to do, if it cannot be read."""
    with open_store(url, read_only=True) as store:
        yield DatabaseReader(store)


class DatabaseAdministration:
    """Answers a host's requests from the database at `url`."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, request: Message) -> Any:
        """The response to a request of `roost.v1.Admin`. Raises `RoostError`, which says what is wrong."""
        with open_store(self._url, read_only=not administration.act_of(request).changes) as store:
            return administration.answer(store, request)


def archive_phase(url: str, name: str, phase: str, folder: Path) -> WrittenArchive:
    """Move the replays of a phase that is over from a database into a file in `folder`. Raises `RoostError`.

    If they are already in a file, wherever that is, nothing is moved.
    """
    with open_store(url) as store:
        competition = ledger.find(store, name)
        if not plays(phase):
            raise UsageError(f"nothing is played in the phase {phase!r}; archive ladder or finals")
        left = queries.progress(store, competition.id, phase).blocks_open
        if left or PhaseName(phase) not in over(competition.phase):
            raise UsageError(f"the {phase} of {name} is not over; archive it in a later phase")
        written = archive(store, competition.id, phase, folder / f"{name}-{phase}.jsonl.xz")
        if written.moved:
            with store.writing() as connection:
                details = {"competition": name, "phase": phase, "file": str(written.file), "matches": written.matches}
                note(connection, COMMAND, "replays archived", **details)
        return written


def restore_into(copy: Path, url: str) -> Path | None:
    """Replace a database with a copy. Returns where the previous database was moved to, if there was one."""
    return restore(copy, backend_of(url), partial(note_restored, actor=COMMAND, copy=copy))
