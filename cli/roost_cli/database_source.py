"""The records of an arena, read from its database. An arena may be writing to it at the same time."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roost.v1 import arena_pb2
from roost_server.answers import competitions as of_competitions
from roost_server.answers import records as answers
from roost_server.store import Store, open_store, queries


class DatabaseSource:
    """A `Source` that needs no arena."""

    live = False

    def __init__(self, store: Store) -> None:
        self.option = f"--db {shlex.quote(store.name)}"
        self._store = store

    def bots(self) -> arena_pb2.ListBotsResponse:
        return answers.bots(self._store)

    def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        return answers.standings_of(self._store, request)

    def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        return answers.matches(self._store, request)

    def competitions(self) -> arena_pb2.ListCompetitionsResponse:
        return of_competitions.competitions(self._store)

    def replay(self, match_id: str) -> str:
        return queries.replay(self._store, match_id)

    def export(self, competition: str, folder: Path) -> list[Path]:
        from roost_server.export.writing import export

        return export(self._store, competition, folder)


@contextmanager
def open_database(url: str) -> Iterator[DatabaseSource]:
    """The database at `url`. Raises `StoreError`, which says what to do, if it cannot be read."""
    with open_store(url, read_only=True) as store:
        yield DatabaseSource(store)
