"""The legal moves of a turn and of a reaction, from what the deciding seat knows.

The state asks with what it holds, `Game.legal` with what a view shows, and both get the same moves in the same order.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

from roost_games.haecmaec.moves import DOUBLE, NO_SLAP, NORMAL, Move, React, SlapAnswer, SlapMeans, Top
from roost_games.haecmaec.sheet import LAST_CLOSES, Sheet

HAS_NORMAL = 1
HAS_DOUBLE = 2
HAS_FLY = 4
"""Means to take or spoil a burger, as bits: the tops in front of a player and a fly in the hand."""

TOP_BITS: tuple[tuple[int, Top], ...] = ((HAS_NORMAL, NORMAL), (HAS_DOUBLE, DOUBLE))
SLAP_BITS: tuple[tuple[int, SlapMeans], ...] = (*TOP_BITS, (HAS_FLY, "fly"))

SUSPICION_FROM = 3
"""After a card that leaves this many ingredients on the burger, all others are asked for suspicion."""
SLAP_FROM = 2
"""After a card that leaves this many ingredients on the burger, all others are asked for a slap (option `slap`)."""

Answers = tuple[tuple[React, ...], ...]
"""The legal reactions, by the means that the seat has."""


def closable_from(players: int) -> int:
    """How many ingredients a burger needs before it may be closed in turn."""
    return 3 if players == 2 else 2


def turn_moves(sheet: Sheet, hand: Sequence[int], burger: int, tops: int, bottoms: int) -> list[Move]:
    """The moves of a turn with a sorted `hand` of card numbers and `burger` ingredients on the burger.

    `tops` are the means (bits) with which the burger may be closed; `bottoms` are those left in the middle.
    """
    numbers = list(dict.fromkeys(hand))
    holds_fly = numbers[-1] == sheet.fly
    if holds_fly:
        numbers.pop()
    moves: list[Move] = [sheet.plays[number] for number in numbers]
    if holds_fly and burger:
        moves.append(sheet.plays[sheet.fly])
    if tops:
        for bit, top in TOP_BITS:
            if tops & bit and bottoms:
                closes = sheet.closes[top]
                moves += [closes[number] for number in numbers]
            elif tops & bit:
                moves.append(LAST_CLOSES[top])
    return moves


def _slaps(means: int) -> list[SlapAnswer]:
    return [NO_SLAP, *(slap for bit, slap in SLAP_BITS if means & bit)]


@cache
def reaction(suspect: bool | None, slap: SlapAnswer | None) -> React:
    """The one object for a reaction: a referee recognises it faster than an equal one."""
    return React(suspect, slap)


_SUSPICION: Answers = ((reaction(False, None), reaction(True, None)),) * 8
_SLAP: Answers = tuple(tuple(reaction(None, slap) for slap in _slaps(means)) for means in range(8))
_BOTH: Answers = tuple(
    tuple(reaction(suspect, slap) for suspect, slap in product((False, True), _slaps(means))) for means in range(8)
)


def reactions_to(burger: int, slap: bool) -> Answers | None:
    """The legal reactions to the latest of `burger` ingredients, by means; `None` if no one is asked."""
    if not slap:
        return _SUSPICION if burger >= SUSPICION_FROM else None
    if burger >= SUSPICION_FROM:
        return _BOTH
    return _SLAP if burger >= SLAP_FROM else None
