"""Tells a match of Karteneck: the grill, and for each seat its stack, its display and its hand."""

from collections.abc import Iterable
from itertools import groupby

from roost_games.karteneck.moves import Lay, Move
from roost_games.karteneck.sheet import Card, Portion
from roost_games.karteneck.view import Event, Revealed, Shuffled, Stole, Took, View
from roost_games.narration import (
    SEPARATOR,
    Board,
    Look,
    Narration,
    SeatRow,
    Span,
    Words,
    hand,
    listed,
    seat,
    sentence,
    with_worms,
    worm_count,
)


class KarteneckNarration(Narration):
    """What is told about a match of Karteneck."""

    legend = "~ is a worm, W17 the worm card with signpost 17, > who decides"
    hands = True

    def move(self, seat: int, move: Move, before: View, after: View) -> Words:
        if isinstance(move, Lay):
            return sentence("lays ", _cards(move.cards), f", total {after.totals[seat]}")
        if any(card.is_worm for card in before.displays[seat]):
            return sentence(f"passes with {before.totals[seat]}")
        return sentence(f"passes with {before.totals[seat]} and no worm, which is invalid")

    def event(self, event: Event) -> Words:
        match event:
            case Stole(thief, victim, portion):
                return sentence(seat(thief), " steals the ", _portion(portion), " from ", seat(victim))
            case Took(taker, portion, valid):
                which = "highest" if valid else "lowest"
                return sentence(seat(taker), f" takes the {which} portion, ", _portion(portion))
            case Revealed(number, starter, portions):
                grill = sentence(f"round {number}: on the grill are ", _portions(portions))
                return sentence(grill, "; ", seat(starter), " begins")
            case Shuffled(cards):
                return sentence(
                    f"the pile is used up; the {len(cards)} cards of the discard pile are shuffled into a new one"
                )

    def board(self, look: Look, before: Look | None) -> Board:
        view: View = look.public
        head = sentence(
            f"round {view.round} of {view.rounds}",
            SEPARATOR,
            "grill ",
            _portions(view.grill),
            f"{SEPARATOR}pile {view.pile_size}, discard {len(view.discard)}",
        )
        return Board(head, tuple(self._row(look, seat) for seat in range(view.players)), widths=(16, 20))

    def _row(self, look: Look, seat: int) -> SeatRow:
        view: View = look.public
        return self.row(seat, view, _stack(view.stacks[seat]), _display(view, seat), hand(look, seat, _hand))


def _card(card: Card) -> Span:
    return Span(card, "worm" if card.is_worm else "plain")


def _cards(cards: Iterable[Card]) -> Words:
    return listed(map(_card, cards))


def _hand(cards: Iterable[Card]) -> str:
    """A hand in compact form: cards of one number are written together, `1 33 W17`."""
    groups = groupby(cards, key=lambda card: card if card.is_worm else card.kind)
    return " ".join("".join(group) for _, group in groups) or "-"


def _portion(portion: Portion) -> Words:
    return with_worms(portion.value, portion.worms)


def _portions(portions: Iterable[Portion]) -> Words:
    return listed(map(_portion, portions))


def _stack(stack: tuple[Portion, ...]) -> Words:
    """What a stack is worth, and its top portion, the only one that can be stolen."""
    if not stack:
        return sentence("no portion")
    return sentence(f"{worm_count(sum(portion.worms for portion in stack))}, top ", _portion(stack[-1]))


def _display(view: View, seat: int) -> Words:
    """The total of a display and its cards, and whether the seat is out."""
    laid = sentence(f"{view.totals[seat]} = ", _cards(view.displays[seat])) if view.displays[seat] else ()
    return laid if view.status[seat] == "in" else listed([laid, "(out)"] if laid else ["(out)"])


NARRATION = KarteneckNarration
