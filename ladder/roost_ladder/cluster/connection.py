"""The way to a cluster: its address, workers on this machine for a trial, and a client that is connected."""

import asyncio
import contextlib
import logging
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from roost_games.errors import UsageError
from roost_sdk.arena.connection import host_and_port

LOCAL = "local:"
SCHEMES = ("tcp://", "tls://")
LOOPBACK = "127.0.0.1"
MOST_LOCAL = 256
CONNECT_SECONDS = 10.0
"""How long the scheduler may take to answer."""
IGNORE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""What a worker of ours does first: a Ctrl-C on the terminal is for the command, which then ends its workers."""
LOUDEST = logging.CRITICAL + 1


class ClusterAddress(NamedTuple):
    """What `--cluster` says: a scheduler, or workers on this machine."""

    scheduler: str = ""
    """Its address; empty for workers on this machine."""
    workers: int = 0

    @classmethod
    def read(cls, text: str) -> "ClusterAddress":
        """`tcp://HOST:PORT`, `tls://HOST:PORT` or `local:N`. Raises `UsageError`."""
        if text.startswith(LOCAL):
            number = text.removeprefix(LOCAL)
            if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= MOST_LOCAL):
                raise UsageError(
                    f"--cluster local:N starts 1 to {MOST_LOCAL} workers on this machine, such as local:4, not {text!r}"
                )
            return cls(workers=int(number))
        scheme = next((scheme for scheme in SCHEMES if text.startswith(scheme)), None)
        parts = host_and_port(text.removeprefix(scheme)) if scheme else None
        if parts is None or not parts[0] or parts[1] == 0:
            raise UsageError(
                f"--cluster is the address of a Dask scheduler, such as tcp://10.0.0.1:8786, or local:4, not {text!r}"
            )
        return cls(scheduler=text)


@contextlib.contextmanager
def connected(address: ClusterAddress) -> Iterator[Any]:
    """A client of Dask. Raises `UsageError` without the extra or a scheduler."""
    distributed = _imported()
    with contextlib.ExitStack() as resources:
        resources.enter_context(_quiet())
        scheduler = address.scheduler or resources.enter_context(_local(distributed, address.workers))
        try:
            asyncio.run(asyncio.wait_for(_greet(distributed, address.scheduler), CONNECT_SECONDS))
            with warnings.catch_warnings():
                # Other versions are refused later, with the name of the machine that has them.
                warnings.simplefilter("ignore")
                client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, TimeoutError) as error:
            raise UsageError(_unreachable(address.scheduler, error)) from None
        # Not `close`: that waits for a scheduler which may have gone.
        resources.callback(client.close, timeout=CONNECT_SECONDS)
        yield client


async def _greet(distributed: Any, scheduler: str) -> None:
    """See whether a scheduler answers: a client would wait without end for one that hangs."""
    if scheduler:
        options = distributed.Security().get_connection_args("client")
        async with distributed.rpc(scheduler, connection_args=options) as there:
            await there.identity(n_workers=0)


def _unreachable(scheduler: str, error: Exception) -> str:
    reason = "" if isinstance(error, OSError | TimeoutError) else f" ({str(error).splitlines()[0]})"
    return (
        f"no scheduler answers at {scheduler} within {CONNECT_SECONDS:.0f} s{reason}; start one with dask scheduler, "
        "or try local:2"
    )


def _imported() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--cluster needs {error.name}, which is not installed: pip install '.[cluster]' in a checkout of Roost"
        ) from None
    return distributed


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the log of Dask: what concerns a run is said by us."""
    logger = logging.getLogger("distributed")
    loggers = [logger, *(logging.getLogger(name) for name in logging.root.manager.loggerDict if "distributed." in name)]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(LOUDEST)
    try:
        yield
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)


@contextlib.contextmanager
def _local(distributed: Any, workers: int) -> Iterator[Any]:
    """A scheduler in this process, and workers that end with it."""
    with (
        tempfile.TemporaryDirectory(prefix="roost-cluster-") as folder,
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            # Not `None`: that would listen everywhere, and on a port that another cluster may have.
            dashboard_address=f"{LOOPBACK}:0",
            worker_dashboard_address=f"{LOOPBACK}:0",
            local_directory=folder,
            silence_logs=LOUDEST,
            preload=[IGNORE_CTRL_C],
        ) as cluster,
    ):
        yield cluster
