"""The moves of Bratwurmeck: which are legal on a roll, and how a replay writes them.

There are only 24 moves. Each exists once, in `MOVES`, and lists of legal moves consist of these.
"""

from functools import cache
from typing import Literal, NamedTuple

from roost_games.bratwurmeck.dice import FACE_INDEX, FACES, WORM_BIT, Roll
from roost_games.errors import MalformedMove
from roost_games.game import JsonValue


class Take(NamedTuple):
    """Set aside all dice that show a face, then roll the rest or stop."""

    face: str
    """The face: "1" to "5", or "W" for worms. It must be on the table, and not set aside before."""
    then: Literal["roll", "stop"]
    """Whether to roll the dice that are left, or to end the turn with the total reached."""
    steal: bool | None = None
    """Where stopping could steal an opponent's top tile: whether it does. `None` in every other move."""


MOVES = tuple(
    move
    for face in FACES
    for move in (Take(face, "roll"), Take(face, "stop"), Take(face, "stop", True), Take(face, "stop", False))
)
"""Every move, four for each face."""
CANONICAL = {move: move for move in MOVES}


@cache
def _listed(free: int, can_roll: bool, stealing: int) -> tuple[Take, ...]:
    """The moves that take one of the `free` faces. Stops with one of the `stealing` ones say whether they steal."""
    moves: list[Take] = []
    for face in range(len(FACES)):
        roll, stop, steal, decline = MOVES[4 * face : 4 * face + 4]
        if free >> face & 1:
            moves += [roll] if can_roll else []
            moves += [steal, decline] if stealing >> face & 1 else [stop]
    return tuple(moves)


def _can_roll(shown: int, used: int) -> bool:
    """Whether another roll may follow: there must be dice left, and an unused face."""
    return shown.bit_count() > 1 and used.bit_count() < len(FACES) - 1


FACE_SETS = range(1 << len(FACES))
WITHOUT_STEALING = tuple(
    tuple(_listed(shown & ~used, _can_roll(shown, used), 0) for shown in FACE_SETS) for used in FACE_SETS
)
"""`WITHOUT_STEALING[used][shown]`: the legal moves where no stop can steal, which is nearly always."""


def legal_moves(roll: Roll, used: int, total: int, targets: int) -> tuple[Take, ...]:
    """The legal moves on `roll`, by rising face; none if it shows only used faces, which fails the turn.

    `used` is the set of faces set aside, `total` their points. `targets` has bit `v` set if the tile with value `v`
    lies on top of an opponent's stack.
    """
    within_reach = targets >> total
    if not within_reach & roll.reach:
        return WITHOUT_STEALING[used][roll.shown]
    free = roll.shown & ~used
    with_worm = free if used & WORM_BIT else free & WORM_BIT
    stealing = sum(1 << face for face, gain in enumerate(roll.gains) if within_reach >> gain & 1)
    return _listed(free, _can_roll(roll.shown, used), stealing & with_worm)


def encode_move(move: Take) -> dict[str, JsonValue]:
    """`move` as a replay shows it."""
    encoded: dict[str, JsonValue] = {"take": move.face, "then": move.then}
    if move.steal is not None:
        encoded["steal"] = bool(move.steal)
    return encoded


def decode_move(data: JsonValue) -> Take:
    """The move in a replay's JSON, legal or not. Raises `MalformedMove`."""
    match data:
        case {"take": str(face), "then": "roll", **rest} if face in FACE_INDEX and not rest:
            return CANONICAL[Take(face, "roll")]
        case {"take": str(face), "then": "stop", **rest} if face in FACE_INDEX and not rest:
            return CANONICAL[Take(face, "stop")]
        case {"take": str(face), "then": "stop", "steal": bool(steal), **rest} if face in FACE_INDEX and not rest:
            return CANONICAL[Take(face, "stop", steal)]
    raise MalformedMove(
        'a move is {"take": face, "then": "roll" or "stop"} with a face of "1" to "5" or "W"; '
        'a stop that could steal has "steal": true or false as well'
    )
