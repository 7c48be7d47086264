"""`roost lessons`: what a bot has to learn from the matches that it lost."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import READING, BotArgument, GameOption, JsonOption, Where, asks, find_game, parse_duration
from roost_games.errors import Exit


@asks(READING)
def lessons(
    where: Where,
    bot: BotArgument,
    kept: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Look at the matches that it has kept; --server fetches their records."),
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="Look at the matches in a file of replays.")] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot's name there. By default that of its file.")
    ] = None,
    game: GameOption = None,
    against: Annotated[
        str, typer.Option(metavar="BOT", help="The sample that it plays against now, if no matches are named.")
    ] = "careful",
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="How many losses to look at, newest first.")] = 100,
    worlds: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often to play on with each move from each difference.")
    ] = 8,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Look at no further match after this time, such as 90s or 1h.")
    ] = "5m",
    seed: Annotated[str, typer.Option(metavar="TEXT", help="The seed of matches that are played now.")] = "lessons",
    as_json: JsonOption = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the lessons as a page.")] = None,
) -> None:
    """Find out which kinds of decisions cost a bot most in the matches that it lost.

    The strongest sample is asked about every decision. Where the bot, as it is now, would still decide otherwise, the
    match is played on with both moves. The matches come from --kept, --file, --db or --server; without any of them, the
    bot plays against a sample now. Ctrl-C shows what was found so far.
    """
    from roost_bots import SAMPLES, playing_on, strongest
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.live import progress
    from roost_cli.terminal.replays.lessons import lessons_json, print_lessons
    from roost_ladder.report.files import check_writable, write_file
    from roost_ladder.workshop.lessons_page import lessons_page
    from roost_ladder.workshop.losses import LossOptions, Tutors, study_losses

    wanted = LossOptions(
        bot, name or "", kept, file, find_game(game).name if game else "", against, matches, worlds, seed
    )
    wanted.check(named=where.named)
    tutors = Tutors(SAMPLES, strongest, playing_on)
    if html is not None:
        check_writable(html)
    with where.open() if where.named else nullcontext() as reader, progress("looking into losses", matches) as advance:
        found = study_losses(wanted, tutors, reader, parse_duration(budget), advance)
    if as_json:
        print_json(lessons_json(found))
    else:
        print_lessons(found)
    if html is not None:
        write_file(html, lessons_page(found))
    if found.interrupted:
        raise typer.Exit(Exit.INTERRUPTED)
