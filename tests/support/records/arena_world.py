"""A database as an arena would leave it, made without one: three bots, six matches that count, and a voided one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.referee import Seat
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_ladder.blocks import seed_of_match
from roost_sdk import Bot, LoadedBot, LocalMatch
from roost_server.store import BlockState, FinishedMatch, NewBlock, Store, open_store


class Clumsy(Bot):
    """Crashes in every match, twice."""

    def start(self) -> None:
        self.decisions = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.decisions += 1
        if self.decisions in (2, 4):
            raise ValueError("oops")
        return legal[0]


BOTS = {
    1: LoadedBot("greedy", SAMPLES["greedy"]),
    2: LoadedBot("random", SAMPLES["random"]),
    3: LoadedBot("clumsy", Clumsy),
}
VERSIONS = {1: "0123456789abcdef", 2: "fedcba9876543210", 3: "2.0"}
FIRST_SEEN_MS = 1_700_000_000_000


class World(NamedTuple):
    """What was recorded."""

    file: Path
    replays: list[Replay]
    """In the order of recording; the last one is voided."""


def recorded(file: Path) -> World:
    """Two duels of karteneck, three matches of haecmaec with all bots, one of bratwurmeck, and a voided one."""
    replays: list[Replay] = []
    with open_store(f"sqlite:///{file}") as store:
        for number, bot in BOTS.items():
            assert store.register_version(bot.name, VERSIONS[number], FIRST_SEEN_MS) == number
        for block, game, group, rotations in (
            ("duel", "karteneck", (1, 2), 2),
            ("three", "haecmaec", (1, 2, 3), 3),
            ("dice", "bratwurmeck", (2, 3), 1),
        ):
            _open(store, block, game, group)
            for rotation in range(rotations):
                seating = group[rotation:] + group[:rotation]
                replays.append(_play(game, seating, block, rotation))
                _save(store, replays[-1], block, rotation, seating)
            store.close_block(block, BlockState.DONE)
        _open(store, "gone", "karteneck", (1, 2))
        replays.append(_play("karteneck", (1, 2), "gone", 0, voided=True))
        _save(store, replays[-1], "gone", 0, (1, 2))
        store.close_block("gone", BlockState.VOIDED)
    return World(file, replays)


def _play(game: str, seating: Sequence[int], block: str, rotation: int, *, voided: bool = False) -> Replay:
    match = LocalMatch(
        get_game(game),
        [BOTS[number] for number in seating],
        seed_of_match(seed_of(block), rotation),
        match=f"{block}{rotation}",
        tell=lambda trouble: None,
    )
    if voided:
        match.referee.void("the arena itself was late")
    else:
        match.play()
    seats = tuple(Seat(BOTS[number].name, VERSIONS[number]) for number in seating)
    return replace(match.referee.replay(), seats=seats)


def _open(store: Store, block: str, game: str, group: tuple[int, ...]) -> None:
    store.open_block(NewBlock(block, game, {}, seed_of(block).hex(), "cyclic", group, FIRST_SEEN_MS))


def _save(store: Store, replay: Replay, block: str, rotation: int, seating: tuple[int, ...]) -> None:
    started = FIRST_SEEN_MS + 1000 * rotation
    store.commit([FinishedMatch(replay, block, rotation, seating, started, started + 500)])
