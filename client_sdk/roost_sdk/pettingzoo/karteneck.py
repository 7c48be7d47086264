"""The coding of Karteneck: passes, number cards, and the ways to lay worms that can be worth it.

A lay of worms counts by their number and by the highest signpost, so the rest may as well be the lowest worms in the
hand. An action therefore names the number of worms and the highest one. Every other way to lay worms has such
an action beside it, with the same total and the same highest signpost, that keeps higher signposts in the hand.
"""

from array import array
from collections.abc import Sequence
from math import isqrt

from roost_games.errors import IllegalMove
from roost_games.karteneck import PASS, PASS_AND_STEAL, Card, Lay, Move, Options, Portion, Shuffled, View
from roost_games.karteneck.legal import NUMBER_LAYS, sheet_of
from roost_games.karteneck.sheet import (
    CARDS_PER_NUMBER,
    HAND_SIZE,
    NUMBER_KINDS,
    PORTIONS,
    PORTIONS_LEFT_OUT,
    WORM_CARDS,
    WORM_VALUE,
)
from roost_games.karteneck.view import Laid
from roost_sdk.pettingzoo.coding import Coding, Field, flags, write_counts, write_seats, write_set, write_stack

FIXED_MOVES: tuple[Move, ...] = (PASS, PASS_AND_STEAL, *(lay for kind in NUMBER_LAYS for lay in kind[-1]))
WORM_LAYS = WORM_CARDS * (WORM_CARDS + 1) // 2
"""The n-th lowest worm card can be the highest of 1 to n cards."""
CARD_COPIES = (CARDS_PER_NUMBER,) * NUMBER_KINDS + (1,) * WORM_CARDS
CARDS = sum(CARD_COPIES)
HIGHEST_TOTAL = CARDS_PER_NUMBER * sum(range(1, NUMBER_KINDS + 1)) + WORM_VALUE * WORM_CARDS


class KarteneckCoding(Coding[Move, View]):
    """Karteneck with a component sheet."""

    def __init__(self, players: int, options: Options) -> None:
        sheet = sheet_of(options)
        self._worms = sheet.worms
        self._cards = sheet.codes
        self._portions = _first_places(sorted(options.portions))
        super().__init__(players, _fields(players, options), FIXED_MOVES, WORM_LAYS)

    def codes(self, view: View, legal: Sequence[Move]) -> list[int]:
        numbers = self._numbers
        codes: list[int] = []
        for move in legal:  # lays of worms come last, and there may be millions
            if move not in numbers:
                return codes + self._worm_codes(view)
            codes.append(numbers[move])
        return codes

    def _worm_codes(self, view: View) -> list[int]:
        codes: list[int] = []
        for others, card in enumerate(_worms_of(view)):
            first = self._first_with_highest(card)
            codes += range(first, first + others + 1)
        return codes

    def _first_with_highest(self, card: Card) -> int:
        """The action that lays `card` alone. Those that follow lay one worm more each."""
        place = self._cards[card] - NUMBER_KINDS
        return len(self.moves) + place * (place + 1) // 2

    def code(self, move: Move, view: View) -> int | None:
        if move in self._numbers or not isinstance(move, Lay):
            return self._numbers.get(move)
        cards = sorted(move.cards, key=lambda card: self._cards[card])
        lowest = _worms_of(view)[: len(cards) - 1]
        return self._first_with_highest(cards[-1]) + len(lowest) if cards[:-1] == lowest else None

    def _decode_more(self, number: int, view: View) -> Move:
        place = (isqrt(8 * number + 1) - 1) // 2
        highest = self._worms[place]
        others = number - place * (place + 1) // 2
        held = _worms_of(view)
        if highest not in held[others:]:
            raise IllegalMove(f"{highest} is not in the hand with {others} worms of lower signposts")
        return Lay((*held[:others], highest))

    def _write(self, values: "array[float]", view: View, own: int) -> None:
        at, cards, portions = self._at, self._cards, self._portions
        for seat in view.to_move:
            values[at["to_move"] + (seat - own) % self.players] = 1
        values[at["rounds_left"]] = view.rounds - view.round + 1
        values[at["starter"] + (view.starter - own) % self.players] = 1
        write_set(values, at["grill"], view.grill, portions)
        for offset, seat in enumerate(self._from(own)):
            self._write_seat(values, view, seat % self.players, offset)
        write_seats(values, at["totals"], view.totals, own)
        write_seats(values, at["hand_sizes"], view.hand_sizes, own)
        write_counts(values, at["hand"], view.hand, cards)
        write_counts(values, at["discard"], view.discard, cards)
        values[at["pile"]] = view.pile_size
        if view.trace:
            self._write_shuffle(values, view, own)

    def _write_seat(self, values: "array[float]", view: View, seat: int, offset: int) -> None:
        at, stack = self._at, view.stacks[seat]
        write_stack(values, at["stacks"] + offset * PORTIONS, stack, self._portions)
        values[at["worms"] + offset] = sum(portion.worms for portion in stack)
        write_counts(values, at["displays"] + offset * len(CARD_COPIES), view.displays[seat], self._cards)
        values[at["valid"] + offset] = view.status[seat] == "valid"
        values[at["invalid"] + offset] = view.status[seat] == "invalid"

    def _write_shuffle(self, values: "array[float]", view: View, own: int) -> None:
        """Write what the latest shuffle has told, and what happened since."""
        at, cards = self._at, self._cards
        values[at["shuffled"]] = 1
        for event in reversed(view.trace):
            if isinstance(event, Shuffled):
                write_counts(values, at["others_held"], event.held, cards)
                break
            offset = (event.seat - own) % self.players
            if isinstance(event, Laid):
                write_counts(values, at["laid_since"] + offset * len(CARD_COPIES), event.cards, cards)
            else:
                values[at["drew_since"] + offset] += 1
        self._subtract_own(values, view)

    def _subtract_own(self, values: "array[float]", view: View) -> None:
        """Take out of `others_held` what I held: what I hold now or have laid since, less what I have drawn since."""
        held, laid = self._at["others_held"], self._at["laid_since"]
        for code in range(len(CARD_COPIES)):
            values[held + code] -= values[laid + code]
        write_counts(values, held, view.hand, self._cards, -1)
        drawn = int(values[self._at["drew_since"]])
        write_counts(values, held, view.drawn[len(view.drawn) - drawn :], self._cards)


def _fields(players: int, options: Options) -> tuple[Field, ...]:
    highest = max(1, *(portion.value for portion in options.portions))
    worms = max(1, sum(portion.worms for portion in options.portions))
    return (
        flags("to_move", players),
        Field("rounds_left", ((PORTIONS - PORTIONS_LEFT_OUT[players]) // players,)),
        flags("starter", players),
        flags("grill", PORTIONS),
        flags("stacks", players * PORTIONS),
        Field("worms", (worms,) * players),
        Field("displays", CARD_COPIES * players),
        flags("valid", players),
        flags("invalid", players),
        Field("totals", (highest,) * players, most=HIGHEST_TOTAL / highest),
        Field("hand_sizes", (HAND_SIZE,) * players, most=CARDS / HAND_SIZE),
        Field("hand", CARD_COPIES),
        Field("discard", CARD_COPIES),
        Field("pile", (CARDS,)),
        flags("shuffled", 1),
        Field("others_held", CARD_COPIES),
        Field("laid_since", CARD_COPIES * players),
        Field("drew_since", (HAND_SIZE,) * players, most=CARDS / HAND_SIZE),
    )


def _first_places(portions: Sequence[Portion]) -> dict[Portion, int]:
    """The place of each portion; equal ones, such as those of value 0, share the first."""
    return {portion: portions.index(portion) for portion in portions}


def _worms_of(view: View) -> list[Card]:
    """The worm cards in the hand, by rising signpost."""
    return [card for card in view.hand if card.is_worm]


CODING = KarteneckCoding
