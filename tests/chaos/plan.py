"""What goes wrong when: a plan that follows from a seed, so that a run that found something can be run again."""

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple

from tests.chaos.strategies import STEADY


class Kind(StrEnum):
    """A way in which something fails."""

    KILL_ARENA = "kill -9 the arena"
    STOP_ARENA = "SIGSTOP the arena"
    FULL_DISK = "fill the disk"
    KILL_BOT = "kill -9 a bot"
    STOP_BOT = "SIGSTOP a bot"
    DROP = "drop a bot's connection"
    DELAY = "delay a bot's connection"
    CORRUPT = "corrupt a bot's connection"


SECONDS: dict[Kind, tuple[float, float]] = {
    Kind.KILL_ARENA: (0.0, 1.0),
    Kind.STOP_ARENA: (0.3, 1.5),
    Kind.FULL_DISK: (0.5, 2.0),
    Kind.STOP_BOT: (0.1, 1.5),
    Kind.DELAY: (0.1, 1.5),
}
"""How long it lasts; what is not here is a matter of a moment. A bot never loses all the time that a match gives it."""
NOT_IN_FINALS = frozenset({Kind.KILL_BOT})
"""A bot that is killed forgets its matches and forfeits them. What is left changes no result, and that is checked."""


class Fault(NamedTuple):
    """Something that fails."""

    at: float
    """In seconds after the phase has begun."""
    kind: Kind
    bot: str
    """Whom it concerns, if it concerns a bot."""
    seconds: float

    def __str__(self) -> str:
        whom = f" ({self.bot})" if "bot" in self.kind else ""
        lasting = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"{self.at:6.1f} s  {self.kind}{whom}{lasting}"


def make_plans(
    seed: int, ladder_seconds: float, finals_seconds: float, each: int = 1
) -> tuple[list[Fault], list[Fault]]:
    """Every kind of fault `each` times on the ladder, and in the finals those that must not change a result."""
    rng = Random(f"chaos plan {seed}")
    harmless = [kind for kind in Kind if kind not in NOT_IN_FINALS]
    return _plan(rng, tuple(Kind), ladder_seconds, each), _plan(rng, harmless, finals_seconds, each)


def _plan(rng: Random, kinds: Sequence[Kind], seconds: float, each: int) -> list[Fault]:
    return sorted(
        Fault(rng.uniform(0.0, seconds), kind, rng.choice(STEADY), rng.uniform(*SECONDS.get(kind, (0.0, 0.0))))
        for kind in kinds
        for _ in range(each)
    )
