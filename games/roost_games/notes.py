"""What a referee notes while a match runs, and how that becomes the steps of a replay.

The notes keep what is at hand at that moment: moves as the game's own values, dice as they fell. They become steps only
when someone looks at the steps, and text only when the replay is written, which is all that most matches need.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, overload

from roost_games.chance import Outcome, Recording, Tape, outcome_name
from roost_games.game import Game, MoveT
from roost_games.replay import Decision, LazySteps, Notation, Step, decision_text, outcome_text

Roll = tuple[str, Sequence[str], bytes]
"""Purpose, faces and the indices rolled."""
Taken = tuple[int, MoveT, float, bool]
"""A decision: seat, move, milliseconds, and whether the fallback made it."""
Note = Outcome | Roll | Taken[MoveT]


class NotedChance(Recording):
    """Notes rolls as they fall, without naming them: 1 us less for each roll."""

    __slots__ = ("_dice", "_note")

    def __init__(self, tape: Tape, note: Callable[[Outcome | Roll], None]) -> None:
        super().__init__(tape, note)
        self._dice = tape.dice
        self._note = note

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        rolled = self._dice(purpose, faces, count)
        self._note((purpose, faces, rolled))
        return rolled


class NotedSteps(LazySteps):
    """The steps of a match that is over, from the notes of its referee. It equals the tuple of the same steps."""

    __slots__ = ("_game", "_notes", "_words")

    def __init__(self, game: Game[Any, Any, Any], notes: Sequence[Note[Any]]) -> None:
        self._game = game
        self._notes = notes
        self._words: tuple[Step, ...] | None = None

    def __len__(self) -> int:
        return len(self._notes)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self._in_words()[index]

    def __iter__(self) -> Iterator[Step]:
        return iter(self._in_words())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotedSteps | tuple) and self._in_words() == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # moves in replay notation have none

    def __repr__(self) -> str:
        return repr(self._in_words())

    def __reduce__(self) -> tuple[type[tuple[Step, ...]], tuple[tuple[Step, ...]]]:
        return tuple, (self._in_words(),)

    def _in_words(self) -> tuple[Step, ...]:
        if self._words is None:
            notation = notation_of(self._game)
            self._words = tuple([_in_words(note, notation) for note in self._notes])
        return self._words

    def texts(self) -> list[str]:
        opening = opening_of(self._game)
        texts = []
        for note in self._notes:
            if len(note) == 4:
                seat, move, ms, fallback = note
                ending = _ending(int(ms * 1000.0 + 0.5)) if 0.0 < ms < math.inf else "}"
                texts.append(opening(seat, move, fallback) + ending)
            else:
                texts.append(outcome_text(note) if isinstance(note, Outcome) else _roll_text(note))
        return texts

    def own_times(self) -> list[tuple[int, float]]:
        return [
            (note[0], int(note[2] * 1000.0 + 0.5) / 1000.0 if 0.0 < note[2] < math.inf else 0.0)
            for note in self._notes
            if len(note) == 4 and not note[3]
        ]


@cache
def notation_of(game: Game[MoveT, Any, Any]) -> Callable[[MoveT], Notation]:
    """How moves of `game` are written in replays. Cached, since most matches consist of a few different moves."""

    @lru_cache(maxsize=1 << 12)
    def notation(move: MoveT) -> Notation:
        return Notation(game.encode_move(move))

    return notation


@cache
def opening_of(game: Game[MoveT, Any, Any]) -> Callable[[int, MoveT, bool], str]:
    """The beginning of a decision in a line of JSON: all but its time and the last brace. Cached like `notation_of`."""
    notation = notation_of(game)

    @lru_cache(maxsize=1 << 14)
    def opening(seat: int, move: MoveT, fallback: bool) -> str:
        return decision_text(seat, notation(move).text, None, fallback)[:-1]

    return opening


@lru_cache(maxsize=1 << 12)
def _ending(thousandths: int) -> str:
    """The end of a decision that took this many thousandths of a millisecond."""
    return f',"ms":{thousandths / 1000.0!r}}}'


def _in_words(note: Note[Any], notation: Callable[[Any], Notation]) -> Step:
    if isinstance(note, Outcome):
        return note
    if len(note) == 3:
        return _rolled(note)
    seat, move, ms, fallback = note
    return Decision(seat, notation(move), _measured(ms), fallback)


def _rolled(roll: Roll) -> Outcome:
    purpose, faces, rolled = roll
    return Outcome(outcome_name(purpose), tuple([faces[die] for die in rolled]))


def _roll_text(roll: Roll) -> str:
    """The same as `outcome_text(_rolled(roll))`, in half the time."""
    purpose, faces, rolled = roll
    shown = _known_faces(tuple(faces))
    return f"{_roll_opening(purpose)}{','.join([shown[die] for die in rolled])}]}}"


@lru_cache(maxsize=1 << 12)
def _roll_opening(purpose: str) -> str:
    return outcome_text(Outcome(outcome_name(purpose), ()))[:-2]


@lru_cache(maxsize=16)
def _known_faces(faces: tuple[str, ...]) -> list[str]:
    return [json.dumps(face) for face in faces]


def _measured(ms: float) -> float | None:
    """Rounded to thousandths; `None` if nothing was measured. `round` takes twice the time."""
    return int(ms * 1000.0 + 0.5) / 1000.0 if 0 < ms < math.inf else None
