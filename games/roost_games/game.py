"""What a game is: a state and four questions. Everything else in Roost knows games only through this module.

Who decides now (`State.to_move`)? What may they do (`legal`)? What do they see (`observe`)? What follows (`apply`)?
A game is one package beside this file that implements `State` and `Game` and is listed in `registry`.
`conformance.check_game` checks the promises made here, for our games and for those of others.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from roost_games.chance import Chance
from roost_games.errors import OptionError, UsageError
from roost_games.strict_json import JsonValue as JsonValue


class AnyView(Protocol):
    """What one seat (or a spectator) knows. Each game's view is a NamedTuple with these fields and its own."""

    @property
    def seat(self) -> int | None:
        """Whose view this is; `None` for a spectator."""

    @property
    def players(self) -> int:
        """How many seats there are."""

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that decide now, ascending; empty when the match is over."""


MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT", bound=AnyView)
OptionsT = TypeVar("OptionsT", bound="AnyOptions")


class Component(NamedTuple):
    """A line of a game's component sheet."""

    what: str
    source: str
    """`seed` (the source rules), `public` (reviews, the official rulebook) or `assumed` (ours: see `option`)."""
    option: str = ""
    """The option with which a host replaces it."""


class OptionDoc(NamedTuple):
    """What a person is told about a game option."""

    name: str
    summary: str
    default: str


class Variant(NamedTuple):
    """A way to play a game that has a name: the options that select it, and what they change."""

    name: str
    """One word, such as `slap`."""
    options: Mapping[str, JsonValue]
    """What a host sets to play it."""
    summary: str
    """What is different, in one line without a full stop."""


STANDARD = Variant("standard", {}, "the game as its rules describe it")
"""The first variant of every game."""


class AnyOptions(Protocol):
    """A game's validated options, a frozen value. It has a field per option."""

    def __hash__(self) -> int: ...

    def to_json(self) -> dict[str, JsonValue]:
        """The options that differ from the defaults, whole, as a replay shows them."""


class State(ABC, Generic[MoveT, ViewT]):
    """A match in progress: mutable, cheap to copy, and the only thing that knows everything.

    Seats are numbered from 0. Moves, views and events are immutable values.
    """

    __slots__ = ("chance", "events", "players", "termination", "to_move")

    players: int
    to_move: tuple[int, ...]
    """The seats that must decide now, ascending, unseen by each other; empty when the match is over."""
    termination: str
    """Empty while the match runs, then `finished` or `horizon`."""
    chance: Chance
    events: list[object] | None
    """Where public events (the game's own NamedTuples) are appended if someone listens; `None` costs nothing."""

    @abstractmethod
    def legal(self, seat: int) -> Sequence[MoveT]:
        """Every move that `apply` accepts from `seat` now, each once; empty if it is not to move. Do not change it."""

    @abstractmethod
    def apply(self, seat: int, move: MoveT) -> None:
        """Play `move`. Raises `MalformedMove` or `IllegalMove`, and then nothing has changed.

        Simultaneous decisions are applied one by one, in any order. Their consequences happen with the last; until
        then no other seat's view changes, not even `to_move`. Chance is asked at most once for each purpose.
        """

    @abstractmethod
    def observe(self, seat: int | None) -> ViewT:
        """All that `seat` (`None`: a spectator) knows, past included, and nothing that is hidden from it."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent state with the same source of chance and without a listener."""

    @abstractmethod
    def merits(self) -> tuple[tuple[int, ...], ...]:
        """By seat, what it is ranked by now: higher is better, equals share a place. The score comes first."""

    @abstractmethod
    def inventory(self) -> list[str]:
        """Every component of the game, wherever it lies, in any order. It never changes unless something was lost."""

    @abstractmethod
    def scramble(self, seat: int | None, rng: Random) -> None:
        """Randomly exchange, in place, everything that `seat` has never been shown. Its view must not notice."""


class Game(ABC, Generic[MoveT, ViewT, OptionsT]):
    """A game as the registry lists it. It has no state: one object serves every match."""

    name: str
    title: str
    summary: str
    components: tuple[Component, ...]
    option_docs: tuple[OptionDoc, ...]
    variants: tuple[Variant, ...] = (STANDARD,)
    """Every variant, the standard game first."""

    @abstractmethod
    def options(self, given: Mapping[str, JsonValue]) -> OptionsT:
        """The validated options that a host or a replay gave. Raises `OptionError`, which says what is allowed."""

    @abstractmethod
    def players(self, options: OptionsT) -> range:
        """The player counts that can be played."""

    @abstractmethod
    def start(self, players: int, options: OptionsT, chance: Chance) -> State[MoveT, ViewT]:
        """A new match. Raises `UsageError` for a count that cannot be played (see `check_players`)."""

    @abstractmethod
    def legal(self, view: ViewT) -> Sequence[MoveT]:
        """The legal moves of `view.seat`, from its view alone: the same, in the same order, as `State.legal`."""

    @abstractmethod
    def fallback(self, view: ViewT) -> MoveT:
        """What the referee plays for a faulty seat that sees `view`: legal, dull, and the same for every bot."""

    @abstractmethod
    def encode_move(self, move: MoveT) -> dict[str, JsonValue]:
        """`move` as a replay shows it."""

    @abstractmethod
    def decode_move(self, data: JsonValue) -> MoveT:
        """The move in a replay's JSON, legal or not. Raises `MalformedMove`."""

    @abstractmethod
    def determinise(self, view: ViewT, rng: Random) -> State[MoveT, ViewT]:
        """A full state that shows `view.seat` exactly `view`, sampled uniformly over what the view leaves open.

        It continues with `Quick(rng)`, so a search can play it out. Each game says what "uniformly" counts.
        """

    def tables(self) -> Iterator[tuple[Variant, int]]:
        """Every table there can be: each variant with each of its player counts."""
        for variant in self.variants:
            for players in self.players(self.options(variant.options)):
                yield variant, players

    def variant(self, options: Mapping[str, JsonValue]) -> Variant:
        """The variant that is played with these options; they may set more than it does."""
        fitting = [variant for variant in self.variants if variant.options.items() <= options.items()]
        return max(fitting, key=lambda variant: len(variant.options))

    def to_json(self) -> dict[str, JsonValue]:
        """All that `roost games` says about it, for programs."""
        return {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "players": self._count_range(STANDARD),
            "components": [component._asdict() for component in self.components],
            "options": [option._asdict() for option in self.option_docs],
            "variants": [{**variant._asdict(), "players": self._count_range(variant)} for variant in self.variants],
        }

    def _count_range(self, variant: Variant) -> dict[str, JsonValue]:
        counts = self.players(self.options(variant.options))
        return {"least": counts[0], "most": counts[-1]}

    def check_players(self, players: int, options: OptionsT) -> None:
        """Raise `UsageError` unless this number of players can play."""
        allowed = self.players(options)
        if players not in allowed:
            raise UsageError(
                f"{self.name} cannot be played by {players}; it is for {allowed[0]} to {allowed[-1]} players"
            )

    def check_option_names(self, given: Mapping[str, JsonValue]) -> None:
        """Raise `OptionError` if one of `given` is not an option of this game."""
        names = [doc.name for doc in self.option_docs]
        for name in given:
            if name not in names:
                raise OptionError(f"{self.name} has no option {name!r}; its options are: {', '.join(names)}")


def places(merits: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """By seat, places by merit: the best has 1, equals share a place, and the next place counts them all (1, 1, 3)."""
    ordered = sorted(merits, reverse=True)
    return tuple([1 + ordered.index(own) for own in merits])


def left_behind(merits: Sequence[tuple[int, ...]]) -> list[float]:
    """By seat, the share of its opponents that it has left behind; a tie is half."""
    return [(sum((own > other) + (own == other) / 2 for other in merits) - 0.5) / (len(merits) - 1) for own in merits]


SEAT_ALONE: tuple[tuple[int, ...], ...] = tuple((seat,) for seat in range(16))
"""`SEAT_ALONE[seat]` is a ready `to_move` in which only `seat` decides."""
