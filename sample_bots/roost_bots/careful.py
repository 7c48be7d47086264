"""The bot that looks around before it acts: at the others, at the risk, and at what will be needed later.

- Karteneck: the last player to leave knows what there is to beat. So it waits with low single cards, which are
  replaced at once, until the others have left or can hardly overtake it: it counts the cards that they may still hold.
  It steals where it can, lays what makes a theft possible, and leaves at once if all portions are worth the same.
- Bratwurmeck: few dice with many points are better than many dice with few, because the rest can be rolled again.
  It stops when the risk of the next roll, times what would be lost, gets too high.
- Häc Mäc: tops are few, so it saves them for burgers that are fat for the number of players, and slaps those. It calls
  every bluff and tries none, and keeps its fly for a burger that only others can close. In a duel it feeds a burger
  well only while the opponent cannot close it.
"""

from collections import Counter
from collections.abc import Sequence

from roost_bots.thinking.reading import can_close, ingredients, is_bluff, points_of, tile_won
from roost_games import bratwurmeck as dice
from roost_games import haecmaec as burgers
from roost_games import karteneck as cards
from roost_sdk import Bot

SHARE_LAID = 0.5
"""How much of what an opponent may hold it will lay."""
CHEAP = 4
"""Waiting with one card of a kind may cost this many points."""
DIE_WORTH = 2
"""The worth of a die that is left to roll, in points."""
FIRST_WORM_WORTH = 3
"""The worth of having a worm, in points."""
MOST_RISKED = 0.3
"""The worms that it risks on average with one roll."""
FAT = {2: 10, 3: 8, 4: 7}
"""The points from which a burger is worth a top, by number of players. With more players fewer burgers get there."""
FAT_FOR_MANY = 6
DOUBLING = 1.5
"""A burger this many times as fat is worth the doubling top."""


class CarefulBot(Bot):
    """Weighs what may go wrong."""

    def karteneck(self, view: cards.View, legal: Sequence[cards.Move]) -> cards.Move:
        if cards.PASS_AND_STEAL in legal:
            return cards.PASS_AND_STEAL
        lays = [move for move in legal if isinstance(move, cards.Lay)]
        thefts = [move for move in lays if _prepares_theft(view, move)]
        if thefts:
            return thefts[0]
        if not lays or view.grill[0].worms == view.grill[-1].worms:
            return cards.PASS
        return self._contest(view, lays)

    def _contest(self, view: cards.View, lays: list[cards.Lay]) -> cards.Move:
        others = [seat for seat in range(view.players) if seat != self.seat and view.status[seat] != "invalid"]
        valid = any(card.is_worm for card in view.display)
        waited_for = [seat for seat in others if view.status[seat] == "in"]
        expected = max((_expected_total(view, seat) for seat in others), default=0.0)
        if valid and view.total > expected:
            return cards.PASS
        if waited_for:
            return _wait(lays)
        return _overtake(view, lays, max((view.totals[seat] for seat in others), default=0))

    def bratwurmeck(self, view: dice.View, legal: Sequence[dice.Take]) -> dice.Take:
        stops = {move: tile.worms * (2 if move.steal else 1) for move in legal if (tile := tile_won(view, move))}
        stop = max(stops, key=lambda move: stops[move], default=None)
        roll = max((move for move in legal if move.then == "roll"), key=lambda move: _promise(view, move), default=None)
        if stop is None or roll is None:
            return stop or roll or legal[-1]
        mine = view.stacks[self.seat]
        lost = stops[stop] + (mine[-1].worms if mine else 0)
        return stop if lost * _risk(view, roll) > MOST_RISKED else roll

    def haecmaec(self, view: burgers.View, legal: Sequence[burgers.Move]) -> burgers.Move:
        if view.phase == "react":
            return self._react(view, legal)
        points = sum(card.value for card in view.burger)
        fat = FAT.get(view.players, FAT_FOR_MANY)
        plays = [move for move in ingredients(legal) if not view.is_third(move.card)]
        if points >= fat or not plays:
            closes = [move for move in legal if isinstance(move, burgers.Close)]
            if closes:
                top = "double" if points >= DOUBLING * fat else "normal"
                return max(closes, key=lambda move: (move.top == top, move.card.value if move.card else 0))
            if burgers.Play(burgers.FLY) in legal:
                return burgers.Play(burgers.FLY)
        thrifty = view.players == 2 and can_close(view, len(view.burger) + 1) and not _ends_soon(view)
        return (min if thrifty else max)(plays or ingredients(legal), key=lambda move: move.card.value)

    def _react(self, view: burgers.View, legal: Sequence[burgers.Move]) -> burgers.React:
        bluff = is_bluff(view)
        points = sum(card.value for card in (view.burger[:-1] if bluff else view.burger))
        fat = FAT.get(view.players, FAT_FOR_MANY)
        wanted = ["double"] * (points >= DOUBLING * fat) + ["normal"] * (points >= fat) + ["no", None]
        answers = [move for move in legal if isinstance(move, burgers.React) and bool(move.suspect) == bluff]
        return min((move for move in answers if move.slap in wanted), key=lambda move: wanted.index(move.slap))


def _prepares_theft(view: cards.View, lay: cards.Lay) -> bool:
    """Whether the total after `lay` equals the top portion of another seat, and a worm makes it valid."""
    tops = [stack[-1].value for seat, stack in enumerate(view.stacks) if stack and seat != view.seat]
    total = view.total + sum(card.value for card in lay.cards)
    return total in tops and any(card.is_worm for card in (*view.display, *lay.cards))


def _expected_total(view: cards.View, seat: int) -> float:
    """What `seat` has laid, and an estimate of what it will lay from the cards that it may hold."""
    if view.status[seat] != "in":
        return view.totals[seat]
    unseen = Counter(view.options.deck())
    for seen in (view.hand, view.discard, *view.displays):
        unseen.subtract(seen)
    laid = {card.kind for card in view.displays[seat]}
    useful = sum(card.value * number for card, number in unseen.items() if card.kind not in laid)
    return view.totals[seat] + SHARE_LAID * useful * view.hand_sizes[seat] / unseen.total()


def _wait(lays: list[cards.Lay]) -> cards.Lay:
    """Lay one card that will not be missed; if there is none, lay the most points, worms first."""
    points: Counter[str] = Counter()
    for lay in lays:
        kind = lay.cards[0].kind
        points[kind] = max(points[kind], sum(card.value for card in lay.cards))
    singles = [lay for lay in lays if len(lay.cards) == 1]

    def cost(lay: cards.Lay) -> int:
        return points[lay.cards[0].kind] - lay.cards[0].value

    cheapest = min(singles, key=lambda lay: (cost(lay), lay.cards[0].value))
    if cost(cheapest) <= CHEAP:
        return cheapest
    return max(lays, key=lambda lay: (lay.cards[0].is_worm, len(lay.cards) * lay.cards[0].value))


def _overtake(view: cards.View, lays: list[cards.Lay], best: int) -> cards.Move:
    """Beat a total if the hand has enough: with as little as possible, otherwise with the most first."""
    by_kind = {lay.cards[0].kind: lay for lay in sorted(lays, key=lambda lay: len(lay.cards))}
    reach = view.total + sum(card.value for lay in by_kind.values() for card in lay.cards)
    valid = any(card.is_worm for card in view.display)
    if reach <= best or not (valid or "W" in by_kind):
        return cards.PASS
    if not valid:
        return by_kind["W"]
    enough = [lay for lay in lays if view.total + sum(card.value for card in lay.cards) > best]
    if enough:
        return min(enough, key=lambda lay: (len(lay.cards), lay.cards[0].value))
    return max(lays, key=lambda lay: sum(card.value for card in lay.cards))


def _promise(view: dice.View, move: dice.Take) -> int:
    """How good it is to set these dice aside and roll the others."""
    worm = FIRST_WORM_WORTH if move.face == "W" else 0
    return points_of(view, move.face) + worm - DIE_WORTH * view.roll.count(move.face)


def _risk(view: dice.View, move: dice.Take) -> float:
    """The chance that the roll after `move` shows only faces that are set aside."""
    used = len({*view.aside, move.face})
    left = len(view.roll) - view.roll.count(move.face)
    return float((used / 6) ** left)


def _ends_soon(view: burgers.View) -> bool:
    """Whether cards that are kept will soon count against the hand."""
    return view.bottoms < 4 or view.pile < 4
