"""Matches between bots one after the other in this process, and the results of each seat.

series = Series(game, game.options({}), bots, seed="7")
for result in series.play(100, tell_stderr):
    print(result.places)
"""

import contextlib
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from roost_games.chance import seed_of
from roost_games.registry import AnyGame
from roost_games.replay import Replay, Result
from roost_ladder.rating.estimates import Estimate, mean_of, share_of
from roost_sdk import LoadedBot, LocalMatch, Trouble
from roost_sdk.local import check_plays

MOST_TROUBLES = 5
"""How many different troubles of bots are reported in full."""


def new_seed() -> str:
    """A random seed that is short enough to type again."""
    return secrets.token_hex(4)


class Watcher(Protocol):
    """Follows a match as it is played."""

    def begin(self, match: Any) -> None:
        """Called with the referee before the first move."""

    def listen(self, notice: object) -> None:
        """Called with everything that the referee announces."""


class SeatSummary(NamedTuple):
    """The results of one seat over a series."""

    seat: int
    bot: str
    win_share: Estimate
    """Shared first places count in part."""
    place: Estimate
    score: Estimate
    faults: Counter[str]
    """How many, by kind."""
    forfeits: int


@dataclass(frozen=True, slots=True)
class Series:
    """Matches of the same bots in the same seats, each with a deal of its own."""

    game: AnyGame
    options: Any
    bots: Sequence[LoadedBot]
    seed: str
    """The text from which all deals follow."""
    results: list[Result] = field(default_factory=list)
    """Of the matches that have been played."""

    @property
    def names(self) -> list[str]:
        """The bots' names, by seat."""
        return [bot.name for bot in self.bots]

    def check(self) -> None:
        """Raise `UsageError` if one of the bots does not play this game at a table of this size."""
        for bot in self.bots:
            check_plays(bot, self.game.name, len(self.bots))

    def play(
        self,
        matches: int,
        tell: Callable[[Trouble], None],
        *,
        watch: Callable[[], Watcher] | None = None,
        keep: Callable[[Replay], None] | None = None,
    ) -> Iterator[Result]:
        """Play this many matches. `watch` makes a watcher for each one; `keep` gets its record."""
        for number in range(matches):
            watcher = watch() if watch else None
            match = self._match(number, tell, watcher.listen if watcher else None)
            if watcher:
                watcher.begin(match.referee)
            self.results.append(play_out(match))
            if keep:
                keep(match.referee.replay())
            yield self.results[-1]

    def _match(
        self, number: int, tell: Callable[[Trouble], None], listener: Callable[[object], None] | None
    ) -> LocalMatch:
        """The match with this number, from 0. Its id is the beginning of its seed."""
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

    def summary(self) -> list[SeatSummary]:
        """A row for each seat. There must be a result."""
        return [self._seat(seat) for seat in range(len(self.bots))]

    def _seat(self, seat: int) -> SeatSummary:
        won = sum(1 / result.places.count(1) for result in self.results if result.places[seat] == 1)
        faults = [fault.kind.value for result in self.results for fault in result.faults if fault.seat == seat]
        return SeatSummary(
            seat,
            self.bots[seat].name,
            share_of(won, len(self.results)),
            mean_of([result.places[seat] for result in self.results]),
            mean_of([result.scores[seat] for result in self.results]),
            Counter(faults),
            sum(seat in result.forfeits for result in self.results),
        )


class TroubleLog:
    """Tells an author what went wrong in a bot, in lines: each thing once, and not more than a few."""

    def __init__(self, remark: Callable[[str], None]) -> None:
        self._remark = remark
        self._told: set[tuple[str, str]] = set()
        self._untold = 0

    def tell(self, trouble: Trouble) -> None:
        """Tell it, unless it was told before."""
        key = trouble.bot, trouble.what
        if key in self._told:
            return
        if len(self._told) < MOST_TROUBLES:
            self._told.add(key)
            self._remark(str(trouble))
        else:
            self._untold += 1

    def close(self) -> None:
        """Say how many were left out."""
        if self._untold:
            self._remark(f"and {self._untold} more like these; the table counts all faults")


def play_out(match: LocalMatch) -> Result:
    """Play a match. What its bots print goes to stderr, since stdout is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        return match.play()
