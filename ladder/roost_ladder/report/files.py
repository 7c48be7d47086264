"""The report on a ladder that has run here: what it is about, and the files that it is written to."""

import os
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import RoostError, UsageError
from roost_ladder.rating.standings import find_rater
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv
from roost_ladder.report.summary import RunNotes, Summary, summarise
from roost_ladder.running.local_ladder import LadderRun, number_of


class ReportFiles(NamedTuple):
    """Where to write a report."""

    csv: Path | None = None
    html: Path | None = None

    def check(self) -> None:
        """Raise `UsageError` if a file cannot be written: before anything is played for it."""
        for file in filter(None, self):
            check_writable(file)

    def write(self, summary: Summary) -> None:
        """Write the files that are wanted. Raises `RoostError` if that fails."""
        for file, made in ((self.csv, as_csv), (self.html, page)):
            if file is not None:
                write_file(file, made(summary))


def check_writable(file: Path) -> None:
    """Raise `UsageError` if a file cannot be written."""
    folder = file.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"there is no folder {file.parent} for {file.name}; create it first")
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name a file, such as {file / 'ladder'}")
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise UsageError(f"{file} cannot be written; name a file where you may write")


def write_file(file: Path, text: str) -> None:
    """Write a file. Raises `RoostError` if that fails."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RoostError(f"{file} cannot be written: {error.strerror}") from None


def check_rating(rating: str) -> None:
    """Raise `UsageError` if there is no rater of this name."""
    find_rater(rating)


def summary_of(run: LadderRun, *, anchor: str | None = None, rating: str = "fit") -> Summary:
    """Standings, views and statistics of a run. The bot `anchor` gets 1500 points, or else the mean of all."""
    entrants = run.ladder.setup.entrants
    names = {number: entrant.spec.name for number, entrant in enumerate(entrants)}
    number = None if anchor is None else number_of(anchor, entrants)
    return summarise(run.ladder.facts, names, about(run), anchor=number, rating=rating)


def about(run: LadderRun) -> RunNotes:
    """What a report says about the run."""
    setup = run.ladder.setup
    clock = setup.limits.clock
    return RunNotes(
        f"Ladder of {len(setup.entrants)} bots",
        (
            ("Bots", ", ".join(entrant.spec.name for entrant in setup.entrants)),
            ("Schedule", setup.schedule_name),
            ("Rotation", setup.rotation.value),
            ("Deals", setup.deals.value),
            ("Seed", setup.seed),
            ("Clock", f"{clock.decision_ms / 1000:g} s a decision, {clock.bank_ms / 1000:g} s in the bank"),
            ("Ended", run.why),
        ),
        (*(f"left out: {line}" for line in run.left_out), *run.ladder.bench_lines()),
    )
