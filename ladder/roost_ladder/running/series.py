"""Matches between the same bots in the same seats, and the results of each seat.

series = Series(game, game.options({}), find_seated(["mybot.py", "random"], SAMPLES), seed="7")
for result in series.play(100, tell_stderr):
    print(result.places)
"""

import contextlib
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from roost_games.chance import seed_of
from roost_games.referee import STANDARD_CLOCK, Clock, Referee
from roost_games.registry import AnyGame
from roost_games.replay import Replay, Result
from roost_ladder.rating.estimates import Estimate, mean_of, share_of
from roost_ladder.running.clock_needs import ClockNeeds, needs_of
from roost_ladder.running.entrants import Entrant
from roost_ladder.running.fixtures import Fixture, MatchLimits
from roost_ladder.running.hall import Hall, Watch
from roost_sdk import LocalMatch, Trouble
from roost_sdk.local import check_able
from roost_sdk.troubles.hangs import each_once, watched


def new_seed() -> str:
    """A random seed that is short enough to type again."""
    return secrets.token_hex(4)


class Watcher(Protocol):
    """Follows a match as it is played."""

    def begin(self, match: Any) -> None:
        """Called with the referee before the first move."""

    def listen(self, notice: object) -> None:
        """Called with everything that the referee announces."""


AnyReferee = Referee[Any, Any]
Tell = Callable[[Trouble, str], None]
"""Hears what went wrong in a bot, and in which match."""
MakeWatcher = Callable[[], Watcher]


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
    bots: Sequence[Entrant]
    seed: str
    """The text from which all deals follow."""
    sandbox: bool = False
    """Whether the processes of bots have neither files nor a network."""
    clock: Clock = STANDARD_CLOCK
    results: list[Result] = field(default_factory=list)
    """Of the matches that have been played."""
    needs: ClockNeeds = field(default_factory=ClockNeeds)
    """How the bots fared with the clock."""

    @property
    def names(self) -> list[str]:
        """The bots' names, by seat."""
        return [bot.spec.name for bot in self.bots]

    def check(self) -> None:
        """Raise `UsageError` if one of the bots does not play this game at a table of this size."""
        for bot in self.bots:
            check_able(bot.spec.name, self.game.name, bot.games, bot.player_counts, len(self.bots))

    def play(
        self,
        matches: int,
        tell: Tell,
        *,
        watch: MakeWatcher | None = None,
        keep: Callable[[Replay], None] | None = None,
        remark: Callable[[str], None] = lambda line: None,
    ) -> Iterator[Result]:
        """Play this many matches. `watch` makes a watcher for each one; `keep` gets its record.

        `remark` gets a line when a bot hangs, while it does.
        """
        fixtures = map(self._fixture, range(matches))
        trusted = all(bot.spec.trusted for bot in self.bots)
        for referee in (self._here if trusted else self._apart)(fixtures, tell, watch, remark):
            assert referee.result is not None  # noqa: S101  it has been played to its end
            self.results.append(referee.result)
            self.needs.add(self.names, needs_of(referee))
            if keep:
                keep(referee.replay())
            yield referee.result

    def _here(
        self, fixtures: Iterable[Fixture], tell: Tell, watch: MakeWatcher | None, remark: Callable[[str], None]
    ) -> Iterator[AnyReferee]:
        """Play them in this process."""
        bots = [bot.spec.load() for bot in self.bots]
        for fixture in fixtures:
            watcher = watch() if watch else None
            listener = watcher.listen if watcher else None
            match = LocalMatch(
                self.game,
                bots,
                fixture.seed,
                options=self.options,
                clock=self.clock,
                match=fixture.match,
                versions=[bot.spec.version for bot in self.bots],
                listener=listener,
                tell=_with_match(tell, fixture.match),
            )
            if watcher:
                watcher.begin(match.referee)
            with watched(match, remark):
                play_out(match)
            yield match.referee

    def _apart(
        self, fixtures: Iterable[Fixture], tell: Tell, watch: MakeWatcher | None, remark: Callable[[str], None]
    ) -> Iterator[AnyReferee]:
        """Play them with bots in processes of their own."""
        with closing(Hall(MatchLimits(self.clock, sandbox=self.sandbox), prints=True, tell=each_once(remark))) as hall:
            for table in hall.play(fixtures, _beginning(watch) if watch else None):
                for trouble in table.troubles:
                    tell(trouble, table.fixture.match)
                yield table.referee

    def _fixture(self, number: int) -> Fixture:
        """The match with this number, from 0. Its id is the beginning of its seed."""
        seed = seed_of(self.seed, number)
        return Fixture(seed.hex()[:16], self.game.name, tuple(bot.spec for bot in self.bots), seed, self.options)

    def summary(self) -> list[SeatSummary]:
        """A row for each seat. There must be a result."""
        return [self._seat(seat) for seat in range(len(self.bots))]

    def _seat(self, seat: int) -> SeatSummary:
        won = sum(1 / result.places.count(1) for result in self.results if result.places[seat] == 1)
        faults = [fault.kind.value for result in self.results for fault in result.faults if fault.seat == seat]
        return SeatSummary(
            seat,
            self.names[seat],
            share_of(won, len(self.results)),
            mean_of([result.places[seat] for result in self.results]),
            mean_of([result.scores[seat] for result in self.results]),
            Counter(faults),
            sum(seat in result.forfeits for result in self.results),
        )


def _with_match(tell: Tell, match: str) -> Callable[[Trouble], None]:
    return lambda trouble: tell(trouble, match)


def _beginning(make: MakeWatcher) -> Watch:
    """What makes a watcher for a match that begins."""

    def begin(referee: AnyReferee) -> Callable[[object], None]:
        watcher = make()
        watcher.begin(referee)
        return watcher.listen

    return begin


def play_out(match: LocalMatch) -> Result:
    """Play a match. What its bots print goes to stderr, since stdout is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        return match.play()
