"""The dice of Bratwurmeck: their faces, and what a roll offers.

Players know a face by its name ("1" to "5", "W"), this code by its index in `FACES`. Bit `i` of a set of faces
is the face with index `i`, so the highest bit is the best face: worms first, then 5 and down.
"""

from collections.abc import Iterable
from typing import NamedTuple

FACES = ("1", "2", "3", "4", "5", "W")
"""In the order of the component sheet."""
FACE_POINTS = (1, 2, 3, 4, 5, 5)
FACE_INDEX = {face: index for index, face in enumerate(FACES)}
WORM_BIT = 1 << FACE_INDEX["W"]
DICE = 8


class Roll(NamedTuple):
    """Dice on the table, in no particular order. The tuples `runs` and `gains` are by face index."""

    dice: tuple[str, ...]
    """The faces, sorted as in `FACES`."""
    shown: int
    """The set of faces that lie there."""
    runs: tuple[tuple[str, ...], ...]
    """The dice that are set aside when a face is taken."""
    gains: tuple[int, ...]
    """The points that taking a face brings."""
    reach: int
    """Bit `g` is set if some face shown brings `g` points."""


class _Rolls(dict[tuple[int, ...], Roll]):
    """Rolls by their sorted face indices, each made on first use; there are 3,003 of up to eight dice."""

    def __missing__(self, indices: tuple[int, ...]) -> Roll:
        counts = [indices.count(face) for face in range(len(FACES))]
        gains = tuple(count * points for count, points in zip(counts, FACE_POINTS, strict=True))
        roll = self[indices] = Roll(
            dice=tuple(FACES[face] for face in indices),
            shown=sum(1 << face for face, count in enumerate(counts) if count),
            runs=tuple((FACES[face],) * count for face, count in enumerate(counts)),
            gains=gains,
            reach=sum({1 << gain for gain in gains if gain}),
        )
        return roll


ROLLS = _Rolls()
NO_ROLL = ROLLS[()]


def roll_of(dice: Iterable[str]) -> Roll:
    """The roll of dice that are given by the names of their faces."""
    return ROLLS[tuple(sorted(FACE_INDEX[face] for face in dice))]


def faces_of(dice: Iterable[str]) -> int:
    """The set of faces that `dice` show."""
    return sum(1 << FACE_INDEX[face] for face in set(dice))
