"""What a search wants to know about Häc Mäc. Not a bot.

With many players it looks ahead to the end of the match. A duel is longer, so there it stops after two burgers. What a
seat has then are its points, its tops, each worth about as much as a burger that it will close, and its hand, most of
which will count against it.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from roost_bots.search import rewards_by_lead
from roost_games.haecmaec import Card, Close, HaecMaecState, Move, React
from roost_games.haecmaec.legal import SUSPICION_FROM, closable_from, reaction
from roost_games.haecmaec.moves import SlapAnswer, Top
from roost_games.haecmaec.sheet import LAST_CLOSES, Sheet, sheet_of
from roost_games.haecmaec.view import table_points

BURGERS_AHEAD = {2: 2}
"""By number of players, how many burgers play goes on for; otherwise to the end, which is not far with many players."""
MANY = 100
FAT = (0, 0, 10, 8, 7, 6, 6)
"""By number of players: from so many points on a burger is worth a top. The more players, the fewer reach it."""
DOUBLING = 1.5
"""A burger so many times as fat is worth the doubling top."""
TOP_WORTH = (0.0, 0.0, 7.5, 8.5, 8.0, 7.5, 7.5)
DOUBLING_TOP_WORTH = (0.0, 0.0, 20.0, 20.0, 19.0, 18.0, 18.0)
"""By number of players: the points that a top will bring."""
CARDS_PER_BURGER = 4
HAND_COST = 0.8
"""How much of a hand will be there at the end, and count."""
SURE_LEAD = 6.0
GOOD_LEAD = 20.0
"""What `rewards_by_lead` is told at the end of a match, and before."""


class Start(NamedTuple):
    """What is noted about the table at which a search begins."""

    sheet: Sheet
    values: tuple[int, ...]
    """Of the cards, by their numbers on the sheet."""
    last_bottoms: int
    """Play goes on until so many are left."""
    points: tuple[int, ...]
    """By seat, what lies before it."""
    closed: tuple[int, ...]
    penalties: tuple[int, ...]
    """By seat, how many burgers and cards these points come from."""


class HaecMaecGuide:
    """Knows when a burger is fat, and what tops are for."""

    worlds = 100

    def begin(self, state: HaecMaecState) -> Start:
        sheet = sheet_of(state.options.ingredients)
        return Start(
            sheet,
            tuple(card.value for card in sheet.cards),
            state.bottoms - BURGERS_AHEAD.get(state.players, MANY),
            tuple(map(table_points, state.closed, state.penalties)),
            tuple(map(len, state.closed)),
            tuple(map(len, state.penalties)),
        )

    def is_far(self, state: HaecMaecState, start: Start) -> bool:
        return state.bottoms <= start.last_bottoms

    def candidates(self, state: HaecMaecState, seat: int, start: Start) -> Sequence[Move]:
        """No bluffs, unless there is nothing else; of cards with the same value one; every bluff is called."""
        legal = state.legal(seat)
        if seat != state.turn:
            bluff = is_bluff(state)
            return [move for move in legal if isinstance(move, React) and bool(move.suspect) == bluff]
        sheet = start.sheet
        hand = [sheet.cards[number] for number in state.hands[seat] if number != sheet.fly]
        kinds = [card.kind for card in state.burger]
        honest = [card for card in hand if kinds.count(card.kind) < 2]
        laid = {card.value: card for card in honest or hand}.values()
        opening = self._openings(state, hand)
        closes = [move for move in legal if isinstance(move, Close) and move.card in opening]
        fly = [sheet.plays[sheet.fly]] if state.burger and state.hands[seat][-1] == sheet.fly else []
        return [*(sheet.plays[sheet.numbers[card]] for card in laid), *closes, *fly]

    def _openings(self, state: HaecMaecState, hand: list[Card]) -> set[Card | None]:
        """The cards to begin the next burger with. In a duel the opponent is the first who can close it."""
        highest = max(hand, key=lambda card: card.value)
        lowest = min(hand, key=lambda card: card.value)
        return {highest, lowest, None} if state.players == 2 else {highest, None}

    def quick_move(self, state: HaecMaecState, seat: int, start: Start, rng: Random) -> Move:
        if seat != state.turn:
            return self._react(state, seat)
        sheet, hand, burger = start.sheet, state.hands[seat], state.burger
        cards, fly = sheet.cards, sheet.fly
        kinds = [card.kind for card in burger]
        honest = [number for number in hand if number != fly and kinds.count(cards[number].kind) < 2]
        points = sum([card.value for card in burger])
        if not honest or points >= FAT[state.players]:
            top = self._top(state, seat, points) if len(burger) >= closable_from(state.players) else None
            if top is not None:
                return self._close(state, seat, top, start)
            if burger and hand[-1] == fly:
                return sheet.plays[fly]
        thrifty = not honest or (state.players == 2 and len(burger) > 1 and state.bottoms > 3 and len(state.pile) > 3)
        choose = min if thrifty else max
        return sheet.plays[choose(honest or [number for number in hand if number != fly], key=start.values.__getitem__)]

    def _react(self, state: HaecMaecState, seat: int) -> Move:
        bluff = is_bluff(state)
        if not state.options.slap:
            return reaction(bluff, None)
        burger = state.burger[:-1] if bluff else state.burger
        points = sum([card.value for card in burger])
        fat = FAT[state.players]
        slap: SlapAnswer = "no"
        if state.doubling_tops[seat] and points >= DOUBLING * fat:
            slap = "double"
        elif state.normal_tops[seat] and points >= fat:
            slap = "normal"
        return reaction(bluff if len(state.burger) >= SUSPICION_FROM else None, slap)

    def _top(self, state: HaecMaecState, seat: int, points: int) -> Top | None:
        if state.doubling_tops[seat] and (points >= DOUBLING * FAT[state.players] or not state.normal_tops[seat]):
            return "double"
        return "normal" if state.normal_tops[seat] else None

    def _close(self, state: HaecMaecState, seat: int, top: Top, start: Start) -> Move:
        if not state.bottoms:
            return LAST_CLOSES[top]
        return start.sheet.closes[top][max(state.hands[seat], key=start.values.__getitem__)]

    def rewards(self, state: HaecMaecState, start: Start) -> list[float]:
        worth = self._points(state, start)
        cost, top, doubling_top = 1.0, 0.0, 0.0
        if not state.termination:
            tops = sum(state.normal_tops) + sum(state.doubling_tops)
            burgers = min(state.bottoms, cards_to_come(state) / CARDS_PER_BURGER)
            used = min(1.0, burgers / max(tops, 1))
            cost, top, doubling_top = (
                HAND_COST,
                used * TOP_WORTH[state.players],
                used * DOUBLING_TOP_WORTH[state.players],
            )
        for seat, hand in enumerate(state.hands):
            worth[seat] += top * state.normal_tops[seat] + doubling_top * state.doubling_tops[seat]
            worth[seat] -= cost * sum([start.values[number] for number in hand])
        return rewards_by_lead(worth, SURE_LEAD if state.termination else GOOD_LEAD)

    def _points(self, state: HaecMaecState, start: Start) -> list[float]:
        """What lies before each seat: what lay there at the start, and what has been added since."""
        return [
            float(points + table_points(closed[burgers:], penalties[cards:]))
            for points, burgers, cards, closed, penalties in zip(
                start.points, start.closed, start.penalties, state.closed, state.penalties, strict=True
            )
        ]


def is_bluff(state: HaecMaecState) -> bool:
    """Whether the latest card is a third of its kind or a later one, as anybody can see who counts."""
    return [card.kind for card in state.burger].count(state.burger[-1].kind) > 2


def cards_to_come(state: HaecMaecState) -> int:
    """How many cards may still be laid: the pile and the hands."""
    return len(state.pile) + sum(map(len, state.hands))
