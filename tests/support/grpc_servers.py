"""A gRPC server on loopback without an arena behind it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc

Options = tuple[tuple[str, int], ...]
HANDSHAKE_MS = 5_000
"""Very seldom gRPC waits, before it stops, until the time for a handshake is over: two minutes unless it is told."""


@contextmanager
def answering(
    register: Callable[[grpc.Server], object],
    *,
    threads: int = 1,
    port: int = 0,
    options: Options = (),
) -> Iterator[str]:
    """The address of a server that answers with what `register` adds to it."""
    always: Options = (("grpc.so_reuseport", 0), ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS))
    server = grpc.server(ThreadPoolExecutor(threads), options=(*always, *options))
    register(server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        server.stop(None).wait()
