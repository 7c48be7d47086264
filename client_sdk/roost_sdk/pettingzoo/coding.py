"""Moves as numbers and views as arrays: what a coding is, and where to find the one of a game.

A coding is made for one game with its options and one player count. It needs only views, so a bot uses it in the same
way as the training environment. Each game has a module here with its name, whose `CODING` is its class.
"""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from roost_games.errors import MalformedMove, UsageError
from roost_games.game import AnyView, JsonValue
from roost_games.registry import all_games, get_game, part_of

MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT", bound=AnyView)

Floats = NDArray[np.float32]
Mask = NDArray[np.int8]


class Field(NamedTuple):
    """A part of an observation. Fields with a number per seat begin with your own seat and continue in turn order."""

    name: str
    units: tuple[float, ...]
    """What each number is divided by."""
    least: float = 0.0
    """No number is lower after that division."""
    most: float = 1.0
    """Nor higher."""


def flags(name: str, size: int) -> Field:
    """A field of numbers from 0 to 1."""
    return Field(name, (1.0,) * size)


class Coding(ABC, Generic[MoveT, ViewT]):
    """How a game's moves are numbered, and how a view becomes an array of fixed length."""

    def __init__(self, players: int, fields: Sequence[Field], moves: Sequence[MoveT], more_actions: int = 0) -> None:
        """`moves` have the same numbers in every view; a game with others has `more_actions`."""
        self.players = players
        self.fields = tuple(fields)
        self.moves = tuple(moves)
        self.actions = len(self.moves) + more_actions
        """How many actions there are: they are the numbers below this."""
        self._numbers: dict[object, int] = {move: number for number, move in enumerate(self.moves)}
        ends = list(accumulate(len(field.units) for field in self.fields))
        self.size = ends[-1]
        """The length of an observation."""
        self.slices = {
            field.name: slice(end - len(field.units), end) for field, end in zip(self.fields, ends, strict=True)
        }
        """Where in an observation each field is."""
        self._at = {name: place.start for name, place in self.slices.items()}
        self._units = np.array([unit for field in self.fields for unit in field.units], np.float32)
        self._zeros = array("f", bytes(4 * self.size))

    @classmethod
    def options_of(cls, view: Any) -> Any:
        """The options of the match that `view` is of."""
        return view.options

    @property
    def low(self) -> Floats:
        """The least that each number of an observation can be."""
        return np.array([field.least for field in self.fields for _ in field.units], np.float32)

    @property
    def high(self) -> Floats:
        """The most that each number of an observation can be."""
        return np.array([field.most for field in self.fields for _ in field.units], np.float32)

    def encode(self, view: ViewT) -> Floats:
        """What the seat of `view` sees, as an array. Raises `UsageError` for a spectator's view."""
        if view.seat is None or view.players != self.players:
            raise UsageError(f"this coding is for a seat among {self.players} players")
        values = array("f", self._zeros)
        self._write(values, view, view.seat)
        # Whole numbers are written and divided once, so that rounding stays within the bounds.
        return np.frombuffer(values, np.float32) / self._units

    def mask(self, view: ViewT, legal: Sequence[MoveT]) -> Mask:
        """For each action 1 if it stands for one of the `legal` moves, else 0. If there are any, it has a 1."""
        mask = np.zeros(self.actions, np.int8)
        mask[self.codes(view, legal)] = 1
        return mask

    def codes(self, view: ViewT, legal: Sequence[MoveT]) -> list[int]:
        """The actions that stand for `legal` moves."""
        return [self._numbers[move] for move in legal]

    def code(self, move: MoveT, view: ViewT) -> int | None:
        """The action that stands for `move`, which is legal in `view`; `None` if none does."""
        return self._numbers.get(move)

    def decode(self, action: int, view: ViewT) -> MoveT:
        """The move that `action` stands for. Raises `MoveError` if it is not an action, or has no meaning here."""
        if not 0 <= action < self.actions:
            raise MalformedMove(f"{action} is not an action; these are the numbers from 0 to {self.actions - 1}")
        return self.moves[action] if action < len(self.moves) else self._decode_more(action - len(self.moves), view)

    def _decode_more(self, number: int, view: ViewT) -> MoveT:
        """The move of one of the further actions, numbered from 0."""
        raise NotImplementedError

    @abstractmethod
    def _write(self, values: "array[float]", view: ViewT, own: int) -> None:
        """Write every field into `values`, which are zeros, before the division by its units."""

    def _from(self, own: int) -> range:
        """The seats in turn order from `own` on, as numbers to be used modulo the number of players."""
        return range(own, own + self.players)


AnyCoding = Coding[Any, Any]


def coding_of(game: str, players: int, options: Mapping[str, JsonValue] | None = None) -> AnyCoding:
    """The coding of a game with a player count and options. Raises `UsageError` if that cannot be played."""
    rules = get_game(game)
    chosen = rules.options(options or {})
    rules.check_players(players, chosen)
    return _coding(game, players, chosen)


def coding_for(view: Any) -> AnyCoding:
    """The coding of the match that `view` is of: the same as in an environment with these players and options."""
    kind: type = type(view)
    game = _game_of(kind)
    return _coding(game, view.players, coding_class(game).options_of(view))


@lru_cache(maxsize=64)
def _game_of(kind: type) -> str:
    for game in all_games():
        if kind is part_of(game.name).View:
            return game.name
    raise UsageError(f"a {kind.__name__} is not a view of a game")


def coding_class(game: str) -> Any:
    """The class of a game's codings: called with a player count and the game's options, it makes one."""
    return part_of(game, package="roost_sdk.pettingzoo").CODING


@lru_cache(maxsize=64)
def _coding(game: str, players: int, options: Any) -> AnyCoding:
    coding: AnyCoding = coding_class(game)(players, options)
    return coding


def write_seats(values: "array[float]", start: int, numbers: Sequence[float], own: int) -> None:
    """Write one number per seat, that of `own` first."""
    turned = (*numbers[own:], *numbers[:own])
    for offset, number in enumerate(turned):
        values[start + offset] = number


def write_counts(
    values: "array[float]", start: int, things: Sequence[Hashable], places: Mapping[Any, int], by: int = 1
) -> None:
    """Count each of `things` at its place."""
    for thing in things:
        values[start + places[thing]] += by


def write_set(values: "array[float]", start: int, things: Sequence[Hashable], places: Mapping[Any, int]) -> None:
    """Write 1 at the place of each thing. Equal ones take the places that follow."""
    for thing in things:
        values[_free(values, start + places[thing])] = 1


def write_stack(values: "array[float]", start: int, stack: Sequence[Hashable], places: Mapping[Any, int]) -> None:
    """The same with 1 / the depth in the stack: 1 on top, 1/2 below, and so on."""
    for depth, thing in enumerate(reversed(stack), 1):
        values[_free(values, start + places[thing])] = 1 / depth


def _free(values: "array[float]", place: int) -> int:
    while values[place]:
        place += 1
    return place
