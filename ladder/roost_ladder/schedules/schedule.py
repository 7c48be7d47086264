"""What every schedule is: a rule that says, from who takes part and what has been played, which blocks come next.

A schedule plans in rounds. It is asked for a round when everything of the rounds before it is known, so what it says
does not depend on who played its blocks, in what order, on how many cores. A run that is interrupted asks the same
questions again, gets the same answers, and goes on where it stopped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from roost_ladder.results import MatchResult


class Kind(NamedTuple):
    """A kind of table."""

    game: str
    players: int


class Pairing(NamedTuple):
    """A block that is to be played: who meets at what kind of table."""

    kind: Kind
    group: tuple[int, ...]
    """The bots in the order in which they sit in the first match."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, and at which tables."""

    bots: tuple[int, ...]
    """By any numbers that identify them."""
    kinds: tuple[Kind, ...]
    owners: Mapping[int, str] = field(default_factory=dict)
    """Bots of one owner do not meet. A bot that is not named here may meet everybody."""
    plays: Mapping[int, frozenset[Kind]] = field(default_factory=dict)
    """The kinds of tables that a bot sits down at. A bot that is not named here plays all of them."""


class Past(NamedTuple):
    """What has happened so far."""

    pairings: Sequence[Pairing]
    """Every block that has been given out, in order; also those that were voided or have not ended yet."""
    results: Sequence[MatchResult]
    """The matches that count, in any order."""


class Schedule(Protocol):
    """A way to choose blocks. It is a value: all that it remembers is in its arguments."""

    def next_round(self, field: Field, past: Past) -> Sequence[Pairing]:
        """The blocks to play next, or none if the schedule is at its end."""
