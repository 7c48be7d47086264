"""Tells a match of Bratwurmeck: the dice in words, and the grill and the stacks whenever a tile has moved."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.sheet import Tile
from roost_games.bratwurmeck.view import Event, Failed, Reason, Rolled, Stole, TookTile, View
from roost_games.narration import (
    SEPARATOR,
    Board,
    Look,
    Mark,
    Narration,
    SeatRow,
    Span,
    Words,
    listed,
    seat,
    sentence,
    with_worms,
    worm_count,
)

REASONS = {
    "bust": "every face rolled has been set aside before",
    "no worm": "no worm is set aside",
    "no tile": "there is no tile for the total",
}


class BratwurmeckNarration(Narration):
    """What is told about a match of Bratwurmeck."""

    legend = "~ is a worm on a tile, W the worm on a die, > whose turn it is; the last tile of a stack is on top"

    def move(self, seat: int, move: Take, before: View, after: View) -> Words:
        taken = [move.face] * before.roll.count(move.face)
        total = before.total + sum(5 if face == "W" else int(face) for face in taken)
        return sentence(
            "adds " if before.aside else "sets aside ",
            _dice(taken),
            sentence(" to ", _dice(before.aside)) if before.aside else "",
            f", total {total}, and {'rolls' if move.then == 'roll' else 'stops'}",
        )

    def event(self, event: object) -> Words | None:
        match event:
            case Rolled(roller, dice):
                return sentence(seat(roller), " rolls ", _dice(dice))
            case TookTile(taker, tile):
                return sentence(seat(taker), " takes the ", _tile(tile), " from the grill")
            case Stole(thief, victim, tile):
                return sentence(seat(thief), " steals the ", _tile(tile), " from ", seat(victim))
            case Failed(loser, reason, returned, turned):
                return sentence(seat(loser), f" fails: {REASONS[reason]}", _lost(returned, turned))
        return None

    def points(self, view: View) -> tuple[int, ...]:
        return tuple(sum(tile.worms for tile in stack) for stack in view.stacks)

    def round(self, view: View) -> int:
        """How often the turn has gone around the table, with the present time."""
        begun = view.turn + 1 if view.to_move else view.turn
        return (begun - 1) // view.players + 1

    def mark(self, event: object) -> Mark | None:
        return "steal" if isinstance(event, Stole) else None

    def opening(self, view: View) -> Words:
        return sentence(super().opening(view), " and rolls ", _dice(view.roll))

    def seen(self, before: View, after: View, moves: Mapping[int, Take]) -> Iterator[object]:
        """Everything but the dice of a roll that fails: no view shows them."""
        if after.turn > before.turn:
            yield from (_outcome(player, move, before, after) for player, move in moves.items())
        if after.to_move:
            yield Rolled(after.to_move[0], after.roll)

    def board(self, look: Look, before: Look | None) -> Board | None:
        view: View = look.public
        if before is None and view.to_move:
            return self._whole(view)._replace(foot=sentence(self.name(view.to_move[0]), " rolls ", _dice(view.roll)))
        if before is None or not view.to_move:
            return self._whole(view)
        moved = (view.grill, view.stacks) != (before.public.grill, before.public.stacks)
        return self._whole(view) if moved else None

    def _whole(self, view: View) -> Board:
        when = f"turn {view.turn + 1}" if view.to_move else f"after {view.turn} turns"
        out = sentence(SEPARATOR, "out ", listed(str(tile.value) for tile in view.turned)) if view.turned else ()
        head = sentence(when, SEPARATOR, "grill ", _grill(view.grill), out)
        return Board(head, tuple(self._row(view, seat) for seat in range(view.players)), widths=(8,))

    def _row(self, view: View, seat: int) -> SeatRow:
        stack = view.stacks[seat]
        worms = sentence(worm_count(sum(tile.worms for tile in stack)))
        return self.row(seat, view, worms, listed(map(_tile, stack), nothing=""))


def _outcome(seat: int, move: Take, before: View, after: View) -> Event:
    """How a turn ended with `move`."""
    own, owned = before.stacks[seat], after.stacks[seat]
    if len(owned) > len(own):
        tile = owned[-1]
        victims = [victim for victim, stack in enumerate(before.stacks) if stack[-1:] == (tile,)]
        return Stole(seat, victims[0], tile) if victims else TookTile(seat, tile)
    returned = own[-1] if own else None
    turned = after.turned[-1] if len(after.turned) > len(before.turned) else None
    return Failed(seat, _reason(move, before), returned, turned)


def _reason(move: Take, before: View) -> Reason:
    if move.then == "roll":
        return "bust"
    return "no tile" if "W" in (*before.aside, move.face) else "no worm"


def _dice(faces: Iterable[str]) -> Words:
    groups = groupby(faces, key=lambda face: face == "W")
    return listed(Span(" ".join(group), "worm" if worms else "strong") for worms, group in groups)


def _tile(tile: Tile) -> Words:
    return with_worms(tile.value, tile.worms)


def _grill(tiles: Iterable[Tile]) -> Words:
    """The tiles that can be taken, those with equally many worms together: `21 22~  25 27~~`."""
    groups = groupby(tiles, key=lambda tile: tile.worms)
    return listed((_tiles_with(worms, [*group]) for worms, group in groups), between="  ")


def _tiles_with(worms: int, tiles: list[Tile]) -> Words:
    *others, last = tiles
    return listed([*(Span(str(tile.value), "strong") for tile in others), with_worms(last.value, worms)])


def _lost(returned: Tile | None, turned: Tile | None) -> Words:
    if returned is None:
        return sentence("; it has no tile to lose")
    lost = sentence("; its ", _tile(returned), " goes back to the grill")
    return sentence(lost, ", and the ", _tile(turned), " is turned over") if turned else lost


NARRATION = BratwurmeckNarration
