"""What `roost register` and `roost account` do."""

from pathlib import Path

import typer

from roost.v1 import admin_pb2
from roost_cli.admin_desk import Desk
from roost_cli.administering import expiry_ms
from roost_cli.key_file import keeping
from roost_cli.terminal.admin_tables import bot_columns, key_columns, plain
from roost_cli.terminal.console import print_json, remarks, results
from roost_cli.terminal.fitted import Column, print_fitted


def register_owner(desk: Desk, name: str, invitation: str | None, save: Path | None) -> None:
    """`roost register`."""
    request = admin_pb2.RegisterRequest(owner=name, invitation=invitation or "")
    with keeping(save) as keep:
        keep(desk.ask("Register", request, admin_pb2.RegisterResponse).key)
    file = save or "FILE"
    remarks().print(f"Let a bot play: roost submit mybot.py {desk.option} --key-file {file}", soft_wrap=True)


def show_account(desk: Desk, *, as_json: bool) -> None:
    """`roost account`."""
    found = desk.ask("GetAccount", admin_pb2.GetAccountRequest(), admin_pb2.GetAccountResponse)
    if as_json:
        print_json(account_json(found))
        return
    console = results()
    console.print(f"{found.owner}, {len(found.bots)} bots")
    for columns in (bot_columns(found.bots), _entry_columns(found), key_columns(found.keys)):
        if columns[0].cells:
            console.print()
            print_fitted(console, columns)


def account_json(found: admin_pb2.GetAccountResponse) -> dict[str, object]:
    """`roost account --json`."""
    return {
        "owner": found.owner,
        "bots": [plain(each) for each in found.bots],
        "keys": [plain(each) for each in found.keys],
        "entries": [plain(each) for each in found.entries],
    }


def _entry_columns(found: admin_pb2.GetAccountResponse) -> list[Column]:
    entries = found.entries
    return [
        Column("takes part in", [each.competition for each in entries]),
        Column("with", [each.bot for each in entries]),
        Column("phase", [each.phase for each in entries]),
        Column("settled version", [each.pinned_version or "-" for each in entries], drop=1),
    ]


def change_entry(desk: Desk, competition: str, bot: str, *, enter: bool) -> None:
    """`roost account enter` and `roost account withdraw`."""
    request = admin_pb2.ChangeEntryRequest(competition=competition, bot=bot, enter=enter)
    desk.ask("ChangeEntry", request, admin_pb2.ChangeEntryResponse)
    typer.echo(f"{bot} takes part in {competition}" if enter else f"{bot} takes part in {competition} no more")


def make_own_key(desk: Desk, bot: str, label: str, days: float | None, save: Path | None) -> None:
    """`roost account key`."""
    request = admin_pb2.MakeOwnKeyRequest(bot=bot, label=label, expires_ms=expiry_ms(days))
    with keeping(save) as keep:
        keep(desk.ask("MakeOwnKey", request, admin_pb2.MakeKeyResponse).key)


def end_own_key(desk: Desk, prefix: str) -> None:
    """`roost account revoke`."""
    desk.ask("EndOwnKey", admin_pb2.EndKeyRequest(prefix=prefix), admin_pb2.MakeKeyResponse)
    typer.echo(f"{prefix} is good for nothing any more")


def rotate_own_key(desk: Desk, prefix: str, save: Path | None) -> None:
    """`roost account rotate`."""
    with keeping(save) as keep:
        request = admin_pb2.EndKeyRequest(prefix=prefix, rotate=True)
        keep(desk.ask("EndOwnKey", request, admin_pb2.MakeKeyResponse).key)
