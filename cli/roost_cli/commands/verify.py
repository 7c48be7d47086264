"""`roost verify`: can these matches have happened as recorded?"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roost_cli.options import CONNECTION, JsonOption, Where, asks, database_url, needs_server
from roost_games.errors import Exit, UsageError

if TYPE_CHECKING:
    from roost_sdk.replay_files import Checked


@asks(CONNECTION)
def verify(
    where: Where,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of replays, one JSON object per line, or the folder of an exported competition.", metavar="FILE"
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="FILE", help="Check every match and every competition in this database."),
    ] = None,
    competition: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --server: which competition, if there are several.")
    ] = None,
    commitment: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The commitment that the host published before the competition."),
    ] = None,
    seal: Annotated[
        list[str] | None,
        typer.Option(metavar="HEX", help="A seal that you noted while results were held back; may be repeated."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded matches by the rules and report every record that deviates from them.

    Everything about a competition is checked: hashes, deals, matches, the schedule of its finals, standings. Only the
    commitment to the master seed, which its host published before, has to come from elsewhere. The exit code is 0 if
    no problem was found, 1 if something deviates, and 2 if there is nothing to check.
    """
    from roost_cli.terminal.console import print_json

    if [bool(files), db is not None, where.server is not None].count(True) != 1:
        raise UsageError(
            "name what to check: roost verify FILE, or an export's folder, or roost verify --db FILE, "
            "or a competition at an arena with roost verify --server HOST:PORT"
        )
    folder = files[0] if files and len(files) == 1 and files[0].is_dir() else None
    if commitment is not None and folder is None and where.server is None:
        raise UsageError("--commitment belongs to one competition; give it with an export's folder or with --server")
    if seal and folder is None and where.server is None:
        raise UsageError("--seal belongs to one competition; give it with an export's folder or with --server")
    _check_digests("commitment", [commitment] if commitment is not None else [])
    _check_digests("seal", seal or [])
    checked = _check(where, files or [], folder, db, competition, _Published(commitment, seal or []), quiet=as_json)
    if as_json:
        print_json(checked.to_json())
    else:
        for line in (*checked.advice(), checked.summary()):
            typer.echo(line)
    if checked.findings:
        raise typer.Exit(Exit.FAILED)


def _check_digests(name: str, given: list[str]) -> None:
    """A beginning of one would only be called another one."""
    for digest in given:
        if not re.fullmatch("[0-9A-Fa-f]{64}", digest.strip()):
            raise UsageError(f"a {name} has 64 hexadecimal digits; give --{name} all of them, not {digest!r}")


class _Published(NamedTuple):
    """What a host has published before, and somebody has noted."""

    commitment: str | None
    seals: list[str]


def _check(
    where: Where,
    files: list[Path],
    folder: Path | None,
    db: str | None,
    competition: str | None,
    published: _Published,
    *,
    quiet: bool,
) -> "Checked":
    from roost_cli.terminal.live import progress
    from roost_sdk.replay_files import verify_files

    tell = None if quiet else typer.echo
    if files and folder is None:
        return verify_files(files, tell, progress)
    if folder is not None:
        with needs_server("the check of a competition"):
            from roost_server.export.checker import verify_folder
        return verify_folder(folder, tell, progress, commitment=published.commitment, seals=published.seals)
    with needs_server("--db" if db is not None else "the check of a competition"):
        from roost_server.export.arena_checker import verify_arena, verify_database
    if db is not None:
        return verify_database(database_url(db), tell, progress)
    with where.open() as reader:
        return verify_arena(reader, competition, tell, progress, commitment=published.commitment, seals=published.seals)
