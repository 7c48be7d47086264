"""Where a ladder keeps what has been played: the interface, and the book that lasts as long as the process.

A run writes whole blocks in the order of the plan, even if they were played in another. So a book always holds the
beginning of the run, and a run with the same charter resumes where the book ends.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_games.referee import Clock
from roost_ladder.blocks import Block, Deals
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import Method
from roost_ladder.running.fixtures import PlayedMatch

BEFORE: Mapping[str, Any] = {"deals": Deals.DUPLICATE.value, "ratings": Method.EACH_MATCH.value}
"""What old charters do not say."""


class Member(NamedTuple):
    """A bot that takes part."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Charter:
    """Everything that decides how a run goes. Two runs with equal charters are the same run."""

    seed: str
    bots: tuple[Member, ...]
    """Sorted by name. A bot's number in the run is its index here."""
    tables: tuple[str, ...]
    """What is played, such as `karteneck 2`."""
    schedule: str
    """Its name, with everything else that decides what it plans."""
    rotation: str
    options: Mapping[str, Mapping[str, JsonValue]]
    """By game: the options that differ from the defaults."""
    clock: Clock
    max_faults: int
    deals: str
    """Whether the matches of a block share a deal: a value of `roost_ladder.blocks.Deals`."""
    ratings: int
    """How the schedule weighs matches: a value of `roost_ladder.rating.fit.Method`."""

    def to_json(self) -> dict[str, Any]:
        """As plain values, equal to what comes back from JSON."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    def check_same(self, recorded: Mapping[str, Any], where: str) -> None:
        """Raise `UsageError`, which says what differs, if the charter `recorded` in `where` is that of another run."""
        here = self.to_json()
        recorded = {**BEFORE, **recorded}
        bots = _bot_differences(dict(here["bots"]), dict(recorded["bots"]))
        others = (
            f"its {name.replace('_', ' ')} {_are(name)} {_shown(recorded[name])}, not {_shown(value)}"
            for name, value in here.items()
            if name != "bots" and value != recorded[name]
        )
        if differences := "; ".join((*bots, *others)):
            raise UsageError(f"{where} holds another ladder: {differences}. Give another file, or go on as before")


def _are(name: str) -> str:
    return "are" if name in ("tables", "options", "max_faults", "deals", "ratings") else "is"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _bot_differences(here: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    if missing := sorted(there.keys() - here.keys()):
        yield f"it has {', '.join(missing)} too"
    if new := sorted(here.keys() - there.keys()):
        yield f"it does not have {', '.join(new)}"
    if changed := sorted(name for name in here.keys() & there.keys() if here[name] != there[name]):
        yield f"the code of {', '.join(changed)} has changed since"


class FinishedBlock(NamedTuple):
    """A block whose matches have ended. Bots are named by their numbers in the run."""

    block: Block
    serial: int
    """Its number in the plan, from 0."""
    options: Mapping[str, JsonValue]
    """Those that differ from the defaults."""
    played: tuple[PlayedMatch, ...]
    """By rotation."""
    facts: tuple[MatchFacts, ...]
    """The same matches, as statistics see them."""


class Book(Protocol):
    """Keeps a run."""

    def begin(self, charter: Charter) -> Iterable[tuple[MatchFacts, ...]]:
        """The blocks that it holds, in order. Raises `UsageError` if they belong to another run."""

    def add(self, blocks: Sequence[FinishedBlock]) -> None:
        """Keep the next blocks. They are kept when this returns. After an interruption some may be given twice."""


class MemoryBook:
    """A book in memory. It keeps no replays."""

    def __init__(self) -> None:
        self._charter: Charter | None = None
        self._blocks: dict[str, tuple[MatchFacts, ...]] = {}

    def begin(self, charter: Charter) -> Iterable[tuple[MatchFacts, ...]]:
        if self._charter is not None:
            charter.check_same(self._charter.to_json(), "this book")
        self._charter = charter
        return list(self._blocks.values())

    def add(self, blocks: Sequence[FinishedBlock]) -> None:
        self._blocks.update((block.block.block_id, block.facts) for block in blocks)
