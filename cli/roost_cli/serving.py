"""What `roost serve` does once it knows what to do."""

import asyncio
import platform
from dataclasses import replace

import typer

from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES
from roost_server.logs import configure_logging
from roost_server.serve import serve
from roost_server.settings import Settings, tables_of
from roost_server.store import Store, open_store

EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104  recognised here, not listened at


def settings_for(
    games: tuple[str, ...], counts: tuple[int, ...], decision_ms: int | None, bank_ms: int | None
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
    return replace(usual, tables=tables, clock=clock)


def run_arena(url: str, settings: Settings, listen: str, log_level: str) -> None:
    """Run an arena until it is told to stop. Raises `RoostError` if it cannot start."""
    check_listen(listen)
    with open_store(url) as store:
        configure_logging(log_level)
        asyncio.run(serve(store, settings, listen, lambda address: _greet(address, store)))
    typer.echo("stopped; everything is recorded")


def check_listen(address: str) -> None:
    """Raise `UsageError` unless `address` is of the form HOST:PORT."""
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal() and int(port) < 65536):
        raise UsageError(f"{address!r} is not an address to listen at; one is 127.0.0.1:50051")


def _greet(address: str, store: Store) -> None:
    """Say where the arena is. The first line is meant for programs that start one, too."""
    host, _, port = address.rpartition(":")
    server = f"{platform.node()}:{port}" if host in EVERYWHERE else address
    typer.echo(f"listening at {address}, recording in {store.name}")
    typer.echo(f"  a bot joins with   roost submit mybot.py --server {server}")
    typer.echo(f"  who is ahead       roost standings --server {server}")
    typer.echo("Ctrl-C stops the arena.")
