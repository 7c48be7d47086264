"""`roost bots`, `standings`, `matches` and `suspicions`: what an arena has on record."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    READING,
    CompetitionOption,
    GameOption,
    JsonOption,
    Where,
    asks,
    find_game,
    needs_server,
)
from roost_games.errors import UsageError

if TYPE_CHECKING:
    from roost.v1 import arena_pb2
    from roost_sdk.arena.reader import Reader

PlayersOption = Annotated[int | None, typer.Option(min=2, max=99, metavar="N", help="Only tables of this size.")]
PhaseOption = Annotated[
    str | None, typer.Option(metavar="PHASE", help="With --competition: only this phase, ladder or finals.")
]


class OutcomeName(StrEnum):
    """How a match ended for a bot; in the contract the names begin with OUTCOME_."""

    WON = "won"
    NOT_WON = "not-won"
    LAST = "last"
    FORFEITED = "forfeited"
    VOIDED = "voided"


OUTCOMES = ", ".join(OutcomeName)
SECOND_SECONDS = 30.0
"""How long `roost standings` waits for a second ranking that is being worked out, …"""
ASK_SECONDS = 0.2
"""… and how often it asks."""

bots_app = typer.Typer(help="List the bots of an arena, one line per version.", invoke_without_command=True)


@bots_app.callback()
@asks(READING)
def bots(where: Where, context: typer.Context, as_json: JsonOption = False) -> None:
    """List the bots of an arena, one line per version."""
    if context.invoked_subcommand is not None:
        return
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.records import bots_json, print_bots

    with where.open() as reader:
        found = reader.bots().bots
    if as_json:
        print_json(bots_json(found, live=where.live))
    else:
        print_bots(found, live=where.live)


@bots_app.command("show")
@asks(READING)
def show_bot(
    where: Where,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name.")],
    as_json: JsonOption = False,
) -> None:
    """Show one bot: its versions, what keeps them from playing, and its record by seat and opponent."""
    from roost.v1 import records_pb2
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.records import one_bot_json, print_one_bot

    with where.open() as reader:
        found = [bot for bot in reader.bots().bots if bot.name == name]
        if not found:
            raise UsageError(f"there is no bot {name!r}; roost bots {where.option} lists all")
        record = reader.bot(records_pb2.GetBotRequest(bot=name))
    if as_json:
        print_json(one_bot_json(found, record, live=where.live))
    else:
        print_one_bot(found, record, live=where.live)


def check_phase(phase: str | None, competition: str | None) -> None:
    """Refuse a phase of no competition."""
    if phase is not None and competition is None:
        raise UsageError("--phase needs --competition NAME")


@asks(READING)
def standings(
    where: Where,
    game: GameOption = None,
    players: PlayersOption = None,
    competition: CompetitionOption = None,
    phase: Annotated[
        str | None,
        typer.Option(metavar="PHASE", help="With --competition: ladder or finals. By default what was played last."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All matches on record, instead of one phase of a competition.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the ratings with their 95 % intervals.

    In an arena with competitions these are the ratings of the current phase, unless an option says otherwise.
    """
    from roost.v1 import arena_pb2
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.standings import print_standings, standings_json

    check_phase(phase, competition)
    if everything and competition is not None:
        raise UsageError("--everything is not one competition; leave out --everything or --competition")
    wanted = arena_pb2.GetStandingsRequest(
        game=find_game(game).name if game else "",
        players=players or 0,
        competition=competition or "",
        phase=phase or "",
        everything=everything,
    )
    with where.open() as reader:
        answer = _with_second(reader, wanted)
    if as_json:
        print_json(standings_json(answer, wanted))
    else:
        print_standings(answer, wanted)


def _with_second(reader: "Reader", wanted: "arena_pb2.GetStandingsRequest") -> "arena_pb2.GetStandingsResponse":
    """The standings; where no single order fits, with the second ranking, if it does not take too long."""
    from roost.v1 import arena_pb2

    answer = reader.standings(wanted)
    until = monotonic() + SECOND_SECONDS
    while answer.second.state == arena_pb2.SECOND_STATE_BEING_WORKED_OUT and monotonic() < until:
        sleep(ASK_SECONDS)
        answer = reader.standings(wanted)
    return answer


@asks(READING)
def matches(
    where: Where,
    game: GameOption = None,
    players: PlayersOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this bot.")] = None,
    opponent: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches with this bot too.")] = None,
    outcome: Annotated[
        OutcomeName | None, typer.Option(metavar="OUTCOME", help=f"With --bot: its result, {OUTCOMES}.")
    ] = None,
    faulty: Annotated[
        bool, typer.Option("--faulty", help="Only matches with a fault, of the bot if one is named.")
    ] = False,
    competition: CompetitionOption = None,
    phase: PhaseOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, metavar="N", help="At most this many.")] = 20,
    running: Annotated[
        bool, typer.Option("--running", help="List the running matches instead of the recorded ones.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List matches, newest first."""
    from roost.v1 import arena_pb2
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.records import matches_json, print_matches
    from roost_sdk.arena.reader import newest_matches

    if running and not where.live:
        raise UsageError("a database has only finished matches; --running needs --server")
    if outcome is not None and bot is None:
        raise UsageError("--outcome needs --bot NAME")
    check_phase(phase, competition)
    wanted = arena_pb2.ListMatchesRequest(
        game=find_game(game).name if game else "",
        players=players or 0,
        bot=bot or "",
        opponent=opponent or "",
        outcome=arena_pb2.Outcome.Value(f"OUTCOME_{outcome.name}") if outcome else arena_pb2.OUTCOME_UNSPECIFIED,
        with_faults=faulty,
        phase=phase or "",
        running=running,
        limit=limit,
        competition=competition or "",
    )
    with where.open() as reader:
        found = newest_matches(reader, wanted)
    if as_json:
        print_json(matches_json(found.matches) | ({"held": found.held} if found.held else {}))
    else:
        print_matches(found, wanted, where.option)


@asks(READING)
def suspicions(
    where: Where,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="The export of a competition, instead of an arena.")
    ] = None,
    competition: CompetitionOption = None,
    phase: PhaseOption = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Report reasons to look closer: collusion, voids, remembered deals, changed thinking times, shared code.

    By chance alone, at most 5 of 100 reports name anybody. A remote bot's version is what the bot declares.
    """
    from roost.v1 import records_pb2
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.suspicions import print_suspicions, suspicions_json

    check_phase(phase, competition)
    wanted = records_pb2.GetCollusionRequest(
        competition=competition or "", phase=phase or "", game=find_game(game).name if game else ""
    )
    with _opened(where, folder) as reader:
        report = reader.suspicions(wanted)
    if as_json:
        print_json(suspicions_json(report, wanted))
    else:
        print_suspicions(report)


@contextmanager
def _opened(where: Where, folder: Path | None) -> "Iterator[Reader]":
    """What is asked: an export if there is a folder, and otherwise the arena or the database."""
    if folder is None:
        with where.open() as reader:
            yield reader
        return
    from roost_cli.terminal.live import progress

    if where.server is not None or where.db is not None:
        raise UsageError("FOLDER is read instead of an arena or a database; leave out --server and --db")
    with needs_server("roost suspicions FOLDER"):
        from roost_server.answers.database import DatabaseReader
        from roost_server.export.loader import loaded
    with loaded(folder, progress) as store:
        yield DatabaseReader(store)
