"""The tables at which a bot is examined, and the rare situations it is led into.

A match is steered: every seat follows a policy that seeks unusual positions. The bot sits at one of the seats and is
asked for each of its decisions, but the policy's move is played.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

from roost_games import situations
from roost_games.chance import Quick
from roost_games.game import JsonValue
from roost_games.registry import AnyGame, get_game
from roost_games.situations import Policy, policies_of

MATCHES_LOOKED_AT = 60
"""How many steered matches of a table are searched for those that lead into rare situations."""


class MatchKind(NamedTuple):
    """A game, a number of players and options."""

    game: str
    players: int
    options: Mapping[str, JsonValue]

    def __str__(self) -> str:
        variant = "".join(f" with {name}" for name in self.options)
        return f"{self.game}{variant}, {self.players} players"

    def found(self) -> tuple[AnyGame, Any]:
        """The game and its options."""
        game = get_game(self.game)
        return game, game.options(self.options)


def tables_of(games: Sequence[str]) -> list[MatchKind]:
    """Every player count of every variant of these games; the games take turns."""
    by_turns = zip_longest(*map(_tables_of, games))
    return [table for turn in by_turns for table in turn if table is not None]


def _tables_of(game: str) -> Iterator[MatchKind]:
    return (MatchKind(game, players, variant.options) for variant, players in get_game(game).tables())


def duel_games(tables: Sequence[MatchKind]) -> list[str]:
    """The games that are played by two at one of these tables."""
    return list(dict.fromkeys(table.game for table in tables if table.players == 2))


def situations_of(table: MatchKind) -> list[str]:
    """The rare situations that the doctor looks for at a table."""
    return [situation.name for situation in situations.situations_of(table.game, table.options)]


def situations_at(table: MatchKind, view: Any, legal: Sequence[Any]) -> set[str]:
    """What is rare about a decision."""
    known = situations.situations_of(table.game, table.options)
    return {situation.name for situation in known if situation.holds(view, legal)}


class SteeredMatch(NamedTuple):
    """A match that policies play. It is the same every time it is played."""

    table: MatchKind
    seat: int
    """Where the bot sits."""
    number: int

    def points(self) -> Iterator[tuple[Any, dict[int, Any]]]:
        """The state before each decision, or before several that are made at once, and the moves by seat."""
        game, options = self.table.found()
        rng = Random(f"{self.table}:{self.number}")
        policies = self._policies(rng)
        state = game.start(self.table.players, options, Quick(rng))
        while state.to_move:
            moves = {seat: policies[seat](rng, state.observe(seat), state.legal(seat)) for seat in state.to_move}
            yield state, moves
            for seat, move in moves.items():
                state.apply(seat, move)

    def _policies(self, rng: Random) -> list[Policy]:
        """In turn: one policy for all, or a random one for each."""
        known = policies_of(self.table.game)
        if self.number % 2:
            return [rng.choice(known) for _ in range(self.table.players)]
        return [known[self.number // 2 % len(known)]] * self.table.players

    def situations(self) -> set[str]:
        """The rare situations in which the bot will be asked."""
        found: set[str] = set()
        for state, moves in self.points():
            if self.seat in moves:
                found |= situations_at(self.table, state.observe(self.seat), state.legal(self.seat))
        return found


def steered_matches(tables: Sequence[MatchKind]) -> Iterator[SteeredMatch]:
    """A few matches that together lead into every situation that the steering can reach at these tables."""
    for table in tables:
        missing = set(situations_of(table))
        for number in range(MATCHES_LOOKED_AT):
            match = SteeredMatch(table, number % table.players, number)
            new = match.situations() & missing
            if new:
                missing -= new
                yield match
            if not missing:
                break
