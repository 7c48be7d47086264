"""`roost register` and `roost account`: an owner's bots, keys and entries at an arena."""

from typing import Annotated

import typer

from roost_cli.options import (
    ACCOUNT,
    CONNECTION,
    DaysOption,
    JsonOption,
    LabelOption,
    PrefixArgument,
    SaveOption,
    Where,
    asks,
    expiry_ms,
)

OwnBotArgument = Annotated[str, typer.Argument(metavar="BOT", help="One of your bots.")]
CompetitionArgument = Annotated[str, typer.Argument(metavar="COMPETITION", help="The competition's name.")]
WITHOUT_KEY = {name: option for name, option in CONNECTION.items() if name != "key_file"}

account_app = typer.Typer(help="Your bots, keys and entries at an arena.", invoke_without_command=True)


@asks(WITHOUT_KEY)
def register(
    where: Where,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Your name at the arena.")],
    invitation: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="The invitation that the host sent you.")
    ] = None,
    save: SaveOption = None,
) -> None:
    """Become an owner of bots at an arena, and get a key. It is shown once, alone on standard output."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import new_key
    from roost_cli.terminal.console import remark

    request = admin_pb2.RegisterRequest(owner=name, invitation=invitation or "")
    with new_key(save) as keep, where.arena(where.without_key()) as arena:
        keep(arena.ask_account(request).key)
    remark(f"Let a bot play: roost submit mybot.py {where.option} --key-file {save or 'FILE'}")


@account_app.callback()
@asks(ACCOUNT)
def account(where: Where, context: typer.Context, as_json: JsonOption = False) -> None:
    """Show your bots, keys and entries at an arena."""
    if context.invoked_subcommand is not None:
        return
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import account_json, print_account
    from roost_cli.terminal.console import print_json

    found = where.ask_account(admin_pb2.GetAccountRequest())
    if as_json:
        print_json(account_json(found))
    else:
        print_account(found)


@account_app.command()
@asks(ACCOUNT)
def enter(where: Where, competition: CompetitionArgument, bot: OwnBotArgument) -> None:
    """Enter a bot into a competition. A bot enters when it first connects, unless it was withdrawn."""
    from roost.v1 import admin_pb2

    where.ask_account(admin_pb2.ChangeEntryRequest(competition=competition, bot=bot, enter=True))
    typer.echo(f"entered {bot} into {competition}")


@account_app.command()
@asks(ACCOUNT)
def withdraw(where: Where, competition: CompetitionArgument, bot: OwnBotArgument) -> None:
    """Withdraw a bot from a competition. Its matches stay."""
    from roost.v1 import admin_pb2

    where.ask_account(admin_pb2.ChangeEntryRequest(competition=competition, bot=bot, enter=False))
    typer.echo(f"withdrew {bot} from {competition}")


@account_app.command("key")
@asks(ACCOUNT)
def make_key(
    where: Where,
    bot: Annotated[
        str,
        typer.Argument(metavar="[BOT]", help="The only bot that it may play; added if it is new. By default all."),
    ] = "",
    label: LabelOption = "",
    days: DaysOption = None,
    save: SaveOption = None,
) -> None:
    """Make another key. It is shown once, alone on standard output."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import new_key

    request = admin_pb2.MakeOwnKeyRequest(bot=bot, label=label, expires_ms=expiry_ms(days))
    with new_key(save) as keep:
        keep(where.ask_account(request).key)


@account_app.command()
@asks(ACCOUNT)
def revoke(where: Where, prefix: PrefixArgument) -> None:
    """Revoke one of your keys, at once and for good. A bot that plays with it is disconnected."""
    from roost.v1 import admin_pb2

    where.ask_account(admin_pb2.EndKeyRequest(prefix=prefix))
    typer.echo(f"revoked key {prefix}")


@account_app.command()
@asks(ACCOUNT)
def rotate(where: Where, prefix: PrefixArgument, save: SaveOption = None) -> None:
    """Revoke one of your keys, and make a new one with the same rights."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import new_key

    with new_key(save) as keep:
        keep(where.ask_account(admin_pb2.EndKeyRequest(prefix=prefix, rotate=True)).key)
