"""`roost admin`: what a host does to accounts and competitions."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.admin_desk import Desk, at_desk
from roost_cli.arena_options import JsonOption

LabelOption = Annotated[str, typer.Option(metavar="TEXT", help="What it is for, to recognise it in lists.")]
DaysOption = Annotated[
    float | None,
    typer.Option(min=0.0001, max=36_500, metavar="N", help="It ends after so many days; by default never."),
]
SaveOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write it into this new file instead of printing it.")
]
PrefixArgument = Annotated[str, typer.Argument(metavar="PREFIX", help="The first letters of the key, as in the list.")]

admin_app = typer.Typer(help="Run a competition: owners, bots, keys, phases, backups.", no_args_is_help=True)
owner_app = typer.Typer(help="Who has bots.", no_args_is_help=True)
bot_app = typer.Typer(help="Bots and whose they are.", no_args_is_help=True)
key_app = typer.Typer(help="Keys: what they are for, and their end.", no_args_is_help=True)
admin_app.add_typer(owner_app, name="owner")
admin_app.add_typer(bot_app, name="bot")
admin_app.add_typer(key_app, name="key")


@owner_app.command("add")
@at_desk
def add_owner(
    desk: Desk, name: Annotated[str, typer.Argument(metavar="NAME", help="What the owner is called.")]
) -> None:
    """Add an owner. A key for it is made by `roost admin key make`."""
    from roost_cli import administering

    administering.add_owner(desk, name)


@owner_app.command("list")
@at_desk
def list_owners(desk: Desk, as_json: JsonOption = False) -> None:
    """List all owners."""
    from roost_cli.terminal import admin_tables

    admin_tables.show_owners(desk, as_json=as_json)


@bot_app.command("add")
@at_desk
def add_bot(
    desk: Desk,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the bot is called.")],
    owner: Annotated[str, typer.Option(metavar="OWNER", help="Whose it is.")],
) -> None:
    """Add a bot of an owner. It is added by itself when it first connects with its owner's key."""
    from roost_cli import administering

    administering.add_bot(desk, name, owner)


@bot_app.command("list")
@at_desk
def list_bots(desk: Desk, as_json: JsonOption = False) -> None:
    """List all bots and whose they are."""
    from roost_cli.terminal import admin_tables

    admin_tables.show_bots(desk, as_json=as_json)


@key_app.command("make")
@at_desk
def make_key(
    desk: Desk,
    bot: Annotated[str | None, typer.Option(metavar="BOT", help="To play as this bot.")] = None,
    owner: Annotated[str | None, typer.Option(metavar="OWNER", help="To play as all bots of this owner.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="To run the arena.")] = False,
    label: LabelOption = "",
    days: DaysOption = None,
    save: SaveOption = None,
) -> None:
    """Make a key. It is shown once, alone on standard output."""
    from roost_cli import administering

    administering.make_key(desk, administering.Wish(bot, owner, admin, label, days), save)


@key_app.command("list")
@at_desk
def list_keys(desk: Desk, as_json: JsonOption = False) -> None:
    """List all keys by their first letters."""
    from roost_cli.terminal import admin_tables

    admin_tables.show_keys(desk, as_json=as_json)


@key_app.command("revoke")
@at_desk
def revoke_key(desk: Desk, prefix: PrefixArgument) -> None:
    """End a key now and for good. Whoever plays with it is disconnected."""
    from roost_cli import administering

    administering.end_key(desk, prefix)


@key_app.command("rotate")
@at_desk
def rotate_key(desk: Desk, prefix: PrefixArgument, save: SaveOption = None) -> None:
    """End a key, and make another one for the same."""
    from roost_cli import administering

    administering.rotate_key(desk, prefix, save)


@admin_app.command()
@at_desk
def invite(
    desk: Desk,
    uses: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="For so many owners.")] = 1,
    label: LabelOption = "",
    days: DaysOption = None,
) -> None:
    """Make an invitation, with which somebody registers. It is shown once, alone on standard output."""
    from roost_cli import administering

    administering.invite(desk, uses, label, days)


@admin_app.command()
@at_desk
def invitations(desk: Desk, as_json: JsonOption = False) -> None:
    """List all invitations by their first letters."""
    from roost_cli.terminal import admin_tables

    admin_tables.show_invitations(desk, as_json=as_json)


@admin_app.command()
@at_desk
def phase(
    desk: Desk,
    competition: Annotated[str, typer.Argument(metavar="COMPETITION", help="The competition's name.")],
    phase: Annotated[str, typer.Argument(metavar="PHASE", help="The phase to go on to.")],
) -> None:
    """Take a competition into another phase."""
    from roost_cli import administering

    administering.change_phase(desk, competition, phase)


@admin_app.command()
@at_desk
def status(desk: Desk, as_json: JsonOption = False) -> None:
    """Show how the arena is doing, on one screen."""
    from roost_cli.terminal import admin_status

    admin_status.show_status(desk, as_json=as_json)


@admin_app.command()
@at_desk
def backup(desk: Desk, file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file for the copy.")]) -> None:
    """Copy the database into a file on the arena's machine, while the arena runs."""
    from roost_cli import administering

    administering.back_up(desk, file)


@admin_app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A copy that was made by `roost admin backup`.")],
    db: Annotated[str, typer.Option("--db", metavar="FILE", help="The database to put it in the place of.")],
) -> None:
    """Put a copy in the place of the database of an arena that is stopped. The former one is moved aside."""
    from roost_cli import administering

    administering.restore(file, db)


@admin_app.command()
def cert(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Host names and addresses; by default this machine's."),
    ] = None,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to write the two files.")] = Path(),
) -> None:
    """Make a self-signed certificate and its key, for a trial."""
    from roost_cli import administering

    administering.make_certificate(names or [], folder)


@admin_app.command("log")
@at_desk
def log_(
    desk: Desk,
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many acts at the most.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show what was done to accounts and competitions, the newest first."""
    from roost_cli.terminal import admin_tables

    admin_tables.show_acts(desk, limit, as_json=as_json)
