"""Roost in a notebook: play, ladder and compare with one call each, and their results as tables.

    from roost_cli.notebook import compare, ladder, play, show

    played = play("karteneck", "mybot.py", "careful", matches=50, seed="spring")
    played.frame()                  # a pandas frame with a row for each seat of each match
    show(played.replays[0])         # the viewer below the cell

Bots are named as for the command. Each result has `rows()` as well, for those without pandas.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_ladder.rating.sprt import Verdict
from roost_ladder.report.files import summary_of
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_json
from roost_ladder.report.summary import Summary
from roost_ladder.running.comparison import CompareOptions, ComparisonRun, run_comparison
from roost_ladder.running.entrants import find_seated
from roost_ladder.running.local_ladder import LadderOptions, run_ladder
from roost_ladder.running.series import Series, new_seed
from roost_sdk import show
from roost_sdk.troubles.log import TroubleLog

__all__ = ["compare", "ladder", "play", "show"]

Rows = list[dict[str, Any]]


class PlayedSeries(NamedTuple):
    """Matches that have been played, with their records."""

    replays: list[Replay]

    def rows(self) -> Rows:
        """A row for each seat of each match."""
        return [row for number, replay in enumerate(self.replays) for row in _seats(number, replay)]

    def frame(self) -> Any:
        """The rows as a pandas frame."""
        return frame_of(self.rows())


class RatedLadder(NamedTuple):
    """A ladder that has been played."""

    summary: Summary

    def rows(self) -> Rows:
        """A row for each bot, the strongest first."""
        standings: Any = as_json(self.summary)["standings"]
        return [{name: value for name, value in row.items() if name != "places"} for row in standings]

    def frame(self) -> Any:
        """The rows as a pandas frame."""
        return frame_of(self.rows())

    def html(self) -> str:
        """The report as a page."""
        return page(self.summary)


class ComparedBots(NamedTuple):
    """A comparison that has ended."""

    run: ComparisonRun

    @property
    def stronger(self) -> bool:
        """Whether the new bot is stronger."""
        return self.run.comparison.verdict is Verdict.STRONGER

    def rows(self) -> Rows:
        """One row: the verdict, and the difference with its 95 % interval."""
        comparison = self.run.comparison
        low, middle, high = comparison.elo
        counts = {"blocks": comparison.sample.blocks, "matches": self.run.matches}
        return [{"verdict": comparison.verdict.value, "elo": middle, "elo_low": low, "elo_high": high, **counts}]

    def frame(self) -> Any:
        """The row as a pandas frame."""
        return frame_of(self.rows())


def play(game: str, *bots: str, matches: int = 1, seed: str | None = None, **options: Any) -> PlayedSeries:
    """Play matches of a game between these bots, in these seats. `options` are the game's."""
    found = get_game(game)
    seated = find_seated(bots, SAMPLES)
    series = Series(found, found.options(options), seated, new_seed() if seed is None else seed)
    series.check()
    replays: list[Replay] = []
    troubles = TroubleLog(_tell)
    for _ in series.play(matches, troubles.tell, keep=replays.append):
        pass
    troubles.close()
    return PlayedSeries(replays)


def ladder(*bots: str, games: Sequence[str] = (), players: Sequence[int] = (2, 3, 4), **options: Any) -> RatedLadder:
    """Play a ladder. `options` are those of `LadderOptions`, such as `blocks`, `seconds` and `seed`."""
    run = run_ladder(LadderOptions(bots, tuple(games), tuple(players), **options), SAMPLES)
    return RatedLadder(summary_of(run))


def compare(new: str, old: str, *, game: str, players: int = 2, **options: Any) -> ComparedBots:
    """Find out whether a bot is stronger than another. `options` are those of `CompareOptions`, such as `seed`."""
    return ComparedBots(run_comparison(CompareOptions(new, old, (game,), (players,), **options), SAMPLES))


def _tell(line: str) -> None:
    """Write a line below the cell."""
    sys.stderr.write(f"{line}\n")


def frame_of(rows: Rows) -> Any:
    """Rows as a pandas frame. Raises `UsageError` without pandas."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise UsageError("a frame needs pandas: pip install pandas; rows() works without it") from None
    return pandas.DataFrame(rows)


def _seats(number: int, replay: Replay) -> Rows:
    faults = [fault.seat for fault in replay.result.faults]
    return [
        {
            "match": number,
            "seat": seat,
            "bot": each.bot,
            "place": replay.result.places[seat],
            "score": replay.result.scores[seat],
            "faults": faults.count(seat),
        }
        for seat, each in enumerate(replay.seats)
    ]
