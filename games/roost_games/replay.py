"""The open replay format `roost-replay/1` as Python values: the record of a match.

`Replay` is the record of one match at the level of JSON: moves are what a game's `encode_move` gives, and nothing here
knows any rules. `Replay.from_line` reads a line of a JSON Lines file and `to_line` writes one; `from_json` and
`to_json` do the same for parsed data. Reading is strict: anything wrong raises `ReplayError`, which says what
and where. Unknown keys are ignored, as the format demands. `verify` says whether the match could have happened.

Nothing here opens a file. Hand `parse_lines` or `read_replays` a file opened in binary mode, so that a line that is not
UTF-8 does not spoil the others.
"""

import json
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, Self, TypeVar

from roost_games.chance import Outcome
from roost_games.errors import ReplayError
from roost_games.game import JsonValue
from roost_games.strict_json import (
    a_list,
    a_text,
    an_integer,
    an_object,
    finite,
    hex_bytes,
    integers,
    need,
    parse,
    plain_json,
    plain_object,
    short,
)

Kind = TypeVar("Kind", bound=StrEnum)
FORMAT = "roost-replay/1"
FINISHED = "finished"
HORIZON = "horizon"
FORFEIT = "forfeit"
VOIDED = "voided"
TERMINATIONS = (FINISHED, HORIZON, FORFEIT, VOIDED)


_json = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_known_json = lru_cache(maxsize=1 << 12, typed=True)(_json)
"""The same with a cache, for what comes often, such as a card."""


class Fault(StrEnum):
    """What a bot did wrong with one decision. Our own delay is not a fault: it is not counted."""

    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    LATE = "late"
    GONE = "gone"
    CRASHED = "crashed"


class Seat(NamedTuple):
    """Who sits at a table."""

    bot: str
    """The bot's name."""
    version: str = ""
    """Which version of it."""
    owner: str = ""
    """Whose it is."""


class Notation(dict[str, JsonValue]):
    """A move in replay notation that many steps share, so it must not be changed."""

    __slots__ = ("text",)

    def __init__(self, move: Mapping[str, JsonValue]) -> None:
        super().__init__(move)
        self.text = _json(self)
        """The move as JSON."""


class Decision(NamedTuple):
    """A step in which a seat decided, or the fallback for it."""

    seat: int
    """Who decided."""
    move: Mapping[str, JsonValue]
    """The move in replay notation."""
    ms: float | None = None
    """How long it took in milliseconds, if that was measured."""
    fallback: bool = False
    """Whether the referee decided, because the bot did not."""


Step = Outcome | Decision


class LazySteps(Sequence[Step]):
    """Steps that are made when someone looks at them. Most matches are written and counted without that."""

    @abstractmethod
    def texts(self) -> list[str]:
        """Each step as JSON."""

    @abstractmethod
    def own_times(self) -> list[tuple[int, float]]:
        """Seat and milliseconds (0 if not measured) of each decision that a bot made itself."""


class FaultEntry(NamedTuple):
    """A fault as the record lists it."""

    step: int
    """The step that the fallback took over; the number of steps if the match ended there by forfeit."""
    seat: int
    """Whose fault it was."""
    kind: Fault
    """What was wrong."""
    sent: JsonValue = None
    """What was refused, if there was an answer: a move in replay notation, or else text."""


class Why(StrEnum):
    """Why a seat forfeited."""

    FAULTS = "faults"
    GRACE = "grace"


class ForfeitEntry(NamedTuple):
    """A forfeit as the record lists it."""

    seat: int
    """Who forfeited."""
    step: int
    """The number of steps before it."""
    why: Why
    """`faults`: it had made as many as it may. `grace`: it was away, or took its time, for longer than it may."""


class Result(NamedTuple):
    """How a match ended."""

    places: tuple[int, ...]
    """By seat, the best is 1, ties share a place (1, 1, 3); empty if voided."""
    scores: tuple[int, ...]
    """By seat; empty if voided."""
    termination: str
    """`finished`, `horizon`, `forfeit` or `voided`."""
    forfeits: tuple[int, ...] = ()
    """The seats that forfeited, in that order."""
    faults: tuple[FaultEntry, ...] = ()
    """One for each decision that the fallback took over, until the seat forfeited."""
    reason: str = ""
    """Why the match was voided."""
    asked: tuple[int, ...] = ()
    """The seats that were being asked when it was voided."""
    forfeited: tuple[ForfeitEntry, ...] | None = None
    """When and why each of `forfeits` forfeited, in that order; `None` in records of older versions."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The record of one match."""

    game: str
    options: Mapping[str, JsonValue]
    """Those that differ from the defaults, each in full."""
    match: str
    seats: tuple[Seat, ...]
    steps: Sequence[Step]
    """Every outcome of chance and every decision, in the order in which they happened."""
    result: Result
    seed: str | None = None
    """In hex, once it may be known."""
    commitment: str | None = None
    """SHA-256 of the seed's bytes, in hex."""
    max_faults: int | None = None
    """The number of faults with which a seat forfeits, if known. Our addition; other readers ignore it."""

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The replay in a line of JSON. Raises `ReplayError` for any other line."""
        return cls.from_json(parse(line))

    @classmethod
    def from_json(cls, data: JsonValue) -> Self:
        """The replay in parsed JSON. Raises `ReplayError`, which says what is wrong and where."""
        top = an_object(data, "the replay")
        if top.get("format") != FORMAT:
            raise ReplayError(f"format is {short(top.get('format'))}, not {FORMAT!r}")
        seats = tuple(_seat(each, f"seats[{i}]") for i, each in enumerate(a_list(need(top, "seats", ""), "seats")))
        if not seats:
            raise ReplayError("seats is empty")
        steps = enumerate(a_list(need(top, "steps", ""), "steps"))
        return cls(
            game=a_text(need(top, "game", ""), "game"),
            options=plain_object(top.get("options", {}), "options"),
            match=a_text(top.get("match", ""), "match"),
            seats=seats,
            steps=tuple(_step(step, f"steps[{i}]", len(seats)) for i, step in steps),
            result=_result(need(top, "result", ""), len(seats)),
            seed=hex_bytes(top.get("seed"), "seed"),
            commitment=hex_bytes(top.get("commitment"), "commitment"),
            max_faults=an_integer(top["max_faults"], "max_faults") if "max_faults" in top else None,
        )

    def position(self, step: int) -> int:
        """The number of a step in viewers: how many decisions have been made with it.

        A fault or forfeit that ends the match without a decision counts as one.
        """
        decisions = sum(isinstance(each, Decision) for each in self.steps[: step + 1])
        return decisions + (step >= len(self.steps))

    def to_json(self) -> dict[str, JsonValue]:
        """The replay as `json.dumps` takes it."""
        steps = [_step_to_json(step) for step in self.steps]
        return {**self._head_to_json(), "steps": steps, "result": _result_to_json(self.result)}

    def _head_to_json(self) -> dict[str, JsonValue]:
        limit: dict[str, JsonValue] = {} if self.max_faults is None else {"max_faults": self.max_faults}
        return {
            "format": FORMAT,
            "game": self.game,
            "options": dict(self.options),
            "match": self.match,
            "seed": self.seed,
            "commitment": self.commitment,
            **limit,
            "seats": [seat._asdict() for seat in self.seats],
        }

    def to_line(self) -> str:
        """The replay as one line of ASCII, without the line break. Raises `ReplayError` for what JSON cannot hold."""
        try:
            # The many steps are joined as text from cached parts, in a fifth of the time.
            steps = ",".join(self.steps.texts() if isinstance(self.steps, LazySteps) else map(_step_text, self.steps))
            head, result = self._head_text(), _json(_result_to_json(self.result))
        except (TypeError, ValueError, RecursionError) as error:
            raise ReplayError(f"cannot be written as JSON: {error}") from None
        return f'{head},"steps":[{steps}],"result":{result}}}'

    def _head_text(self) -> str:
        """The same as `_head_to_json`, as text without the last brace. Most of it is the same in many matches."""
        options = _json(dict(self.options)) if self.options else "{}"
        limit = "" if self.max_faults is None else f',"max_faults":{_json(self.max_faults)}'
        return (
            f'{{"format":"{FORMAT}","game":{_known_json(self.game)},"options":{options},'
            f'"match":{_json(self.match)},"seed":{_json(self.seed)},"commitment":{_json(self.commitment)}{limit},'
            f'"seats":{_seats_text(self.seats)}'
        )

    def own_times(self) -> list[tuple[int, float]]:
        """Seat and milliseconds (0 if not measured) of each decision that a bot made itself."""
        if isinstance(self.steps, LazySteps):
            return self.steps.own_times()
        decisions = [step for step in self.steps if isinstance(step, Decision)]
        return [(seat, ms or 0.0) for seat, _, ms, fallback in decisions if not fallback]


def parse_lines(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Replay | ReplayError]]:
    """For each line that is not blank: its number, from 1, and its replay or what is wrong with it."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, Replay.from_line(line)
        except ReplayError as error:
            yield number, error


def read_replays(lines: Iterable[str | bytes]) -> Iterator[Replay]:
    """The replays on `lines`, lazily. The first bad line raises `ReplayError`, which names it."""
    for number, replay in parse_lines(lines):
        if isinstance(replay, ReplayError):
            raise ReplayError(f"line {number}: {replay}")
        yield replay


def _seat_number(value: JsonValue, where: str, players: int) -> int:
    seat = an_integer(value, where)
    if not 0 <= seat < players:
        raise ReplayError(f"{where} is {seat}, but the seats are 0 to {players - 1}")
    return seat


def _seat(value: JsonValue, where: str) -> Seat:
    data = an_object(value, where)
    bot = a_text(need(data, "bot", where), f"{where}.bot")
    return Seat(
        bot, a_text(data.get("version", ""), f"{where}.version"), a_text(data.get("owner", ""), f"{where}.owner")
    )


def _step(value: JsonValue, where: str, players: int) -> Step:
    data = an_object(value, where)
    if ("chance" in data) == ("seat" in data):
        raise ReplayError(f"{where} must have either 'chance' or 'seat'")
    if "chance" in data:
        return Outcome(a_text(data["chance"], f"{where}.chance"), _outcome(need(data, "outcome", where), where))
    by = data.get("by", "")
    if "by" in data and by != "fallback":
        raise ReplayError(f"{where}.by is {short(by)}, not 'fallback'")
    seat = _seat_number(data["seat"], f"{where}.seat", players)
    move = plain_object(need(data, "move", where), f"{where}.move")
    return Decision(seat, move, _milliseconds(data, where), by == "fallback")


def _outcome(value: JsonValue, where: str) -> object:
    if isinstance(value, list):
        return tuple(_item(each, f"{where}.outcome[{i}]") for i, each in enumerate(value))
    return _item(value, f"{where}.outcome")


def _item(value: JsonValue, where: str) -> int | str:
    return a_text(value, where) if isinstance(value, str) else an_integer(value, where)


def _milliseconds(data: Mapping[str, JsonValue], where: str) -> float | None:
    if "ms" not in data:
        return None
    ms = data["ms"]
    if not isinstance(ms, float):
        ms = an_integer(ms, f"{where}.ms")
    if finite(ms, f"{where}.ms") < 0:
        raise ReplayError(f"{where}.ms is negative")
    return ms


def _result(value: JsonValue, players: int) -> Result:
    data = an_object(value, "result")
    termination = need(data, "termination", "result")
    if termination not in TERMINATIONS:
        raise ReplayError(f"result.termination is {short(termination)}, not one of {', '.join(TERMINATIONS)}")
    faults = enumerate(a_list(data.get("faults", []), "result.faults"))
    return Result(
        places=integers(need(data, "places", "result"), "result.places"),
        scores=integers(need(data, "scores", "result"), "result.scores"),
        termination=str(termination),
        forfeits=_forfeits(data.get("forfeits", []), players),
        faults=tuple(_fault(fault, f"result.faults[{i}]", players) for i, fault in faults),
        reason=a_text(data.get("reason", ""), "result.reason"),
        asked=_seats(data.get("asked", []), "result.asked", players),
        forfeited=_forfeited(data["forfeited"], players) if "forfeited" in data else None,
    )


def _forfeits(value: JsonValue, players: int) -> tuple[int, ...]:
    seats = _seats(value, "result.forfeits", players)
    if len(set(seats)) < len(seats):
        raise ReplayError(f"result.forfeits is {list(seats)}, but a seat forfeits only once")
    return seats


def _forfeited(value: JsonValue, players: int) -> tuple[ForfeitEntry, ...]:
    entries = enumerate(a_list(value, "result.forfeited"))
    return tuple(_forfeit(each, f"result.forfeited[{i}]", players) for i, each in entries)


def _forfeit(value: JsonValue, where: str, players: int) -> ForfeitEntry:
    data = an_object(value, where)
    seat = _seat_number(need(data, "seat", where), f"{where}.seat", players)
    step = an_integer(need(data, "step", where), f"{where}.step")
    return ForfeitEntry(seat, step, _one_of(Why, need(data, "why", where), f"{where}.why"))


def _one_of(kinds: type[Kind], value: JsonValue, where: str) -> Kind:
    kind = a_text(value, where)
    if kind not in tuple(kinds):
        raise ReplayError(f"{where} is {short(kind)}, not one of {', '.join(kinds)}")
    return kinds(kind)


def _seats(value: JsonValue, where: str, players: int) -> tuple[int, ...]:
    return tuple(_seat_number(each, f"{where}[{i}]", players) for i, each in enumerate(a_list(value, where)))


def _fault(value: JsonValue, where: str, players: int) -> FaultEntry:
    data = an_object(value, where)
    step = an_integer(need(data, "step", where), f"{where}.step")
    seat = _seat_number(need(data, "seat", where), f"{where}.seat", players)
    kind = _one_of(Fault, need(data, "kind", where), f"{where}.kind")
    return FaultEntry(step, seat, kind, plain_json(data.get("sent"), f"{where}.sent"))


def _step_to_json(step: Step) -> dict[str, JsonValue]:
    if isinstance(step, Outcome):
        return {"chance": step.name, "outcome": list(step.value) if isinstance(step.value, tuple) else step.value}
    data: dict[str, JsonValue] = {"seat": step.seat, "move": dict(step.move)}
    if step.fallback:
        data["by"] = "fallback"
    if step.ms is not None:
        data["ms"] = step.ms
    return data


@lru_cache(maxsize=1 << 10)
def _seats_text(seats: tuple[Seat, ...]) -> str:
    return _json([seat._asdict() for seat in seats])


def _step_text(step: Step) -> str:
    if isinstance(step, Outcome):
        return outcome_text(step)
    move = step.move
    return decision_text(step.seat, move.text if type(move) is Notation else _json(dict(move)), step.ms, step.fallback)


def decision_text(seat: int, move: str, ms: float | None, fallback: bool) -> str:
    """A decision as JSON, with `move` given as JSON."""
    by = ',"by":"fallback"' if fallback else ""
    if ms is None:
        return f'{{"seat":{seat},"move":{move}{by}}}'
    shown = repr(ms) if abs(ms) < math.inf else _json(ms)
    return f'{{"seat":{seat},"move":{move}{by},"ms":{shown}}}'


def outcome_text(outcome: Outcome) -> str:
    """An outcome of chance as JSON."""
    return f'{{"chance":{_known_json(outcome.name)},"outcome":{_json(outcome.value)}}}'


def _result_to_json(result: Result) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {
        "places": list(result.places),
        "scores": list(result.scores),
        "termination": result.termination,
        "forfeits": list(result.forfeits),
        "faults": [_fault_to_json(fault) for fault in result.faults],
    }
    if result.reason:
        data["reason"] = result.reason
    if result.asked:
        data["asked"] = list(result.asked)
    if result.forfeited is not None:
        data["forfeited"] = [entry._asdict() for entry in result.forfeited]
    return data


def _fault_to_json(fault: FaultEntry) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = fault._asdict()
    if fault.sent is None:
        del data["sent"]
    return data
