"""Plays matches one after the other in this process."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roost_games.chance import seed_of
from roost_games.registry import AnyGame
from roost_games.replay import Result
from roost_sdk import LoadedBot, LocalMatch, Trouble
from roost_sdk.local import check_plays

MOST_TROUBLES = 5
"""How many different troubles of bots are told in full."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that is the same in all matches of a run."""

    game: AnyGame
    options: Any
    bots: list[LoadedBot]
    seed: str
    """The text that a person seeded the run with."""

    def check(self) -> None:
        """Raise `UsageError` if one of these bots does not play this game with so many players."""
        for bot in self.bots:
            check_plays(bot, self.game.name, len(self.bots))

    def match(
        self, number: int, tell: Callable[[Trouble], None], listener: Callable[[object], None] | None = None
    ) -> LocalMatch:
        """The match with this number, from 0, ready to be played. Its id is the beginning of its seed."""
        seed = seed_of(self.seed, number)
        return LocalMatch(
            self.game,
            self.bots,
            seed,
            options=self.options,
            match=seed.hex()[:16],
            listener=listener,
            tell=tell,
        )


class TroubleLog:
    """Tells an author on stderr what went wrong in a bot: each thing once, and not more than a few."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self._untold = 0

    def tell(self, trouble: Trouble) -> None:
        """Tell it now, unless it was told before."""
        key = trouble.bot, trouble.what
        if key in self._told:
            return
        if len(self._told) < MOST_TROUBLES:
            self._told.add(key)
            sys.stderr.write(f"{trouble}\n")
        else:
            self._untold += 1

    def close(self) -> None:
        """Say how much was not told."""
        if self._untold:
            sys.stderr.write(f"and {self._untold} more of such troubles; the table counts all faults\n")


def play_out(match: LocalMatch) -> Result:
    """Play a match. What its bots print goes to stderr, since stdout is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        return match.play()
