"""A drill of a restore: a copy of the records is put in place somewhere else, opened as an arena would, and checked."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from roost_games.chance import commitment_of
from roost_games.errors import ReplayError, RoostError
from roost_games.replay import parse_lines
from roost_games.verify import verify
from roost_server.competition import ledger
from roost_server.store import Store, open_store, queries
from roost_server.store.copies.backup import restore
from roost_server.store.copies.epochs import go_on
from roost_server.store.store import backend_of

NEWEST = 200
"""How many matches are replayed."""


class DrillReport(NamedTuple):
    """What is in a copy that passed."""

    matches: int
    replayed: int
    """How many of the newest were replayed by the rules."""
    last_ended_ms: int
    """When the last match ended; 0 if there is none."""
    competitions: tuple[tuple[str, str], ...]
    """Names and phases."""

    def lines(self) -> Iterator[str]:
        """What a host wants to know."""
        last = f", the last at {datetime.fromtimestamp(self.last_ended_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
        yield f"{self.matches} matches{last if self.matches else ''}; the newest {self.replayed} replayed by the rules"
        for name, phase in self.competitions:
            yield f"competition {name}, phase {phase}"


def drill(copy: Path) -> DrillReport:
    """Restore a copy into a temporary folder, and check it. Nothing else is touched. Raises `RoostError`."""
    with TemporaryDirectory(prefix="roost-drill-") as folder:
        url = f"sqlite:///{folder}/roost.db"
        restore(copy, backend_of(url), lambda _: None)
        with open_store(url) as store:
            go_on(store)
            return _report(store, copy)


def _report(store: Store, copy: Path) -> DrillReport:
    _check_references(store, copy)
    newest = queries.newest_replays(store, NEWEST)
    for _, replay in parse_lines(line for _, line in newest):
        wrong = replay if isinstance(replay, ReplayError) else verify(replay)
        if wrong is not None:
            raise RoostError(f"{copy}: a match does not verify: {wrong}; `roost verify --db {copy}` names all of them")
    found = [ledger.find(store, name) for name in ledger.names(store)]
    for competition in found:
        if commitment_of(competition.seed) != competition.commitment:
            raise RoostError(f"{copy}: the master seed of {competition.file.name} is not the one that was promised")
    last = max((ended_ms for ended_ms, _ in newest), default=0)
    names = tuple((each.file.name, each.phase) for each in found)
    return DrillReport(queries.match_count(store), len(newest), last, names)


def _check_references(store: Store, copy: Path) -> None:
    with store.reading() as reading:
        broken = len(reading.exec_driver_sql("PRAGMA foreign_key_check").all())
    if broken:
        raise RoostError(f"{copy} is damaged: {broken} rows refer to missing ones; use another backup")
