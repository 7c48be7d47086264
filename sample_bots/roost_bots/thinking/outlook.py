"""The worth of a table of Bratwurmeck to a seat between two turns, with the next turn of every seat in mind.

A lead in worms is worth what it does for the chance to end ahead: one worm is little while the grill is full, and
everything when it is nearly empty. A share of what the next turn of every seat may bring is added. A seat chooses
between *plans* such as "at least 25", or "21 exactly, to steal"; `dice_turn` knows how likely a plan is to end with
each total. So the worth of a table includes three things: that a top tile may be stolen, that another one covers and
protects it, and what a returned or turned tile does to the chances of every seat.
"""

from collections.abc import Iterator
from functools import cache
from math import exp
from typing import NamedTuple

from roost_bots.thinking.dice_turn import FAILED, MOST_POINTS, Turn
from roost_games.bratwurmeck import Options, Tile, View

EVEN = 1.0
EVEN_PER_TILE = 0.6
"""A lead of this many worms wins about three times in four; more is needed while tiles are open."""
NEXT_TURNS = 0.25
"""How much the next turns count. Each is judged as if it came first, and as if every seat planned this well."""
OVERSHOT = 0.3
"""The worth of a total above the one to be stolen, for a seat that wanted to steal; the theft counts 1."""

Stack = tuple[Tile, ...]
Plan = tuple[tuple[int, float], ...]
"""Totals, or `FAILED`, and how likely a turn is to end with them."""


class DiceTable(NamedTuple):
    """The tiles between two turns."""

    grill: Stack
    stacks: tuple[Stack, ...]
    worms: tuple[int, ...]
    """By seat, the worms it owns."""

    def taking(self, seat: int, tile: Tile) -> "DiceTable":
        """The table after `seat` took a tile from the grill."""
        grill = tuple(other for other in self.grill if other is not tile)
        return self._replace(grill=grill)._giving(seat, tile)

    def stealing(self, seat: int, victim: int) -> "DiceTable":
        """The table after `seat` took the top tile of `victim`."""
        return self._dropping(victim)._giving(seat, self.stacks[victim][-1])

    def failing(self, seat: int) -> "DiceTable":
        """The table after a turn of `seat` failed."""
        if not self.stacks[seat]:
            return self
        returned = self.stacks[seat][-1]
        grill = tuple(sorted((*self.grill, returned)))
        return self._dropping(seat)._replace(grill=grill if grill[-1] is returned else grill[:-1])

    def _giving(self, seat: int, tile: Tile) -> "DiceTable":
        return self._with(seat, (*self.stacks[seat], tile), tile.worms)

    def _dropping(self, seat: int) -> "DiceTable":
        return self._with(seat, self.stacks[seat][:-1], -self.stacks[seat][-1].worms)

    def _with(self, seat: int, stack: Stack, worms: int) -> "DiceTable":
        stacks = (*self.stacks[:seat], stack, *self.stacks[seat + 1 :])
        owned = (*self.worms[:seat], self.worms[seat] + worms, *self.worms[seat + 1 :])
        return DiceTable(self.grill, stacks, owned)


class Ends(NamedTuple):
    """The tables that a turn can lead to."""

    grill: list[DiceTable]
    """By total, if no tile is stolen. Where the total takes none, this is `failed`."""
    thefts: dict[int, DiceTable]
    """By total, if one is."""
    failed: DiceTable


def ends(table: DiceTable, seat: int) -> Ends:
    """What a turn of `seat` can lead to."""
    failed = table.failing(seat)
    grill = [failed] * (MOST_POINTS + 1)
    for tile in table.grill:
        grill[tile.value :] = [table.taking(seat, tile)] * (MOST_POINTS + 1 - tile.value)
    others = [other for other, stack in enumerate(table.stacks) if stack and other != seat]
    return Ends(grill, {table.stacks[other][-1].value: table.stealing(seat, other) for other in others}, failed)


@cache
def chance_ahead(lead: int, tiles: int) -> float:
    """How likely it is to end ahead with this lead while this many tiles are open."""
    if not tiles:
        return (lead > 0) + (lead == 0) / 2
    return 1 / (1 + exp(-lead / (EVEN + EVEN_PER_TILE * tiles)))


def standing(table: DiceTable, seat: int) -> float:
    """How many opponents `seat` can expect to leave behind, from this table."""
    own, tiles = table.worms[seat], len(table.grill)
    return sum([chance_ahead(own - worms, tiles) for worms in table.worms])


@cache
def at_least(total: int) -> Plan:
    """The plan with the best chance of this many points or more."""
    return tuple(Turn([float(reached >= total) for reached in range(MOST_POINTS + 1)], {}, 0.0).totals().items())


@cache
def exactly(total: int) -> Plan:
    """A plan to end with this total, or failing that with more."""
    above = [OVERSHOT * (reached > total) for reached in range(MOST_POINTS + 1)]
    return tuple(Turn(above, {total: 1.0}, 0.0).totals().items())


def prepare() -> None:
    """Compute the plans for the usual tiles. It takes about a second, once per process."""
    for tile in Options().tiles:
        at_least(tile.value)
        exactly(tile.value)


def plans(table: DiceTable, seat: int) -> Iterator[Plan]:
    """What `seat` may want to do in a turn."""
    for tile in table.grill:
        yield at_least(tile.value)
    for other, stack in enumerate(table.stacks):
        if stack and other != seat:
            yield exactly(stack[-1].value)


def after_turn_of(other: int, table: DiceTable, seat: int) -> float:
    """The expected standing of `seat` after a turn of `other`, which does what is best for itself."""
    possible = ends(table, other)
    known: dict[int, tuple[float, float]] = {}

    def for_both(after: DiceTable) -> tuple[float, float]:
        if id(after) not in known:
            known[id(after)] = (standing(after, other), standing(after, seat))
        return known[id(after)]

    by_total = {
        FAILED: for_both(possible.failed),
        **{total: for_both(after) for total, after in enumerate(possible.grill)},
    }
    for total, after in possible.thefts.items():
        by_total[total] = max(by_total[total], for_both(after))
    expected = (
        (
            sum([chance * by_total[total][0] for total, chance in plan]),
            sum([chance * by_total[total][1] for total, chance in plan]),
        )
        for plan in plans(table, other)
    )
    return max(expected)[1]


def outlook(table: DiceTable, seat: int) -> float:
    """What `table` is worth to `seat`: its standing, and how the next turn of every seat changes it."""
    now = standing(table, seat)
    if not table.grill:
        return now
    return now + NEXT_TURNS * sum(after_turn_of(other, table, seat) - now for other in range(len(table.stacks)))


def turn_of(view: View, seat: int) -> Turn:
    """The turn of `seat`, with the worth of every way to end it."""
    table = DiceTable(view.grill, view.stacks, tuple(sum(tile.worms for tile in stack) for stack in view.stacks))
    possible = ends(table, seat)
    worth = {
        id(after): outlook(after, seat)
        for after in {id(after): after for after in (*possible.grill, possible.failed)}.values()
    }
    thefts = {total: outlook(after, seat) for total, after in possible.thefts.items()}
    return Turn([worth[id(after)] for after in possible.grill], thefts, worth[id(possible.failed)])
