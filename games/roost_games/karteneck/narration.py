"""Tells a match of Karteneck: the grill, and for each seat its stack, its display and its hand."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import ClassVar

from roost_games.karteneck.moves import Lay, Move, Pass
from roost_games.karteneck.sheet import Card, Portion
from roost_games.karteneck.view import Event, Revealed, Shuffled, Stole, Took, View
from roost_games.narration import (
    SEPARATOR,
    Board,
    Look,
    Mark,
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
    private: ClassVar[Mapping[str, str]] = {"hand": "hands"}
    omitted = frozenset(("trace", "drawn"))

    def move(self, seat: int, move: Move, before: View, after: View) -> Words:
        if isinstance(move, Lay):
            return sentence("lays ", _cards(move.cards), f", total {after.totals[seat]}")
        if _worms(before, seat):
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

    def points(self, view: View) -> tuple[int, ...]:
        return tuple(sum(portion.worms for portion in stack) for stack in view.stacks)

    def round(self, view: View) -> int:
        return view.round

    def mark(self, event: Event) -> Mark | None:
        return "steal" if isinstance(event, Stole) else None

    def opening(self, view: View) -> Words:
        return self.event(Revealed(view.round, view.starter, view.grill))

    def seen(self, before: View, after: View, moves: Mapping[int, Move]) -> Iterator[Event]:
        """All events, in their order."""
        for player, move in moves.items():
            if isinstance(move, Pass):
                yield from _passed(player, move, before)
        yield from (event for event in after.trace[len(before.trace) :] if isinstance(event, Shuffled))
        if after.round > before.round or not after.to_move:
            yield from _served(before, after)
        if after.round > before.round:
            yield Revealed(after.round, after.starter, after.grill)

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


def _passed(seat: int, move: Pass, before: View) -> Iterator[Event]:
    """What a seat gets at once when it passes."""
    if move.steal:
        tops = [stack[-1].value if stack else None for stack in before.stacks]
        victim = tops.index(before.totals[seat])
        yield Stole(seat, victim, before.stacks[victim][-1])
    elif not _worms(before, seat):
        yield Took(seat, before.grill[0], False)


def _served(before: View, after: View) -> Iterator[Took]:
    """The menu distribution at the end of a round, to the best display first."""
    # An invalid display has been discarded, so it has no worms now.
    valid = [taker for taker in range(before.players) if _worms(before, taker)]
    for taker in sorted(valid, key=lambda taker: (before.totals[taker], max(_worms(before, taker))), reverse=True):
        yield Took(taker, after.stacks[taker][-1], True)


def _worms(view: View, seat: int) -> list[int]:
    """The signposts in the display of a seat."""
    return [card.signpost for card in view.displays[seat] if card.is_worm]


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
