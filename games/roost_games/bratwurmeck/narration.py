"""Tells a match of Bratwurmeck: the dice in words, and the grill and the stacks whenever a tile has moved."""

from collections.abc import Iterable
from itertools import groupby

from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.sheet import Tile
from roost_games.bratwurmeck.view import Failed, Rolled, Stole, TookTile, View
from roost_games.narration import (
    SEPARATOR,
    Board,
    Look,
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

    def seen(self, before: View, after: View) -> Iterable[object]:
        return [Rolled(after.to_move[0], after.roll)] if after.to_move else []

    def board(self, look: Look, before: Look | None) -> Board | None:
        view: View = look.public
        if before is None:
            return self._whole(view)._replace(foot=sentence(self.name(view.to_move[0]), " rolls ", _dice(view.roll)))
        moved = (view.grill, view.stacks) != (before.public.grill, before.public.stacks)
        return self._whole(view) if moved or not view.to_move else None

    def _whole(self, view: View) -> Board:
        when = f"turn {view.turn + 1}" if view.to_move else f"after {view.turn} turns"
        out = sentence(SEPARATOR, "out ", listed(str(tile.value) for tile in view.turned)) if view.turned else ()
        head = sentence(when, SEPARATOR, "grill ", _grill(view.grill), out)
        return Board(head, tuple(self._row(view, seat) for seat in range(view.players)), widths=(8,))

    def _row(self, view: View, seat: int) -> SeatRow:
        stack = view.stacks[seat]
        worms = sentence(worm_count(sum(tile.worms for tile in stack)))
        return self.row(seat, view, worms, listed(map(_tile, stack), nothing=""))


def _dice(faces: Iterable[str]) -> Words:
    return listed(Span(face, "worm" if face == "W" else "strong") for face in faces)


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
