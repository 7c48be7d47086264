"""The rules of Bratwurmeck: a match in progress and what follows from each move.

While a match runs there is always a roll on the table that leaves a choice to the seat to move. What needs no decision
(a bust, the next seat's first roll) happens within the `apply` or the start that leads to it.
"""

from collections.abc import Sequence
from random import Random
from typing import Self

from roost_games.bratwurmeck.dice import (
    DICE,
    FACE_INDEX,
    FACES,
    NO_ROLL,
    ROLLS,
    WORM_BIT,
    Roll,
    faces_of,
    roll_of,
)
from roost_games.bratwurmeck.moves import MOVES, Take, legal_moves
from roost_games.bratwurmeck.sheet import PLAYERS, TURNS_PER_PLAYER, Tile
from roost_games.bratwurmeck.view import Failed, Reason, Rolled, SetAside, Stole, TookTile, View
from roost_games.chance import Chance
from roost_games.errors import IllegalMove, MalformedMove, MoveError
from roost_games.game import SEAT_ALONE, State
from roost_games.wording import as_text

PURPOSES = tuple(
    tuple(f"roll/{turn}/{number}" for number in range(len(FACES))) for turn in range(PLAYERS[-1] * TURNS_PER_PLAYER)
)
"""`PURPOSES[turn][number]`: what chance is asked for. Formatting it each time would cost 5 % of a decision's time."""


class BratwurmeckState(State[Take, View]):
    """A match. A set of tiles is an int in which bit `v` stands for the tile with value `v`."""

    __slots__ = (
        "_aside",
        "_grill",
        "_grill_bits",
        "_legal",
        "_roll",
        "_roll_number",
        "_stacks",
        "_starter",
        "_targets",
        "_tiles",
        "_top_bits",
        "_total",
        "_turn",
        "_turned",
        "_used",
    )

    _tiles: dict[int, Tile]
    """Every tile by its value, ascending, wherever it lies. It never changes."""
    _grill_bits: int
    _grill: tuple[Tile, ...]
    """The tiles of `_grill_bits`, as views show them."""
    _turned: tuple[Tile, ...]
    _stacks: list[tuple[Tile, ...]]
    _top_bits: list[int]
    """By seat, the set that holds the top tile of its stack."""
    _starter: int
    _turn: int
    _roll_number: int
    _targets: int
    """The top tiles of all seats but the one to move."""
    _aside: tuple[str, ...]
    _used: int
    """The set of faces in `_aside`."""
    _total: int
    """The points of `_aside`."""
    _roll: Roll
    _legal: tuple[Take, ...]

    def __init__(self, players: int, tiles: Sequence[Tile], starter: int, chance: Chance) -> None:
        self.players = players
        self.to_move = ()
        self.termination = ""
        self.chance = chance
        self.events = None
        self._tiles = {tile.value: tile for tile in sorted(tiles)}
        self._set_grill(_bits(tiles))
        self._turned = ()
        self._stacks = [()] * players
        self._top_bits = [0] * players
        self._starter = starter
        self._turn = 0
        self._targets = 0
        self._pick_up_dice()

    @classmethod
    def start(cls, players: int, tiles: Sequence[Tile], chance: Chance) -> Self:
        """A new match, after its first roll."""
        state = cls(players, tiles, chance.pick("starter", range(players)), chance)
        state._begin_turn()
        return state

    @classmethod
    def resume(cls, view: View, chance: Chance) -> Self:
        """The match that `view` shows, which goes on with another source of chance."""
        tiles = [*view.grill, *view.turned, *(tile for stack in view.stacks for tile in stack)]
        state = cls(view.players, tiles, view.starter, chance)
        state._set_grill(_bits(view.grill))
        state._turned = view.turned
        for seat, stack in enumerate(view.stacks):
            state._set_stack(seat, stack)
        state._turn = view.turn
        if view.to_move:
            state._resume_turn(view)
        else:
            state._end("horizon" if view.grill else "finished")
        return state

    def _resume_turn(self, view: View) -> None:
        self._take_seat()
        self._roll_number = view.roll_number
        self._aside = view.aside
        self._used = faces_of(view.aside)
        self._total = view.total
        self._roll = roll_of(view.roll)
        self._legal = legal_moves(self._roll, self._used, self._total, self._targets)

    def legal(self, seat: int) -> Sequence[Take]:
        return self._legal if seat in self.to_move else ()

    def apply(self, seat: int, move: Take) -> None:
        if type(move) is not Take or move not in self._legal or seat not in self.to_move:
            raise self._refusal(seat, move)
        face = FACE_INDEX[move.face]
        roll = self._roll
        run = roll.runs[face]
        self._aside += run
        self._used |= 1 << face
        self._total += roll.gains[face]
        if self.events is not None:
            self.events.append(SetAside(seat, move.face, len(run), self._total))
        if move.then == "roll":
            self._roll_number += 1
            self._throw(seat, len(roll.dice) - len(run))
        else:
            self._stop(seat, move.steal)

    def _refusal(self, seat: int, move: object) -> MoveError:
        if type(move) is not Take or move not in MOVES:
            return MalformedMove(
                f"{as_text(move, 60)} is not a move of bratwurmeck; use Take(face, then) or Take(face, 'stop', steal)"
            )
        if seat not in self.to_move:
            return IllegalMove(f"seat {seat} is not to move")
        return IllegalMove(f"{move} is not possible now; possible: {', '.join(map(str, self._legal))}")

    def _begin_turn(self) -> None:
        self._throw(self._take_seat(), DICE)

    def _take_seat(self) -> int:
        """Make the seat whose turn it is the one to move."""
        seat = (self._starter + self._turn) % self.players
        self.to_move = SEAT_ALONE[seat]
        self._targets = sum(self._top_bits) - self._top_bits[seat]
        return seat

    def _throw(self, seat: int, count: int) -> None:
        rolled = self.chance.dice(PURPOSES[self._turn][self._roll_number], FACES, count)
        self._roll = roll = ROLLS[tuple(sorted(rolled))]
        if self.events is not None:
            self.events.append(Rolled(seat, roll.dice))
        self._legal = legal_moves(roll, self._used, self._total, self._targets)
        if not self._legal:
            self._fail(seat, "bust")

    def _stop(self, seat: int, steal: bool | None) -> None:
        takable = self._grill_bits & ((2 << self._total) - 1)
        if steal:
            self._steal(seat)
        elif not self._used & WORM_BIT:
            self._fail(seat, "no worm")
        elif not takable:
            self._fail(seat, "no tile")
        else:
            self._take_from_grill(seat, self._tiles[_highest(takable)])

    def _steal(self, seat: int) -> None:
        tile = self._tiles[self._total]
        victim = self._top_bits.index(1 << tile.value)
        self._set_stack(victim, self._stacks[victim][:-1])
        self._set_stack(seat, (*self._stacks[seat], tile))
        if self.events is not None:
            self.events.append(Stole(seat, victim, tile))
        self._end_turn()

    def _take_from_grill(self, seat: int, tile: Tile) -> None:
        self._set_grill(self._grill_bits ^ 1 << tile.value)
        self._set_stack(seat, (*self._stacks[seat], tile))
        if self.events is not None:
            self.events.append(TookTile(seat, tile))
        self._end_turn()

    def _fail(self, seat: int, reason: Reason) -> None:
        returned = turned = None
        if stack := self._stacks[seat]:
            returned = stack[-1]
            self._set_stack(seat, stack[:-1])
            turned = self._return_to_grill(returned)
        if self.events is not None:
            self.events.append(Failed(seat, reason, returned, turned))
        self._end_turn()

    def _return_to_grill(self, returned: Tile) -> Tile | None:
        """Put a tile back, then turn over the highest unless that is the one put back."""
        grill = self._grill_bits | 1 << returned.value
        highest = self._tiles[_highest(grill)]
        if highest == returned:
            self._set_grill(grill)
            return None
        self._set_grill(grill ^ 1 << highest.value)
        self._turned += (highest,)
        return highest

    def _end_turn(self) -> None:
        self._turn += 1
        self._pick_up_dice()
        if not self._grill_bits:
            self._end("finished")
        elif self._turn == self.players * TURNS_PER_PLAYER:
            self._end("horizon")
        else:
            self._begin_turn()

    def _end(self, termination: str) -> None:
        self.termination = termination
        self.to_move = ()

    def _pick_up_dice(self) -> None:
        self._roll_number = self._used = self._total = 0
        self._aside = ()
        self._roll = NO_ROLL
        self._legal = ()

    def _set_grill(self, bits: int) -> None:
        self._grill_bits = bits
        self._grill = tuple(tile for value, tile in self._tiles.items() if bits >> value & 1)

    def _set_stack(self, seat: int, stack: tuple[Tile, ...]) -> None:
        self._stacks[seat] = stack
        self._top_bits[seat] = _bits(stack[-1:])

    def observe(self, seat: int | None) -> View:
        return View(
            seat,
            self.players,
            self.to_move,
            self._starter,
            self._turn,
            self.players * TURNS_PER_PLAYER,
            self._roll_number,
            self._grill,
            self._turned,
            tuple(self._stacks),
            self._aside,
            self._total,
            self._roll.dice,
        )

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.players = self.players
        twin.to_move = self.to_move
        twin.termination = self.termination
        twin.chance = self.chance
        twin.events = None
        twin._tiles = self._tiles
        twin._grill_bits = self._grill_bits
        twin._grill = self._grill
        twin._turned = self._turned
        twin._stacks = self._stacks[:]
        twin._top_bits = self._top_bits[:]
        twin._starter = self._starter
        twin._turn = self._turn
        twin._roll_number = self._roll_number
        twin._targets = self._targets
        twin._aside = self._aside
        twin._used = self._used
        twin._total = self._total
        twin._roll = self._roll
        twin._legal = self._legal
        return twin

    def merits(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            (sum(tile.worms for tile in stack), max((tile.value for tile in stack), default=0))
            for stack in self._stacks
        )

    def inventory(self) -> list[str]:
        tiles = [*self._grill, *self._turned, *(tile for stack in self._stacks for tile in stack)]
        return [f"tile {tile.value} with {tile.worms}" for tile in tiles]

    def scramble(self, seat: int | None, rng: Random) -> None:
        """Nothing to do: only the coming rolls are hidden, and they are not in the state."""


def _bits(tiles: Sequence[Tile]) -> int:
    return sum(1 << tile.value for tile in tiles)


def _highest(bits: int) -> int:
    """The highest value in a set of tiles that is not empty."""
    return bits.bit_length() - 1
