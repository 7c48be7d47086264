"""A simulated competition with duplicate deals and owners: in `guilty` four things are wrong, in `honest` none is.

The crow remembers deals, the magpie has other code from the middle on, the heron has matches voided, and the robin and
the swift have the same code. Everybody else plays for itself and takes its time.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sqlalchemy import update

from benchmarks.simulations.suspicions import DEALT, Chance, Memory
from roost_games.replay import FINISHED, VOIDED, Decision, Fault, FaultEntry, Replay, Result, Seat
from roost_ladder.rating.results import MatchResult
from roost_server.accounts import owners
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.store import BlockClosed, BlockState, FinishedMatch, NewBlock, Planned, Store, open_store
from roost_server.store.models import COMPETITION

BOTS = ("crow", "magpie", "heron", "robin", "swift", "stork", "finch", "kite")
OWNERS = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal")
"""Bot versions 1 to 8. In the simulation the bot 0 remembers deals."""
MAGPIE, HERON, ROBIN, SWIFT, KITE = 2, 3, 4, 5, 8
CUP = """
name = "cup"
deals = "duplicate"
[[games]]
game = "karteneck"
players = [3]
[[phases]]
phase = "ladder"
[[phases]]
phase = "done"
"""
SEED = "5e" * 32
BLOCKS = 240
VOIDS_BY_CHANCE, VOIDS_CAUSED = 8, 10
MINUTE_MS = 60_000
BEGAN_MS = 1_799_280_000_000
"""The beginning of 7 January 2027 in UTC."""
TYPICAL_MS = 40.0


class Plot(NamedTuple):
    """What is wrong."""

    memory: float = 0.0
    """By how many points the crow is stronger in later matches of a deal."""
    slower: float = 1.0
    """How much longer the magpie takes from the middle on."""
    voids: int = 0
    """How many matches are voided by the heron's doing."""
    same_code: bool = False


GUILTY = Plot(memory=500, slower=4.0, voids=VOIDS_CAUSED, same_code=True)
HONEST = Plot()


def version_of(bot: int, plot: Plot) -> str:
    """The fingerprint that a bot declares."""
    code = ROBIN if plot.same_code and bot == SWIFT else bot
    return sha256(BOTS[code - 1].encode()).hexdigest()[:16]


def recorded(file: Path, plot: Plot) -> Path:
    """The database of the competition, which is done, written to `file`."""
    rng = np.random.default_rng(4)
    results = list(Memory("cup", len(BOTS), 3, BLOCKS, DEALT, gain=plot.memory).results(rng))
    with open_store(f"sqlite:///{file}") as store:
        _enter(store, plot)
        _save(store, [list(_matches(rng, serial, block, plot)) for serial, block in enumerate(results)])
        with store.writing() as connection:
            connection.execute(update(COMPETITION).values(phase="done"))
    return file


def _enter(store: Store, plot: Plot) -> None:
    competition = ledger.draw_up(store, parse_competition(CUP), CUP)
    for number, (name, owner) in enumerate(zip(BOTS, OWNERS, strict=True), 1):
        owner_id = owners.add_owner(store, owner, "test")
        bot = owners.add_bot(store, owner, name, "test")
        assert store.register_version(name, version_of(number, plot), 5, bot_id=bot.id) == number
        ledger.enter(store, competition, bot.id, owner_id)


def _save(store: Store, blocks: list[list[FinishedMatch]]) -> None:
    store.commit([_block(serial, block[0]) for serial, block in enumerate(blocks)])
    store.commit([match for block in blocks for match in block])
    store.commit([BlockClosed(block[0].block_id, BlockState.DONE) for block in blocks])


def _block(serial: int, first: FinishedMatch) -> NewBlock:
    plan = Planned(1, "ladder", serial)
    group = first.version_ids
    return NewBlock(first.block_id, "karteneck", {}, SEED, "cyclic", group, first.started_ms, plan, deals="duplicate")


def _matches(rng: Chance, serial: int, block: list[MatchResult], plot: Plot) -> Iterator[FinishedMatch]:
    """The matches of a block. Now and then the first is voided before; so are some more with the heron."""
    bots = tuple(bot + 1 for bot in block[0].bots)
    if (asked := _asked_in_void(rng, serial, bots, plot)) is not None:
        yield _match(rng, serial, 0, bots, Result((), (), VOIDED, (), (), asked=(asked,)), plot, again="v")
    for rotation, result in enumerate(block):
        faults = (FaultEntry(0, result.bots.index(KITE - 1), Fault.LATE),) if KITE - 1 in result.bots else ()
        outcome = Result(
            result.places, tuple(10 - place for place in result.places), FINISHED, (), faults[: serial % 2]
        )
        yield _match(rng, serial, rotation, tuple(bot + 1 for bot in result.bots), outcome, plot)


def _asked_in_void(rng: Chance, serial: int, bots: tuple[int, ...], plot: Plot) -> int | None:
    """The seat that is being asked when the match is voided; `None` if it is not. Everybody thinks as long."""
    every = BLOCKS // VOIDS_BY_CHANCE
    if HERON in bots and serial % every in range(1, 1 + plot.voids):
        return bots.index(HERON)
    return int(rng.integers(3)) if serial % every == 0 else None


def _match(
    rng: Chance, serial: int, rotation: int, bots: tuple[int, ...], result: Result, plot: Plot, again: str = ""
) -> FinishedMatch:
    times = TYPICAL_MS * rng.lognormal(0, 0.4, 3)
    if MAGPIE in bots and serial >= BLOCKS // 2:
        times[bots.index(MAGPIE)] *= plot.slower
    steps = tuple(Decision(seat, {"pass": True, "steal": False}, float(round(ms, 1))) for seat, ms in enumerate(times))
    seats = tuple(Seat(BOTS[bot - 1], version_of(bot, plot), OWNERS[bot - 1]) for bot in bots)
    replay = Replay("karteneck", {}, f"m{serial}-{rotation}{again}", seats, steps, result, SEED)
    began = BEGAN_MS + MINUTE_MS * (4 * serial + rotation)
    return FinishedMatch(replay, f"block {serial:03}", rotation, bots, began, began + MINUTE_MS // 2)
