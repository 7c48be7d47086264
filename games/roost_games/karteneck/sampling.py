"""Where the cards that a seat does not see may be: one sample of all hands and the pile.

Before the first shuffle of the discard pile any unseen card can be anywhere; every way to place them is equally likely.

A shuffle tells more: what was not in the discard pile and not on the table was in hands. So cards come from different
*piles*. Pile 0 is what was in hands at the first shuffle, pile k what was shuffled the k-th time. What a seat holds
depends on the piles that it drew from. When a seat lays a 3, nobody sees which of the 3s it is, so its pile
is unknown too. We count *worlds*: a world says when each physical card was drawn, and which ones were laid. All worlds
that would have shown the seat what it has seen are equally likely.

A world is sampled by walking through the trace. A card that a seat laid came from a pile with a chance proportional to
two numbers: how many cards the seat drew from it and still held, and how common the card was among those. Such a walk
must be corrected by a weight, the product of the sums of these numbers. An independence Metropolis chain of
`WALKS` walks does that, nearly: after a long trace with many unknown origins the distribution is an approximation.
Where every origin is known, one walk is exact.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from roost_games.karteneck.legal import sheet_of
from roost_games.karteneck.sheet import Card
from roost_games.karteneck.view import Laid, Shuffled, View

WALKS = 16
UNKNOWN = Card()
"""A drawn card that is not decided yet."""
T = TypeVar("T")


@dataclass(slots=True)
class Placement:
    """One sample of everything that a seat does not see."""

    hands: dict[int, list[Card]]
    """The hands of the other seats."""
    drawn: dict[int, list[Card]]
    """What they drew since the first shuffle, in order."""
    pile: list[Card]
    """The pile, first drawn first."""


def place_unseen(view: View, rng: Random) -> Placement:
    """Sample the hands of all seats but `view.seat`, and the pile."""
    if not view.trace:
        unseen = Counter(sheet_of(view.options).deck)
        unseen.subtract(view.hand)
        unseen.subtract(view.discard)
        for display in view.displays:
            unseen.subtract(display)
        sizes = {seat: view.hand_sizes[seat] for seat in _others(view)}
        hands, pile = _deal(unseen.elements(), sizes, rng)
        return Placement(hands, {}, pile)
    walk = _walk_until_possible(view, rng)
    for _ in range(WALKS if walk.open_origins else 0):
        other = _walk_until_possible(view, rng)
        if rng.random() * walk.weight < other.weight:
            walk = other
    return walk.place(rng)


@dataclass(slots=True)
class Walk:
    """The origin of every card laid, where it has been decided."""

    held_first: dict[int, int]
    """Per other seat, how many cards it held at the first shuffle."""
    holds: dict[int, list[list[int]]]
    """Per other seat and pile, the cards of it that the seat holds: when each was drawn, as an index into `drawn`."""
    drawn: dict[int, list[Card]]
    """Per other seat, the cards that it held at the first shuffle and then those that it drew, if decided."""
    cards: list[Counter[Card]] = field(default_factory=list)
    """Per pile, those of its cards that the seat has not seen, or has lost sight of."""
    left: list[int] = field(default_factory=list)
    """Per pile, their number."""
    weight: float = 1.0
    open_origins: bool = False

    def add_pile(self, cards: Counter[Card]) -> None:
        """From now on cards are drawn from a new pile."""
        self.cards.append(cards)
        self.left.append(cards.total())
        for held in self.holds.values():
            held.append([])

    def draw(self, seat: int) -> None:
        """`seat` takes a card from the newest pile."""
        self.holds[seat][-1].append(len(self.drawn[seat]))
        self.drawn[seat].append(UNKNOWN)

    def lay(self, seat: int, card: Card, rng: Random) -> bool:
        """Decide which pile the card came from that `seat` lays; false if no pile is possible."""
        chances = [
            len(held) * cards[card] / left if held else 0.0
            for held, cards, left in zip(self.holds[seat], self.cards, self.left, strict=True)
        ]
        total = sum(chances)
        if not total:
            return False
        pile = rng.choices(range(len(chances)), chances)[0]
        self.open_origins |= chances[pile] < total
        self.weight *= total
        held = self.holds[seat][pile]
        self.drawn[seat][held.pop(int(rng.random() * len(held)))] = card
        self.cards[pile][card] -= 1
        self.left[pile] -= 1
        return True

    def place(self, rng: Random) -> Placement:
        """Deal the rest of each pile to the seats that hold its cards; the rest of the last one is the pile."""
        hands: dict[int, list[Card]] = {seat: [] for seat in self.holds}
        rest: list[Card] = []
        for pile, cards in enumerate(self.cards):
            sizes = {seat: len(held[pile]) for seat, held in self.holds.items()}
            dealt, rest = _deal(cards.elements(), sizes, rng)
            for seat, hand in dealt.items():
                hands[seat] += hand
                for when, card in zip(self.holds[seat][pile], hand, strict=True):
                    self.drawn[seat][when] = card
        return Placement(hands, {seat: drawn[self.held_first[seat] :] for seat, drawn in self.drawn.items()}, rest)


def _walk_until_possible(view: View, rng: Random) -> Walk:
    while True:
        walk = _walk(view, rng)
        if walk is not None:
            return walk


def _walk(view: View, rng: Random) -> Walk | None:
    """Decide the origin of every card laid since the first shuffle; `None` if that led to a contradiction."""
    first, *trace = view.trace
    assert isinstance(first, Shuffled)  # noqa: S101  a trace begins with a shuffle
    piles = _unseen_by_pile(view)
    others = _others(view)
    walk = Walk(
        held_first={seat: first.hand_sizes[seat] for seat in others},
        holds={seat: [] for seat in others},
        drawn={seat: [] for seat in others},
    )
    walk.add_pile(piles.pop(0))
    for seat, held in walk.held_first.items():
        for _ in range(held):
            walk.draw(seat)
    walk.add_pile(piles.pop(0))
    for event in trace:
        if isinstance(event, Shuffled):
            walk.add_pile(piles.pop(0))
        elif event.seat == view.seat:
            continue
        elif not isinstance(event, Laid):
            walk.draw(event.seat)
        elif not all(walk.lay(event.seat, card, rng) for card in event.cards):
            return None
    return walk


def _unseen_by_pile(view: View) -> list[Counter[Card]]:
    """What was in others' hands at the first shuffle, then for each shuffle what others drew or can still draw."""
    piles: list[Counter[Card]] = [Counter()]
    own_hand = Counter(view.hand)
    own_hand.subtract(view.drawn)
    drawn = iter(view.drawn)
    for event in view.trace:
        if isinstance(event, Shuffled):
            if len(piles) == 1:
                piles[0] = Counter(event.held)
            piles.append(Counter(event.cards))
        elif event.seat == view.seat:
            if isinstance(event, Laid):
                own_hand.update(event.cards)
            else:
                piles[-1][next(drawn)] -= 1
    piles[0].subtract(own_hand)
    return piles


def _others(view: View) -> list[int]:
    return [seat for seat in range(view.players) if seat != view.seat]


def _deal(cards: Iterable[T], sizes: dict[int, int], rng: Random) -> tuple[dict[int, list[T]], list[T]]:
    """Shuffle `cards`, deal each seat its number in `sizes`, and return the rest too."""
    # Sorting by random keys shuffles in a third of the time of Random.shuffle.
    shuffled = sorted(cards, key=lambda _: rng.random())
    hands: dict[int, list[T]] = {}
    for seat, size in sizes.items():
        hands[seat], shuffled = shuffled[:size], shuffled[size:]
    return hands, shuffled
