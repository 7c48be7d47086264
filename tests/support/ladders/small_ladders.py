"""Small ladders for tests: the bots of `tests/support/ladders/bots` and the samples, played in worker processes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_ladder.blocks import Rotation
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.running.book import Book, MemoryBook
from roost_ladder.running.engine import Executor, FixedExecutor
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.process import WORKER_PROCESSES
from roost_ladder.running.rounds import Budget, RunEnd
from roost_ladder.running.workers import local_executor, play
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past
from roost_sdk.troubles.log import Trouble

FOLDER = Path(__file__).with_name("bots")
CALM = MatchLimits(Clock(decision_ms=20_000, bank_ms=60_000), memory_mb=150)
"""No bot is late because the machine is busy."""
STRICT = CALM._replace(clock=Clock(decision_ms=1_000, bank_ms=1_000))
"""Two seconds for a decision: a bot that hangs is stopped soon."""
LASTING = ThreadPoolExecutor(1)


class InTurn:
    """A schedule with nothing to decide: everybody against the next one, round after round, at each kind of table."""

    def __init__(self, rounds: int = 1_000) -> None:
        self._rounds = rounds

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        bots = list(field.bots)
        turn = past.given
        if turn >= self._rounds * len(bots) or len(bots) < 2:
            return []
        return [
            Pairing(kind, tuple((bots * 2)[first : first + kind.players]))
            for first in range(len(bots))
            for kind in field.kinds
            if kind.players <= len(bots)
        ]


def bot(name: str, *, trusted: bool = False) -> BotSpec:
    """A bot of the folder, whose class is called like its file."""
    return BotSpec(name, "v1", str(FOLDER / f"{name}.py"), name.title(), trusted)


def fixture(*names: str, game: str = "karteneck", match: str = "m1", trusted: bool = False) -> Fixture:
    seats = tuple(bot(name, trusted=trusted) for name in names)
    return Fixture(match, game, seats, seed_of("fixtures"), get_game(game).options({}))


@lru_cache
def entrants(texts: tuple[str, ...]) -> tuple[Entrant, ...]:
    """Samples, and bots of the folder."""
    named = [text if text in SAMPLES else str(FOLDER / f"{text}.py") for text in texts]
    return tuple(find_entrants(named, SAMPLES).bots)


def setup(
    texts: Sequence[str],
    *,
    kinds: Sequence[Kind] = (Kind("karteneck", 2), Kind("karteneck", 3)),
    limits: MatchLimits = CALM,
    seed: str = "spring",
    rounds: int = 1_000,
    rotation: Rotation = Rotation.CYCLIC,
) -> Setup:
    options = {kind.game: get_game(kind.game).options({}) for kind in kinds}
    return Setup(entrants(tuple(texts)), tuple(kinds), seed, InTurn(rounds), "in turn", options, rotation, limits)


def lasting_executor() -> Executor:
    """A worker that stays for the next run: to start one, and the bots' processes, takes longer than most runs."""
    WORKER_PROCESSES.allow()
    return FixedExecutor(lambda job: LASTING.submit(play, job), 1)


class Watched:
    """A run that has been played, and what was told about it. It has workers of its own if it says how many."""

    def __init__(
        self,
        given: Setup,
        budget: Budget,
        *,
        book: Book | None = None,
        workers: int | None = None,
        look: Callable[[Ladder], None] = lambda ladder: None,
    ) -> None:
        self.troubles: list[Trouble] = []
        self.ladder = Ladder(given, book or MemoryBook(), lambda trouble, match: self.troubles.append(trouble))
        self.ending: RunEnd | None = None
        with local_executor(workers) if workers else nullcontext(lasting_executor()) as executor:
            self.ending = self.ladder.play(executor, budget, lambda: look(self.ladder))

    @property
    def names(self) -> list[str]:
        return [entrant.spec.name for entrant in self.ladder.setup.entrants]


def timeless(facts: Sequence[MatchFacts]) -> list[MatchFacts]:
    """Facts without how long it took, which is never the same twice."""
    return [match._replace(thinking_ms=()) for match in facts]
