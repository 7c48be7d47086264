"""`roost export`: a competition as a folder of plain files."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_cli.arena_options import DatabaseOption, ServerOption


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that is not there yet.")],
    competition: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which competition, if there are several.")
    ] = None,
    server: ServerOption = None,
    db: DatabaseOption = None,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Write everything about a competition into a folder: rules, deals, matches, standings, hashes of all files.

    Whoever has the folder can check it, without the arena: roost verify FOLDER
    """
    from roost_cli.access_options import access
    from roost_cli.arena_source import open_source
    from roost_cli.exporting import export_competition

    with open_source(server, db, access(key_file, tls, tls_ca)) as source:
        files = export_competition(source, competition, folder)
    size = sum(file.stat().st_size for file in files) / 1e6
    typer.echo(f"{len(files)} files, {size:.1f} MB, in {folder}; check them with   roost verify {folder}")
