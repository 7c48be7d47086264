"""`roost account`: one's own bots, keys and entries at an arena."""

from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, KeyOption, TlsCaOption, TlsOption
from roost_cli.admin_desk import Desk, at_own_desk, open_own_desk
from roost_cli.arena_options import JsonOption, ServerOption
from roost_cli.commands.admin import DaysOption, LabelOption, PrefixArgument, SaveOption

BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="One of your bots.")]
CompetitionArgument = Annotated[str, typer.Argument(metavar="COMPETITION", help="The competition's name.")]

account_app = typer.Typer(help="Your bots, keys and entries at an arena.", invoke_without_command=True)


@account_app.callback()
def account(
    context: typer.Context,
    server: ServerOption = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    key: KeyOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Show your bots, keys and entries at an arena."""
    if context.invoked_subcommand is not None:
        return
    from roost_cli.own_account import show_account

    with open_own_desk(server=server, key_file=key_file, key=key, tls=tls, tls_ca=tls_ca) as desk:
        show_account(desk, as_json=as_json)


@account_app.command()
@at_own_desk
def enter(desk: Desk, competition: CompetitionArgument, bot: BotArgument) -> None:
    """Have a bot take part in a competition. It does so by itself when it first connects, unless it was withdrawn."""
    from roost_cli.own_account import change_entry

    change_entry(desk, competition, bot, enter=True)


@account_app.command()
@at_own_desk
def withdraw(desk: Desk, competition: CompetitionArgument, bot: BotArgument) -> None:
    """Take a bot out of a competition. What it has played stays."""
    from roost_cli.own_account import change_entry

    change_entry(desk, competition, bot, enter=False)


@account_app.command("key")
@at_own_desk
def make_key(
    desk: Desk,
    bot: Annotated[
        str, typer.Argument(metavar="[BOT]", help="To play as this bot only; it is added. By default for all.")
    ] = "",
    label: LabelOption = "",
    days: DaysOption = None,
    save: SaveOption = None,
) -> None:
    """Make one more key. It is shown once, alone on standard output."""
    from roost_cli.own_account import make_own_key

    make_own_key(desk, bot, label, days, save)


@account_app.command()
@at_own_desk
def revoke(desk: Desk, prefix: PrefixArgument) -> None:
    """End one of your keys now and for good. Whoever plays with it is disconnected."""
    from roost_cli.own_account import end_own_key

    end_own_key(desk, prefix)


@account_app.command()
@at_own_desk
def rotate(desk: Desk, prefix: PrefixArgument, save: SaveOption = None) -> None:
    """End one of your keys, and make another one for the same."""
    from roost_cli.own_account import rotate_own_key

    rotate_own_key(desk, prefix, save)
