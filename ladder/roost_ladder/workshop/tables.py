"""Which tables a bot is examined at, and the rare situations into which it is led.

A match is steered: every seat plays by a policy that has nothing in mind but to get into unusual positions. The bot
sits at one of the seats and is asked at each of its decisions, but what is played is what the policy says.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

from roost_games import bratwurmeck, haecmaec, karteneck
from roost_games.chance import Quick
from roost_games.game import JsonValue
from roost_games.registry import AnyGame, get_game

Policy = Callable[[Random, Any, Sequence[Any]], Any]
"""Chooses a move from a view and the legal moves."""
Situation = Callable[[Any, Sequence[Any]], bool]
"""Whether a view with these legal moves is of a certain kind."""
MATCHES_LOOKED_AT = 60
"""So many steered matches of a table are looked at to find those that lead into rare situations."""


class Table(NamedTuple):
    """A kind of match."""

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


def tables_of(games: Sequence[str]) -> list[Table]:
    """Every player count of these games, and of the variant with slapping; the games take turns."""
    by_turns = zip_longest(*map(_tables_of, games))
    return [table for turn in by_turns for table in turn if table is not None]


def _tables_of(game: str) -> Iterator[Table]:
    variants: list[dict[str, JsonValue]] = [{}, {"slap": True}] if game == "haecmaec" else [{}]
    for options in variants:
        found = get_game(game)
        yield from (Table(game, players, options) for players in found.players(found.options(options)))


def duel_games(tables: Sequence[Table]) -> list[str]:
    """The games that are played by two at one of these tables."""
    return list(dict.fromkeys(table.game for table in tables if table.players == 2))


def _random(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    return rng.choice(legal)


def _first(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    return legal[0]


def _last(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    return legal[-1]


def _one_number_card(rng: Random, view: karteneck.View, legal: Sequence[karteneck.Move]) -> karteneck.Move:
    """Lay a single number card and keep the worms: hands grow, and so does the list of legal moves."""
    few = legal[:40]
    return next((move for move in few if isinstance(move, karteneck.Lay) and not move.cards[0].is_worm), legal[0])


def _steal(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    """Steal wherever that is possible."""
    few = legal[:40]
    return next((move for move in few if getattr(move, "steal", None)), rng.choice(legal))


def _roll(rng: Random, view: bratwurmeck.View, legal: Sequence[bratwurmeck.Take]) -> bratwurmeck.Take:
    """Roll for as long as possible, with as few dice set aside as possible."""
    rolls = [move for move in legal if move.then == "roll"]
    return min(rolls or legal, key=lambda move: view.roll.count(move.face))


def _stop(rng: Random, view: bratwurmeck.View, legal: Sequence[bratwurmeck.Take]) -> bratwurmeck.Take:
    """Stop at once, worm or no worm: so a match gets to its turn limit."""
    return next(move for move in legal if move.then == "stop")


def _take(rng: Random, view: bratwurmeck.View, legal: Sequence[bratwurmeck.Take]) -> bratwurmeck.Take:
    """Take what the referee would, and steal: the grill gets empty."""
    stealing = [move for move in legal if move.steal]
    return stealing[0] if stealing else bratwurmeck.GAME.fallback(view)


def _prefer(wanted: Callable[[haecmaec.View, Any], bool]) -> Policy:
    """Play a move of a certain kind wherever there is one."""

    def policy(rng: Random, view: haecmaec.View, legal: Sequence[Any]) -> Any:
        liked = [move for move in legal if wanted(view, move)]
        return rng.choice(liked or legal)

    return policy


def _lays_third(view: haecmaec.View, move: Any) -> bool:
    return isinstance(move, haecmaec.Play) and move.card != haecmaec.FLY and view.is_third(move.card)


POLICIES: dict[str, tuple[Policy, ...]] = {
    "karteneck": (_random, _first, _one_number_card, _steal, _last),
    "bratwurmeck": (_take, _roll, _stop, _steal, _random),
    "haecmaec": (
        _random,
        _prefer(lambda view, move: isinstance(move, haecmaec.Close)),
        _prefer(lambda view, move: move == haecmaec.Play(haecmaec.FLY)),
        _prefer(_lays_third),
        _prefer(lambda view, move: bool(getattr(move, "suspect", None))),
        _prefer(lambda view, move: getattr(move, "slap", None) not in (None, "no")),
        _prefer(lambda view, move: isinstance(move, haecmaec.Play)),
    ),
}


def _third_laid(view: haecmaec.View, legal: Sequence[Any]) -> bool:
    kinds = [card.kind for card in view.burger]
    return view.phase == "react" and kinds.count(kinds[-1]) > 2


def _mine(view: haecmaec.View, values: Sequence[int]) -> int:
    return values[view.seat or 0]


SITUATIONS: dict[str, dict[str, Situation]] = {
    "karteneck": {
        "after a reshuffle": lambda view, legal: bool(view.trace),
        "an empty pile": lambda view, legal: view.pile_size == 0,
        "more than 60 legal moves": lambda view, legal: len(legal) > 60,
        "nothing to do but pass": lambda view, legal: len(legal) == 1,
        "a steal is possible": lambda view, legal: karteneck.PASS_AND_STEAL in legal[:2],
        "all others are out": lambda view, legal: view.status.count("in") == 1,
        "the last round": lambda view, legal: view.round == view.rounds,
        "the last portion": lambda view, legal: view.supply_size == 0 and len(view.grill) == 1,
    },
    "bratwurmeck": {
        "a steal is possible": lambda view, legal: any(move.steal for move in legal),
        "the last tile": lambda view, legal: len(view.grill) == 1,
        "a single die": lambda view, legal: len(view.roll) == 1,
        "five faces used": lambda view, legal: len(set(view.aside)) == 5,
        "only one legal move": lambda view, legal: len(legal) == 1,
        "tiles turned over": lambda view, legal: bool(view.turned),
        "the last turn before the limit": lambda view, legal: view.turn == view.horizon - 1,
    },
    "haecmaec": {
        "a third card was laid": _third_laid,
        "an empty pile": lambda view, legal: view.pile == 0,
        "no bottom is left": lambda view, legal: view.bottoms == 0 and view.phase == "turn",
        "no top is left": lambda view, legal: (
            view.phase == "turn" and not _mine(view, view.normal_tops) + _mine(view, view.doubling_tops)
        ),
        "a fly in the hand": lambda view, legal: haecmaec.FLY in view.hand,
        "a single ingredient": lambda view, legal: sum(card != haecmaec.FLY for card in view.hand) == 1,
        "fewer than no points": lambda view, legal: view.points(view.seat) < 0,
        "after a fly": lambda view, legal: bool(view.spoiled),
        "asked to slap": lambda view, legal: legal[0].__class__ is haecmaec.React and legal[0].slap is not None,
        "nothing to slap with": lambda view, legal: len(legal) == 1 and getattr(legal[0], "slap", None) == "no",
    },
}


NEEDS_OPTION = frozenset(("asked to slap", "nothing to slap with"))


def situations_of(table: Table) -> list[str]:
    """The rare situations that the doctor looks for at a table."""
    return [name for name in SITUATIONS[table.game] if table.options or name not in NEEDS_OPTION]


def situations_at(table: Table, view: Any, legal: Sequence[Any]) -> set[str]:
    """What is rare about a decision."""
    return {name for name in situations_of(table) if SITUATIONS[table.game][name](view, legal)}


class Steered(NamedTuple):
    """A match that is played by policies. It can be played again and again, and is always the same."""

    table: Table
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
        known = POLICIES[self.table.game]
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


def steered_matches(tables: Sequence[Table]) -> Iterator[Steered]:
    """Few matches that together lead into every situation that the steering can reach at these tables."""
    for table in tables:
        missing = set(situations_of(table))
        for number in range(MATCHES_LOOKED_AT):
            match = Steered(table, number % table.players, number)
            new = match.situations() & missing
            if new:
                missing -= new
                yield match
            if not missing:
                break
