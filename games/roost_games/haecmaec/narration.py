"""Tells a match of Häc Mäc: the burger in the middle, and for each seat its points, its tops and its hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import ClassVar

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
    Mark,
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
MARKS: Mapping[type, Mark] = {Suspected: "suspicion", Slapped: "slap", Closed: "closed", SpoiledBurger: "spoiled"}
ENDS = {"no ingredient": "a hand has no ingredient left", "no bottom": "no bottom is left for another burger"}


class HaecMaecNarration(Narration):
    """What is told about a match of Häc Mäc."""

    legend = "> who decides; points are burgers less penalties, hands count at the end"
    private: ClassVar[Mapping[str, str]] = {"hand": "hands", "answer": "answers"}

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

    def points(self, view: View) -> tuple[int, ...]:
        return tuple(map(view.points, range(view.players)))

    def round(self, view: View) -> int:
        """Which burger is on the table, or was the last there."""
        finished = sum(map(len, view.closed)) + len(view.spoiled)
        return max(1, finished + bool(view.burger))

    def mark(self, event: object) -> Mark | None:
        return MARKS.get(type(event))

    def on_turn(self, view: View) -> int | None:
        return view.turn if view.to_move else None

    def seen(self, before: View, after: View, moves: Mapping[int, Move]) -> Iterator[object]:
        """Everything that has words. If both hand and bottoms have run out, the bottoms are named."""
        if after.rounds > before.rounds:
            yield Reacted(after.reactions)
            yield from _judged(before, after)
            yield from _slapped(after.reactions, before, after)
        yield from _finished(before, after)
        if not after.to_move:
            out = not after.burger and not after.bottoms and after.hand_sizes[after.turn]
            yield RanOut("no bottom" if out else "no ingredient", after.turn)

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


def _judged(before: View, after: View) -> Iterator[Suspected]:
    """The suspicion that was judged, if there was one."""
    in_turn = sorted(range(after.players), key=lambda seat: (seat - before.turn) % after.players)
    accusers = [seat for seat in in_turn if after.reactions[seat].suspect]
    if accusers:
        right = after.penalties[before.turn] != before.penalties[before.turn]
        yield Suspected(accusers[0], before.turn, before.burger[-1], right)


def _slapped(reactions: Sequence[React], before: View, after: View) -> Iterator[Slapped]:
    """Who slapped the burger first, if somebody did."""
    means = {seat: slap for seat, (_, slap) in enumerate(reactions) if slap and slap != NO_SLAP}
    for finished in _finished(before, after):
        yield Slapped(finished.seat, means[finished.seat], tuple(means))


def _finished(before: View, after: View) -> Iterator[Closed | SpoiledBurger]:
    """The burger that was closed or spoiled between the two views, if one was."""
    for winner, burgers in enumerate(after.closed):
        yield from (Closed(winner, burger) for burger in burgers[len(before.closed[winner]) :])
    yield from after.spoiled[len(before.spoiled) :]


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
