"""One arena per database: a lock that the operating system gives back when its holder dies, however it dies.

The lock is on a file beside the database, because SQLite has locks of its own on the database file. The file stays
behind when the lock is given up (to delete it would let two arenas lock two files of one name); it holds the process
number of the last holder, for the message.
"""

import fcntl
import os
from pathlib import Path

from roost_server.store.errors import StoreError


class ArenaLock:
    """Held from construction to `release` or to the end of the process. Raises `StoreError` if another has it."""

    def __init__(self, database: Path) -> None:
        self._path = database.resolve().with_name(database.resolve().name + "-lock")
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, 20).decode(errors="replace").strip()
            os.close(self._file)
            who = f"another arena (process {holder or 'unknown'})"
            raise StoreError(f"{database} is in use by {who}; stop that one or give another file") from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Give the lock up. Once is enough, twice is fine."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
