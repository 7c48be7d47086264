"""`roost competition`: write, check, list and show competitions."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_cli.arena_options import DatabaseOption, JsonOption, ServerOption

competition_app = typer.Typer(help="Write, check, list and show competitions.", no_args_is_help=True)


@competition_app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The new file.")] = Path("competition.toml"),
) -> None:
    """Write a competition file with comments, to be changed."""
    from roost_cli.competing import write_sample

    write_sample(file)


@competition_app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Competition files, of one arena if several.")],
) -> None:
    """Check competition files, and say what they mean."""
    from roost_cli.competing import check_files

    check_files(files)


@competition_app.command("list")
def list_(
    server: ServerOption = None,
    db: DatabaseOption = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """List the competitions of an arena."""
    from roost_cli.access_options import access
    from roost_cli.competing import show_competitions

    show_competitions(server, db, access(key_file, tls, tls_ca), as_json=as_json)


@competition_app.command()
def show(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one, if there are several.")] = None,
    server: ServerOption = None,
    db: DatabaseOption = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Show how a competition stands. Of finals by knockout: the bracket and the champion."""
    from roost_cli.access_options import access
    from roost_cli.competing import show_competition

    show_competition(name, server, db, access(key_file, tls, tls_ca), as_json=as_json)
