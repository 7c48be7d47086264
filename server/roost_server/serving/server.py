"""The arena as a gRPC server that runs until it is told to stop."""

import asyncio
import gc
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER, KEEPALIVE, host_and_port
from roost_server.accounts.callers import Addresses
from roost_server.accounts.gate import Gate
from roost_server.accounts.limits import REGISTRATIONS, CallLimits, OpenCalls, RequestLimits
from roost_server.answers.ratings import Ratings
from roost_server.competition.ledger import Competition
from roost_server.play.arena import Arena
from roost_server.serving.backups import BackupPlan, BackupSchedule
from roost_server.serving.rpc import LARGEST_REQUEST, Turnstile
from roost_server.serving.saving import RecordsKeeper
from roost_server.serving.services import ACCOUNTS, ADMIN, ARENA, AccountsService, AdminService, ArenaService
from roost_server.serving.tls import is_loopback
from roost_server.settings import Settings
from roost_server.store import Store

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
CLOSE_SECONDS = 2.0
"""How long calls that are still open at the end of a shutdown may take to end by themselves."""
IDLE_SECONDS = 10.0
"""A connection without calls for this long is closed, because each takes some 80 KB of memory with TLS.

A bot that plays has its stream open. For others gRPC connects again when they call. gRPC's Python client does not close
a connection whose stream ended with something unread, so a flood would leave one connection each time.
"""
SERVICES = (ARENA, ACCOUNTS, ADMIN)
LOCAL_PORT = "127.0.0.1:0"
HANDSHAKE_SECONDS = 10.0
"""How long a connection may take to be made."""
CONNECTION_CALLS = 256
"""How many calls may be open on one connection."""
KEPT_DESCRIPTORS = 256
"""How many descriptors connections leave to the database, to exports, and to what runs beside the arena."""
SWITCH_SECONDS = 0.001
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Hosting:
    """How an arena is hosted: by default without accounts, on this machine only."""

    competitions: tuple[Competition, ...] = ()
    """With any, bots need keys."""
    credentials: grpc.ServerCredentials | None = None
    """For TLS; `None` for plain connections."""
    insecure_network: bool = False
    """Whether other machines may connect without TLS."""
    metrics: str | None = None
    """Where metrics are served, as HOST:PORT."""
    side_door: bool = False
    """Whether what the host starts beside the arena, bots and the page, gets a socket of its own, without limits."""
    limits: RequestLimits = field(default_factory=RequestLimits)
    backups: BackupPlan | None = None
    """How the database is backed up by the clock, if it is."""
    backup_folder: Path | None = None
    """Below this an administrator's key may have copies made; `None` for `NAME-backups` beside the database."""
    registrations: RequestLimits = REGISTRATIONS
    """For each address and each invitation."""
    calls: CallLimits = field(default_factory=CallLimits)
    proxies: tuple[str, ...] = ()
    """The addresses of the proxies that may say for whom they ask."""


class ArenaServer:
    """An arena that listens. `start`, then `stop`; `address` is where it listens once it has started.

    `side_address` is the socket for what runs beside it on this machine, if the hosting has one.
    """

    def __init__(self, store: Store, settings: Settings, listen: str, hosting: Hosting | None = None) -> None:
        self._listen = listen
        self._hosting = hosting or Hosting()
        competitions = self._hosting.competitions
        self._arena = Arena(store, settings, competitions)
        self._gate = Gate(
            store,
            accounts=bool(competitions),
            public=all(each.file.spectators.public for each in competitions),
            limits=self._hosting.limits,
            registrations=self._hosting.registrations,
            addresses=Addresses(self._hosting.proxies),
        )
        self._calls = OpenCalls(self._hosting.calls)
        turnstile = Turnstile(self._gate.addresses, self._calls, self._arena.metrics)
        self._ratings = Ratings(store)
        self._keeper = RecordsKeeper(store, self._ratings)
        plan = self._hosting.backups
        self._backups = BackupSchedule(store, plan, self._arena.metrics) if plan else None
        self._admin = AdminService(self._arena, self._gate, self._hosting.backup_folder)
        self._reading = ArenaService(self._arena, self._gate, self._ratings)
        self._health = health.aio.HealthServicer()
        self._at_end = ExitStack()
        self._server = grpc.aio.server(
            interceptors=(turnstile,),
            options=(
                ("grpc.max_receive_message_length", LARGEST_REQUEST),
                # Compressed messages are refused: a small one can become very large. 1 stands for no compression.
                ("grpc.compression_enabled_algorithms_bitset", 1),
                ("grpc.so_reuseport", 0),
                *KEEPALIVE,
                ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.max_connection_idle_ms", int(IDLE_SECONDS * 1000)),
                ("grpc.server_handshake_timeout_ms", int(HANDSHAKE_SECONDS * 1000)),
                ("grpc.max_concurrent_streams", CONNECTION_CALLS),
                ("grpc.max_allowed_incoming_connections", most_connections()),
            ),
        )
        self.address = self.side_address = ""

    @property
    def arena(self) -> Arena:
        """What is behind the services."""
        return self._arena

    async def start(self) -> None:
        """Start listening. Raises `UsageError` if that is not possible."""
        # Work in other threads holds up the event loop for this long at a time. The default is five times as much.
        sys.setswitchinterval(SWITCH_SECONDS)
        accounts = AccountsService(self._arena, self._gate)
        services = (self._reading, accounts, self._admin)
        self._server.add_generic_rpc_handlers(tuple(service.handler() for service in services))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        self.address = self._bind()
        if self._hosting.side_door:
            self.side_address = f"unix:{self._side_door()}"
            self._server.add_insecure_port(self.side_address)
        if self._hosting.metrics is not None:
            self._at_end.callback(self._arena.metrics.serve(self._hosting.metrics))
        await self._keeper.start()
        await self._arena.start()
        if self._backups is not None:
            self._backups.start()
        self._admin.start()
        await self._server.start()
        for service in ("", *SERVICES):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        log.info("listening", address=self.address, most_connections=most_connections())

    def _side_door(self) -> str:
        """A socket that only our user can open. It is removed when the arena stops."""
        folder = mkdtemp(prefix="roost-")
        self._at_end.callback(shutil.rmtree, folder, ignore_errors=True)
        return f"{folder}/arena"

    def _bind(self) -> str:
        host = self._checked_host()
        try:
            bound = self._add_port()
        except RuntimeError:
            bound = 0
        if not bound:
            raise UsageError(f"cannot listen at {self._listen}: it is in use, or not an address of this machine")
        return f"{host}:{bound}"

    def _add_port(self) -> int:
        credentials = self._hosting.credentials
        if credentials is None:
            return self._server.add_insecure_port(self._listen)
        return self._server.add_secure_port(self._listen, credentials)

    def _checked_host(self) -> str:
        """The host to listen at. Raises `UsageError` if it is not an address, or if others could eavesdrop."""
        host, _ = listen_address(self._listen)
        if self._hosting.credentials is None and not self._hosting.insecure_network and not is_loopback(host):
            raise UsageError(
                f"without TLS others on the network can read keys and moves, so the arena does not listen at {host}; "
                "give --tls-cert and --tls-key (`roost admin cert` makes a pair), or --insecure-network"
            )
        return host

    def hurry(self) -> None:
        """Stop waiting for matches to end and for a failing disk."""
        self._arena.hurry()

    async def stop(self) -> None:
        """End or void the matches, record everything, close all streams."""
        with suppress(TimeoutError):  # Those who watch the health and do not read it are not waited for.
            await asyncio.wait_for(self._health.enter_graceful_shutdown(), CLOSE_SECONDS)
        await self._arena.stop()
        await self._keeper.stop()
        if self._backups is not None:
            await self._backups.stop()
        self._admin.stop()
        await self._server.stop(CLOSE_SECONDS)
        self._reading.close()
        self._at_end.close()
        log.info("stopped")


def listen_address(text: str) -> tuple[str, int]:
    """Host and port, which may be 0 for any that is free. Raises `UsageError`."""
    parts = host_and_port(text)
    if parts is None:
        raise UsageError(f"{text!r} is not an address to listen at; one is {DEFAULT_SERVER}")
    return parts


def raise_descriptors() -> None:
    """Allow this process as many descriptors as it may have: each connection takes one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def most_connections() -> int:
    """How many connections the descriptors allow."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(descriptors // 2, descriptors - KEPT_DESCRIPTORS)


def collect_garbage_seldom() -> None:
    """Collect reference cycles a hundred times less often: running matches have many objects and no cycles.

    The default costs an arena with hundreds of running matches an eighth of its time. Broken streams leave cycles that
    survive a first collection, so older objects are collected somewhat more often than usual.
    """
    gc.freeze()
    gc.set_threshold(70_000, 5, 5)


async def serve(
    store: Store,
    settings: Settings,
    listen: str,
    on_start: Callable[[ArenaServer], None],
    hosting: Hosting | None = None,
) -> None:
    """Run an arena until SIGTERM or SIGINT. A second signal voids what is running instead of waiting for it."""
    if store.backend.exposed():
        log.warning("others can read the database and the seeds in it; run chmod 600", file=store.name)
    raise_descriptors()
    server = ArenaServer(store, settings, listen, hosting)
    collect_garbage_seldom()
    loop = asyncio.get_running_loop()
    told_to_stop = asyncio.Event()
    for each in STOP_SIGNALS:
        loop.add_signal_handler(each, told_to_stop.set)
    await server.start()
    on_start(server)
    await told_to_stop.wait()
    stopping = asyncio.create_task(server.stop())
    for each in STOP_SIGNALS:
        loop.add_signal_handler(each, server.hurry)
    await stopping
