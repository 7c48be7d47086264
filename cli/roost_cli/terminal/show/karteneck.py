"""Draws Karteneck: the grill, and a row for each seat with its display, its stack and, dimmed, its hand."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from roost_cli.terminal.show.base import (
    SEPARATOR,
    WORM_STYLE,
    Look,
    Show,
    hand_cell,
    listed,
    seat_rows,
    sentence,
    with_worms,
    worm_word,
)
from roost_games.karteneck import Card, Event, Lay, Move, Portion, Revealed, Shuffled, Stole, Took, View


class KarteneckShow(Show):
    """The renderer of Karteneck."""

    legend = "~ is a worm, W17 the worm card with signpost 17, > who decides"
    hands = True

    def move(self, seat: int, move: Move, before: View, after: View) -> Text:
        if isinstance(move, Lay):
            return sentence("lays ", _cards(move.cards), f", total {after.totals[seat]}")
        if any(card.is_worm for card in before.displays[seat]):
            return sentence(f"passes with {before.totals[seat]}")
        return sentence(f"passes with {before.totals[seat]} and no worm, which is invalid")

    def event(self, event: Event) -> Text:
        match event:
            case Stole(seat, victim, portion):
                return sentence(self.short(seat), " steals the ", _portion(portion), " from ", self.short(victim))
            case Took(seat, portion, valid):
                which = "highest" if valid else "lowest"
                return sentence(self.short(seat), f" takes the {which} portion, ", _portion(portion))
            case Revealed(number, starter, portions):
                grill = sentence(f"round {number}: on the grill are ", _portions(portions))
                return sentence(grill, "; ", self.short(starter), " begins")
            case Shuffled(cards):
                return sentence(f"the pile is used up; the discard pile, {len(cards)} cards, is shuffled anew")

    def table(self, look: Look, before: Look | None) -> RenderableType:
        view: View = look.public
        head = sentence(
            f"round {view.round} of {view.rounds}",
            SEPARATOR,
            "grill ",
            _portions(view.grill),
            f"{SEPARATOR}pile {view.pile_size}, discard {len(view.discard)}",
        )
        rows = seat_rows(0, 0, 16, 20, 0)
        for seat in range(view.players):
            rows.add_row(
                *self.seat_cells(seat, view.to_move),
                _stack(view.stacks[seat]),
                _display(view, seat),
                hand_cell(look, seat, _hand),
            )
        return Group(head, rows)


def _card(card: Card) -> Text:
    return Text(card, style=WORM_STYLE if card.is_worm else "")


def _cards(cards: Iterable[Card]) -> Text:
    return listed(map(_card, cards))


def _hand(cards: Iterable[Card]) -> Text:
    """A hand in little room: cards of one number stand together, `1 33 W17`."""
    groups = groupby(cards, key=lambda card: card if card.is_worm else card.kind)
    return listed(Text("".join(group)) for _, group in groups)


def _portion(portion: Portion) -> Text:
    return with_worms(portion.value, portion.worms)


def _portions(portions: Iterable[Portion]) -> Text:
    return listed(map(_portion, portions))


def _stack(stack: tuple[Portion, ...]) -> Text:
    """What a stack is worth, and its top portion, the only one that can be stolen."""
    if not stack:
        return Text("no portion")
    return sentence(f"{worm_word(sum(portion.worms for portion in stack))}, top ", _portion(stack[-1]))


def _display(view: View, seat: int) -> Text:
    """The total of a display and its cards, and whether the seat is out."""
    laid = sentence(f"{view.totals[seat]} = ", _cards(view.displays[seat])) if view.displays[seat] else Text()
    return laid if view.status[seat] == "in" else listed([laid, "(out)"] if laid else ["(out)"])


SHOW = KarteneckShow
