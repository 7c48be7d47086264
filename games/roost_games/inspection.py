"""Looking at states and values without knowing their game: what can be asked of them, and what they are made of."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple

from roost_games.game import State

SCALARS = (int, float, str, bytes, Enum, type(None))


class Snapshot(NamedTuple):
    """All that can be asked of a state. Equal snapshots: nobody could tell the states apart by looking."""

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


def named_fields(value: object) -> dict[str, object] | None:
    """The fields of a NamedTuple or a dataclass by name; `None` for any other value."""
    if isinstance(value, tuple):
        names: tuple[str, ...] | None = getattr(value, "_fields", None)
        return None if names is None else dict(zip(names, value, strict=True))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None


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
