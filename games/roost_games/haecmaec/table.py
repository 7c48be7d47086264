"""Everything on the table in a match of Häc Mäc: set-up, copies, views, the score. The rules are in `state`."""

from typing import Self

from roost_games.chance import Chance
from roost_games.game import State
from roost_games.haecmaec.legal import Answers, reactions_to
from roost_games.haecmaec.moves import DOUBLE, FLY, NORMAL, Card, Move, React
from roost_games.haecmaec.sheet import HAND, NORMAL_TOPS, Options, Sheet, sheet_of
from roost_games.haecmaec.view import ClosedBurger, Phase, SpoiledBurger, View, table_points

MOST_PLAYERS = 6
NOT_ASKED = React()
SEATS_IN = tuple(tuple(seat for seat in range(MOST_PLAYERS) if bits >> seat & 1) for bits in range(1 << MOST_PLAYERS))
"""The seats of a set given as bits, ascending."""


class HaecMaecTable(State[Move, View]):
    """The things of a match. Those that views show are immutable values, so that views and copies share them."""

    __slots__ = (
        "_answers",
        "_legal_answers",
        "_sheet",
        "_waiting",
        "bottoms",
        "burger",
        "closed",
        "doubling_tops",
        "hands",
        "laid_by",
        "normal_tops",
        "options",
        "penalties",
        "pile",
        "reactions",
        "rounds",
        "shown_flies",
        "spoiled",
        "starter",
        "turn",
    )

    options: Options
    starter: int
    turn: int
    """Whose turn it is; while reactions come in, who laid the card in question."""
    hands: list[list[int]]
    """By seat, the numbers of its cards in the sheet, sorted."""
    pile: list[int]
    """The numbers of its cards in the sheet, next card last."""
    burger: tuple[Card, ...]
    """Never a bottom without an ingredient: a bottom and its first ingredient are laid in one move."""
    laid_by: tuple[int, ...]
    bottoms: int
    normal_tops: tuple[int, ...]
    doubling_tops: tuple[int, ...]
    closed: tuple[tuple[ClosedBurger, ...], ...]
    penalties: tuple[tuple[Card, ...], ...]
    spoiled: tuple[SpoiledBurger, ...]
    shown_flies: tuple[bool, ...]
    reactions: tuple[React, ...]
    rounds: int
    _sheet: Sheet
    _waiting: int
    """The seats that have yet to react, as bits; 0 unless reactions are coming in."""
    _answers: list[React]
    """By seat, the reactions so far; meaningful while others are awaited."""
    _legal_answers: Answers

    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        self.players = players
        self.termination = ""
        self.chance = chance
        self.events = None
        self.options = options
        self.starter = chance.pick("starter", range(players))
        self._sheet = sheet = sheet_of(options.ingredients)
        self.pile = [sheet.numbers[card] for card in reversed(chance.draw("deck", sheet.deck, len(sheet.deck)))]
        self.hands = [sorted([self.pile.pop() for _ in range(HAND)]) for _ in range(players)]
        self.burger = self.laid_by = self.spoiled = self.reactions = ()
        self.normal_tops = (NORMAL_TOPS // players,) * players
        self.doubling_tops = (1,) * players
        self.bottoms = sum(self.normal_tops) + sum(self.doubling_tops)
        self.closed = self.penalties = ((),) * players
        self.shown_flies = (False,) * players
        self.rounds = self._waiting = 0
        self._answers = []
        self._legal_answers = ()

    @classmethod
    def restored(cls, view: View, hands: list[list[Card]], pile: list[Card], chance: Chance) -> Self:
        """The state that shows `view` and hides `hands` (by seat) and `pile` (next card last).

        Reactions that the view does not show have not been given.
        """
        new = cls.__new__(cls)
        new.players = view.players
        new.to_move = view.to_move
        new.termination = "finished" if view.phase == "over" else ""
        new.chance = chance
        new.events = None
        new.options = view.options
        new._sheet = sheet_of(view.options.ingredients)
        new._conceal(hands, pile)
        new._show(view)
        reacting = view.to_move if view.phase == "react" else ()
        new._waiting = sum(1 << seat for seat in reacting)
        new._legal_answers = reactions_to(len(view.burger), view.options.slap) or ()
        new._answers = [NOT_ASKED] * view.players
        if view.answer is not None and view.seat is not None:
            new._answers[view.seat] = view.answer
        return new

    def _conceal(self, hands: list[list[Card]], pile: list[Card]) -> None:
        numbers = self._sheet.numbers
        self.hands = [sorted([numbers[card] for card in hand]) for hand in hands]
        self.pile = [numbers[card] for card in pile]

    def _show(self, public: "View | HaecMaecTable") -> None:
        """Copy everything public that has the same form in a view and in a state."""
        self.starter = public.starter
        self.turn = public.turn
        self.burger = public.burger
        self.laid_by = public.laid_by
        self.bottoms = public.bottoms
        self.normal_tops = public.normal_tops
        self.doubling_tops = public.doubling_tops
        self.closed = public.closed
        self.penalties = public.penalties
        self.spoiled = public.spoiled
        self.shown_flies = public.shown_flies
        self.reactions = public.reactions
        self.rounds = public.rounds

    def copy(self) -> Self:
        new = self.__class__.__new__(self.__class__)
        new.players = self.players
        new.to_move = self.to_move
        new.termination = self.termination
        new.chance = self.chance
        new.events = None
        new.options = self.options
        new._sheet = self._sheet
        new.hands = [hand[:] for hand in self.hands]
        new.pile = self.pile[:]
        new._show(self)
        new._waiting = self._waiting
        new._answers = self._answers[:]
        new._legal_answers = self._legal_answers
        return new

    def _asked(self) -> int:
        """Who is asked for reactions, as bits: all but the player whose turn it is."""
        return (1 << self.players) - 1 ^ 1 << self.turn

    def observe(self, seat: int | None) -> View:
        cards = self._sheet.cards
        to_move, answer = self.to_move, None
        if self._waiting:
            asked = self._asked()
            if seat is not None and (asked ^ self._waiting) >> seat & 1:
                answer = self._answers[seat]
                asked ^= 1 << seat
            to_move = SEATS_IN[asked]
        return View(
            seat,
            self.players,
            to_move,
            () if seat is None else tuple([cards[number] for number in self.hands[seat]]),
            answer,
            self._phase(),
            self.turn,
            self.starter,
            self.options,
            self.burger,
            self.laid_by,
            self.bottoms,
            len(self.pile),
            tuple(map(len, self.hands)),
            self.normal_tops,
            self.doubling_tops,
            self.closed,
            self.penalties,
            self.spoiled,
            self.shown_flies,
            self.reactions,
            self.rounds,
        )

    def _phase(self) -> Phase:
        if self._waiting:
            return "react"
        if self.termination:
            return "over"
        return "turn" if self.burger else "open"

    def merits(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            (table_points(closed, penalties) - sum(self._sheet.cards[number].value for number in hand),)
            for closed, penalties, hand in zip(self.closed, self.penalties, self.hands, strict=True)
        )

    def inventory(self) -> list[str]:
        numbers = [*self.pile, *(number for hand in self.hands for number in hand)]
        cards = [*(self._sheet.cards[number] for number in numbers), *self.burger]
        cards += [card for penalties in self.penalties for card in penalties]
        cards += [card for spoiled in self.spoiled for card in (*spoiled.cards, FLY)]
        taken = [burger for burgers in self.closed for burger in burgers]
        cards += [card for burger in taken for card in burger.cards]
        bottoms = self.bottoms + bool(self.burger) + len(taken) + len(self.spoiled)
        normal_tops = sum(self.normal_tops) + sum(burger.top == NORMAL for burger in taken)
        doubling_tops = sum(self.doubling_tops) + sum(burger.top == DOUBLE for burger in taken)
        return [
            *cards,
            *["bottom"] * bottoms,
            *["normal top"] * normal_tops,
            *["doubling top"] * doubling_tops,
        ]
