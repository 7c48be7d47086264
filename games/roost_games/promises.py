"""What `game.py` promises about every game. `conformance.check_game` says which one a game breaks."""

from enum import StrEnum

from roost_games.errors import RoostError


class Promise(StrEnum):
    """What `game.py` promises, as a `ConformanceError` names it."""

    OPTIONS = "options survive their JSON, and unknown ones are refused"
    PLAYERS = "player counts that cannot be played are refused"
    TURNS = "to_move lists seats in ascending order, and only they may move"
    LEGAL = "legal moves are exactly what apply accepts"
    REFUSAL = "a refused move raises MoveError and changes nothing"
    CONSERVATION = "nothing is lost and nothing appears"
    NO_LEAK = "views leak nothing"
    VIEW = "the view alone gives the legal moves"
    FALLBACK = "the fallback is legal"
    NOTATION = "moves survive their JSON"
    VALUES = "moves, views and events are immutable values"
    COPY = "a copy is independent"
    SAME_SEED = "the same seed gives the same match"
    PURPOSES = "chance is asked once for each purpose, about items in replay notation"
    SIMULTANEOUS = "simultaneous answers are unseen, and their order does not matter"
    DETERMINISE = "a determinised state fits the view and can be played"
    MERITS = "every seat has its merits"
    END = "a match ends"
    NO_CRASH = "the game raises no errors of its own"


class ConformanceError(RoostError, AssertionError):
    """A game breaks a promise."""

    def __init__(self, promise: Promise, message: str) -> None:
        super().__init__(message)
        self.promise = promise
