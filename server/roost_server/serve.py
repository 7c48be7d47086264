"""Runs an arena as a gRPC server until it is told to stop."""

import asyncio
import gc
import signal
from collections.abc import Callable

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from roost_games.errors import UsageError
from roost_server.arena import Arena
from roost_server.service import SERVICE, ArenaService
from roost_server.settings import Settings
from roost_server.store import Store

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
CLOSE_SECONDS = 2.0
"""How long calls that are still open at the end of a shutdown may take to end by themselves."""
log = structlog.get_logger()


class ArenaServer:
    """An arena that listens. `start`, then `stop`; `address` is where it listens once it has started."""

    def __init__(self, store: Store, settings: Settings, listen: str) -> None:
        self._listen = listen
        self._arena = Arena(store, settings)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            options=(
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.so_reuseport", 0),
                ("grpc.keepalive_time_ms", 20_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
                ("grpc.keepalive_permit_without_calls", 1),
            )
        )
        self.address = ""

    async def start(self) -> None:
        """Listen. Raises `UsageError` if that is not possible there."""
        self._server.add_generic_rpc_handlers((ArenaService(self._arena).handler(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        self.address = self._bind()
        await self._arena.start()
        await self._server.start()
        for service in ("", SERVICE):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        log.info("listening", address=self.address)

    def _bind(self) -> str:
        host, _, port = self._listen.rpartition(":")
        if not host or not port.isdigit():
            raise UsageError(f"{self._listen!r} is not an address to listen at; one is 127.0.0.1:50051")
        try:
            bound = self._server.add_insecure_port(self._listen)
        except RuntimeError:
            bound = 0
        if not bound:
            raise UsageError(f"cannot listen at {self._listen}: it is in use, or not an address of this machine")
        return f"{host}:{bound}"

    def hurry(self) -> None:
        """Wait for nothing any more: neither for matches to end, nor for a disk in trouble."""
        self._arena.hurry()

    async def stop(self) -> None:
        """Let matches end or void them, record everything, close all streams."""
        await self._health.enter_graceful_shutdown()
        await self._arena.stop()
        await self._server.stop(CLOSE_SECONDS)
        log.info("stopped")


def collect_garbage_seldom() -> None:
    """Let Python look for reference cycles a hundred times less often: running matches have none, but many objects.

    The default costs an arena with hundreds of running matches an eighth of its time.
    """
    gc.freeze()
    gc.set_threshold(70_000, 20, 20)


async def serve(store: Store, settings: Settings, listen: str, on_start: Callable[[str], None]) -> None:
    """Run an arena until SIGTERM or SIGINT. A second signal voids what is running instead of waiting for it."""
    server = ArenaServer(store, settings, listen)
    collect_garbage_seldom()
    loop = asyncio.get_running_loop()
    told_to_stop = asyncio.Event()
    for each in STOP_SIGNALS:
        loop.add_signal_handler(each, told_to_stop.set)
    await server.start()
    on_start(server.address)
    await told_to_stop.wait()
    stopping = asyncio.create_task(server.stop())
    for each in STOP_SIGNALS:
        loop.add_signal_handler(each, server.hurry)
    await stopping
