"""Matches to be played and their results, as values that travel between processes."""

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from roost_games.referee import STANDARD_CLOCK, Clock, Referee
from roost_games.replay import Replay, Result, Seat
from roost_ladder.running.clock_needs import needs_of
from roost_sdk.load import STDIO, LoadedBot, load_bot
from roost_sdk.troubles.log import Trouble

if TYPE_CHECKING:
    from roost_ladder.rating.facts import MatchFacts

MEMORY_MB = 1024
HAND_OVER_MS = 0.05
"""About what a decision costs beside the thinking, if a bot in another process makes it among many."""
COMPRESSION = 3
"""zlib's level, as in an arena's database."""


class BotSpec(NamedTuple):
    """A bot that any process on this machine can load."""

    name: str
    """What tables and records call it."""
    version: str
    """The fingerprint of its code."""
    source: str
    """A file that ends in `.py`, `stdio:` and a command, or the name of an importable module."""
    class_name: str
    """Empty for a command."""
    trusted: bool = False
    """Whether it may share a process with the referee: a sample, or a bot of one's own."""

    @property
    def text(self) -> str:
        """What `load_bot` finds it by."""
        return self.source if self.source.startswith(STDIO) else f"{self.source}:{self.class_name}"

    @property
    def file(self) -> Path | None:
        """Its Python file, if it has one."""
        return Path(self.source) if self.class_name and self.source.endswith(".py") else None

    def load(self) -> LoadedBot:
        """Import it. Raises `UsageError`, which says what is wrong with it."""
        return LoadedBot(self.name, load_bot(self.text, {}).bot_class)


class MatchLimits(NamedTuple):
    """What a bot may use up, and what is kept of a match."""

    clock: Clock = STANDARD_CLOCK
    """A bot that never answers is stopped when this is used up, so it should not be long."""
    max_faults: int = 3
    memory_mb: int = MEMORY_MB
    """How much memory a bot may take."""
    recording: bool = True
    """Whether a replay is made of each match."""
    sandbox: bool = False
    """Whether processes of bots run in a sandbox."""

    @property
    def patience(self) -> float:
        """A bot that does not answer for this many seconds is stopped: its clock cannot allow more."""
        return (self.clock.decision_ms + self.clock.bank_ms) / 1000


STANDARD_LIMITS = MatchLimits()


class Fixture(NamedTuple):
    """A match that is to be played."""

    match: str
    """Its id, which is in the record."""
    game: str
    bots: tuple[BotSpec, ...]
    """By seat."""
    seed: bytes
    options: Any
    """The game's own options, made by `Game.options`."""

    def seats(self) -> tuple[Seat, ...]:
        """Who sits where, as a record says it."""
        return tuple(Seat(bot.name, bot.version) for bot in self.bots)


class Job(NamedTuple):
    """Matches to be played by one worker. Short matches are cheaper with several in a job."""

    fixtures: tuple[Fixture, ...]
    limits: MatchLimits = MatchLimits()


class Stop(NamedTuple):
    """A bot had to be stopped: it hung, ended its process or wanted too much memory."""

    seat: int
    why: str
    """What follows the bot's name in a sentence."""


class PlayedMatch(NamedTuple):
    """A match that has ended. Tuples are by seat."""

    match: str
    result: Result
    decisions: tuple[int, ...]
    """How many decisions the bot made itself."""
    thinking_ms: tuple[float, ...]
    """How long it took for them."""
    started_ms: int
    """Since 1970."""
    ended_ms: int
    document: bytes = b""
    """The line of its `roost-replay/1`, compressed with zlib; empty if none was wanted."""
    troubles: tuple[Trouble, ...] = ()
    """What the authors want to know about."""
    stops: tuple[Stop, ...] = ()
    at_once: bool = False
    """Whether its worker played other matches meanwhile."""
    needs: tuple[float, ...] = ()
    """How long a decision of each seat has to be allowed to take: see `clock_needs`."""

    @property
    def took_ms(self) -> float:
        """About how long its worker was busy with it."""
        if self.at_once:
            return sum(self.thinking_ms) + HAND_OVER_MS * sum(self.decisions)
        return self.ended_ms - self.started_ms

    def replay(self) -> Replay:
        """The record of the match. Raises `ReplayError` if none was made."""
        return Replay.from_line(zlib.decompress(self.document) if self.document else b"")

    def facts(self, block_id: str, game: str, bots: tuple[int, ...]) -> "MatchFacts":
        """The match as statistics see it. `bots` are the numbers of the bots by seat."""
        # Not at the top: the processes that play do not need numpy, and would take twice as long to start.
        from roost_ladder.rating.facts import MatchFacts

        result = self.result
        return MatchFacts(
            block_id,
            game,
            bots,
            result.places,
            result.scores,
            faults=self.faults(),
            forfeited=tuple([seat in result.forfeits for seat in range(len(bots))]),
            decisions=self.decisions,
            thinking_ms=self.thinking_ms,
        )

    def faults(self) -> tuple[int, ...]:
        """How many faults each seat has on record."""
        at_fault = [fault.seat for fault in self.result.faults]
        return tuple([at_fault.count(seat) for seat in range(len(self.decisions))])


class Period(NamedTuple):
    """When a match was played, in milliseconds since 1970."""

    started_ms: int
    ended_ms: int


def as_played(
    fixture: Fixture,
    referee: Referee[Any, Any],
    period: Period,
    *,
    recording: bool,
    troubles: tuple[Trouble, ...] = (),
    stops: tuple[Stop, ...] = (),
    at_once: bool = False,
) -> PlayedMatch:
    """The played match of a fixture whose referee has a result."""
    replay = referee.replay()
    times: list[list[float]] = [[] for _ in fixture.bots]
    for seat, ms in replay.own_times():
        times[seat].append(ms)
    document = zlib.compress(replay.to_line().encode(), COMPRESSION) if recording else b""
    return PlayedMatch(
        fixture.match,
        replay.result,
        tuple(map(len, times)),
        tuple([sum(of_seat, 0.0) for of_seat in times]),
        *period,
        document,
        troubles,
        stops,
        at_once,
        needs_of(referee),
    )
