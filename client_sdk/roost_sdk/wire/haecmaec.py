"""Häc Mäc on the wire, as `proto/roost/v1/haecmaec.proto` describes it."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain
from types import NoneType
from typing import NamedTuple

from roost.v1 import play_pb2
from roost.v1.haecmaec_pb2 import HaecmaecMove, HaecmaecView
from roost_games.errors import MalformedMove
from roost_games.game import JsonValue
from roost_games.haecmaec import GAME
from roost_games.haecmaec.legal import SLAP_FROM, SUSPICION_FROM, reactions_to
from roost_games.haecmaec.moves import FLY, Card, Close, Move, Play, React, SlapAnswer, Top
from roost_games.haecmaec.sheet import Options, Sheet, sheet_of
from roost_games.haecmaec.view import ClosedBurger, Phase, SpoiledBurger, View
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
    Unchanged,
    bytes_field,
    key_of,
    keys_of,
    list_field,
    number_field,
    pack,
    packed_field,
)

BODY = key_of(play_pb2.View, "haecmaec")
(
    HAND,
    ANSWER,
    PHASE,
    TURN,
    STARTER,
    BURGER,
    LAID_BY,
    BOTTOMS,
    PILE,
    HAND_SIZES,
    NORMAL_TOPS,
    DOUBLING_TOPS,
    CLOSED_COUNTS,
    CLOSED_TOPS,
    CLOSED_SIZES,
    CLOSED_CARDS,
    PENALTIES,
    PENALTY_SIZES,
    SPOILED_BY,
    SPOILED_SIZES,
    SPOILED_CARDS,
    SHOWN_FLIES,
    SUSPECTS,
    SLAPS,
    ROUNDS,
) = keys_of(HaecmaecView)
MOVE = key_of(play_pb2.Move, "haecmaec")
PLAY, CLOSE, SUSPECT, SLAP = keys_of(HaecmaecMove)

PHASES: dict[int, Phase] = {0: "over", 1: "open", 2: "turn", 3: "react"}
PHASE_NUMBERS = {phase: number for number, phase in PHASES.items()}
TOPS: dict[int, Top] = {1: "normal", 2: "double"}
TOP_NUMBERS = {top: number for number, top in TOPS.items()}
SUSPECT_NUMBERS: dict[bool | None, int] = {None: 0, False: 1, True: 2}
SLAP_NUMBERS: dict[SlapAnswer | None, int] = {None: 0, "no": 1, "normal": 2, "double": 3, "fly": 4}
NOT_ASKED = React()


def _numbered_reactions() -> Iterator[tuple[tuple[int, int], React]]:
    """Every reaction, by its numbers in the enumerations `HaecmaecSuspect` and `HaecmaecSlap`."""
    lists = (reactions_to(SUSPICION_FROM, False), reactions_to(SLAP_FROM, True), reactions_to(SUSPICION_FROM, True))
    for reaction in chain(*chain(*filter(None, lists))):
        yield (SUSPECT_NUMBERS[reaction.suspect], SLAP_NUMBERS[reaction.slap]), reaction


REACTIONS: dict[tuple[int, int], React] = dict(_numbered_reactions())
"""The same objects as in the lists of legal moves, which the referee recognises by identity."""
SHOWN_REACTIONS: dict[tuple[int, int], React] = {(0, 0): NOT_ASKED} | REACTIONS
REACTION_RUNS = {reaction: pack((SUSPECT, suspect, SLAP, slap)) for (suspect, slap), reaction in REACTIONS.items()}
REACTION_MESSAGES = {reaction: bytes_field(MOVE, run) for reaction, run in REACTION_RUNS.items()}
ANSWER_TYPES = (bool, NoneType)
"""The values of `React.suspect`. 1 is not one of them, although it equals True."""
TURN_TYPES = (Play, Close)

Cards = tuple[Card, ...]


@lru_cache(REMEMBERED)
def reaction_fields(reactions: tuple[React, ...]) -> bytes:
    """The latest reactions."""
    suspects = packed_field(SUSPECTS, [SUSPECT_NUMBERS[reaction.suspect] for reaction in reactions])
    return suspects + packed_field(SLAPS, [SLAP_NUMBERS[reaction.slap] for reaction in reactions])


class _Readers(NamedTuple):
    """How the burgers of a view are read. They remember what they have read."""

    closed: Callable[..., tuple[tuple[ClosedBurger, ...], ...]]
    spoiled: Callable[..., tuple[SpoiledBurger, ...]]


class HaecmaecMatch(MatchCodec[Move, View, Options]):
    """The views and moves of matches with one ingredient sheet."""

    game = GAME

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        sheet = sheet_of(options.ingredients)
        self._cards = sheet.cards
        self._numbers = sheet.numbers
        self._turns = dict(_numbered_turns(sheet))
        self._turn_messages = {move: _turn_message(*numbers) for numbers, move in self._turns.items()}
        # See `fields` for what caching gains.
        self._cards_field = lru_cache(REMEMBERED)(self._pack_cards)
        self._closed_fields = lru_cache(REMEMBERED)(self._pack_closed)
        self._penalty_fields = lru_cache(REMEMBERED)(self._pack_penalties)
        self._spoiled_fields = lru_cache(REMEMBERED)(self._pack_spoiled)

    def view_bytes(self, view: View) -> bytes:
        body = b"".join(
            (
                pack((PHASE, PHASE_NUMBERS[view.phase], TURN, view.turn, STARTER, view.starter)),
                pack((BOTTOMS, view.bottoms, PILE, view.pile)),
                number_field(ROUNDS, view.rounds),
                b"" if view.answer is None else bytes_field(ANSWER, REACTION_RUNS[view.answer]),
                self._cards_field(HAND, view.hand),
                self._cards_field(BURGER, view.burger),
                list_field(LAID_BY, view.laid_by),
                list_field(HAND_SIZES, view.hand_sizes),
                list_field(NORMAL_TOPS, view.normal_tops),
                list_field(DOUBLING_TOPS, view.doubling_tops),
                self._closed_fields(view.closed),
                self._penalty_fields(view.penalties),
                self._spoiled_fields(view.spoiled),
                list_field(SHOWN_FLIES, view.shown_flies),
                reaction_fields(view.reactions),
            )
        )
        return head_of(view.seat, view.players, view.to_move) + bytes_field(BODY, body)

    def _pack_cards(self, key: int, cards: Iterable[Card]) -> bytes:
        return packed_field(key, [self._numbers[card] for card in cards])

    def _pack_closed(self, closed: tuple[tuple[ClosedBurger, ...], ...]) -> bytes:
        burgers = [burger for taken in closed for burger in taken]
        counts = packed_field(CLOSED_COUNTS, [len(taken) for taken in closed])
        tops = packed_field(CLOSED_TOPS, [TOP_NUMBERS[burger.top] for burger in burgers])
        sizes = packed_field(CLOSED_SIZES, [len(burger.cards) for burger in burgers])
        return counts + tops + sizes + self._pack_cards(CLOSED_CARDS, chain(*[burger.cards for burger in burgers]))

    def _pack_penalties(self, penalties: tuple[Cards, ...]) -> bytes:
        sizes = packed_field(PENALTY_SIZES, [len(cards) for cards in penalties])
        return sizes + self._pack_cards(PENALTIES, chain(*penalties))

    def _pack_spoiled(self, spoiled: tuple[SpoiledBurger, ...]) -> bytes:
        seats = packed_field(SPOILED_BY, [burger.seat for burger in spoiled])
        sizes = packed_field(SPOILED_SIZES, [len(burger.cards) for burger in spoiled])
        return seats + sizes + self._pack_cards(SPOILED_CARDS, chain(*[burger.cards for burger in spoiled]))

    def _body_reader(self, players: int) -> BodyReader[View]:
        closed, spoiled = partial(self._closed, players), partial(self._spoiled, players)
        return partial(self._view, _Readers(Unchanged(closed), Unchanged(spoiled)))

    def _view(
        self, readers: _Readers, seat: int | None, players: int, to_move: tuple[int, ...], shown: HaecmaecView
    ) -> View:
        seats = SEATS[players]
        burger = self._cards_in(shown.burger[:])
        laid_by = tuple([seats[number] for number in shown.laid_by[:]])
        hand_sizes, normal_tops, doubling_tops = shown.hand_sizes[:], shown.normal_tops[:], shown.doubling_tops[:]
        penalty_sizes, shown_flies = shown.penalty_sizes[:], shown.shown_flies[:]
        check_lengths(players, hand_sizes, normal_tops, doubling_tops, penalty_sizes, shown_flies)
        if len(laid_by) != len(burger):
            raise ValueError(f"{len(burger)} ingredients laid by {len(laid_by)}")
        return View(
            seat,
            players,
            to_move,
            self._cards_in(shown.hand[:]),
            self._answer(shown.answer) if shown.HasField("answer") else None,
            PHASES[shown.phase],
            seats[shown.turn],
            seats[shown.starter],
            self.options,
            burger,
            laid_by,
            shown.bottoms,
            shown.pile,
            tuple(hand_sizes),
            tuple(normal_tops),
            tuple(doubling_tops),
            readers.closed(shown.closed_counts[:], shown.closed_tops[:], shown.closed_sizes[:], shown.closed_cards[:]),
            split(self._cards_in(shown.penalties[:]), penalty_sizes),
            readers.spoiled(shown.spoiled_by[:], shown.spoiled_sizes[:], shown.spoiled_cards[:]),
            tuple(shown_flies),
            self._reactions(shown, players),
            shown.rounds,
        )

    def _cards_in(self, numbers: list[int]) -> Cards:
        cards = self._cards
        return tuple([cards[number] for number in numbers])

    def _answer(self, answer: HaecmaecMove) -> React:
        if answer.HasField("play") or answer.close:
            raise ValueError("the answer to an ingredient is a reaction")
        return REACTIONS[answer.suspect, answer.slap]

    def _closed(
        self, players: int, counts: list[int], tops: list[int], sizes: list[int], cards: list[int]
    ) -> tuple[tuple[ClosedBurger, ...], ...]:
        contents = zip(split(self._cards_in(cards), sizes), tops, strict=True)
        check_lengths(players, counts)
        return split(tuple([ClosedBurger(inside, TOPS[top]) for inside, top in contents]), counts)

    def _spoiled(self, players: int, seats: list[int], sizes: list[int], cards: list[int]) -> tuple[SpoiledBurger, ...]:
        contents = zip(seats, split(self._cards_in(cards), sizes), strict=True)
        return tuple([SpoiledBurger(SEATS[players][seat], inside) for seat, inside in contents])

    def _reactions(self, shown: HaecmaecView, players: int) -> tuple[React, ...]:
        suspects, slaps = shown.suspects[:], shown.slaps[:]
        if not suspects and not slaps:
            return ()
        check_lengths(players, suspects, slaps)
        return tuple([SHOWN_REACTIONS[pair] for pair in zip(suspects, slaps, strict=True)])

    def move_to_wire(self, move: Move, message: play_pb2.Move) -> None:
        # Not one dictionary for all: a tuple may equal a move of another type.
        try:
            if type(move) is React and type(move.suspect) in ANSWER_TYPES:
                data = REACTION_MESSAGES.get(move)
            else:
                data = self._turn_messages.get(move) if type(move) in TURN_TYPES else None
        except TypeError:  # something in it cannot be hashed
            data = None
        if data is None:
            raise MalformedMove(f"{move!r:.60} is not a move of this match")
        message.MergeFromString(data)

    def move_from_wire(self, message: play_pb2.Move) -> Move:
        if not message.HasField("haecmaec"):
            raise MalformedMove("this is not a move of haecmaec")
        move = message.haecmaec
        play = move.play if move.HasField("play") else None
        turn = (play, move.close)
        reaction = (move.suspect, move.slap)
        if turn == (None, 0):
            found: Move | None = REACTIONS.get(reaction)
        else:
            found = self._turns.get(turn) if reaction == (0, 0) else None
        if found is None:
            raise MalformedMove(
                f"play {play}, close {move.close}, suspect {move.suspect} and slap {move.slap} are not a move here"
            )
        return found


def _numbered_turns(sheet: Sheet) -> Iterator[tuple[tuple[int | None, int], Move]]:
    """Every move of a turn, legal or not, by the number of the card and that in the enumeration `HaecmaecTop`."""
    for number, play in enumerate(sheet.plays):
        yield (number, 0), play
    for top_number, top in TOPS.items():
        yield (None, top_number), Close(top, None)
        for number, close in enumerate((*sheet.closes[top], Close(top, FLY))):
            yield (number, top_number), close


def _turn_message(play: int | None, close: int) -> bytes:
    """A message `Move`."""
    card = b"" if play is None else pack((PLAY, play))
    return bytes_field(MOVE, card + pack((CLOSE, close)))


class HaecmaecCodec(Codec[Move, View, Options]):
    """Häc Mäc on the wire."""

    game = GAME

    def options_to_wire(self, options: Options, message: play_pb2.GameOptions) -> None:
        message.haecmaec.slap = options.slap
        for row in options.ingredients:
            message.haecmaec.kinds.append(row.kind)
            message.haecmaec.values.append(row.value)
            message.haecmaec.counts.append(row.copies)

    def _given(self, message: play_pb2.GameOptions) -> dict[str, JsonValue]:
        options = message.haecmaec
        rows = zip(options.kinds, options.values, options.counts, strict=True)
        return {"slap": options.slap, "ingredients": list(rows)}

    def for_match(self, options: Options) -> HaecmaecMatch:
        return _match_codec(options)


_match_codec = lru_cache(MATCH_CODECS)(HaecmaecMatch)
CODEC = HaecmaecCodec()
