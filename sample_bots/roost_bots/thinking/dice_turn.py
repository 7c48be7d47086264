"""The best way through one turn of Bratwurmeck, exactly: dynamic programming over everything that the dice can show.

    turn = Turn(grill, thefts, failure)
    turn.rolling(NOTHING_ASIDE)

The arguments say what the turn is worth to its player if it ends with a tile from the grill (by total), with a theft
(by total), or if it fails. Three numbers describe a turn so far: the faces set aside, the dice left, and the points.
There are two thousand such places, so each is computed once and kept.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from operator import itemgetter
from typing import Any, NamedTuple

from roost_games.bratwurmeck import Take, View
from roost_games.bratwurmeck.dice import DICE, FACE_INDEX, FACE_POINTS, FACES, WORM_BIT, faces_of

MOST_POINTS = DICE * max(FACE_POINTS)
ALL_FACES = (1 << len(FACES)) - 1
FREE = tuple(tuple(face for face in range(len(FACES)) if not used >> face & 1) for used in range(ALL_FACES + 1))
"""`FREE[used]`: the faces that are not in the set `used`."""
FAILED = -1
"""The total of a turn that failed."""

Offer = tuple[int, ...]
"""What can be set aside after a roll of `n` dice: `i` stands for `i % n + 1` dice of the free face number `i // n`."""
Select = Callable[[Sequence[Any]], tuple[Any, ...]]


class TurnSoFar(NamedTuple):
    """A turn between two rolls."""

    used: int
    """The faces that are set aside, as a set: bit `i` stands for `FACES[i]`."""
    dice: int
    """How many dice are left."""
    total: int
    """The points of those set aside."""

    def after(self, face: int, count: int) -> "TurnSoFar":
        """The turn after setting aside `count` dice with `face`, an index into `FACES`."""
        return TurnSoFar(self.used | 1 << face, self.dice - count, self.total + count * FACE_POINTS[face])

    @property
    def can_roll(self) -> bool:
        """Whether there are dice to roll and faces that they may show."""
        return self.dice > 0 and self.used != ALL_FACES


NOTHING_ASIDE = TurnSoFar(0, DICE, 0)


def place_of(aside: Sequence[str]) -> TurnSoFar:
    """A turn with these dice set aside."""
    total = sum(FACE_POINTS[FACES.index(face)] for face in aside)
    return TurnSoFar(faces_of(aside), DICE - len(aside), total)


def offers(dice: int, free: int) -> dict[Offer, float]:
    """What a roll of `dice` dice can offer if `free` faces are unused, and how likely each offer is."""
    orders: Counter[Offer] = Counter()
    for faces in combinations_with_replacement(range(len(FACES)), dice):
        counts = Counter(faces)
        offer = tuple(dice * face + count - 1 for face, count in counts.items() if face < free)
        orders[offer] += factorial(dice) // prod(map(factorial, counts.values()))
    return {offer: number / len(FACES) ** dice for offer, number in orders.items()}


class Chances(NamedTuple):
    """The same in the form that is fastest to use."""

    nothing: float
    one_thing: tuple[tuple[float, int], ...]
    a_choice: tuple[tuple[float, Select], ...]


@cache
def chances(dice: int, free: int) -> Chances:
    """The offers of a roll: nothing, one thing, or several to choose from."""
    found = offers(dice, free)
    return Chances(
        found.get((), 0.0),
        tuple((chance, offer[0]) for offer, chance in found.items() if len(offer) == 1),
        tuple((chance, itemgetter(*offer)) for offer, chance in found.items() if len(offer) > 1),
    )


class Turn:
    """A turn with a worth for every total."""

    def __init__(self, grill: Sequence[float], thefts: Mapping[int, float], failure: float) -> None:
        """`grill` has an entry for each total from 0 to 40; where no tile can be taken, the worth of a failure."""
        self.grill = tuple(grill)
        self.thefts = thefts
        self.failure = failure
        self.payoffs = tuple(max(worth, thefts.get(total, worth)) for total, worth in enumerate(grill))
        self._known: dict[TurnSoFar, float] = {}

    def best(self, view: View, legal: Sequence[Take]) -> Take:
        """The best move on average, in the turn that `view` shows."""
        start = place_of(view.aside)
        return max(
            legal, key=lambda move: self.worth(start.after(FACE_INDEX[move.face], view.roll.count(move.face)), move)
        )

    def worth(self, place: TurnSoFar, move: Take) -> float:
        """The worth of going on from `place`, where `move` leads, as `move` says."""
        if move.then == "roll":
            return self.rolling(place)
        if move.steal:
            return self.thefts[place.total]
        return self.grill[place.total] if place.used & WORM_BIT else self.failure

    def stopping(self, place: TurnSoFar) -> float:
        """The worth of stopping there, with a theft if that is better."""
        return self.payoffs[place.total] if place.used & WORM_BIT else self.failure

    def rolling(self, place: TurnSoFar) -> float:
        """The mean worth of rolling there; if that is impossible, the worth of a failure."""
        value = self._known.get(place)
        if value is None:
            value = self._known[place] = self._rolling(place) if place.can_roll else self.failure
        return value

    def _rolling(self, place: TurnSoFar) -> float:
        worth = self._worths(place)
        nothing, one_thing, a_choice = chances(place.dice, len(FREE[place.used]))
        value = nothing * self.failure
        for chance, index in one_thing:
            value += chance * worth[index]
        for chance, select in a_choice:
            value += chance * max(select(worth))
        return value

    def _worths(self, place: TurnSoFar) -> list[float]:
        """The worth of each thing that an offer can hold."""
        return [max(self.stopping(then), self.rolling(then)) for then in self._after(place)]

    def _after(self, place: TurnSoFar) -> list[TurnSoFar]:
        """The turn after setting aside each thing that an offer can hold."""
        return [place.after(face, count) for face in FREE[place.used] for count in range(1, place.dice + 1)]

    def totals(self) -> dict[int, float]:
        """How likely this turn, played best from its start, is to end with each total or `FAILED`."""
        ends: defaultdict[int, float] = defaultdict(float)
        arriving: list[defaultdict[TurnSoFar, float]] = [defaultdict(float) for _ in range(DICE + 1)]
        arriving[DICE][NOTHING_ASIDE] = 1.0
        for dice in range(DICE, 0, -1):
            for place, arrives in arriving[dice].items():
                for then, chance in self._continuations(place).items():
                    if self.stopping(then) >= self.rolling(then):
                        ends[then.total if then.used & WORM_BIT else FAILED] += arrives * chance
                    else:
                        arriving[then.dice][then] += arrives * chance
        ends[FAILED] = 1.0 - sum(chance for total, chance in ends.items() if total != FAILED)
        return dict(ends)

    def _continuations(self, place: TurnSoFar) -> dict[TurnSoFar, float]:
        """The turn after rolling at `place` and setting aside the best, unless the roll fails, with probabilities."""
        after = self._after(place)
        worths = self._worths(place)
        # Among things of equal worth the first ranks highest.
        ranked = sorted(range(len(after)), key=lambda index: (worths[index], -index))
        ranks = [ranked.index(index) for index in range(len(after))]
        _, one_thing, a_choice = chances(place.dice, len(FREE[place.used]))
        found: defaultdict[TurnSoFar, float] = defaultdict(float)
        for chance, index in one_thing:
            found[after[index]] += chance
        for chance, select in a_choice:
            found[after[ranked[max(select(ranks))]]] += chance
        return found
