"""Which moves are legal in Karteneck, with hands as numbers and sets of bits: a search asks for this most often."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import overload

from roost_games.errors import IllegalMove, MalformedMove
from roost_games.karteneck.moves import PASS, PASS_AND_STEAL, Lay, Move
from roost_games.karteneck.sheet import CARDS_PER_NUMBER, NUMBER_CARDS, Card, Options, Portion
from roost_games.wording import as_text

NUMBER_LAYS = tuple(
    tuple(tuple(Lay((card,) * size) for size in range(1, held + 1)) for held in range(CARDS_PER_NUMBER + 1))
    for card in NUMBER_CARDS
)
"""`NUMBER_LAYS[kind][held]`: the ways to lay number cards of a kind, with `held` of them in the hand."""
WORMS = 5
"""The code of the kind of the worm cards; 0 to 4 are the number cards."""
NUMBERS_LAID = {lay.cards: (kind, len(lay.cards), lay.cards) for kind in range(WORMS) for lay in NUMBER_LAYS[kind][-1]}
"""Every way to lay number cards: which kind, how many, and the cards themselves (a bot may have sent plain text)."""
LISTED_WORMS = 5
"""Up to this many worm cards in a hand, their subsets are listed; beyond, `ManyMoves` makes them on demand."""
WORM_BIT = 1 << WORMS
OPEN_KINDS = tuple(
    tuple((kind, NUMBER_LAYS[kind]) for kind in range(WORMS) if not laid >> kind & 1) for laid in range(2 * WORM_BIT)
)
"""`OPEN_KINDS[laid]`: the number kinds that are not in the set `laid`, each with the ways to lay it."""


class CardSheet:
    """What follows from the options alone, computed once for all matches with them.

    Cards have codes: 0 to 4 are the number cards, 5 and up the worm cards by rising signpost. Bit `i` of a set of worms
    is the worm card with code `5 + i`, so the highest bit is the highest signpost.
    """

    def __init__(self, options: Options) -> None:
        self.worms = tuple(sorted(options.worm_cards(), key=lambda card: card.signpost))
        self.cards = NUMBER_CARDS + self.worms
        self.codes = {card: code for code, card in enumerate(self.cards)}
        self.worm_bits = {card: 1 << index for index, card in enumerate(self.worms)}
        self.kind_bits = {card: 1 << min(code, WORMS) for card, code in self.codes.items()}
        self.portions = {portion.value: portion for portion in options.portions}
        self.deck = options.deck()
        self.sheet_order = {card: index for index, card in enumerate(self.deck)}
        # A hand seldom holds more than four worms, so these hits save three quarters of the cost of listing moves.
        self.worm_cards = lru_cache(maxsize=1 << 14)(self._worm_cards)
        self.worm_lays = lru_cache(maxsize=1 << 14)(self._worm_lays)

    def _worm_cards(self, worms: int) -> tuple[Card, ...]:
        return tuple(card for index, card in enumerate(self.worms) if worms >> index & 1)

    def _worm_lays(self, worms: int) -> tuple[Move, ...]:
        some: list[tuple[Card, ...]] = [()]
        for card in self._worm_cards(worms):
            some += [(*cards, card) for cards in some]
        return tuple(map(Lay, some[1:]))

    def sorted_out(self, hand: Iterable[Card]) -> tuple[list[int], int]:
        """How many number cards of each kind are in a hand, and the set of its worm cards."""
        numbers, worms = [0] * WORMS, 0
        for card in hand:
            code = self.codes[card]
            if code < WORMS:
                numbers[code] += 1
            else:
                worms |= 1 << code - WORMS
        return numbers, worms

    def kinds_in(self, display: Iterable[Card]) -> int:
        """The set of kinds that lie in a display, as the state keeps it."""
        kinds = 0
        for card in display:
            kinds |= self.kind_bits[card]
        return kinds

    def worm_set(self, cards: Iterable[Card]) -> int:
        """The worm cards among `cards`, as a set."""
        return sum(self.worm_bits[card] for card in cards if card not in NUMBER_CARDS)

    def worms_laid(self, cards: tuple[Card, ...]) -> int:
        """The set of worms in `cards`, which are not in `NUMBERS_LAID` and so must be worms.

        Raises `MalformedMove` if they are not cards of the sheet, `IllegalMove` if they cannot be laid together.
        """
        try:
            worms = self.worm_set(set(cards))
        except (TypeError, KeyError):
            raise MalformedMove(f"{as_text(cards, 60)}: these are not cards of karteneck") from None
        if type(cards) is not tuple or not cards:
            raise MalformedMove("a lay has a tuple of at least one card")
        if worms.bit_count() != len(cards):
            raise IllegalMove("only cards of one kind, each once, are laid together")
        return worms


@lru_cache(maxsize=64)
def sheet_of(options: Options) -> CardSheet:
    """What follows from these options, shared by all their matches."""
    return CardSheet(options)


class ManyMoves(Sequence[Move]):
    """Some moves, then the ways to lay some of `worms`: made on demand, since there are 2^n - 1 ways to lay n worms."""

    __slots__ = ("_listed", "_worms")

    def __init__(self, listed: list[Move], worms: tuple[Card, ...]) -> None:
        self._listed = listed
        self._worms = worms

    def __len__(self) -> int:
        return len(self._listed) + (1 << len(self._worms)) - 1

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Move, ...]: ...
    def __getitem__(self, index: int | slice) -> Move | tuple[Move, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        place = range(len(self))[index]
        if place < len(self._listed):
            return self._listed[place]
        chosen = place - len(self._listed) + 1
        return Lay(tuple(card for bit, card in enumerate(self._worms) if chosen >> bit & 1))

    def __contains__(self, move: object) -> bool:
        if move in self._listed:
            return True
        chosen = move.cards if isinstance(move, Lay) and isinstance(move.cards, tuple) else ()
        return chosen != () and chosen == tuple(card for card in self._worms if card in chosen)


def legal_moves(sheet: CardSheet, numbers: Sequence[int], worms: int, laid: int, can_steal: bool) -> Sequence[Move]:
    """The legal moves of a seat that holds `numbers` of each number kind and the set `worms`."""
    moves: list[Move] = [PASS, PASS_AND_STEAL] if can_steal else [PASS]
    for kind, lays in OPEN_KINDS[laid]:
        held = numbers[kind]
        if held:
            moves += lays[held]
    if worms and not laid & WORM_BIT:
        if worms.bit_count() > LISTED_WORMS:
            return ManyMoves(moves, sheet.worm_cards(worms))
        moves += sheet.worm_lays(worms)
    return moves


def top_value(stack: tuple[Portion, ...]) -> int:
    """The value of the portion that can be stolen; 0, which no display with a worm can have, if there is none."""
    return stack[-1].value if stack else 0
