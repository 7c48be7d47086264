"""The guide of a search in Häc Mäc.

All players have the same number of tops, so what counts is how fat the burgers are that a player closes. But the player
who makes a burger fat is not the one who closes it, and that shifts with every card. So the worth of a move shows in
the turns that follow, up to the end of the match: `haecmaec_playout` plays them. Bluffs are left out, since each is
called.

With three or more players there is too much chance in it: a few hundred playouts tell little. So where no one slaps or
plays at random, the move that a playout would make is the favourite, and another must be far better.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from roost_bots.thinking.haecmaec_playout import CLOSE, CLOSE_DOUBLING, LAY, SPOIL, Habits, Playout, cards_of
from roost_bots.thinking.search import Guide, rewards_by_lead
from roost_games.haecmaec import Close, HaecMaecState, Move, React
from roost_games.haecmaec.legal import SUSPICION_FROM, reaction
from roost_games.haecmaec.moves import DOUBLE, NO_SLAP, NORMAL, SlapAnswer, Top
from roost_games.haecmaec.sheet import LAST_CLOSES, Sheet, sheet_of
from roost_games.haecmaec.view import table_points

TOPS: dict[int, Top] = {CLOSE: NORMAL, CLOSE_DOUBLING: DOUBLE}
SURE_LEAD = 6.0
"""What `rewards_by_lead` is told at the end of a match."""

UNUSED = Random(0)
"""The searching seat plays on without chance."""


class Start(NamedTuple):
    """What is noted about the table where a search begins."""

    sheet: Sheet
    opinion: Habits
    points: tuple[int, ...]
    """By seat, the points on the table."""
    closed: tuple[int, ...]
    penalties: tuple[int, ...]
    """By seat, how many burgers and penalties these points come from."""


class HaecMaecGuide(Guide):
    """Knows who will close a burger, and when."""

    effort = 2

    def begin(self, state: HaecMaecState, seat: int) -> Start:
        return Start(
            sheet_of(state.options.ingredients),
            Habits.of(state, seat),
            tuple(map(table_points, state.closed, state.penalties)),
            tuple(map(len, state.closed)),
            tuple(map(len, state.penalties)),
        )

    def candidates(self, state: HaecMaecState, seat: int, start: Start) -> Sequence[Move]:
        """No bluffs, unless there is nothing else; one of several cards of equal value; every bluff is called."""
        legal = state.legal(seat)
        if seat != state.turn:
            bluff = is_bluff(state)
            return [move for move in legal if isinstance(move, React) and bool(move.suspect) == bluff]
        sheet = start.sheet
        hand = [sheet.cards[number] for number in state.hands[seat] if number != sheet.fly]
        kinds = [card.kind for card in state.burger]
        honest = [card for card in hand if kinds.count(card.kind) < 2]
        laid = {card.value: card for card in honest or hand}.values()
        opening = {max(hand, key=lambda card: card.value), min(hand, key=lambda card: card.value), None}
        closes = [move for move in legal if isinstance(move, Close) and move.card in opening]
        fly = [sheet.plays[sheet.fly]] if state.burger and state.hands[seat][-1] == sheet.fly else []
        return [*(sheet.plays[sheet.numbers[card]] for card in laid), *closes, *fly]

    def favourite(self, state: HaecMaecState, seat: int, start: Start) -> Move | None:
        """At a calm table, the move that a playout would make."""
        if not start.opinion.calm or seat != start.opinion.seat or seat != state.turn:
            return None
        return self.quick_move(state, seat, start, UNUSED)

    def quick_move(self, state: HaecMaecState, seat: int, start: Start, rng: Random) -> Move:
        if seat != state.turn:
            return _reaction(state, seat, start, rng)
        what, card = Playout(state, start.points, start.opinion, rng).choose()
        number = cards_of(state.options.ingredients).index(card)
        if what in (LAY, SPOIL):
            return start.sheet.plays[number]
        return start.sheet.closes[TOPS[what]][number] if state.bottoms else LAST_CLOSES[TOPS[what]]

    def outcome(self, state: HaecMaecState, start: Start, rng: Random) -> list[float]:
        if not state.to_move:
            return rewards_by_lead([points for (points,) in state.merits()], SURE_LEAD)
        return rewards_by_lead(Playout(state, _points(state, start), start.opinion, rng).finish(), SURE_LEAD)


def is_bluff(state: HaecMaecState) -> bool:
    """Whether the latest card is a third of its kind or a later one, as anyone can see who counts."""
    return [card.kind for card in state.burger].count(state.burger[-1].kind) > 2


def _reaction(state: HaecMaecState, seat: int, start: Start, rng: Random) -> React:
    """Call every bluff, and slap what is fat."""
    bluff = is_bluff(state)
    if not state.options.slap:
        return reaction(bluff, None)
    slap: SlapAnswer = TOPS.get(Playout(state, start.points, start.opinion, rng).slap_of(seat), NO_SLAP)
    return reaction(bluff if len(state.burger) >= SUSPICION_FROM else None, slap)


def _points(state: HaecMaecState, start: Start) -> list[int]:
    """The points of each seat on the table: those at the start, and those added since."""
    return [
        points + table_points(closed[burgers:], penalties[cards:])
        for points, burgers, cards, closed, penalties in zip(
            start.points, start.closed, start.penalties, state.closed, state.penalties, strict=True
        )
    ]
