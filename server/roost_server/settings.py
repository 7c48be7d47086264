"""The settings of an arena."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

from roost_games.game import AnyOptions
from roost_games.referee import STANDARD_CLOCK, Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.blocks import Deals
from roost_ladder.schedules.schedule import Kind

USUAL_DECISIONS = 120
"""More decisions than a bot makes in a match that it plays well, in any game."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a table: a game, its options and the number of players."""

    game: str
    players: int
    options: AnyOptions

    @property
    def kind(self) -> Kind:
        """What schedules know of it. A contest has one set of rules for each kind."""
        return Kind(self.game, self.players)


def standard_tables() -> tuple[Rules, ...]:
    """All games with 2, 3 and 4 players and their default options."""
    return tables_of(GAME_NAMES, (2, 3, 4))


def tables_of(games: tuple[str, ...], counts: tuple[int, ...]) -> tuple[Rules, ...]:
    """Every game at every player count of `counts` that it allows."""
    return tuple(
        Rules(name, players, options)
        for name in games
        for options in [_default_options(name)]
        for players in counts
        if players in get_game(name).players(options)
    )


def _default_options(name: str) -> Any:
    return get_game(name).options({})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an arena, apart from its address and its database."""

    tables: tuple[Rules, ...] = field(default_factory=standard_tables)
    """What is played."""
    bots: frozenset[str] = frozenset()
    """The names of the bots that may connect; empty for any."""
    schedule: str = "least-played"
    """Who plays whom in an arena without competitions."""
    deals: Deals = Deals.OWN
    """Whether the matches of a block share a deal."""
    clock: Clock = STANDARD_CLOCK
    max_faults: int = 3
    latency_cap_ms: float = 50.0
    """At most this much of a stream's latency is not counted against the bot."""
    own_delay_ms: float = 1_000.0
    """At most this much of the arena's own delay is credited to a late answer. Beyond it nobody knows when it came."""
    most_late: float = 0.05
    """If the arena itself is late for a larger share of the time than this, it plays fewer matches at once."""
    max_voids: int = 3
    """This many matches of a block may be voided because of the arena's own delay; then it is credited in full."""
    ready_seconds: float = 10.0
    """How long a bot may take to get ready for a match. Not part of its clock."""
    match_seconds: float | None = None
    """How long a bot may take for a match in all, getting ready included; `None`: see `seat_seconds`."""
    arena_seconds_per_hour: float = 1_200.0
    """How long others wait for a bot in an hour of a ladder. A bot that uses much of it plays less at once."""
    round_seconds: float = 14_400.0
    """How long a round of finals waits for one bot, thinking or away. Then it forfeits the rest of the round."""
    matches_per_hour: float = 20_000.0
    """How many matches of a ladder are begun in an hour. What is not used is saved for up to an hour."""
    matches_per_bot_hour: float = 3_600.0
    """The same for each bot."""
    disk_gb: float = 10.0
    """When the database has grown to this size, ladders begin nothing more. Finals are played."""
    grace_seconds: float = 20.0
    """How long a bot that lost its connection may stay away."""
    ping_seconds: float = 5.0
    challenges_per_owner_hour: int = 60
    """How many matches an owner may ask for in an hour; 0: none."""
    challenges_per_opponent_hour: int = 120
    """How many matches in an hour others may ask of a bot; 0: none."""
    max_matches_per_bot: int = 256
    """No bot gets more matches at once than this, whatever it asks for."""
    matches_at_once: int | None = None
    """How many matches each bot gets at once, unless it asks for fewer; `None`: as many as it can take, by measure."""
    bots_per_owner: int = 8
    """How many bots of one owner may be connected. More if a competition takes more."""
    max_move_bytes: int = 4 << 10
    """A larger move is malformed, and is not looked at."""
    max_message_bytes: int = 64 << 10
    """A larger message of a bot ends its stream."""
    hide_names: bool = False
    """Whether the names of opponents are hidden from bots."""
    spectator_delay_seconds: float = 0.0
    """How long after a move spectators see it."""
    quarantine_after: int = 5
    """A bot with faults in this many matches in a row is quarantined until it answers again."""
    results_held: bool = False
    """Whether the host holds results back at first: metrics then name no bots."""
    drain_seconds: float = 30.0
    """How long a shutdown waits for running matches before it voids them."""

    @property
    def seat_seconds(self) -> float:
        """How long a bot may take for a match in all; by default for getting ready, its bank and 120 decisions."""
        if self.match_seconds is not None:
            return self.match_seconds
        return self.ready_seconds + (self.clock.bank_ms + USUAL_DECISIONS * self.clock.decision_ms) / 1000

    def unpaced(self) -> "Settings":
        """The same without limits to how much is played: for trials with bots that one trusts."""
        return replace(
            self,
            matches_per_hour=math.inf,
            matches_per_bot_hour=math.inf,
            arena_seconds_per_hour=math.inf,
            disk_gb=math.inf,
        )


def longest_hold_up(settings: Settings, absence_seconds: float, matches: int) -> float:
    """How many seconds one bot can keep a round of finals waiting, if it has this many matches in it.

    It stalls in every match for as long as it may, or stays away for as long as it may before each of them, until the
    round waits for it no longer. Then only the match that it is playing has to end.
    """
    each = settings.seat_seconds + absence_seconds
    return min(matches * each, settings.round_seconds + settings.seat_seconds)
