"""`roost verify`: are these records of matches in order?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from roost_cli.verifying import Checked


def verify(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of replays, one JSON object per line.", metavar="FILE")
    ] = None,
    db: Annotated[
        str | None, typer.Option("--db", metavar="FILE", help="Check every match in this database of an arena.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Play recorded matches again by the rules and report where a record deviates from them.

    The exit code is 0 if all are in order, 1 if one deviates, and 2 if there is nothing to check.
    """
    from roost_cli.console import print_json
    from roost_cli.verifying import findings_json, verify_files
    from roost_games.errors import UsageError

    if bool(files) == (db is not None):
        raise UsageError("name either files of replays or a database: roost verify FILE, or roost verify --db FILE")
    checked = verify_files(files, tell=not as_json) if files else _verify_database(db or "", tell=not as_json)
    if as_json:
        print_json(findings_json(checked))
    else:
        typer.echo(checked.summary())
    if checked.findings:
        raise typer.Exit(1)


def _verify_database(db: str, *, tell: bool) -> "Checked":
    from roost_cli.arena_options import database_url
    from roost_cli.server_extra import server_extra

    with server_extra("--db"):
        from roost_cli.verifying_database import verify_database
    return verify_database(database_url(db), tell=tell)
