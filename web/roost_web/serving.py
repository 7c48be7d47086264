"""The page as a web server: where it listens, how it runs, how it stops.

    with listen(DEFAULT_LISTEN) as listener:
        serve_page(create_app(PageSettings("arena.example:50051")), listener)

A process may listen and hand the socket to another one, which serves it (`fd:N`). So a page that is restarted loses
nobody: a visitor who connects then waits for a moment.
"""

import asyncio
import logging
import os
import platform
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn

from roost_games.errors import UsageError
from roost_sdk.arena.connection import host_and_port
from roost_web import DEFAULT_LISTEN

FD = "fd:"
"""How an address to listen at begins that is an open socket."""
BACKLOG = 1024
"""How many visitors may wait to be connected, such as during a restart."""
STOP_SECONDS = 2
"""How long answers may still take after the page was told to stop. Live streams never end by themselves."""
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  recognised here, not listened at


def listen(text: str) -> socket.socket:
    """A socket that listens at HOST:PORT, or the open one of `fd:N`. Raises `UsageError`, which says what is wrong."""
    if text.startswith(FD):
        return _inherited(text)
    parts = host_and_port(text)
    if parts is None:
        raise UsageError(f"{text!r} is not an address to listen at; one is {DEFAULT_LISTEN}")
    host, port = parts[0].strip("[]"), parts[1]
    try:
        # Opened by its number, it knows that it is TCP; only then asyncio sends small pieces at once (TCP_NODELAY).
        created = socket.create_server((host, port), family=_family(host), backlog=BACKLOG)
        return socket.socket(fileno=created.detach())
    except PermissionError:
        raise UsageError(f"only root may listen at {text}; give a port above 1023, and put a proxy before it") from None
    except OSError:
        raise UsageError(
            f"cannot listen at {text}: it is in use, or not an address of this machine; give another one"
        ) from None


def listen_or_elsewhere(text: str) -> socket.socket:
    """A socket that listens at HOST:PORT, or at a free port of that host if somebody else does."""
    try:
        return listen(text)
    except UsageError:
        return listen(f"{text.rpartition(':')[0]}:0")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _inherited(text: str) -> socket.socket:
    number = text.removeprefix(FD)
    with suppress(OSError, ValueError):
        inherited = socket.socket(fileno=os.dup(int(number)))
        if inherited.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return inherited
        inherited.close()
    raise UsageError(f"{text} is not a socket that listens; give HOST:PORT, such as {DEFAULT_LISTEN}")


def url_of(listener: socket.socket, path_prefix: str = "") -> str:
    """What to open in a browser on this machine, or on another one if others can reach it."""
    host, port = listener.getsockname()[:2]
    if host in EVERYWHERE:
        host = platform.node()
    elif ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}{path_prefix}/"


class PageServer(uvicorn.Server):
    """Stops at the first signal, and ends with it: what ends because it was told to has not failed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for each in STOP_SIGNALS:
            loop.add_signal_handler(each, self.handle_exit, each, None)
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # That live streams are cut off is what is meant to happen.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def serve_page(app: Callable[..., Any], listener: socket.socket) -> None:
    """Serve the page, an ASGI application, until SIGTERM or SIGINT."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    PageServer(config).run(sockets=[listener])
