"""A database with two simulated competitions: in `spring` the crow helps the magpie, in `autumn` nobody does."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from benchmarks.simulations.collusion import ROUGH, SOME, Case, field
from roost_games.replay import FINISHED, Replay, Result, Seat
from roost_ladder.rating.results import MatchResult
from roost_server.store import BlockClosed, BlockState, FinishedMatch, NewBlock, Planned, Store, open_store
from roost_server.store.models import COMPETITION

BOTS = ("crow", "magpie", "heron", "robin", "swift", "stork", "finch", "kite")
"""Bot versions 1 to 8. In the simulation the bot 0 helps the bot 1."""
SEED = "5e" * 32
GAME = "karteneck"
PHASES = ("ladder", "finals")
"""The finals have the last block of each competition alone."""


def recorded(file: Path) -> Path:
    """The database, written to `file`."""
    rng = np.random.default_rng(8)
    with open_store(f"sqlite:///{file}") as store:
        for number, name in enumerate(BOTS, 1):
            assert store.register_version(name, "1.0", 5) == number
        for id, (name, help) in enumerate((("spring", 200), ("autumn", 0)), 1):
            _begin(store, id, name)
            results = field(Case(name, len(BOTS), SOME, ROUGH, help=help), rng)
            _save(store, id, [result._replace(block_id=f"{name} {result.block_id}") for result in results])
    return file


def _begin(store: Store, id: int, name: str) -> None:
    row = {"document": "", "seed": SEED, "commitment": SEED, "phase": PHASES[1], "created_ms": 5}
    with store.writing() as connection:
        connection.execute(insert(COMPETITION).values(id=id, name=name, **row))


def _save(store: Store, competition_id: int, results: Sequence[MatchResult]) -> None:
    blocks = {result.block_id: tuple(bot + 1 for bot in result.bots) for result in reversed(results)}
    serials = {block_id: serial for serial, block_id in enumerate(reversed(blocks))}
    store.commit(
        [
            NewBlock(block_id, GAME, {}, SEED, "cyclic", group, 5, Planned(competition_id, phase, serials[block_id]))
            for block_id, group in blocks.items()
            for phase in PHASES[serials[block_id] == len(blocks) - 1 :][:1]
        ]
    )
    store.commit([_match(number, result) for number, result in enumerate(results)])
    store.commit([BlockClosed(block_id, BlockState.DONE) for block_id in blocks])


def _match(number: int, result: MatchResult) -> FinishedMatch:
    seats = tuple(Seat(BOTS[bot], "1.0") for bot in result.bots)
    outcome = Result(result.places, tuple(10 - place for place in result.places), FINISHED, (), ())
    replay = Replay(GAME, {}, f"{result.block_id} {number}", seats, (), outcome, SEED)
    return FinishedMatch(replay, result.block_id, number, tuple(bot + 1 for bot in result.bots), 5, 6)
