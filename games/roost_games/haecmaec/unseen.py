"""Where the cards that a seat cannot see may be: a deal of them, each possible one equally likely."""

from collections import Counter
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement
from math import comb, prod
from random import Random
from typing import NamedTuple

from roost_games.haecmaec.moves import FLY, Card
from roost_games.haecmaec.view import View


class HiddenCards(NamedTuple):
    """Where unseen cards lie: another hand, or the pile."""

    size: int
    """How many cards lie there."""
    fewest_flies: int
    """How many of them must be flies."""
    most_flies: int
    """How many of them can be flies."""


def deal_unseen(view: View, rng: Random) -> tuple[list[list[Card]], list[Card]]:
    """All hands by seat and the pile (next card last), as they may be in the eyes of `view.seat`.

    Each card counts as a card of its own. Every distribution of the unseen cards over the other hands and the places in
    the pile is equally likely if it agrees with what is certain:

    - the sizes of the hands and of the pile;
    - a seat in `shown_flies` holds a fly;
    - every player holds an ingredient, or the match would be over.

    The last does not apply to the player whose card is being judged, since the end is checked after the reactions. At
    the end of the match it may be known that this player holds none. Nothing else is certain. While the pile lasts,
    every player keeps at least four cards, and there are three flies. Afterwards no one draws, so the latest check of
    the end says more than all before.
    """
    unseen = view.unseen()
    flies = unseen.count(FLY)
    ingredients = unseen[: len(unseen) - flies]
    rng.shuffle(ingredients)
    splits, weights = _fly_splits(_places(view), flies)
    *flies_in_hands, flies_in_pile = rng.choices(splits, cum_weights=weights)[0]
    hands = [[FLY] * count for count in flies_in_hands]
    for seat, hand in enumerate(hands):
        if seat == view.seat:
            hand.extend(view.hand)
        else:
            hand.extend(ingredients.pop() for _ in range(view.hand_sizes[seat] - len(hand)))
    pile = ingredients
    for _ in range(flies_in_pile):
        pile.insert(rng.randint(0, len(pile)), FLY)
    return hands, pile


def _places(view: View) -> tuple[HiddenCards, ...]:
    """The hands by seat, then the pile. The seat's own hand is empty here: it holds nothing unseen."""
    hands = (HiddenCards(0, 0, 0) if seat == view.seat else _hand(view, seat) for seat in range(view.players))
    return (*hands, HiddenCards(view.pile, 0, view.pile))


def _hand(view: View, seat: int) -> HiddenCards:
    size, shown = view.hand_sizes[seat], int(view.shown_flies[seat])
    if seat == view.turn:
        if view.phase == "react":
            return HiddenCards(size, shown, size)
        if view.phase == "over":
            return _last_hand(view, size, shown)
    return HiddenCards(size, shown, size - 1)


def _last_hand(view: View, size: int, shown: int) -> HiddenCards:
    """The hand of the player who had the last turn, after the end of the match."""
    if view.burger or view.bottoms:
        return HiddenCards(size, size, size)  # there were bottoms left, so this player had run out of ingredients
    if view.reactions:
        return HiddenCards(size, shown, size)  # the burger was slapped, so this player's hand is unknown
    return HiddenCards(size, shown, size - 1)  # a close or a fly, which takes no ingredient from the hand


@lru_cache(maxsize=256)
def _fly_splits(places: tuple[HiddenCards, ...], flies: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """The ways to split the flies over the places, and the number of deals of each, accumulated."""
    splits = []
    for chosen in combinations_with_replacement(range(len(places)), flies):
        counts = Counter(chosen)
        split = tuple(counts[index] for index in range(len(places)))
        if all(place.fewest_flies <= count <= place.most_flies for place, count in zip(places, split, strict=True)):
            splits.append(split)
    ways = (prod(comb(place.size, count) for place, count in zip(places, split, strict=True)) for split in splits)
    return splits, list(accumulate(ways))
