"""`roost competition` and `roost export`: write, check, list, show and export competitions."""

import json
from importlib.resources import files as resources
from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import READING, JsonOption, Where, asks, needs_server
from roost_games.errors import UsageError

competition_app = typer.Typer(help="Write, check, list and show competitions.", no_args_is_help=True)


@competition_app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The new file.")] = Path("competition.toml"),
) -> None:
    """Write a commented competition file for you to edit."""
    text = resources("roost_server.competition").joinpath("sample.toml").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; name a new file") from None
    typer.echo(f"wrote {file}; edit it, then: roost competition check {file}")


@competition_app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Competition files that one arena will run.")],
    bots: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Forecast what each needs with this many bots.")
    ] = None,
    pace: Annotated[
        float | None, typer.Option(metavar="M", min=1, help="Matches an hour, for the forecast.", show_default="20000")
    ] = None,
) -> None:
    """Check competition files, explain them, and forecast what they need.

    With --bots, finals that cannot be played are refused, and so are those that would take longer than two weeks.
    """
    from roost_cli.terminal.competitions import forecast_lines, meaning

    with needs_server("roost competition check"):
        from roost_server.competition import forecast
        from roost_server.competition.file import check_new, read_competitions
    for path, (file, text) in zip(files, read_competitions(files), strict=True):
        check_new(file, text, str(path))
        typer.echo(f"{path} is valid: {file.title or file.name}")
        for line in meaning(file):
            typer.echo(f"  {line}")
        if bots is not None:
            found = forecast.forecast(file, [str(number) for number in range(bots)], pace or forecast.USUAL_PACE)
            for line in forecast_lines(found):
                typer.echo(f"  {line}")
            forecast.check(found)


@competition_app.command("list")
@asks(READING)
def list_(where: Where, as_json: JsonOption = False) -> None:
    """List the competitions of an arena."""
    from roost_cli.terminal.accounts import plain
    from roost_cli.terminal.competitions import print_competitions
    from roost_cli.terminal.console import print_json

    with where.open() as reader:
        found = reader.competitions().competitions
    if as_json:
        print_json({"competitions": [plain(each) for each in found]})
    else:
        print_competitions(found)


@competition_app.command()
@asks(READING)
def show(
    where: Where,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one, if there are several.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the state of a competition, who has qualified, its result once it is done, and the bracket of a knockout."""
    from roost_cli.terminal.accounts import plain
    from roost_cli.terminal.competitions import (
        bracket_json,
        print_bracket,
        print_competitions,
        print_qualifications,
        print_result,
        qualifications_json,
        result_json,
    )
    from roost_cli.terminal.console import print_json
    from roost_sdk.arena.reader import find_competition

    with where.open() as reader:
        found = find_competition(reader, name)
        answer = reader.bracket(found.name)
        entries = [each for each in reader.competition(found.name).entries if each.HasField("qualification")]
    bracket = bracket_json(answer) if answer.rounds else None
    if as_json:
        shown = plain(found) | ({"bracket": bracket} if bracket else {})
        shown |= {"qualifications": qualifications_json(entries)} if entries else {}
        shown |= {"ranking": answer.ranking} if answer.ranking else {}
        print_json(shown | ({"result": result_json(answer.result)} if answer.result else {}))
        return
    print_competitions([found])
    print_qualifications(entries)
    if answer.result:
        print_result(answer)
    if bracket:
        print_bracket(bracket)


@asks(READING)
def export(
    where: Where,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")],
    competition: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which competition, if there are several.")
    ] = None,
    phase: Annotated[
        str | None, typer.Option(metavar="PHASE", help="Only this phase: ladder or finals. By default both.")
    ] = None,
) -> None:
    """Write everything about a competition into a folder: rules, deals, matches, standings, hashes of all files.

    Anyone who has the folder can check it without the arena: roost verify FOLDER
    """
    from roost_cli.terminal.console import remark
    from roost_sdk.arena.reader import find_competition

    with where.open() as reader:
        found = find_competition(reader, competition)
        files = reader.export(found.name, folder, phase or "")
    if found.held and not json.loads((folder / "competition.json").read_text(encoding="utf-8")).get("held"):
        remark("This export has the results that are held back. Do not publish it before they are released.")
    size = sum(file.stat().st_size for file in files) / 1e6
    typer.echo(f"{len(files)} files, {size:.1f} MB, in {folder}; check them with   roost verify {folder}")
