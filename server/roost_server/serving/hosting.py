"""An arena from its options to its end: settings, certificates, competitions, house bots and page, put together."""

import asyncio
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import grpc

from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES
from roost_ladder.blocks import Deals
from roost_ladder.schedules.registry import check_open
from roost_sdk.bot_process.answers import BotDescription
from roost_server.accounts.callers import Addresses
from roost_server.accounts.keys import Scope, keys
from roost_server.competition.file import read_competitions
from roost_server.competition.ledger import draw_up, find
from roost_server.metrics import metrics_address
from roost_server.serving.backups import BackupPlan
from roost_server.serving.children import HouseBot, PageBeside, house_bots, kept_running
from roost_server.serving.logs import configure_logging
from roost_server.serving.server import ArenaServer, Hosting, listen_address, serve
from roost_server.serving.tls import server_credentials
from roost_server.settings import Settings, tables_of
from roost_server.store import Store, open_store
from roost_server.store.copies.epochs import check_complete, go_on, present_epoch

EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104  recognised here, not listened at


class ArenaNetwork(NamedTuple):
    """How the world reaches an arena."""

    listen: str
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    """Whether it may listen for other machines without TLS."""
    metrics: str | None = None
    """Where to serve metrics, if anywhere."""
    proxies: tuple[str, ...] = ()
    """The addresses of the proxies before it."""

    def credentials(self) -> grpc.ServerCredentials | None:
        """Raises `UsageError` if the files cannot be used, or there is only one."""
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            raise UsageError("--tls-cert and --tls-key belong together; `roost admin cert` makes a pair")
        return server_credentials(self.tls_cert, self.tls_key)

    def check(self) -> None:
        """Raise `UsageError` for an address that cannot be listened at, or of a proxy that cannot be one."""
        listen_address(self.listen)
        Addresses(self.proxies)
        if self.metrics is not None:
            metrics_address(self.metrics)


def settings_for(
    games: tuple[str, ...],
    counts: tuple[int, ...],
    decision_ms: int | None = None,
    bank_ms: int | None = None,
    schedule: str | None = None,
    deals: str | None = None,
    *,
    matches_per_hour: float | None = None,
    matches_per_bot_hour: float | None = None,
    disk_gb: float | None = None,
) -> Settings:
    """The settings of an arena without competitions; what is `None` or empty keeps its default."""
    tables = tables_of(games or GAME_NAMES, counts)
    if not tables:
        named, numbers = ", ".join(games or GAME_NAMES), ", ".join(map(str, counts))
        raise UsageError(f"{named} cannot be played by {numbers}; give other --games or --players")
    if deals is not None and deals not in list(Deals):
        raise UsageError(f"--deals is {' or '.join(Deals)}, not {deals!r}")
    usual = Settings()
    clock = Clock(
        usual.clock.decision_ms if decision_ms is None else decision_ms,
        usual.clock.bank_ms if bank_ms is None else bank_ms,
    )
    return replace(
        usual,
        tables=tables,
        clock=clock,
        schedule=check_open(schedule or usual.schedule),
        deals=Deals(deals or usual.deals),
        matches_per_hour=matches_per_hour or usual.matches_per_hour,
        matches_per_bot_hour=matches_per_bot_hour or usual.matches_per_bot_hour,
        disk_gb=disk_gb or usual.disk_gb,
    )


def run_arena(
    url: str,
    settings: Settings,
    network: ArenaNetwork,
    *,
    competitions: Sequence[Path] = (),
    bots: Iterable[tuple[str, BotDescription]] = (),
    page: PageBeside | None = None,
    backups: BackupPlan | None = None,
    backup_folder: Path | None = None,
    accept_loss: bool = False,
    log_level: str = "info",
    tell: Callable[[str], None] = print,
) -> None:
    """Run an arena until it is told to stop. Raises `RoostError` if it cannot start.

    `bots` are the house bots, each with how another process finds it. `page` runs beside the arena, and `backups` are
    made meanwhile; below `backup_folder` an administrator's key may have more made. With `accept_loss` the arena plays
    on though records are missing. `tell` gets the lines for the host.
    """
    network.check()
    if backups is not None:
        backups.check()
    credentials = network.credentials()
    described = read_competitions(competitions)
    found = house_bots(bots, settings.tables)
    with kept_running() as children, open_store(url) as store:
        if accept_loss:
            go_on(store, accept_loss=True)
        check_complete(store)
        drawn_up = tuple(
            draw_up(store, file, text, str(path)) for path, (file, text) in zip(competitions, described, strict=True)
        )
        hosting = Hosting(
            drawn_up,
            credentials,
            network.insecure,
            network.metrics,
            side_door=bool(found or page),
            backups=backups,
            backup_folder=backup_folder,
            proxies=network.proxies,
        )
        configure_logging(log_level)

        def begin(server: ArenaServer) -> None:
            for line in _greeting(server.address, store, hosting, found, page):
                tell(line)
            inside = server.side_address
            pages = [page.child(inside, _for_others(server.address))] if page else []
            children.start([*(bot.child(inside) for bot in found), *pages])

        asyncio.run(serve(store, settings, network.listen, begin, hosting))
    tell("stopped; everything is recorded")


def _greeting(
    address: str, store: Store, hosting: Hosting, bots: Sequence[HouseBot], page: PageBeside | None
) -> Iterator[str]:
    """Where the arena is and what to do next. Programs that start an arena read the first line."""
    server = _for_others(address)
    key = " --key-file FILE" if hosting.competitions else ""
    tls = " --tls" if hosting.credentials is not None else ""
    yield f"listening at {address}, recording in {store.name}"
    for competition in hosting.competitions:
        now = find(store, competition.file.name)
        yield f"  {now.file.name}: phase {now.phase}, commitment to its master seed {now.commitment}"
    if epoch := present_epoch(store):
        yield f"  restored from a copy; all deals since then are new, from epoch {epoch}"
    if page is not None:
        yield f"  the page           {page.url}"
    yield f"  a bot joins with   roost submit mybot.py --server {server}{tls}{key}"
    yield f"  the standings      roost standings --server {server}{tls}"
    if bots:
        yield f"  house bots         {', '.join(bot.name for bot in bots)}"
    if hosting.competitions and not _has_admin(store):
        yield "Nobody can administer this arena yet. Stop it, make a key, and start it again:"
        yield f"  roost admin key make --admin --db {store.name} --save admin.key"
    yield "Ctrl-C stops the arena."


def _for_others(address: str) -> str:
    """The address at which other machines reach what listens everywhere."""
    host, _, port = address.rpartition(":")
    return f"{platform.node()}:{port}" if host in EVERYWHERE else address


def _has_admin(store: Store) -> bool:
    return any(key.scope == Scope.ADMIN and key.revoked_ms is None for key in keys(store))
