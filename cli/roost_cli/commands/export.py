"""`roost export`: a competition as a folder of plain files."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import READING, Where, asks


@asks(READING)
def export(
    where: Where,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")],
    competition: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which competition, if there are several.")
    ] = None,
) -> None:
    """Write everything about a competition into a folder: rules, deals, matches, standings, hashes of all files.

    Anyone who has the folder can check it without the arena: roost verify FOLDER
    """
    from roost_sdk.arena.reader import find_competition

    with where.open() as reader:
        files = reader.export(competition or find_competition(reader).name, folder)
    size = sum(file.stat().st_size for file in files) / 1e6
    typer.echo(f"{len(files)} files, {size:.1f} MB, in {folder}; check them with   roost verify {folder}")
