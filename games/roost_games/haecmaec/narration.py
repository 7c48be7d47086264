"""Tells a match of Häc Mäc: the burger in the middle, and for each seat its points, its tops and its hand."""

from collections.abc import Iterable
from itertools import groupby

from roost_games.haecmaec.moves import FLY, NO_SLAP, Card, Close, Move, React
from roost_games.haecmaec.view import (
    Closed,
    RanOut,
    Reacted,
    Slapped,
    SpoiledBurger,
    Suspected,
    View,
)
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
)

KINDS = ("patty", "cheese", "tomato", "lettuce", "onion")
"""The usual ingredients, by their number as a role."""
MEANS = {"normal": "a normal top", "double": "the doubling top", "fly": "a fly"}
ENDS = {"no ingredient": "a hand has no ingredient left", "no bottom": "no bottom is left for another burger"}


class HaecMaecNarration(Narration):
    """What is told about a match of Häc Mäc."""

    legend = "> who decides; points are burgers less penalties, hands count at the end"
    hands = True

    def move(self, seat: int, move: Move, before: View, after: View) -> Words | None:
        if isinstance(move, React):
            return None
        if isinstance(move, Close):
            opens = sentence(" and begins the next with ", _card(move.card)) if move.card else ""
            return sentence(f"closes the burger with {MEANS[move.top]}", opens)
        if move.card == FLY:
            return sentence("plays a ", _card(move.card))
        third = ", a third of its kind or more" if before.is_third(move.card) else ""
        return sentence("lays " if before.burger else "begins a burger with ", _card(move.card), third)

    def event(self, event: object) -> Words | None:
        match event:
            case Reacted(reactions):
                return _reactions(reactions)
            case Suspected(accuser, player, card, right):
                verdict, loser = ("right", player) if right else ("wrong", accuser)
                return sentence(seat(accuser), f" is {verdict}: ", _card(card), " becomes a penalty of ", seat(loser))
            case Slapped(winner, _, slappers) if len(slappers) > 1:
                return sentence(seat(winner), " is quickest")
            case Closed(winner, burger):
                return sentence(seat(winner), " takes ", _cards(burger.cards), f" for {burger.points} points")
            case SpoiledBurger(_, cards):
                return sentence("the burger is spoiled: ", _cards(cards), " are out of the game")
            case RanOut(reason):
                return sentence(f"the match ends: {ENDS[reason]}")
        return None

    def seen(self, before: View, after: View) -> Iterable[object]:
        return [Reacted(after.reactions)] if after.rounds > before.rounds else []

    def board(self, look: Look, before: Look | None) -> Board | None:
        view: View = look.public
        if view.phase == "react":
            return None
        points = sum(card.value for card in view.burger)
        burger = sentence(_cards(view.burger), f" = {points}") if view.burger else "not begun"
        head = sentence("burger ", burger, f"{SEPARATOR}bottoms {view.bottoms}, pile {view.pile}")
        return Board(head, tuple(self._row(look, seat) for seat in range(view.players)), widths=(9, 15))

    def _row(self, look: Look, seat: int) -> SeatRow:
        view: View = look.public
        tops = f"tops {view.normal_tops[seat]}{' + double' if view.doubling_tops[seat] else ''}"
        return self.row(seat, view, sentence(_points(view, seat)), sentence(tops), hand(look, seat, _hand))


def _reactions(reactions: Iterable[React]) -> Words:
    said = []
    for number, reaction in enumerate(reactions):
        if reaction.suspect:
            said.append(sentence(seat(number), " suspects"))
        if reaction.slap not in (None, NO_SLAP):
            said.append(sentence(seat(number), f" slaps with {MEANS[str(reaction.slap)]}"))
    return listed(said, between="; ", nothing="nobody reacts")


def _card(card: Card) -> Span:
    return Span(card, "card", KINDS.index(card.kind)) if card.kind in KINDS else Span(card, "strong")


def _cards(cards: Iterable[Card]) -> Words:
    return listed(map(_card, cards))


def _points(view: View, seat: int) -> str:
    penalties = len(view.penalties[seat])
    penalised = "" if not penalties else " (1 penalty)" if penalties == 1 else f" ({penalties} penalties)"
    return f"{view.points(seat)} points{penalised}"


def _hand(cards: Iterable[Card]) -> str:
    """A hand in compact form: `patty 1 4, onion 2, fly`."""
    groups = groupby(cards, key=lambda card: card.kind)
    return ", ".join(_of_a_kind(kind, [*group]) for kind, group in groups) or "-"


def _of_a_kind(kind: str, cards: list[Card]) -> str:
    values = [str(card.value) for card in cards if card.value]
    return " ".join([kind, *values] if values else [kind] * len(cards))


NARRATION = HaecMaecNarration
