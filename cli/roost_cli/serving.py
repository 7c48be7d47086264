"""What `roost serve` does once it knows what to do."""

import asyncio
import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import grpc
import typer

from roost_cli.lookup import find_bots, sources_of
from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES
from roost_server.accounts.keys import Scope, keys
from roost_server.competition.file import read_competitions
from roost_server.competition.ledger import draw_up, find
from roost_server.metrics import metrics_address
from roost_server.serving.house_bots import HouseBot, house_bots, playing_along
from roost_server.serving.logs import configure_logging
from roost_server.serving.serve import ArenaServer, Hosting, listen_address, serve
from roost_server.serving.tls import server_credentials
from roost_server.settings import Settings, tables_of
from roost_server.store import Store, open_store

EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104  recognised here, not listened at


class Outside(NamedTuple):
    """How the world reaches an arena."""

    listen: str
    tls_cert: Path | None
    tls_key: Path | None
    insecure_network: bool
    metrics: str | None

    def credentials(self) -> grpc.ServerCredentials | None:
        """Raises `UsageError` if the files cannot be used, or there is only one."""
        if self.tls_cert is None and self.tls_key is None:
            return None
        if self.tls_cert is None or self.tls_key is None:
            raise UsageError("--tls-cert and --tls-key belong together; `roost admin cert` makes a pair")
        return server_credentials(self.tls_cert, self.tls_key)


def settings_for(
    games: tuple[str, ...],
    counts: tuple[int, ...],
    decision_ms: int | None,
    bank_ms: int | None,
    schedule: str | None = None,
) -> Settings:
    """The arena's settings; what is `None` or empty stays as it is by default."""
    tables = tables_of(games or GAME_NAMES, counts)
    if not tables:
        named = ", ".join(games or GAME_NAMES)
        raise UsageError(f"no table can be made: {named} with {', '.join(map(str, counts))} players")
    usual = Settings()
    clock = Clock(
        usual.clock.decision_ms if decision_ms is None else decision_ms,
        usual.clock.bank_ms if bank_ms is None else bank_ms,
    )
    return replace(usual, tables=tables, clock=clock, schedule=schedule or usual.schedule)


def run_arena(
    url: str,
    settings: Settings,
    outside: Outside,
    files: Sequence[Path],
    log_level: str,
    bots: Sequence[str] = (),
) -> None:
    """Run an arena until it is told to stop, with `bots` playing along. Raises `RoostError` if it cannot start."""
    listen_address(outside.listen)
    if outside.metrics is not None:
        metrics_address(outside.metrics)
    credentials = outside.credentials()
    described = read_competitions(files)
    found = house_bots(zip(sources_of(bots), find_bots(bots), strict=True), settings.tables)
    with playing_along(found) as guests, open_store(url) as store:
        competitions = tuple(
            draw_up(store, file, text, str(path)) for path, (file, text) in zip(files, described, strict=True)
        )
        hosting = Hosting(competitions, credentials, outside.insecure_network, outside.metrics, side_door=bool(found))
        configure_logging(log_level)

        def begin(server: ArenaServer) -> None:
            _greet(server.address, store, hosting, found)
            if found:
                guests.start(server.side_address)

        asyncio.run(serve(store, settings, outside.listen, begin, hosting))
    typer.echo("stopped; everything is recorded")


def _greet(address: str, store: Store, hosting: Hosting, bots: Sequence[HouseBot]) -> None:
    """Say where the arena is. The first line is meant for programs that start one, too."""
    host, _, port = address.rpartition(":")
    server = f"{platform.node()}:{port}" if host in EVERYWHERE else address
    key = " --key-file FILE" if hosting.competitions else ""
    tls = " --tls" if hosting.credentials is not None else ""
    typer.echo(f"listening at {address}, recording in {store.name}")
    for competition in hosting.competitions:
        now = find(store, competition.file.name)
        typer.echo(f"  {now.file.name}: phase {now.phase}, commitment to its master seed {now.commitment}")
    typer.echo(f"  a bot joins with   roost submit mybot.py --server {server}{tls}{key}")
    typer.echo(f"  who is ahead       roost standings --server {server}{tls}")
    if bots:
        typer.echo(f"  playing along      {', '.join(bot.name for bot in bots)}")
    if hosting.competitions and not _has_admin(store):
        typer.echo("Nobody can administer this arena yet. Stop it, make a key, and start it again:")
        typer.echo(f"  roost admin key make --admin --db {store.name} --save admin.key")
    typer.echo("Ctrl-C stops the arena.")


def _has_admin(store: Store) -> bool:
    return any(key.scope == Scope.ADMIN and key.revoked_ms is None for key in keys(store))
