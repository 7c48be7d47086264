"""Views, moves and results as plain JSON, for programs in any language and for files that people read.

A view becomes an object with the fields of its Python class, in their order. Tuples are lists, and cards and dice are
text. A value with fields of its own, such as a portion, is an object too. Where a list can hold values of several
classes (`trace` in Karteneck), each has its class in lower case under the key `is`. Moves are written as in replays.

The field `options` is the same in all views of a match and long, so it is not part of a plain view: `plain_options` has
it, to be written once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from itertools import chain, islice
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from roost_games.game import JsonValue
from roost_games.registry import get_game
from roost_games.replay import Result

SCALARS = (str, int, type(None))
MOST_LISTED = 200
"""At most this many legal moves are listed. Only Karteneck with eight or more worm cards in one hand has more."""


def plain_view(view: Any) -> dict[str, JsonValue]:
    """`view` as JSON, without its options."""
    kind: Any = type(view)
    several = _one_of_several(kind)
    return {name: _plain(value, several) for name, value in _named(view) if name != "options"}


def plain_field(view: Any, name: str) -> JsonValue:
    """One field of `view` as JSON."""
    kind: Any = type(view)
    return _plain(getattr(view, name), _one_of_several(kind))


def plain_options(view: Any) -> dict[str, JsonValue]:
    """The options in `view` as JSON; empty if the view of this game has none."""
    options = getattr(view, "options", None)
    return {} if options is None else plain_fields(options)


def plain_fields(value: Any) -> dict[str, JsonValue]:
    """A value with fields, such as a game's options, as JSON."""
    return {name: _plain(part, frozenset()) for name, part in _named(value)}


def plain_legal(game: str, legal: Sequence[Any]) -> list[dict[str, JsonValue]]:
    """The legal moves as replays write them, the first `MOST_LISTED` of them."""
    encode = get_game(game).encode_move
    return [encode(move) for move in islice(legal, MOST_LISTED)]


def plain_result(result: Result) -> dict[str, JsonValue]:
    """How a match ended, with the keys that replays use."""
    return {
        "places": list(result.places),
        "scores": list(result.scores),
        "termination": result.termination,
        "forfeits": list(result.forfeits),
        "faults": [{"step": fault.step, "seat": fault.seat, "kind": fault.kind} for fault in result.faults],
    }


def _plain(value: Any, several: frozenset[type]) -> JsonValue:
    if isinstance(value, SCALARS):
        return value
    if type(value) is tuple:
        # The entries of a tuple are alike, so one look tells whether they have parts.
        return list(value) if value and isinstance(value[0], SCALARS) else [_plain(part, several) for part in value]
    return _plain_parts(value, several)


@lru_cache(maxsize=4096, typed=True)
def _plain_parts(value: Any, several: frozenset[type]) -> dict[str, JsonValue]:
    """A value with fields. The same portions, tiles and draws come again in view after view, so they are remembered."""
    kind: Any = type(value)
    named = {name: _plain(part, several) for name, part in _named(value)}
    return {"is": kind.__name__.lower(), **named} if kind in several else named


def _named(value: Any) -> list[tuple[str, Any]]:
    kind: Any = type(value)
    return [(name, getattr(value, name)) for name in _field_names(kind)]


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    names: tuple[str, ...] = kind._fields
    return names


@cache
def _one_of_several(kind: Any) -> frozenset[type]:
    """The classes with fields that share one place with others, in `kind` or below it."""
    return frozenset(chain.from_iterable(_rivals(hint) for hint in _fields_of(kind).values()))


def _rivals(hint: Any) -> set[type]:
    if isinstance(hint, type) and _fields_of(hint):
        return set(_one_of_several(hint))
    parts = get_args(hint)
    found = set(chain.from_iterable(map(_rivals, parts)))
    with_fields = [part for part in parts if isinstance(part, type) and _fields_of(part)]
    if get_origin(hint) in (Union, UnionType) and len(with_fields) > 1:
        found.update(with_fields)
    return found


def _fields_of(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind) if is_dataclass(kind) or hasattr(kind, "_fields") else {}
