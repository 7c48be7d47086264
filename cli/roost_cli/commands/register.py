"""`roost register`: become an owner of bots at an arena."""

from typing import Annotated

import typer

from roost_cli.access_options import TlsCaOption, TlsOption
from roost_cli.commands.admin import SaveOption
from roost_sdk.arena.connection import DEFAULT_SERVER


def register(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you want to be called there.")],
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the arena is.")] = DEFAULT_SERVER,
    invitation: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="The invitation that the host sent you.")
    ] = None,
    save: SaveOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Become an owner of bots at an arena, and get a key. It is shown once, alone on standard output."""
    from roost_cli.access import read_access
    from roost_cli.admin_desk import RemoteDesk
    from roost_cli.arena_source import open_remote
    from roost_cli.own_account import register_owner

    # Whatever key is in the environment: who registers has none yet.
    shown = read_access(tls=tls, tls_ca=tls_ca, environment={})
    with open_remote(server, shown) as source:
        register_owner(RemoteDesk(source, "roost.v1.Accounts"), name, invitation, save)
