"""Draws Bratwurmeck: the dice in words, and the grill and the stacks whenever a tile has moved."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from roost_cli.terminal.show.base import (
    SEPARATOR,
    WORM_STYLE,
    Look,
    Show,
    listed,
    seat_rows,
    sentence,
    with_worms,
    worm_word,
)
from roost_games.bratwurmeck import Failed, Rolled, Stole, Take, Tile, TookTile, View

REASONS = {
    "bust": "all faces rolled are set aside already",
    "no worm": "no worm is set aside",
    "no tile": "there is no tile for the total",
}


class BratwurmeckShow(Show):
    """The renderer of Bratwurmeck."""

    legend = "~ is a worm on a tile, W the worm on a die, > whose turn it is; the last tile of a stack is on top"

    def move(self, seat: int, move: Take, before: View, after: View) -> Text:
        taken = [move.face] * before.roll.count(move.face)
        total = before.total + sum(5 if face == "W" else int(face) for face in taken)
        beside = sentence(" to ", _dice(before.aside)) if before.aside else Text()
        return sentence(
            "adds " if before.aside else "sets aside ",
            _dice(taken),
            beside,
            f", total {total}, and {'rolls' if move.then == 'roll' else 'stops'}",
        )

    def event(self, event: object) -> Text | None:
        match event:
            case Rolled(seat, dice):
                return sentence(self.short(seat), " rolls ", _dice(dice))
            case TookTile(seat, tile):
                return sentence(self.short(seat), " takes the ", _tile(tile), " from the grill")
            case Stole(seat, victim, tile):
                return sentence(self.short(seat), " steals the ", _tile(tile), " from ", self.short(victim))
            case Failed(seat, reason, returned, turned):
                return sentence(self.short(seat), f" fails: {REASONS[reason]}", _lost(returned, turned))
        return None

    def seen(self, before: View, after: View) -> Iterable[object]:
        return [Rolled(after.to_move[0], after.roll)] if after.to_move else []

    def table(self, look: Look, before: Look | None) -> RenderableType | None:
        view: View = look.public
        if before is None:
            return Group(self._table(view), sentence(self.name(view.to_move[0]), " rolls ", _dice(view.roll)))
        moved = (view.grill, view.stacks) != (before.public.grill, before.public.stacks)
        return self._table(view) if moved or not view.to_move else None

    def _table(self, view: View) -> RenderableType:
        when = f"turn {view.turn + 1}" if view.to_move else f"after {view.turn} turns"
        out = sentence(SEPARATOR, "out ", listed(str(tile.value) for tile in view.turned)) if view.turned else Text()
        rows = seat_rows(0, 0, 8, 0)
        for seat, stack in enumerate(view.stacks):
            worms = worm_word(sum(tile.worms for tile in stack))
            rows.add_row(*self.seat_cells(seat, view.to_move), worms, listed(map(_tile, stack), nothing=""))
        return Group(sentence(when, SEPARATOR, "grill ", _grill(view.grill), out), rows)


def _dice(faces: Iterable[str]) -> Text:
    return listed(Text(face, style=WORM_STYLE if face == "W" else "bold") for face in faces)


def _tile(tile: Tile) -> Text:
    return with_worms(tile.value, tile.worms)


def _grill(tiles: Iterable[Tile]) -> Text:
    """The tiles that can be taken, those with as many worms together: `21 22~  25 27~~`."""
    groups = groupby(tiles, key=lambda tile: tile.worms)
    return listed((_tiles_with(worms, [*group]) for worms, group in groups), between="  ")


def _tiles_with(worms: int, tiles: list[Tile]) -> Text:
    *others, last = tiles
    return listed([*(Text(str(tile.value), style="bold") for tile in others), with_worms(last.value, worms)])


def _lost(returned: Tile | None, turned: Tile | None) -> Text:
    if returned is None:
        return Text("; it has no tile to lose")
    lost = sentence("; its ", _tile(returned), " goes back to the grill")
    return lost.append_text(sentence(", and the ", _tile(turned), " is turned over")) if turned else lost


SHOW = BratwurmeckShow
