"""Backups by the clock: a copy of the database every few hours, of which the newest are kept.

The time of the last backup is in its name, so a schedule goes on after a restart. A copy that could not be completed
never has the name of a backup.
"""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from roost_games.errors import UsageError
from roost_server.metrics import Metrics
from roost_server.store import Store, StoreError
from roost_server.store.copies.backup import PARTIAL, back_up, sqlite_file

NAMED_AFTER = "%Y-%m-%dT%H-%M-%SZ"
NAME = re.compile(r"(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.db")
RETRY_SECONDS = 60.0
SHORTEST_SECONDS = 60.0
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class BackupPlan:
    """How often an arena backs up its database, into which folder, and how many copies it keeps there."""

    every_seconds: float
    keep: int
    folder: Path

    def check(self) -> None:
        """Raise `UsageError` for a plan that cannot be followed."""
        if self.every_seconds < SHORTEST_SECONDS:
            raise UsageError("--backup-every takes at least a minute, such as 30m or 6h")


def now_utc() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


class BackupSchedule:
    """Makes backups until it is stopped. `start`, then `stop`."""

    def __init__(self, store: Store, plan: BackupPlan, metrics: Metrics, now: Callable[[], datetime] = now_utc) -> None:
        self._store = store
        self._plan = plan
        self._metrics = metrics
        self._now = now
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Prepare the folder, and begin. Raises `StoreError` if there can be no backups there."""
        sqlite_file(self._store.backend, "pg_dump")
        try:
            _create(self._plan.folder)
            for unfinished in self._plan.folder.glob(f"*.db{PARTIAL}*"):
                unfinished.unlink()
        except OSError as error:
            raise StoreError(f"{self._plan.folder} cannot hold backups: {error.strerror}") from None
        self._task = asyncio.create_task(self._back_up_on())

    async def stop(self) -> None:
        """Make no more of them. One that is being made is completed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _back_up_on(self) -> None:
        pause = self.seconds_left()
        while True:
            await asyncio.sleep(pause)
            done = await asyncio.shield(asyncio.to_thread(self.back_up_now))
            pause = self.seconds_left() if done else RETRY_SECONDS

    def seconds_left(self) -> float:
        """How long it is until the next backup is due."""
        made = _times(self._plan.folder)
        if not made:
            return 0.0
        return max(0.0, (made[-1] - self._now()).total_seconds() + self._plan.every_seconds)

    def back_up_now(self) -> bool:
        """Make a backup, and remove the oldest ones. False if it failed, which is logged."""
        started = self._now().replace(microsecond=0)
        file = _file(self._plan.folder, started)
        try:
            size = back_up(self._store.backend, file)
            for time in _times(self._plan.folder)[: -self._plan.keep]:
                _file(self._plan.folder, time).unlink(missing_ok=True)
        except (StoreError, OSError) as error:
            log.warning("backup failed", file=str(file), error=str(error))
            self._metrics.backup_failed()
            return False
        log.info("backup made", file=str(file), bytes=size)
        self._metrics.backup_made(started.timestamp())
        return True


def _times(folder: Path) -> list[datetime]:
    """When the backups in a folder were made, the oldest first. Files with other names are none."""
    found = (NAME.fullmatch(file.name) for file in folder.iterdir())
    return sorted(datetime.strptime(name["time"], NAMED_AFTER).replace(tzinfo=UTC) for name in found if name)


def _file(folder: Path, time: datetime) -> Path:
    return folder / f"{time.strftime(NAMED_AFTER)}.db"


def usual_folder(database: Path) -> Path:
    """Where backups go unless a host says otherwise."""
    return database.with_name(f"{database.stem}-backups")


def _create(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def file_for(store: Store, folder: Path | None, named: str) -> Path:
    """The new file that an administrator's key asks for, below the folder for backups. Raises `RoostError`."""
    folder = folder or usual_folder(sqlite_file(store.backend, "pg_dump").path)
    try:
        _create(folder)
        file, inside = (folder / named).resolve(), folder.resolve()
    except (ValueError, RuntimeError):  # a NUL byte, or links in a circle
        raise UsageError("name a file for the copy, such as monday.db") from None
    except OSError as error:
        raise StoreError(f"{folder} cannot hold backups: {error.strerror}") from None
    if not file.is_relative_to(inside) or file == inside:
        raise UsageError(f"an arena writes backups below {folder} only; name a file there, such as monday.db")
    if NAME.fullmatch(file.name):
        raise UsageError(f"{file.name} is a name for backups by the clock; choose another one")
    return file
