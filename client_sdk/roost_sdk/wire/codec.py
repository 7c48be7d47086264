"""What a codec is: the translation between a game's values and the messages of `roost.v1`.

`Codec` is one game on the wire. It translates options and, since cards are numbered by the component sheet, makes a
`MatchCodec` for given options, which translates views and moves of all matches that are played with them.

Translating to the wire fills an empty message that the caller made: protobuf would have to copy a message made here.
Translating from the wire checks the form, since the sender is not trusted. The result has the right types and lengths,
and its cards are on the sheet, but the game need not be able to show it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Sized
from functools import cache, lru_cache, partial
from itertools import combinations
from typing import Any, ClassVar, Generic, TypeVar

from roost.v1 import play_pb2
from roost_games.errors import OptionError, RoostError
from roost_games.game import Game, JsonValue, MoveT, OptionsT, ViewT
from roost_sdk.wire.fields import REMEMBERED, keys_of, pack, packed_field

T = TypeVar("T")

SEAT, PLAYERS, TO_MOVE, *_ = keys_of(play_pb2.View)
SEATS = tuple(range(players) for players in range(16))
"""`SEATS[players][seat]` is `seat`; it raises `IndexError` if there is no such seat."""
SHORT_MOVE = 64
"""Moves of up to this many bytes are cached. A sensible bot's moves are shorter; others may be huge."""
MATCH_CODECS = 64
"""How many sets of options a game keeps a `MatchCodec` for."""


class WireError(RoostError):
    """The arena sent something that no arena may send."""


BodyReader = Callable[[int | None, int, tuple[int, ...], Any], ViewT]
"""Makes a view from its seat, the number of players, the seats to move, and the game's own message."""


class MatchCodec(ABC, Generic[MoveT, ViewT, OptionsT]):
    """The views and moves of the matches that are played with `options`."""

    game: ClassVar[Game[Any, Any, Any]]

    def __init__(self, options: OptionsT) -> None:
        self.options = options
        self._counts = self.game.players(options)

    @abstractmethod
    def view_bytes(self, view: ViewT) -> bytes:
        """`view` as the bytes of a `roost.v1.View`."""

    def view_writer(self) -> Callable[[ViewT], bytes]:
        """`view_bytes` for the views of one match, of all its seats: it may remember what it has written."""
        return self.view_bytes

    def view_to_wire(self, view: ViewT, message: play_pb2.View) -> None:
        """Write `view` into an empty `message`."""
        message.MergeFromString(self.view_bytes(view))

    def view_from_wire(self, message: play_pb2.View) -> ViewT:
        """The view in `message`. Raises `WireError`."""
        return self.view_reader(message.players)(message)

    def view_reader(self, players: int) -> Callable[[play_pb2.View], ViewT]:
        """`view_from_wire` for the views of one seat in a match of `players`: it may remember what it has read."""
        return partial(self._read, players, self._body_reader(players))

    @abstractmethod
    def _body_reader(self, players: int) -> BodyReader[ViewT]:
        """What makes a view for one of `players`.

        The reader raises `LookupError` for numbers without a meaning and `ValueError` for lists that do not match.
        """

    def _read(self, players: int, read_body: BodyReader[ViewT], message: play_pb2.View) -> ViewT:
        name = self.game.name
        if not message.HasField(name):  # type: ignore[arg-type]  # the field has the name of the game
            raise WireError(f"this is not a view of {name}")
        if message.players != players:
            raise WireError(f"this is a view of {message.players} players, in a match of {players}")
        head = read_head(message, self._counts)
        try:
            return read_body(*head, getattr(message, name))
        except (LookupError, ValueError) as error:
            raise WireError(f"an impossible view of {name}: {error}") from None

    @abstractmethod
    def move_to_wire(self, move: MoveT, message: play_pb2.Move) -> None:
        """Write `move`, legal or not, into an empty `message`. Raises `MalformedMove` if it is not a move at all."""

    @abstractmethod
    def move_from_wire(self, message: play_pb2.Move) -> MoveT:
        """The move in `message`, legal or not. Raises `MalformedMove`."""

    def known_move(self, data: bytes) -> MoveT:
        """The same as `move_from_wire`, from the bytes of the message; quick for a move that came before."""
        move: MoveT = _remembered_move(self, data) if len(data) <= SHORT_MOVE else _move_in(self, data)
        return move


def _move_in(codec: "AnyMatchCodec", data: bytes) -> Any:
    return codec.move_from_wire(play_pb2.Move.FromString(data))


_remembered_move = lru_cache(REMEMBERED)(_move_in)


class Codec(ABC, Generic[MoveT, ViewT, OptionsT]):
    """A game on the wire. It has no state: one object serves every match."""

    game: ClassVar[Game[Any, Any, Any]]

    @abstractmethod
    def options_to_wire(self, options: OptionsT, message: play_pb2.GameOptions) -> None:
        """Write `options`, the defaults too, into an empty `message`."""

    def options_from_wire(self, message: play_pb2.GameOptions) -> OptionsT:
        """The options in `message`. Raises `WireError` if the game does not allow them."""
        if message.WhichOneof("options") != self.game.name:
            raise WireError(f"these are not options of {self.game.name}")
        try:
            options: OptionsT = self.game.options(self._given(message))
        except (OptionError, ValueError) as error:
            raise WireError(f"options of {self.game.name}: {error}") from None
        return options

    @abstractmethod
    def _given(self, message: play_pb2.GameOptions) -> dict[str, JsonValue]:
        """The options in `message` as `Game.options` takes them. Raises `ValueError` for lists that do not match."""

    @abstractmethod
    def for_match(self, options: OptionsT) -> MatchCodec[MoveT, ViewT, OptionsT]:
        """The codec for matches with `options`; the same one for equal options."""


AnyCodec = Codec[Any, Any, Any]
AnyMatchCodec = MatchCodec[Any, Any, Any]


@cache
def head_of(seat: int | None, players: int, to_move: tuple[int, ...]) -> bytes:
    """What all views have in common, as bytes of `roost.v1.View`. The caller has checked the values."""
    whose = b"" if seat is None else pack((SEAT, seat))
    return whose + pack((PLAYERS, players)) + packed_field(TO_MOVE, to_move)


def read_head(message: play_pb2.View, counts: range) -> tuple[int | None, int, tuple[int, ...]]:
    """Seat, number of players, and the seats to move. Raises `WireError` unless they fit a game for `counts`."""
    seat = message.seat if message.HasField("seat") else None
    players = message.players
    to_move = tuple(message.to_move[:])
    if players not in counts or (seat is not None and seat >= players) or to_move not in _seat_sets(players):
        raise WireError(f"no view has seat {seat}, {players} players and {to_move!r:.60} to move")
    return seat, players, to_move


@cache
def _seat_sets(players: int) -> frozenset[tuple[int, ...]]:
    """Every set of seats, ascending."""
    return frozenset(seats for size in range(players + 1) for seats in combinations(range(players), size))


def check_lengths(players: int, *lists: Sized) -> None:
    """Raise `ValueError` unless each of `lists` has an item for each seat."""
    for length in map(len, lists):
        if length != players:
            raise ValueError(f"{length} items for {players} seats")


def split(flat: tuple[T, ...], sizes: Sequence[int]) -> tuple[tuple[T, ...], ...]:
    """A list of lists from all items and the lengths. Raises `ValueError` if they do not match."""
    lists = []
    at = 0
    for size in sizes:
        lists.append(flat[at : at + size])
        at += size
    if at != len(flat):
        raise ValueError(f"{len(flat)} items in lists with {at}")
    return tuple(lists)
