"""Owners, bots, keys, invitations and the log of what was done to them: lists as tables and as JSON, and new keys.

The keys of the JSON are the fields of the messages in `proto/roost/v1/admin.proto`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console

from roost.v1 import admin_pb2
from roost_cli.terminal.console import TextColumn, print_fitted, print_json, remark, results
from roost_cli.terminal.records import local_time
from roost_games.errors import UsageError
from roost_games.wording import counted

NEVER = "-"
SHOWN_ONCE = "It is shown only once."
SCOPES = {
    admin_pb2.KEY_SCOPE_BOT: "bot",
    admin_pb2.KEY_SCOPE_OWNER: "owner",
    admin_pb2.KEY_SCOPE_ADMIN: "admin",
}


def owner_columns(owners: Sequence[admin_pb2.OwnerRecord]) -> list[TextColumn]:
    """`roost admin owner list`."""
    return [
        TextColumn("owner", [each.name for each in owners]),
        TextColumn(">bots", [str(each.bots) for each in owners]),
        TextColumn("banned", ["yes" if each.banned else NEVER for each in owners]),
        TextColumn("since", [moment(each.created_ms) for each in owners], drop=1),
    ]


def bot_columns(bots: Sequence[admin_pb2.BotRecord]) -> list[TextColumn]:
    """`roost admin bot list`."""
    return [
        TextColumn("bot", [each.name for each in bots]),
        TextColumn("owner", [each.owner for each in bots]),
        TextColumn("since", [moment(each.created_ms) for each in bots], drop=1),
    ]


def key_columns(keys: Sequence[admin_pb2.KeyRecord]) -> list[TextColumn]:
    """`roost admin key list`: all that is known about keys, which is not the keys themselves."""
    return [
        TextColumn("key", [f"{each.prefix}…" for each in keys], whole=True),
        TextColumn("for", [_scope(each) for each in keys]),
        TextColumn("label", [each.label for each in keys], drop=2),
        TextColumn("made", [moment(each.created_ms) for each in keys], drop=3),
        TextColumn("ends", [moment(each.expires_ms) for each in keys], drop=1),
        TextColumn("revoked", [moment(each.revoked_ms) for each in keys], drop=1),
    ]


def _scope(key: admin_pb2.KeyRecord) -> str:
    return " ".join(filter(None, (SCOPES[key.scope], key.bot or key.owner)))


def invitation_columns(invitations: Sequence[admin_pb2.InvitationRecord]) -> list[TextColumn]:
    """`roost admin invitation list`."""
    return [
        TextColumn("invitation", [f"{each.prefix}…" for each in invitations], whole=True),
        TextColumn(">uses left", [str(each.uses_left) for each in invitations]),
        TextColumn("label", [each.label for each in invitations], drop=1),
        TextColumn("made", [moment(each.created_ms) for each in invitations], drop=2),
        TextColumn("ends", [moment(each.expires_ms) for each in invitations], drop=1),
        TextColumn("revoked", [moment(each.revoked_ms) for each in invitations], drop=1),
    ]


def act_columns(acts: Sequence[admin_pb2.Act]) -> list[TextColumn]:
    """`roost admin log`."""
    return [
        TextColumn("when", [moment(each.at_ms) for each in acts]),
        TextColumn("who", [each.actor for each in acts]),
        TextColumn("what", [each.act for each in acts]),
        TextColumn("details", [each.details for each in acts], drop=1),
    ]


def show_list(what: str, found: Sequence[Message], columns: Sequence[TextColumn], *, as_json: bool) -> None:
    """A list as a table, or as JSON under the name of `what` it holds."""
    if as_json:
        print_json({what: [plain(each) for each in found]})
    elif found:
        print_fitted(results(), columns)
    else:
        results().print(f"no {what}")


def moment(ms: int) -> str:
    """A time, or a dash if there is none."""
    return local_time(ms) if ms else NEVER


def plain(message: Message) -> dict[str, object]:
    """A message as plain data: all its fields under their names, whole numbers as numbers."""
    data = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return {name: int(value) if name.endswith(("_ms", "_bytes")) else value for name, value in data.items()}


def print_account(account: admin_pb2.GetAccountResponse) -> None:
    """`roost account`."""
    console = results()
    console.print(f"{account.owner}, {counted(len(account.bots), 'bot')}")
    for columns in (bot_columns(account.bots), _entry_columns(account.entries), key_columns(account.keys)):
        if columns[0].cells:
            console.print()
            print_fitted(console, columns)
    _print_qualifications(console, account.entries)


def _entry_columns(entries: Iterable[admin_pb2.EntryRecord]) -> list[TextColumn]:
    found = list(entries)
    return [
        TextColumn("takes part in", [each.competition for each in found]),
        TextColumn("with", [each.bot for each in found]),
        TextColumn("phase", [each.phase for each in found]),
        TextColumn("pinned version", [each.pinned_version or NEVER for each in found], drop=1),
    ]


def _print_qualifications(console: Console, entries: Iterable[admin_pb2.EntryRecord]) -> None:
    for each in entries:
        if each.HasField("qualification"):
            told = f"{each.bot} in {each.competition}: {each.qualification.summary}"
            console.print(told, soft_wrap=True, markup=False)


def account_json(account: admin_pb2.GetAccountResponse) -> dict[str, object]:
    """`roost account --json`."""
    return {
        "owner": account.owner,
        "bots": [plain(each) for each in account.bots],
        "keys": [plain(each) for each in account.keys],
        "entries": [plain(each) for each in account.entries],
    }


@contextmanager
def new_key(path: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that hands a new key over: in a new file that only its owner can read, or alone on standard output.

    Raises `UsageError` if the file cannot be created.
    """
    if path is None:
        yield _show
        return
    with private_file(path) as write:
        yield lambda key: _write(write, path, key)


@contextmanager
def private_file(path: Path) -> Iterator[Callable[[str], object]]:
    """A function that writes into a new file that only its owner can read.

    The file is created before the secrets for it are made, and removed again if none were made. Raises `UsageError` if
    it cannot be created.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; name a new file") from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        try:
            yield file.write
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def _show(key: str) -> None:
    typer.echo(key)
    remark(f"{SHOWN_ONCE} Keep it in a file for --key-file, or in ROOST_KEY.")


def _write(write: Callable[[str], object], path: Path, key: str) -> None:
    write(f"{key}\n")
    typer.echo(f"wrote the key to {path}")
