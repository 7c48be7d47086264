"""`roost admin status`: how an arena is doing, on one screen."""

from collections.abc import Iterator, Sequence

from rich.console import Console

from roost.v1 import admin_pb2, arena_pb2
from roost_cli.admin_desk import Desk
from roost_cli.terminal.admin_tables import moment, plain
from roost_cli.terminal.arena_tables import short_version
from roost_cli.terminal.console import print_json, results
from roost_cli.terminal.fitted import Column, print_fitted


def show_status(desk: Desk, *, as_json: bool) -> None:
    """Ask and show."""
    status = desk.ask("GetStatus", admin_pb2.GetStatusRequest(), admin_pb2.GetStatusResponse)
    if as_json:
        print_json(status_json(status))
    else:
        print_status(results(), status)


def status_json(status: admin_pb2.GetStatusResponse) -> dict[str, object]:
    """`roost admin status --json`."""
    return {
        **plain(status),
        "finished_matches": status.finished_matches,
        "competitions": [plain(each) for each in status.competitions],
        "quarantined": [plain(each) for each in status.quarantined],
    }


def print_status(console: Console, status: admin_pb2.GetStatusResponse) -> None:
    """For people."""
    for line in _lines(status):
        console.print(line, soft_wrap=True)
    if status.competitions:
        console.print()
        print_competitions(console, status.competitions)
    for bot in status.quarantined:
        console.print(f"in quarantine: {said_about_quarantine(bot)}", soft_wrap=True)


def _lines(status: admin_pb2.GetStatusResponse) -> Iterator[str]:
    size = f"{status.database_bytes / 1_000_000:.1f} MB"
    up = f"running since {moment(status.started_ms)}" if status.started_ms else "not asked, only its database"
    yield f"arena        roost {status.version}, {up}"
    yield f"database     {status.database}, {size}"
    if status.started_ms:
        yield f"bots         {status.connected} connected"
        yield f"own delay    {status.delayed_ms:.0f} ms within the last minute"
    running = f", {status.running_matches} running" if status.started_ms else ""
    yield f"matches      {status.finished_matches} finished, {status.last_minute} within the last minute{running}"


def print_competitions(console: Console, found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    """The table of competitions."""
    columns = [
        Column("competition", [each.name for each in found]),
        Column("phase", [each.phase for each in found]),
        Column("changes", [moment(each.next_change_ms) for each in found], drop=1),
        Column(">bots", [str(each.entries) for each in found]),
        Column(">blocks done", [str(each.blocks_done) for each in found]),
        Column(">open", [str(each.blocks_open) for each in found]),
    ]
    print_fitted(console, columns)


def said_about_quarantine(bot: arena_pb2.BotVersion) -> str:
    """Why a version is kept from playing, in a line."""
    return f"{bot.name} {short_version(bot.version)}, {bot.quarantine_reason}, since {moment(bot.quarantine_since_ms)}"
