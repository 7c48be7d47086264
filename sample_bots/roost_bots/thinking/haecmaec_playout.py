"""Plays Häc Mäc from any table to the end of the match, quickly.

A search plays thousands of turns for one decision. The engine would ask every seat about every card, and refuse illegal
moves. Here all moves are legal, and every bluff is called, so a table is a few lists of numbers. A
card is its value times 128 plus a number for its kind, and a fly is 0: the highest number is the most valuable card.

All seats play as `careful` does, so they are predictable. The searching seat uses that: it leaves its neighbour no
burger that is worth a top. And where others spend their tops on little burgers, it waits: the fewer tops are left, the
fatter burgers get. A seat that has called many honest cards is assumed to play at random: at such a table a third card
seldom stays, and waiting for fat burgers does not pay.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple, Self

from roost_games.haecmaec import HaecMaecState
from roost_games.haecmaec.legal import SLAP_FROM, SUSPICION_FROM, closable_from
from roost_games.haecmaec.sheet import Rows, sheet_of

FAT = (0, 0, 10, 8, 7, 6, 6)
"""By number of players, the points from which a burger is worth a top. With more players fewer burgers get there."""
DOUBLING = 1.5
"""A burger this many times as fat is worth the doubling top."""
PATIENT_FAT = (0, 0, 0, 10, 8, 8, 8)
PATIENT_DOUBLING = 1.2
"""The same for the searching seat, when it is patient."""
PATIENCE = 1.5
"""The extra points it waits for, for each other seat without a top: there are fewer to close a burger."""
FEW = 4
"""With fewer bottoms or cards in the pile than this, what is kept will soon count against the hand."""

RANDOM = 0.2
"""A seat that calls more honest cards than this plays at random."""
ROUNDS_IN_FAVOUR = 4
"""Every seat is credited with this many rounds of calm reactions before the first."""

VALUE: Final = 7
"""From this bit on a card is its value."""
KIND: Final = (1 << VALUE) - 1
"""The bits below are its kind."""
FLY: Final = 0

LAY: Final = 0
CLOSE: Final = 1
CLOSE_DOUBLING: Final = 2
SPOIL: Final = 3
Choice = tuple[int, int]
"""What to do with a turn, and the card for it; with a close, the card that begins the next burger."""


class Habits(NamedTuple):
    """What a seat knows about the players' habits."""

    seat: int
    """The seat that has observed them."""
    rash: dict[int, float]
    """The other seats that call honest cards, with how often."""
    fat: tuple[int, ...]
    """By seat, the points that are enough for it to close a burger."""
    calm: bool
    """Whether no one slaps or plays at random, with three or more players: then rules do as well as a search."""
    patient: bool
    """Whether `seat` waits for fatter burgers, since another at a calm table spends tops on little ones."""

    @classmethod
    def of(cls, state: HaecMaecState, seat: int) -> Self:
        """What `seat` can tell: penalties show who is rash, and burgers who is content with little."""
        usual = FAT[state.players]
        rash = {
            other: len(cards) / (state.rounds + ROUNDS_IN_FAVOUR)
            for other, cards in enumerate(state.penalties)
            if cards and other != seat
        }
        smallest = [min([burger.points for burger in closed], default=usual) for closed in state.closed]
        fat = [min(points, usual) for points in smallest]
        fat[seat] = usual
        calm = state.players > 2 and not state.options.slap and max(rash.values(), default=0) <= RANDOM
        patient = calm and min(fat) < usual
        if patient:
            fat[seat] = PATIENT_FAT[state.players]
        return cls(seat, rash, tuple(fat), calm, patient)


@lru_cache(maxsize=16)
def cards_of(rows: Rows) -> tuple[int, ...]:
    """The cards as numbers, in the order of the sheet."""
    kinds = list(dict.fromkeys(row.kind for row in rows))
    return (*((row.value << VALUE) + kinds.index(row.kind) for row in rows), FLY)


class Playout:
    """A table that is played to the end."""

    __slots__ = (
        "bottoms",
        "closable",
        "doubling_tops",
        "fat",
        "full",
        "hands",
        "kinds",
        "normal_tops",
        "patient",
        "pile",
        "players",
        "points",
        "rash",
        "reacting",
        "rng",
        "seat",
        "slap",
        "turn",
        "worth",
    )

    def __init__(self, state: HaecMaecState, worth: Sequence[int], opinion: Habits, rng: Random) -> None:
        """The table of `state`, with `worth` on the table by seat."""
        cards = cards_of(state.options.ingredients)
        self.players = state.players
        self.slap = state.options.slap
        self.closable = closable_from(state.players)
        self.fat = opinion.fat
        self.patient = opinion.patient
        self.hands = [[cards[number] for number in hand] for hand in state.hands]
        self.pile = [cards[number] for number in state.pile]
        self.bottoms = state.bottoms
        self.normal_tops = [*state.normal_tops]
        self.doubling_tops = [*state.doubling_tops]
        self.worth = [*worth]
        self.turn = state.turn
        self.seat = opinion.seat
        self.rash = opinion.rash
        self.rng = rng
        self._clear()
        numbers = sheet_of(state.options.ingredients).numbers
        self.reacting = state.turn not in state.to_move
        """Whether the others are to react to the latest card."""
        *burger, latest = [cards[numbers[card]] for card in state.burger] or [FLY]
        for card in burger:
            self._add(card)
        if self.reacting:
            self._judge(latest)
        elif latest:
            self._add(latest)

    def finish(self) -> list[int]:
        """Play to the end of the match. Returns the points by seat."""
        over = self.reacting and self._resolve()
        while not over:
            over = self._take_turn()
        hands = [sum([card >> VALUE for card in hand]) for hand in self.hands]
        return [worth - hand for worth, hand in zip(self.worth, hands, strict=True)]

    def choose(self) -> Choice:
        """What the seat does with its turn."""
        hand, full = self.hands[self.turn], self.full
        if self.turn in self.rash and self.rash[self.turn] > RANDOM:
            return self._choose_anything(hand)
        honest = [card for card in hand if card and card & KIND not in full]
        if self.points >= self._enough() or not honest:
            top = self._top()
            if top:
                return top, max(hand)
            if self.kinds and FLY in hand:
                return SPOIL, FLY
        return LAY, self._feed(honest) if honest else min(filter(None, hand))

    def _enough(self) -> float:
        """The points from which the burger is worth a top of the seat to move."""
        fat = self.fat[self.turn]
        if self.turn != self.seat or not self.patient or self._tops_of(self.turn) == 0:
            return fat
        return fat + PATIENCE * [self._tops_of(seat) for seat in range(self.players)].count(0)

    def _tops_of(self, seat: int) -> int:
        return self.normal_tops[seat] + self.doubling_tops[seat]

    def _choose_anything(self, hand: list[int]) -> Choice:
        """Any legal move."""
        ways = [LAY]
        if len(self.kinds) >= self.closable:
            ways += [CLOSE] * (self.normal_tops[self.turn] > 0) + [CLOSE_DOUBLING] * self.doubling_tops[self.turn]
        card = self.rng.choice(hand)
        if card == FLY:
            return (SPOIL, FLY) if self.kinds else (LAY, max(hand))
        return self.rng.choice(ways), card

    def _top(self) -> int:
        """How to close the burger, or 0 if that is impossible."""
        if len(self.kinds) < self.closable:
            return 0
        normal = self.normal_tops[self.turn]
        doubling = PATIENT_DOUBLING if self.patient and self.turn == self.seat else DOUBLING
        if self.doubling_tops[self.turn] and (not normal or self.points >= doubling * self._enough()):
            return CLOSE_DOUBLING
        return CLOSE if normal else 0

    def _feed(self, honest: list[int]) -> int:
        """The card for the burger: a good one, unless that helps the next seat."""
        if len(self.kinds) + 1 < self.closable or self.bottoms < FEW or len(self.pile) < FEW:
            return max(honest)
        if self.turn != self.seat:
            return min(honest) if self.players == 2 else max(honest)
        neighbour = (self.turn + 1) % self.players
        if not self._tops_of(neighbour):
            return max(honest)
        too_good = (self.fat[neighbour] - self.points) << VALUE
        return max([card for card in honest if card < too_good], default=min(honest))

    def _take_turn(self) -> bool:
        """Make a move. Returns whether that ends the match, and so do the steps that follow."""
        what, card = self.choose()
        hand = self.hands[self.turn]
        if what == SPOIL:
            hand.remove(FLY)
            self._clear()
            return self._go_on((self.turn + 1) % self.players)
        if what != LAY:
            self._close(self.turn, what)
            if not self.bottoms:
                return True
        hand.remove(card)
        if not self.kinds:
            self.bottoms -= 1
        self._judge(card)
        return self._resolve()

    def _judge(self, card: int) -> None:
        """Put a card onto the burger, or give it as a penalty to the seat that is wrong."""
        if card & KIND in self.full:
            self.worth[self.turn] -= 2 * (card >> VALUE)
        elif self.rash and len(self.kinds) + 1 >= SUSPICION_FROM and (accuser := self._accuser()) is not None:
            self.worth[accuser] -= 2 * (card >> VALUE)
        else:
            self._add(card)

    def _accuser(self) -> int | None:
        """The seat that calls an honest card."""
        for seat, rashness in self.rash.items():
            if seat != self.turn and self.rng.random() < rashness:
                return seat
        return None

    def _resolve(self) -> bool:
        """After a card was judged the quickest of those who want to slap takes the burger and opens the next one."""
        if self.slap and len(self.kinds) >= SLAP_FROM:
            slappers = [seat for seat in range(self.players) if seat != self.turn and self.slap_of(seat)]
            if slappers:
                quickest = self.rng.choice(slappers)
                self._close(quickest, self.slap_of(quickest))
                return self._go_on(quickest)
        return self._go_on((self.turn + 1) % self.players)

    def slap_of(self, seat: int) -> int:
        """How a seat would close the burger with a slap, or 0 if it would not."""
        if self.doubling_tops[seat] and self.points >= DOUBLING * self.fat[seat]:
            return CLOSE_DOUBLING
        return CLOSE if self.normal_tops[seat] and self.points >= self.fat[seat] else 0

    def _go_on(self, following: int) -> bool:
        """The end of a move, and the beginning of the next turn."""
        if not any(self.hands[self.turn]) or not (self.kinds or self.bottoms):
            return True
        self.turn = following
        if self.pile:
            self.hands[following].append(self.pile.pop())
        return False

    def _add(self, card: int) -> None:
        kind = card & KIND
        if kind in self.kinds:
            self.full.add(kind)
        self.kinds.append(kind)
        self.points += card >> VALUE

    def _close(self, seat: int, how: int) -> None:
        if how == CLOSE:
            self.normal_tops[seat] -= 1
            self.worth[seat] += self.points
        else:
            self.doubling_tops[seat] -= 1
            self.worth[seat] += 2 * self.points
        self._clear()

    def _clear(self) -> None:
        """There is no burger on the table."""
        self.kinds: list[int] = []
        """Of the ingredients on the burger."""
        self.full: set[int] = set()
        """Kinds of which there are two."""
        self.points = 0
        """What the burger is worth."""
