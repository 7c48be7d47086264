"""What `roost competition` does."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from roost.v1 import arena_pb2
from roost_cli.arena_source import open_source
from roost_cli.bracket import bracket_json, bracket_lines
from roost_cli.server_extra import server_extra
from roost_cli.terminal.admin_status import print_competitions
from roost_cli.terminal.admin_tables import plain
from roost_cli.terminal.console import print_json, results
from roost_games.errors import UsageError
from roost_sdk.arena.credentials import Credentials

if TYPE_CHECKING:
    from roost_server.competition.file import CompetitionFile


def write_sample(path: Path) -> None:
    """`roost competition init`."""
    text = files("roost_server.competition").joinpath("sample.toml").read_text(encoding="utf-8")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; name a new file") from None
    typer.echo(f"wrote {path}; change it, then: roost competition check {path}")


def check_files(paths: Sequence[Path]) -> None:
    """`roost competition check`."""
    with server_extra("roost competition check"):
        from roost_server.competition.file import read_competitions
    for path, (file, _) in zip(paths, read_competitions(paths), strict=True):
        typer.echo(f"{path} is in order: {file.title or file.name}")
        for line in _meaning(file):
            typer.echo(f"  {line}")


def _meaning(file: "CompetitionFile") -> Iterator[str]:
    for table in file.games:
        yield f"{table.game} at tables of {', '.join(map(str, table.players))}"
    who = "whoever registers" if file.entry.who == "open" else "whoever was invited"
    yield f"open to {who}, with {file.entry.bots_per_owner} of their bots"
    for part in file.phases:
        when = f"{part.starts:%Y-%m-%d %H:%M} UTC" if part.starts else "by hand"
        yield f"{part.phase:<12}  {when:<20}  {part.plays_by}".rstrip()


def show_competitions(server: str | None, db: str | None, credentials: Credentials, *, as_json: bool) -> None:
    """`roost competition list`."""
    with open_source(server, db, credentials) as source:
        found = source.competitions().competitions
    if as_json:
        print_json({"competitions": [plain(each) for each in found]})
    elif not found:
        results().print("no competitions")
    else:
        _print(found)


def _print(found: Sequence[arena_pb2.CompetitionStatus]) -> None:
    print_competitions(results(), found)
    for each in found:
        secret = f"master seed {each.seed}" if each.seed else f"commitment to the master seed {each.commitment}"
        results().print(f"{each.name}: {secret}", soft_wrap=True)


def show_competition(
    name: str | None, server: str | None, db: str | None, credentials: Credentials, *, as_json: bool
) -> None:
    """`roost competition show`."""
    with open_source(server, db, credentials) as source:
        found = _named(source.competitions().competitions, name)
        answer = source.bracket(found.name)
    bracket = bracket_json(answer) if answer.rounds else None
    if as_json:
        print_json(plain(found) | ({"bracket": bracket} if bracket else {}))
        return
    _print([found])
    for line in bracket_lines(bracket) if bracket else ():
        results().print(line, soft_wrap=True)


def _named(found: Sequence[arena_pb2.CompetitionStatus], name: str | None) -> arena_pb2.CompetitionStatus:
    fitting = [each for each in found if name in (None, each.name)]
    if len(fitting) != 1:
        there = f"there are: {', '.join(each.name for each in found)}" if found else "there is none"
        raise UsageError(f"there is no competition {name!r}; {there}" if name else f"name the competition; {there}")
    return fitting[0]
