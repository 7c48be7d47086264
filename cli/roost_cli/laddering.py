"""What `roost ladder` does: find the bots, play, show how it stands, and say in the end who is how strong."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from roost_bots import SAMPLES
from roost_cli.ladder_wishes import Wishes, number_of
from roost_cli.options import database_url, needs_server, parse_duration
from roost_cli.terminal.console import print_json, remarks
from roost_cli.terminal.ladder_report import Result, about, print_result, result_json
from roost_cli.terminal.ladder_screen import screen
from roost_games.errors import Exit, RoostError, UsageError
from roost_ladder.rating.standings import find_rater
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv
from roost_ladder.report.summary import Summary, summarise
from roost_ladder.running.book import Book, MemoryBook
from roost_ladder.running.comparison import get_in_each_others_way
from roost_ladder.running.engine import Executor
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.rounds import Budget, RunEnd
from roost_ladder.running.series import TroubleLog, new_seed
from roost_ladder.running.workers import local_executor

DEFAULT_SECONDS = 60.0
SAME_MODULES = "note: bots import different modules of the same name, so each has a process of its own, which is slow"


class Outputs(NamedTuple):
    """What a person wants to get out of it."""

    rating: str
    anchor: str | None
    as_json: bool
    csv: Path | None
    html: Path | None

    def check(self) -> None:
        """Raise `UsageError` before anything is played in vain."""
        find_rater(self.rating)
        for file in filter(None, (self.csv, self.html)):
            _check_writable(file)

    def write(self, summary: Summary) -> None:
        """The files that are wanted. Raises `RoostError` if that fails."""
        for file, made in ((self.csv, as_csv), (self.html, page)):
            if file is not None:
                _write(file, made(summary))


def _check_writable(file: Path) -> None:
    folder = file.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"there is no folder {file.parent} for {file.name}; create it first")
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name a file, such as {file / 'ladder'}")
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise UsageError(f"{file} cannot be written; name a file where you may write")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RoostError(f"{file} cannot be written: {error.strerror}") from None


def run_ladder(
    wishes: Wishes,
    outputs: Outputs,
    blocks: int | None,
    matches: int | None,
    budget: str | None,
    workers: int | None,
    db: str | None,
) -> None:
    """Play and report. Ctrl-C ends it early: what was played until then is reported, and the exit code is 130."""
    wishes.check()
    outputs.check()
    limit = _budget(blocks, matches, budget, wishes)
    entrants = _find_bots(wishes)
    if outputs.anchor is not None:
        number_of(outputs.anchor, entrants)
    count = workers or len(os.sched_getaffinity(0))
    with _open_book(db) as (book, seed), _team(entrants, wishes, count) as team:
        setup = wishes.setup(team.entrants, wishes.seed or seed or new_seed(), recording=db is not None)
        _check_room(limit, setup)
        troubles = TroubleLog()
        ladder = Ladder(setup, book, troubles.tell)
        ending = _play(ladder, limit, team)
        troubles.close()
    _report(ladder, ending, outputs, db)
    if ending is None:
        raise typer.Exit(Exit.INTERRUPTED)


def _budget(blocks: int | None, matches: int | None, budget: str | None, wishes: Wishes) -> Budget:
    if all(limit is None for limit in (blocks, matches, budget, wishes.times)):
        return Budget(seconds=DEFAULT_SECONDS)
    return Budget(blocks, matches, None if budget is None else parse_duration(budget))


def _check_room(limit: Budget, setup: Setup) -> None:
    """Raise `UsageError` if not even one block may be played."""
    least = min(setup.rotation.matches(kind.players) for kind in setup.kinds)
    if limit.matches is not None and limit.matches < least:
        raise UsageError(
            f"--matches {limit.matches} is too few: a block, one deal with every bot in every seat, takes {least}"
        )


def _find_bots(wishes: Wishes) -> list[Entrant]:
    found = find_entrants(wishes.bots, SAMPLES)
    for line in found.left_out:
        remarks().print(f"left out: {line}", soft_wrap=True)
    if len(found.bots) < 2:
        raise UsageError(f"a ladder needs two bots, and here is {len(found.bots) or 'none'}")
    return found.bots


@contextlib.contextmanager
def _open_book(db: str | None) -> Iterator[tuple[Book, str | None]]:
    """Where to write, and the seed of the run that is there already."""
    if db is None:
        yield MemoryBook(), None
        return
    with needs_server("--db"):
        from roost_server.store import open_store
        from roost_server.store.ladder_book import LadderBook
    with open_store(database_url(db)) as store:
        book = LadderBook(store)
        charter = book.charter()
        yield book, charter["seed"] if charter else None


class Team(NamedTuple):
    """Who plays, and how."""

    entrants: Sequence[Entrant]
    executor: Executor
    mind: Callable[[], None] = lambda: None
    """To be called now and then."""
    isolated: bool = False


@contextlib.contextmanager
def _team(entrants: list[Entrant], wishes: Wishes, workers: int) -> Iterator[Team]:
    """Worker processes, or an arena on loopback if there are programs that connect to one by themselves."""
    if any(entrant.is_command for entrant in entrants):
        with needs_server("a bot that connects to an arena"):
            from roost_server.serving.ladder_programs import ladder_programs

        def tell(line: str) -> None:
            remarks().print(line, soft_wrap=True)

        with ladder_programs(entrants, wishes.limits(recording=True), SAMPLES, tell) as programs:
            yield Team(programs.entrants, Executor(programs.arena.submit, workers), programs.look_after)
        return
    isolated = get_in_each_others_way(entrant.spec for entrant in entrants)
    if isolated:
        remarks().print(SAME_MODULES, soft_wrap=True)
    with local_executor(workers) as executor:
        yield Team(entrants, executor, isolated=isolated)


def _play(ladder: Ladder, budget: Budget, team: Team) -> RunEnd | None:
    """Why it ended; `None` if it was interrupted."""
    with contextlib.suppress(KeyboardInterrupt), screen(ladder, budget) as show:

        def look() -> None:
            show()
            team.mind()

        return ladder.play(team.executor, budget, look, isolated=team.isolated)
    return None


def _report(ladder: Ladder, ending: RunEnd | None, outputs: Outputs, db: str | None) -> None:
    result = Result(ladder, ending, db)
    names = {number: entrant.spec.name for number, entrant in enumerate(ladder.setup.entrants)}
    anchor = None if outputs.anchor is None else number_of(outputs.anchor, ladder.setup.entrants)
    summary = summarise(ladder.facts, names, about(result), anchor=anchor, rating=outputs.rating)
    if outputs.as_json:
        print_json(result_json(result, summary))
    elif summary.standings:
        print_result(result, summary)
    # Only now: whatever happens to the files, the result has been told.
    if summary.standings:
        outputs.write(summary)
    else:
        remarks().print("no block was played to its end, so there are no standings yet")
