"""A PostgreSQL server for a run of the tests, from the programs of Debian's package `postgresql`."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.ports import free_port

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
USER = "roost"
QUICK = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "shared_buffers=16MB",
    "max_connections=50",
)
"""The tests are not about power cuts, and no database lives long enough to be tidied up."""


def available() -> bool:
    return bool(PROGRAMS)


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server that has the database `postgres`; it ends with the block."""
    folder = Path(tempfile.mkdtemp(prefix="roost-pg-"))
    account = "postgres" if os.geteuid() == 0 else None  # PostgreSQL does not run as root
    if account:
        os.chown(folder, pwd.getpwnam(account).pw_uid, -1)
    data = folder / "data"
    init = [_program("initdb"), "-D", str(data), "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8"]
    subprocess.run(init, check=True, capture_output=True, user=account, cwd=folder)
    port, process = _started(folder, data, account)
    try:
        yield f"postgresql+psycopg://{USER}@127.0.0.1:{port}/postgres"
    finally:
        process.send_signal(signal.SIGQUIT)  # At once: nobody needs what would have to be written first.
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _started(folder: Path, data: Path, account: str | None) -> tuple[int, "subprocess.Popen[bytes]"]:
    """A server that answers, and its port. Another process may take a free one first: then there is another try."""
    settings = [f"--{each}" for each in (*QUICK, f"unix_socket_directories={folder}", "listen_addresses=127.0.0.1")]
    quiet = subprocess.DEVNULL
    for _ in range(5):
        port = free_port()
        command = [_program("postgres"), "-D", str(data), "-p", str(port), *settings]
        process = subprocess.Popen(command, user=account, cwd=folder, stdout=quiet, stderr=quiet)
        if _answers(process, port):
            return port, process
    raise AssertionError("PostgreSQL does not start")


def _program(name: str) -> str:
    return str(PROGRAMS[0] / name)


def _answers(process: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until the server answers; false if it ends instead."""
    ready = [_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port), "-U", USER]
    while subprocess.run(ready, check=False).returncode != 0:
        if process.poll() is not None:
            return False
        time.sleep(0.1)
    return True
