"""What the commands of `roost admin` do that change something."""

import platform
import time
from pathlib import Path
from typing import NamedTuple

import typer

from roost.v1 import admin_pb2
from roost_cli.admin_desk import Desk
from roost_cli.arena_options import database_url
from roost_cli.key_file import SHOWN_ONCE, keeping
from roost_cli.server_extra import server_extra
from roost_cli.terminal.console import remarks
from roost_games.errors import UsageError

DAY_MS = 86_400_000


class Wish(NamedTuple):
    """A key that is wanted."""

    bot: str | None
    owner: str | None
    admin: bool
    label: str
    days: float | None

    def scope(self) -> "admin_pb2.KeyScope.ValueType":
        """Raises `UsageError` unless it is for one thing."""
        wanted = {
            admin_pb2.KEY_SCOPE_BOT: self.bot is not None,
            admin_pb2.KEY_SCOPE_OWNER: self.owner is not None,
            admin_pb2.KEY_SCOPE_ADMIN: self.admin,
        }
        if sum(wanted.values()) != 1:
            raise UsageError("say what the key is for: --bot BOT, --owner OWNER or --admin, one of the three")
        return next(scope for scope, chosen in wanted.items() if chosen)


def add_owner(desk: Desk, name: str) -> None:
    """`roost admin owner add`."""
    owner = desk.ask("AddOwner", admin_pb2.AddOwnerRequest(name=name), admin_pb2.OwnerRecord)
    typer.echo(f"added the owner {owner.name}")


def add_bot(desk: Desk, name: str, owner: str) -> None:
    """`roost admin bot add`."""
    bot = desk.ask("AddBot", admin_pb2.AddBotRequest(name=name, owner=owner), admin_pb2.BotRecord)
    typer.echo(f"added the bot {bot.name} of {bot.owner}")


def make_key(desk: Desk, wish: Wish, save: Path | None) -> None:
    """`roost admin key make`."""
    request = admin_pb2.MakeKeyRequest(
        scope=wish.scope(),
        owner=wish.owner or "",
        bot=wish.bot or "",
        label=wish.label,
        expires_ms=expiry_ms(wish.days),
    )
    with keeping(save) as keep:
        keep(desk.ask("MakeKey", request, admin_pb2.MakeKeyResponse).key)


def end_key(desk: Desk, prefix: str) -> None:
    """`roost admin key revoke`."""
    desk.ask("EndKey", admin_pb2.EndKeyRequest(prefix=prefix), admin_pb2.MakeKeyResponse)
    typer.echo(f"{prefix} is good for nothing any more")


def rotate_key(desk: Desk, prefix: str, save: Path | None) -> None:
    """`roost admin key rotate`."""
    with keeping(save) as keep:
        request = admin_pb2.EndKeyRequest(prefix=prefix, rotate=True)
        keep(desk.ask("EndKey", request, admin_pb2.MakeKeyResponse).key)


def invite(desk: Desk, uses: int, label: str, days: float | None) -> None:
    """`roost admin invite`."""
    request = admin_pb2.InviteRequest(uses=uses, label=label, expires_ms=expiry_ms(days))
    typer.echo(desk.ask("Invite", request, admin_pb2.InviteResponse).invitation)
    remarks().print(f"{SHOWN_ONCE}. With it: roost register NAME --invitation TOKEN", soft_wrap=True)


def change_phase(desk: Desk, competition: str, phase: str) -> None:
    """`roost admin phase`."""
    request = admin_pb2.ChangePhaseRequest(competition=competition, phase=phase)
    answer = desk.ask("ChangePhase", request, admin_pb2.ChangePhaseResponse)
    typer.echo(f"{competition} was in the phase {answer.before}, and is in the phase {answer.phase} now")


def back_up(desk: Desk, file: Path) -> None:
    """`roost admin backup`."""
    request = admin_pb2.BackupRequest(path=str(file))
    size = desk.ask("Backup", request, admin_pb2.BackupResponse).bytes
    typer.echo(f"wrote {file}, {size / 1_000_000:.1f} MB")


def restore(file: Path, db: str) -> None:
    """`roost admin restore`."""
    with server_extra("roost admin restore"):
        from roost_server.answers.database import restore_into
    former = restore_into(file, database_url(db))
    aside = f"; the former one is {former} now" if former else ""
    typer.echo(f"{db} is what {file} was{aside}")


def make_certificate(names: list[str], folder: Path) -> None:
    """`roost admin cert`."""
    with server_extra("roost admin cert"):
        from roost_server.serving.tls import make_certificate
    given = names or list(dict.fromkeys(("localhost", "127.0.0.1", "::1", platform.node())))
    certificate, key = make_certificate(folder, given)
    typer.echo(f"wrote {certificate} and {key}, for {', '.join(given)}")
    typer.echo(f"  the arena   roost serve --tls-cert {certificate} --tls-key {key}")
    typer.echo(f"  its bots    roost submit mybot.py --tls-ca {certificate}")


def expiry_ms(days: float | None) -> int:
    """When something ends that lasts so long from now on; 0 if it does not."""
    return 0 if days is None else int(time.time() * 1000 + days * DAY_MS)
