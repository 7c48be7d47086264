"""`roost verify`: are these records of matches in order?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_cli.arena_options import ServerOption

if TYPE_CHECKING:
    from roost_cli.verifying import Checked
    from roost_sdk.arena.credentials import Credentials


def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of replays, one JSON object per line, or the export of a competition.", metavar="FILE"
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="FILE", help="Check every match and every competition in this database."),
    ] = None,
    server: ServerOption = None,
    competition: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --server: which competition, if there are several.")
    ] = None,
    commitment: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Of one competition: the commitment that was published before it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Play recorded matches again by the rules and report where a record deviates from them.

    Of a competition everything is checked: hashes, deals, matches, the schedule of its finals, standings.
    Only what its host published beforehand, the commitment to the master seed, has to come from elsewhere.
    The exit code is 0 if all are in order, 1 if one deviates, and 2 if there is nothing to check.
    """
    from roost_cli.access_options import access
    from roost_cli.terminal.console import print_json
    from roost_cli.verifying import findings_json, verify_files
    from roost_games.errors import UsageError

    if [bool(files), db is not None, server is not None].count(True) != 1:
        raise UsageError(
            "name what to check: roost verify FILE, or an export's folder, or roost verify --db FILE, "
            "or a competition at an arena with roost verify --server HOST:PORT"
        )
    folder = files[0] if files and len(files) == 1 and files[0].is_dir() else None
    if commitment is not None and folder is None and server is None:
        raise UsageError("--commitment is about one competition: give it with an export's folder or with --server")
    tell = not as_json
    if server is not None:
        checked = _verify_server(server, access(key_file, tls, tls_ca), competition, commitment, tell=tell)
    elif db is not None:
        checked = _verify_database(db, tell=tell)
    elif folder is not None:
        from roost_cli.exporting import verify_folder

        checked = verify_folder(folder, tell=tell, commitment=commitment)
    else:
        checked = verify_files(files or [], tell=tell)
    if as_json:
        print_json(findings_json(checked))
    else:
        for line in (*checked.advice(), checked.summary()):
            typer.echo(line)
    if checked.findings:
        raise typer.Exit(1)


def _verify_server(
    server: str, credentials: "Credentials", competition: str | None, commitment: str | None, *, tell: bool
) -> "Checked":
    from roost_cli.arena_source import open_source
    from roost_cli.exporting import verify_source

    with open_source(server, None, credentials) as source:
        return verify_source(source, competition, tell=tell, commitment=commitment)


def _verify_database(db: str, *, tell: bool) -> "Checked":
    from roost_cli.arena_options import database_url
    from roost_cli.server_extra import server_extra

    with server_extra("--db"):
        from roost_cli.verifying_database import verify_database
    return verify_database(database_url(db), tell=tell)
