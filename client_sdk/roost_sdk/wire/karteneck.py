"""Karteneck on the wire, as `proto/roost/v1/karteneck.proto` describes it."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from roost.v1 import play_pb2
from roost.v1.karteneck_pb2 import KarteneckMove, KarteneckView
from roost_games.errors import MalformedMove
from roost_games.game import JsonValue
from roost_games.karteneck import GAME
from roost_games.karteneck.legal import sheet_of
from roost_games.karteneck.moves import PASS, PASS_AND_STEAL, Lay, Move, Pass
from roost_games.karteneck.sheet import NUMBER_CARDS, Card, Options, Portion
from roost_games.karteneck.view import Drew, Laid, Shuffled, Status, Trace, View
from roost_sdk.wire.codec import (
    MATCH_CODECS,
    SEATS,
    BodyReader,
    Codec,
    MatchCodec,
    check_lengths,
    head_of,
    split,
)
from roost_sdk.wire.fields import (
    REMEMBERED,
    Growing,
    Unchanged,
    bytes_field,
    key_of,
    keys_of,
    pack,
    packed_field,
    small,
)

BODY = key_of(play_pb2.View, "karteneck")
MOVE = key_of(play_pb2.Move, "karteneck")
LAY, STEAL = keys_of(KarteneckMove)
(
    ROUND,
    ROUNDS,
    STARTER,
    GRILL,
    STACKS,
    STACK_SIZES,
    DISPLAYS,
    DISPLAY_SIZES,
    TOTALS,
    STATUS,
    HAND,
    HAND_SIZES,
    DISCARD,
    PILE_SIZE,
    SUPPLY_SIZE,
    TRACE,
    DRAWN,
) = keys_of(KarteneckView)

FIRST_WORM = 10
"""What is added to a signpost."""
STATUS_NAMES: dict[int, Status] = {0: "in", 1: "valid", 2: "invalid"}
STATUS_NUMBERS = {name: number for number, name in STATUS_NAMES.items()}
SHUFFLED, DREW, LAID = range(3)
"""The first number of an entry of the trace."""
DECK = len(Options().deck())
"""How many cards there are."""
MOST_PLAYERS = GAME.players(Options())[-1]
DREWS = tuple(tuple(Drew(seat) for seat in range(players)) for players in range(MOST_PLAYERS + 1))
"""`DREWS[players][seat]`."""

PASS_MESSAGE = bytes_field(MOVE, b"")
STEAL_MESSAGE = bytes_field(MOVE, pack((STEAL, True)))

Stacks = tuple[tuple[Portion, ...], ...]


class _Writers(NamedTuple):
    """How the parts of a view are written that most decisions do not change. They remember what they have written."""

    table: Callable[[tuple[Status, ...], tuple[Portion, ...], Stacks, tuple[Card, ...]], bytes]
    trace: Callable[[tuple[Trace, ...]], bytes]


class _Readers(NamedTuple):
    """How the parts of a view are read that most decisions do not change. They remember what they have read."""

    portions: Callable[[list[int], list[int], list[int]], tuple[tuple[Portion, ...], Stacks]]
    discard: Callable[[list[int]], tuple[Card, ...]]
    drawn: Callable[[list[int]], tuple[Card, ...]]
    trace: Callable[[list[int]], tuple[Trace, ...]]


class KarteneckMatch(MatchCodec[Move, View, Options]):
    """The views and moves of matches with one component sheet."""

    game = GAME

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        # The same objects as in the game's own tables, where they are found fastest.
        sheet = sheet_of(options)
        worms = {FIRST_WORM + card.signpost: card for card in sheet.worms}
        self._cards: dict[int, Card] = dict(enumerate(NUMBER_CARDS, 1)) | worms
        self._numbers: dict[str, int] = {card: number for number, card in self._cards.items()}
        self._portions = sheet.portions
        # See `fields` for what caching gains.
        self._display_run = lru_cache(REMEMBERED)(self._pack_cards)
        self._trace_entry = lru_cache(REMEMBERED)(self._pack_entry)
        self._lay_message = lru_cache(REMEMBERED)(self._pack_lay)

    def view_bytes(self, view: View) -> bytes:
        return self.view_writer()(view)

    def view_writer(self) -> Callable[[View], bytes]:
        return partial(self._write, _Writers(Unchanged(self._pack_table), Growing(self._pack_trace, (), b"")))

    def _write(self, writers: _Writers, view: View) -> bytes:
        (
            seat,
            players,
            to_move,
            _,
            round_,
            rounds,
            starter,
            grill,
            stacks,
            displays,
            totals,
            status,
            hand,
            hand_sizes,
            discard,
            pile_size,
            supply_size,
            trace,
            drawn,
        ) = view
        numbers = self._numbers
        held = [numbers[card] for card in hand]
        sizes = map(len, displays)
        # One display has changed since the last decision.
        laid = b"".join(map(self._display_run, displays))
        scalars = (ROUND, round_, ROUNDS, rounds, STARTER, starter, PILE_SIZE, pile_size, SUPPLY_SIZE, supply_size)
        try:
            # What changes with every decision, all at once: half the time of field by field.
            changing = small(
                (
                    *scalars,
                    *(DISPLAY_SIZES, players, *sizes, TOTALS, players, *totals, HAND_SIZES, players, *hand_sizes),
                    *(HAND, len(held), *held, DISPLAYS, len(laid)),
                )
            )
        except ValueError:  # signposts above 117
            lists = (
                (TOTALS, totals),
                (HAND, held),
                (HAND_SIZES, hand_sizes),
                (DISPLAY_SIZES, list(map(len, displays))),
            )
            changing = pack(scalars) + b"".join(packed_field(key, each) for key, each in lists)
            changing += pack((DISPLAYS, len(laid)))
        traced = bytes_field(TRACE, writers.trace(trace)) + self._drawn_field(drawn) if trace else b""
        body = b"".join((changing, laid, writers.table(status, grill, stacks, discard), traced))
        return head_of(seat, players, to_move) + bytes_field(BODY, body)

    def _pack_cards(self, cards: tuple[Card, ...]) -> bytes:
        return pack([self._numbers[card] for card in cards])

    def _pack_trace(self, trace: tuple[Trace, ...]) -> bytes:
        return b"".join(map(self._trace_entry, trace))

    def _drawn_field(self, drawn: tuple[Card, ...]) -> bytes:
        return packed_field(DRAWN, [self._numbers[card] for card in drawn])

    def _pack_table(
        self, status: tuple[Status, ...], grill: tuple[Portion, ...], stacks: Stacks, discard: tuple[Card, ...]
    ) -> bytes:
        lists = (
            (STATUS, [STATUS_NUMBERS[name] for name in status]),
            (GRILL, [portion.value for portion in grill]),
            (STACKS, [portion.value for stack in stacks for portion in stack]),
            (STACK_SIZES, [len(stack) for stack in stacks]),
            (DISCARD, [self._numbers[card] for card in discard]),
        )
        return b"".join([packed_field(key, numbers) for key, numbers in lists])

    def _pack_entry(self, entry: Trace) -> bytes:
        if isinstance(entry, Drew):
            return pack((DREW, entry.seat))
        if isinstance(entry, Laid):
            return pack((LAID, entry.seat, *self._counted(entry.cards)))
        return pack((SHUFFLED, *self._counted(entry.cards), *self._counted(entry.held), *entry.hand_sizes))

    def _counted(self, cards: tuple[Card, ...]) -> list[int]:
        return [len(cards), *[self._numbers[card] for card in cards]]

    def _body_reader(self, players: int) -> BodyReader[View]:
        discard, drawn = Growing(self._cards_of, [], ()), Growing(self._cards_of, [], ())
        trace = Growing(partial(self._entries, players), [], ())
        return partial(self._view, _Readers(Unchanged(self._all_portions), discard, drawn, trace))

    def _view(
        self, readers: _Readers, seat: int | None, players: int, to_move: tuple[int, ...], shown: KarteneckView
    ) -> View:
        # Slices: iterating over a list of protobuf takes twice the time.
        stack_sizes, display_sizes = shown.stack_sizes[:], shown.display_sizes[:]
        totals, status, hand_sizes = shown.totals[:], shown.status[:], shown.hand_sizes[:]
        grill, stacks = readers.portions(shown.grill[:], shown.stacks[:], stack_sizes)
        trace = readers.trace(shown.trace[:])
        check_lengths(players, stack_sizes, display_sizes, totals, status, hand_sizes)
        # tuple.__new__ as in KarteneckState.observe
        return tuple.__new__(
            View,
            (
                seat,
                players,
                to_move,
                self.options,
                shown.round,
                shown.rounds,
                SEATS[players][shown.starter],
                grill,
                stacks,
                split(self._cards_of(shown.displays[:]), display_sizes),
                tuple(totals),
                tuple([STATUS_NAMES[number] for number in status]),
                self._cards_of(shown.hand[:]),
                tuple(hand_sizes),
                readers.discard(shown.discard[:]),
                shown.pile_size,
                shown.supply_size,
                trace,
                readers.drawn(shown.drawn[:]) if trace else (),
            ),
        )

    def _all_portions(
        self, grill: list[int], stacks: list[int], stack_sizes: list[int]
    ) -> tuple[tuple[Portion, ...], Stacks]:
        portions = self._portions
        return tuple([portions[value] for value in grill]), split(
            tuple([portions[value] for value in stacks]), stack_sizes
        )

    def _cards_of(self, numbers: list[int]) -> tuple[Card, ...]:
        cards = self._cards
        return tuple([cards[number] for number in numbers])

    def _entries(self, players: int, numbers: list[int]) -> tuple[Trace, ...]:
        """The entries of a trace, from the beginning of one on."""
        return tuple(self._each_entry(players, numbers))

    def _each_entry(self, players: int, numbers: list[int]) -> Iterator[Trace]:
        drew = DREWS[players]
        at = 0
        while at < len(numbers):
            kind = numbers[at]
            if kind == DREW:
                yield drew[numbers[at + 1]]
                at += 2
            elif kind == LAID:
                seat = drew[numbers[at + 1]].seat
                cards, at = self._counted_at(numbers, at + 2)
                yield Laid(seat, cards)
            elif kind == SHUFFLED:
                cards, at = self._counted_at(numbers, at + 1)
                held, at = self._counted_at(numbers, at)
                yield Shuffled(cards, held, tuple(numbers[at : at + players]))
                at += players
            else:
                raise ValueError(f"no entry of a trace begins with {kind}")
        if at > len(numbers):
            raise ValueError("the trace is cut off")

    def _counted_at(self, numbers: list[int], at: int) -> tuple[tuple[Card, ...], int]:
        """The cards at `at`, which follow their number, and where they end."""
        end = at + 1 + numbers[at]
        return self._cards_of(numbers[at + 1 : end]), end

    def move_to_wire(self, move: Move, message: play_pb2.Move) -> None:
        if type(move) is Pass and type(move.steal) is bool:
            message.MergeFromString(STEAL_MESSAGE if move.steal else PASS_MESSAGE)
        elif type(move) is Lay and type(move.cards) is tuple and 0 < len(move.cards) <= DECK:
            try:
                message.MergeFromString(self._lay_message(move.cards))
            except (KeyError, TypeError):
                raise MalformedMove(f"{move.cards!r:.60} are not cards of this match") from None
        else:
            raise MalformedMove(f"{move!r:.60} is not a move of karteneck")

    def _pack_lay(self, cards: tuple[Card, ...]) -> bytes:
        """A message `Move`."""
        return bytes_field(MOVE, packed_field(LAY, [self._numbers[card] for card in cards]))

    def move_from_wire(self, message: play_pb2.Move) -> Move:
        if not message.HasField("karteneck"):
            raise MalformedMove("this is not a move of karteneck")
        move = message.karteneck
        lay = move.lay
        if not lay:
            return PASS_AND_STEAL if move.steal else PASS
        if move.steal:
            raise MalformedMove("a move of karteneck lays cards or steals, not both")
        if len(lay) > DECK:
            raise MalformedMove(f"there are fewer than {len(lay)} cards")
        try:
            return Lay(self._cards_of(lay[:]))
        except KeyError as error:
            raise MalformedMove(f"there is no card with number {error} in this match") from None


class KarteneckCodec(Codec[Move, View, Options]):
    """Karteneck on the wire."""

    game = GAME

    def options_to_wire(self, options: Options, message: play_pb2.GameOptions) -> None:
        message.karteneck.signposts.extend(options.signposts)
        message.karteneck.portion_values.extend(portion.value for portion in options.portions)
        message.karteneck.portion_worms.extend(portion.worms for portion in options.portions)

    def _given(self, message: play_pb2.GameOptions) -> dict[str, JsonValue]:
        options = message.karteneck
        portions = zip(options.portion_values, options.portion_worms, strict=True)
        return {"signposts": list(options.signposts), "portions": list(portions)}

    def for_match(self, options: Options) -> KarteneckMatch:
        return _match_codec(options)


_match_codec = lru_cache(MATCH_CODECS)(KarteneckMatch)
CODEC = KarteneckCodec()
