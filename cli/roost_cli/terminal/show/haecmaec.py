"""Draws Häc Mäc: the burger in the middle, and a row for each seat with its tops, points and, dimmed, its hand."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from roost_cli.terminal.show.base import SEPARATOR, Look, Show, hand_cell, listed, seat_rows, sentence
from roost_games.haecmaec import (
    FLY,
    Card,
    Close,
    Closed,
    Ended,
    Move,
    React,
    Reacted,
    Slapped,
    SpoiledBurger,
    Suspected,
    View,
)

KIND_STYLES = {
    "patty": "red",
    "cheese": "yellow",
    "tomato": "bright_red",
    "lettuce": "green",
    "onion": "bright_magenta",
}
MEANS = {"normal": "a normal top", "double": "the doubling top", "fly": "a fly"}
ENDS = {"no ingredient": "a hand holds no ingredient any more", "no bottom": "no bottom is left for another burger"}


class HaecMaecShow(Show):
    """The renderer of Häc Mäc."""

    legend = "> who decides; points are burgers less penalties, hands count at the end"
    hands = True

    def move(self, seat: int, move: Move, before: View, after: View) -> Text | None:
        if isinstance(move, React):
            return None
        if isinstance(move, Close):
            opens = sentence(" and begins the next with ", _card(move.card)) if move.card else Text()
            return sentence(f"closes the burger with {MEANS[move.top]}", opens)
        if move.card == FLY:
            return sentence("plays a ", _card(move.card))
        third = ", a third of its kind or more" if before.is_third(move.card) else ""
        return sentence("lays " if before.burger else "begins a burger with ", _card(move.card), third)

    def event(self, event: object) -> Text | None:
        match event:
            case Reacted(reactions):
                return self._reactions(reactions)
            case Suspected(accuser, player, card, right):
                verdict, loser = ("right", player) if right else ("wrong", accuser)
                return sentence(
                    self.short(accuser), f" is {verdict}: ", _card(card), " becomes a penalty of ", self.short(loser)
                )
            case Slapped(seat, _, slappers) if len(slappers) > 1:
                return sentence(self.short(seat), " is quickest")
            case Closed(seat, burger):
                return sentence(self.short(seat), " takes ", _cards(burger.cards), f" for {burger.points} points")
            case SpoiledBurger(_, cards):
                return sentence("the burger is spoiled: ", _cards(cards), " are out of the game")
            case Ended(reason):
                return sentence(f"the match ends: {ENDS[reason]}")
        return None

    def seen(self, before: View, after: View) -> Iterable[object]:
        return [Reacted(after.reactions)] if after.rounds > before.rounds else []

    def _reactions(self, reactions: Iterable[React]) -> Text:
        said = []
        for seat, reaction in enumerate(reactions):
            if reaction.suspect:
                said.append(sentence(self.short(seat), " suspects"))
            if reaction.slap not in (None, "no"):
                said.append(sentence(self.short(seat), f" slaps with {MEANS[str(reaction.slap)]}"))
        return listed(said, between="; ", nothing="nobody reacts")

    def table(self, look: Look, before: Look | None) -> RenderableType | None:
        view: View = look.public
        if view.phase == "react":
            return None
        points = sum(card.value for card in view.burger)
        head = sentence(
            "burger ",
            sentence(_cards(view.burger), f" = {points}") if view.burger else "not begun",
            f"{SEPARATOR}bottoms {view.bottoms}, pile {view.pile}",
        )
        rows = seat_rows(0, 0, 9, 15, 0)
        for seat in range(view.players):
            rows.add_row(
                *self.seat_cells(seat, view.to_move),
                _points(view, seat),
                f"tops {view.normal_tops[seat]}{' + double' if view.doubling_tops[seat] else ''}",
                hand_cell(look, seat, _hand),
            )
        return Group(head, rows)


def _card(card: Card) -> Text:
    return Text(card, style=KIND_STYLES.get(card.kind, "bold"))


def _cards(cards: Iterable[Card]) -> Text:
    return listed(map(_card, cards))


def _points(view: View, seat: int) -> str:
    penalties = len(view.penalties[seat])
    penalised = "" if not penalties else " (1 penalty)" if penalties == 1 else f" ({penalties} penalties)"
    return f"{view.points(seat)} points{penalised}"


def _hand(cards: Iterable[Card]) -> Text:
    """A hand in little room: `patty 1 4, onion 2, fly`."""
    groups = groupby(cards, key=lambda card: card.kind)
    return listed((_of_a_kind(kind, [*group]) for kind, group in groups), between=", ")


def _of_a_kind(kind: str, cards: list[Card]) -> Text:
    values = [str(card.value) for card in cards if card.value]
    return listed([kind, *values] if values else [kind] * len(cards))


SHOW = HaecMaecShow
