"""`roost admin`: what a host does to accounts and competitions. Each command is one request and one printer."""

import platform
from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import (
    HOSTING,
    DaysOption,
    JsonOption,
    LabelOption,
    PrefixArgument,
    SaveOption,
    Where,
    asks,
    database_url,
    expiry_ms,
    needs_server,
)
from roost_games.errors import UsageError
from roost_games.wording import counted

OwnerArgument = Annotated[str, typer.Argument(metavar="NAME", help="The owner's name.")]
admin_app = typer.Typer(help="Run an arena: owners, bots, keys, phases, backups.", no_args_is_help=True)
owner_app = typer.Typer(help="The owners of bots.", no_args_is_help=True)
bot_app = typer.Typer(help="Bots and their owners.", no_args_is_help=True)
key_app = typer.Typer(help="Make, list, rotate and revoke keys.", no_args_is_help=True)
invitation_app = typer.Typer(help="List and revoke invitations.", no_args_is_help=True)
admin_app.add_typer(owner_app, name="owner")
admin_app.add_typer(bot_app, name="bot")
admin_app.add_typer(key_app, name="key")
admin_app.add_typer(invitation_app, name="invitation")


@owner_app.command("add")
@asks(HOSTING)
def add_owner(where: Where, name: OwnerArgument) -> None:
    """Add an owner. `roost admin key make` makes a key for them."""
    from roost.v1 import admin_pb2

    owner = where.administer(admin_pb2.AddOwnerRequest(name=name))
    typer.echo(f"added owner {owner.name}")


@owner_app.command("list")
@asks(HOSTING)
def list_owners(where: Where, as_json: JsonOption = False) -> None:
    """List all owners."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import owner_columns, show_list

    found = where.administer(admin_pb2.ListOwnersRequest()).owners
    show_list("owners", found, owner_columns(found), as_json=as_json)


@bot_app.command("add")
@asks(HOSTING)
def add_bot(
    where: Where,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")],
    owner: Annotated[str, typer.Option(metavar="OWNER", help="Its owner.")],
) -> None:
    """Add a bot for an owner. A bot that connects with its owner's key is added without this."""
    from roost.v1 import admin_pb2

    bot = where.administer(admin_pb2.AddBotRequest(name=name, owner=owner))
    typer.echo(f"added bot {bot.name} of {bot.owner}")


@bot_app.command("list")
@asks(HOSTING)
def list_bots(where: Where, as_json: JsonOption = False) -> None:
    """List all bots and their owners."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import bot_columns, show_list

    found = where.administer(admin_pb2.ListOwnedBotsRequest()).bots
    show_list("bots", found, bot_columns(found), as_json=as_json)


@key_app.command("make")
@asks(HOSTING)
def make_key(
    where: Where,
    bot: Annotated[str | None, typer.Option(metavar="BOT", help="To play as this bot.")] = None,
    owner: Annotated[str | None, typer.Option(metavar="OWNER", help="To play as all bots of this owner.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="To administer the arena.")] = False,
    label: LabelOption = "",
    days: DaysOption = None,
    save: SaveOption = None,
) -> None:
    """Make a key. It is shown once, alone on standard output."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import new_key

    scopes = {
        admin_pb2.KEY_SCOPE_BOT: bot is not None,
        admin_pb2.KEY_SCOPE_OWNER: owner is not None,
        admin_pb2.KEY_SCOPE_ADMIN: admin,
    }
    chosen = [scope for scope, wanted in scopes.items() if wanted]
    if len(chosen) != 1:
        raise UsageError("say what the key is for: exactly one of --bot BOT, --owner OWNER and --admin")
    request = admin_pb2.MakeKeyRequest(
        scope=chosen[0], owner=owner or "", bot=bot or "", label=label, expires_ms=expiry_ms(days)
    )
    with new_key(save) as keep:
        keep(where.administer(request).key)


@key_app.command("list")
@asks(HOSTING)
def list_keys(where: Where, as_json: JsonOption = False) -> None:
    """List all keys by their first characters."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import key_columns, show_list

    found = where.administer(admin_pb2.ListKeysRequest()).keys
    show_list("keys", found, key_columns(found), as_json=as_json)


@key_app.command("revoke")
@asks(HOSTING)
def revoke_key(where: Where, prefix: PrefixArgument) -> None:
    """Revoke a key, at once and for good. A bot that plays with it is disconnected."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.EndKeyRequest(prefix=prefix))
    typer.echo(f"revoked key {prefix}")


@key_app.command("rotate")
@asks(HOSTING)
def rotate_key(where: Where, prefix: PrefixArgument, save: SaveOption = None) -> None:
    """Revoke a key, and make a new one with the same rights."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import new_key

    with new_key(save) as keep:
        keep(where.administer(admin_pb2.EndKeyRequest(prefix=prefix, rotate=True)).key)


@admin_app.command()
@asks(HOSTING)
def invite(
    where: Where,
    uses: Annotated[
        int | None, typer.Option(min=1, max=100_000, metavar="N", help="How many owners may use it. By default one.")
    ] = None,
    label: LabelOption = "",
    days: DaysOption = None,
    people: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Make one for each person in this list, which has a column `name`."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --csv: the new list. By default its name ends in -invited.csv."),
    ] = None,
) -> None:
    """Make an invitation, with which an owner registers. It is shown once, alone on standard output.

    With --csv, the list is written again with a column `invitation`, for a mail merge, into a file that only you can
    read.
    """
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import SHOWN_ONCE
    from roost_cli.terminal.console import remark

    if people is not None:
        if uses is not None or label:
            raise UsageError("--uses and --label do not apply to --csv: everybody gets an invitation of their own")
        _invite_people(where, people, save or people.with_name(f"{people.stem}-invited.csv"), expiry_ms(days))
        return
    if save is not None:
        raise UsageError("--save is for --csv; a single invitation is printed")
    request = admin_pb2.InviteRequest(uses=uses or 1, label=label, expires_ms=expiry_ms(days))
    typer.echo(where.administer(request).invitation)
    remark(f"{SHOWN_ONCE} With it: roost register NAME --invitation TOKEN")


def _invite_people(where: Where, path: Path, save: Path, expires_ms: int) -> None:
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import private_file
    from roost_sdk.arena.people import read_people, with_invitations

    people = read_people(path)
    with private_file(save) as write:
        answer = where.administer(admin_pb2.InviteRequest(people=people.names, expires_ms=expires_ms))
        write(with_invitations(people, answer.invitations))
    typer.echo(f"wrote {counted(len(people.names), 'invitation')} to {save}")


@invitation_app.command("list")
@asks(HOSTING)
def list_invitations(where: Where, as_json: JsonOption = False) -> None:
    """List all invitations by their first characters."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import invitation_columns, show_list

    found = where.administer(admin_pb2.ListInvitationsRequest()).invitations
    show_list("invitations", found, invitation_columns(found), as_json=as_json)


@invitation_app.command("revoke")
@asks(HOSTING)
def revoke_invitation(
    where: Where,
    prefix: Annotated[
        str, typer.Argument(metavar="PREFIX", help="The first characters of the invitation, as the list shows them.")
    ],
) -> None:
    """Revoke an invitation, at once and for good. Owners who registered with it remain owners."""
    from roost.v1 import admin_pb2

    ended = where.administer(admin_pb2.RevokeInvitationRequest(prefix=prefix))
    of = f" of {ended.label}" if ended.label else ""
    typer.echo(f"revoked invitation {prefix}{of}; {counted(ended.uses_left, 'use')} left")


@admin_app.command()
@asks(HOSTING)
def status(where: Where, as_json: JsonOption = False) -> None:
    """Show how the arena is doing, on one screen."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.competitions import print_status, status_json
    from roost_cli.terminal.console import print_json

    found = where.administer(admin_pb2.GetStatusRequest())
    if as_json:
        print_json(status_json(found))
    else:
        print_status(found)


@admin_app.command()
@asks(HOSTING)
def backup(
    where: Where, file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file for the copy.")]
) -> None:
    """Copy the database to a file on the arena's machine, while the arena runs.

    A running arena writes it into its folder for backups. With --db it goes wherever you say.
    """
    from roost.v1 import admin_pb2

    made = where.administer(admin_pb2.BackupRequest(path=str(file)))
    typer.echo(f"wrote {made.path or file}, {made.bytes / 1_000_000:.1f} MB")


@admin_app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy made by `roost admin backup`.")],
    db: Annotated[str | None, typer.Option("--db", metavar="FILE", help="The database to replace.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only try it, in a temporary folder, and say whether the copy is good.")
    ] = False,
) -> None:
    """Replace the database of a stopped arena with a copy. The previous one is moved aside.

    All deals are new from then on, so nobody has seen them, whatever was played since the copy was made.
    """
    with needs_server("roost admin restore"):
        from roost_server.answers.database import restore_into
        from roost_server.export.drill import drill
    if check == (db is not None):
        raise UsageError("name the database to replace with --db FILE, or only try the copy with --check")
    if db is None:
        for line in (f"{file} is good: it was restored into a temporary folder and opened", *drill(file).lines()):
            typer.echo(line)
        return
    previous = restore_into(file, database_url(db))
    aside = f"; the previous database is now {previous}" if previous else ""
    typer.echo(f"restored {db} from {file}{aside}")


@admin_app.command()
def archive(
    competition: Annotated[str, typer.Argument(metavar="COMPETITION", help="The competition's name.")],
    db: Annotated[str, typer.Option("--db", metavar="FILE", help="The database of the stopped arena.")],
    phase: Annotated[str, typer.Option(metavar="PHASE", help="The phase, which must be over.")] = "ladder",
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Where to write the file. By default archive beside the database."),
    ] = None,
) -> None:
    """Move the replays of a phase that is over into a compressed file, to make the database smaller.

    Exports, verify, replay and the page still find them there, so keep the file where it is.
    """
    with needs_server("roost admin archive"):
        from roost_server.answers.database import archive_phase
    url = database_url(db)
    written = archive_phase(url, competition, phase, to or Path(url.removeprefix("sqlite:///")).parent / "archive")
    size = f"{written.matches} matches, {written.bytes / 1e6:.1f} MB"
    if written.moved:
        typer.echo(f"moved the replays of {competition}'s {phase} to {written.file}: {size}")
    else:
        typer.echo(f"nothing is left to move: the replays of {competition}'s {phase} are in {written.file}: {size}")


@admin_app.command()
def cert(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Host names and addresses. By default this machine's."),
    ] = None,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to write the two files.")] = Path(),
) -> None:
    """Make a self-signed certificate and its key, for trying TLS."""
    with needs_server("roost admin cert"):
        from roost_server.serving.tls import make_certificate
    given = names or list(dict.fromkeys(("localhost", "127.0.0.1", "::1", platform.node())))
    certificate, key = make_certificate(folder, given)
    typer.echo(f"wrote {certificate} and {key}, for {', '.join(given)}")
    typer.echo(f"  the arena   roost serve --tls-cert {certificate} --tls-key {key}")
    typer.echo(f"  its bots    roost submit mybot.py --tls-ca {certificate}")


@admin_app.command("log")
@asks(HOSTING)
def log_(
    where: Where,
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="At most this many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show what was done to accounts and competitions, newest first."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import act_columns, show_list

    found = where.administer(admin_pb2.ListActsRequest(limit=limit)).acts
    show_list("acts", found, act_columns(found), as_json=as_json)
