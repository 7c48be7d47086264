"""A random match written out as text, for people to read and for tests to compare.

Before each decision it shows what every seat and a spectator see and what the seats to move may do; then the moves,
and what followed: outcomes of chance and events. A change of the rules becomes a readable difference.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from random import Random
from textwrap import wrap
from typing import Any

from roost_games.chance import Outcome, Recording, Tape, seed_of
from roost_games.game import JsonValue, places
from roost_games.registry import AnyGame

WIDTH = 120
NO_BREAK = "\N{NO-BREAK SPACE}"
"""Keeps a move in a list of moves on one line; what is written has ordinary spaces."""
MOST_LISTED = 30
"""How many legal moves are listed at most; of the rest only the number is shown."""

HEAD = """\
Before each decision: what each seat and a spectator see ("all" is everybody) and what the seats to move may do.
A field is not repeated while its viewer sees it unchanged. Where a sequence only grew, what was added follows "+".
"-" is an empty sequence; 30:3 is a value with the parts 30 and 3. Cards, dice and moves are named as in replays."""


def playthrough(
    game: AnyGame,
    players: int,
    *,
    options: Mapping[str, JsonValue] | None = None,
    seed: str = "playthrough",
    detailed: int | None = None,
) -> str:
    """The text of the random match that `seed` gives.

    After `detailed` decisions only the moves and the result are shown, to keep the text of a long match readable.
    """
    given = options or {}
    match = _Playthrough(game, players, given, seed)
    title = f"{game.title}, {players} players, options {json.dumps(given)}, seed {json.dumps(seed)}"
    return "\n".join((title, "", HEAD, "", *match.lines(detailed), ""))


def show_move(game: AnyGame, move: object) -> str:
    """`move` in the notation of the replay format without brackets and quotes: `lay 3 3`, `take W, then roll`."""
    return ", ".join(_show_key(key, value) for key, value in game.encode_move(move).items())


def _show_key(key: str, value: JsonValue) -> str:
    if value is True:
        return key
    if isinstance(value, list):
        return " ".join((key, *map(str, value)))
    return f"{key} {value if isinstance(value, str) else json.dumps(value)}"


def named_fields(value: object) -> dict[str, object] | None:
    """The fields of a NamedTuple or a dataclass by name; `None` for any other value."""
    if isinstance(value, tuple):
        names: tuple[str, ...] | None = getattr(value, "_fields", None)
        return None if names is None else dict(zip(names, value, strict=True))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None


def show_value(value: object) -> str:
    """Any part of a view, an event or an outcome on one line."""
    parts = named_fields(value)
    if parts is not None:
        short = len(parts) in (2, 3) and all(type(part) is int or isinstance(part, str) for part in parts.values())
        return ":".join(map(str, parts.values())) if short else _show_parts(value, parts)
    if isinstance(value, tuple | list | frozenset):
        return " ".join(map(_show_item, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _show_parts(value: object, parts: dict[str, object]) -> str:
    return f"{type(value).__name__}({', '.join(f'{name} {show_value(part)}' for name, part in parts.items())})"


def _show_item(value: object) -> str:
    plain_sequence = isinstance(value, tuple | list) and named_fields(value) is None
    return f"[{show_value(value)}]" if plain_sequence else show_value(value)


def _show_change(before: object, now: object) -> str:
    if isinstance(before, tuple) and isinstance(now, tuple) and before and now[: len(before)] == before:
        return f"+ {show_value(now[len(before) :])}"
    return show_value(now)


def _flat(name: str, value: object) -> Iterator[tuple[str, object]]:
    """`value` as lines: a dataclass (options) by field, a sequence of sequences (a stack for each seat) by index."""
    if is_dataclass(value):
        for field, part in (named_fields(value) or {}).items():
            yield from _flat(f"{name}.{field}", part)
    elif type(value) is tuple and value and all(type(part) is tuple for part in value):
        for index, part in enumerate(value):
            yield f"{name}[{index}]", part
    else:
        yield name, value


def _flat_view(view: object) -> dict[str, object]:
    """The fields of a view without the seat, which the text names anyway."""
    shown = {name: value for name, value in (named_fields(view) or {}).items() if name != "seat"}
    return dict(line for name, value in shown.items() for line in _flat(name, value))


def _wrapped(text: str, indent: int) -> list[str]:
    start, further = " " * indent, " " * (indent + 2)
    lines = wrap(text, WIDTH, initial_indent=start, subsequent_indent=further, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


class _Playthrough:
    """The match being written, and what each viewer was shown last."""

    def __init__(self, game: AnyGame, players: int, options: Mapping[str, JsonValue], seed: str) -> None:
        self.game = game
        self.rng = Random(seed)
        self.happened: list[object] = []
        chance = Recording(Tape(seed_of(seed)), self.happened.append)
        self.state = game.start(players, game.options(options), chance)
        self.state.events = self.happened
        self.viewers = (None, *range(players))
        self.seen: dict[int | None, dict[str, object]] = {viewer: {} for viewer in self.viewers}
        self.decisions = 0

    def lines(self, detailed: int | None) -> Iterator[str]:
        yield "set-up"
        yield from self.what_happened()
        while self.state.to_move and (detailed is None or self.decisions < detailed):
            yield from self.decision()
        if self.state.to_move:
            yield ""
            yield f"decisions from {self.decisions} on, moves only: seat, move"
            yield from _wrapped("; ".join(self.moves_only()), 2)
        yield from self.result()

    def decision(self) -> Iterator[str]:
        """One decision, or several that are made at once."""
        yield ""
        yield f"decision {self.decisions}"
        yield from self.what_they_see()
        seats = self.state.to_move
        for seat in seats:
            yield from _wrapped(f"seat {seat} may: {self.options_of(seat)}", 2)
        for seat in seats:
            yield f"  seat {seat} does: {self.play(seat)}"
        yield from self.what_happened()

    def play(self, seat: int) -> str:
        move = self.rng.choice(self.state.legal(seat))
        self.state.apply(seat, move)
        self.decisions += 1
        return show_move(self.game, move)

    def options_of(self, seat: int) -> str:
        legal = self.state.legal(seat)
        shown = [show_move(self.game, legal[index]) for index in range(min(len(legal), MOST_LISTED))]
        listed = " | ".join(move.replace(" ", NO_BREAK) for move in shown)
        return listed if len(legal) <= MOST_LISTED else f"{listed} | and {len(legal) - MOST_LISTED} more"

    def moves_only(self) -> Iterator[str]:
        while self.state.to_move:
            for seat in self.state.to_move:
                yield f"{seat} {self.play(seat)}".replace(" ", NO_BREAK)
        self.happened.clear()

    def what_happened(self) -> Iterator[str]:
        for event in self.happened:
            if isinstance(event, Outcome):
                yield from _wrapped(f"chance {event.name}: {show_value(event.value)}", 2)
            else:
                yield from _wrapped(f"event {_show_parts(event, named_fields(event) or {})}", 2)
        self.happened.clear()

    def what_they_see(self) -> Iterator[str]:
        changes = {viewer: self.changes(viewer) for viewer in self.viewers}
        common = [line for line in changes[None] if all(line in changed for changed in changes.values())]
        yield from self.shown("all see", common)
        for viewer, changed in changes.items():
            who = "a spectator sees" if viewer is None else f"seat {viewer} sees"
            yield from self.shown(who, [line for line in changed if line not in common])

    def changes(self, viewer: int | None) -> list[str]:
        """A line for each field that `viewer` sees changed."""
        before, now = self.seen[viewer], _flat_view(self.state.observe(viewer))
        self.seen[viewer] = now
        changed = [
            f"{name}: {_show_change(before.get(name), now[name])}" for name in now if self.is_new(name, before, now)
        ]
        return changed + [f"{name}: gone" for name in before if name not in now]

    @staticmethod
    def is_new(name: str, before: dict[str, Any], now: dict[str, Any]) -> bool:
        return name not in before or before[name] != now[name]

    @staticmethod
    def shown(who: str, lines: list[str]) -> Iterator[str]:
        if lines:
            yield f"  {who}"
        for line in lines:
            yield from _wrapped(line, 4)

    def result(self) -> Iterator[str]:
        merits = self.state.merits()
        yield ""
        yield f"after {self.decisions} decisions: {self.state.termination}"
        yield from self.what_they_see()
        yield f"  merits: {show_value(merits)}"
        yield f"  places: {show_value(places(merits))}"
