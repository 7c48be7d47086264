"""What `game.py` promises about every game, and how a state and its values are looked at to check it."""

from collections.abc import Iterable
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from roost_games.errors import RoostError
from roost_games.game import State
from roost_games.playthrough import named_fields


class Promise(StrEnum):
    """What `game.py` promises, as a `ConformanceError` names it."""

    OPTIONS = "options survive their JSON, and unknown ones are refused"
    VARIANTS = "the standard game comes first, and every variant is played with the options it names"
    PLAYERS = "player counts that cannot be played are refused"
    TURNS = "to_move lists seats in ascending order, and only they may move"
    LEGAL = "legal moves are exactly what apply accepts"
    REFUSAL = "a refused move raises MoveError and changes nothing"
    CONSERVATION = "nothing is lost and nothing appears"
    NO_LEAK = "views leak nothing"
    VIEW = "the view alone gives the legal moves"
    FALLBACK = "the fallback is legal"
    NOTATION = "moves survive their JSON"
    VALUES = "moves, views and events are immutable values"
    COPY = "a copy is independent"
    SAME_SEED = "the same seed gives the same match"
    PURPOSES = "chance is asked once for each purpose, about items in replay notation"
    SIMULTANEOUS = "simultaneous answers are unseen, and their order does not matter"
    DETERMINISE = "a determinised state fits the view and can be played"
    MERITS = "every seat has its merits"
    END = "a match ends"
    NO_CRASH = "the game raises no errors of its own"


class ConformanceError(RoostError, AssertionError):
    """A game breaks a promise."""

    def __init__(self, promise: Promise, message: str) -> None:
        super().__init__(message)
        self.promise = promise


class Snapshot(NamedTuple):
    """All that can be asked of a state. States with equal snapshots cannot be told apart."""

    to_move: tuple[int, ...]
    termination: str
    views: tuple[object, ...]
    """The spectator's, then each seat's."""
    merits: tuple[tuple[int, ...], ...]
    inventory: tuple[str, ...]


def snapshot(state: State[Any, Any]) -> Snapshot:
    """All that can be asked of `state` now."""
    views = tuple(state.observe(seat) for seat in (None, *range(state.players)))
    return Snapshot(state.to_move, state.termination, views, state.merits(), tuple(sorted(state.inventory())))


SCALARS = (int, float, str, bytes, Enum, type(None))


def mutable_part(value: object) -> object | None:
    """Something inside `value` that could be changed, if there is anything."""
    if isinstance(value, SCALARS):
        return None
    if isinstance(value, tuple | frozenset):
        parts: Iterable[object] = value
    elif getattr(getattr(value, "__dataclass_params__", None), "frozen", False):
        parts = (named_fields(value) or {}).values()
    else:
        return value
    return next((found for part in parts if (found := mutable_part(part)) is not None), None)
