"""What players and spectators of Bratwurmeck are shown: the view, and the events that are told as they happen."""

from typing import Literal, NamedTuple

from roost_games.bratwurmeck.sheet import Tile

Reason = Literal["bust", "no worm", "no tile"]


class View(NamedTuple):
    """The whole table. Everything in this game is public, so all seats and spectators see the same."""

    seat: int | None
    """Whose view this is; `None` for a spectator."""
    players: int
    """How many seats there are."""
    to_move: tuple[int, ...]
    """The seat whose turn it is, alone in a tuple; empty when the match is over."""
    starter: int
    """The seat that had the first turn."""
    turn: int
    """How many turns have been finished. The first turn is turn 0."""
    horizon: int
    """The number of turns after which the match ends with the stacks as they are."""
    roll_number: int
    """How many rolls this turn had before the present one."""
    grill: tuple[Tile, ...]
    """The tiles that can be taken from the grill, by rising value."""
    turned: tuple[Tile, ...]
    """The tiles that were turned over and are out of the game, the latest last."""
    stacks: tuple[tuple[Tile, ...], ...]
    """By seat, the tiles it owns from bottom to top. Only the last one, the top, can be stolen or lost."""
    aside: tuple[str, ...]
    """The dice set aside in this turn, in the order in which they were taken. Their faces cannot be taken again."""
    total: int
    """The points of the dice set aside; a worm counts 5."""
    roll: tuple[str, ...]
    """The dice on the table, sorted by face; empty when the match is over."""


class Rolled(NamedTuple):
    """A seat rolled its dice."""

    seat: int
    """Who rolled."""
    dice: tuple[str, ...]
    """The faces, sorted."""


class SetAside(NamedTuple):
    """A seat set dice aside."""

    seat: int
    """Who did."""
    face: str
    """The face that these dice show."""
    number: int
    """How many dice."""
    total: int
    """The points of all dice that the seat has set aside in this turn, including these."""


class TookTile(NamedTuple):
    """A seat took a tile from the grill."""

    seat: int
    """Who took it."""
    tile: Tile
    """Which tile."""


class Stole(NamedTuple):
    """A seat stole the top tile of another."""

    seat: int
    """Who stole."""
    victim: int
    """From whom."""
    tile: Tile
    """Which tile."""


class Failed(NamedTuple):
    """A seat's turn failed."""

    seat: int
    """Whose turn it was."""
    reason: Reason
    """Why: the roll showed only used faces (`bust`), or the seat stopped with `no worm` or with `no tile` to take."""
    returned: Tile | None
    """The tile that the seat put back on the grill; `None` if it had none."""
    turned: Tile | None
    """The tile that was turned over for it; `None` if none was: nothing was returned, or it was itself the highest."""


Event = Rolled | SetAside | TookTile | Stole | Failed
