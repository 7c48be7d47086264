"""What the finals come to without any fault: planned and played here, in one process, without an arena."""

from collections.abc import Iterator
from typing import NamedTuple

from roost_games.referee import Referee, Seat
from roost_games.registry import get_game
from roost_games.replay import Decision, Replay, Result, Step
from roost_ladder.blocks import Block, Rotation, seed_of_block
from roost_ladder.schedules.cycles import RoundRobin
from roost_ladder.schedules.schedule import Kind, Participants, Past
from tests.chaos.strategies import RULES
from tests.chaos.world import Games


class Played(NamedTuple):
    """A match as it had to come: who sat where, what was dealt and decided, how it ended. Times do not matter."""

    seats: tuple[str, ...]
    steps: tuple[Step, ...]
    result: Result

    @classmethod
    def of(cls, replay: Replay) -> "Played":
        steps = (step._replace(ms=None) if isinstance(step, Decision) else step for step in replay.steps)
        return cls(tuple(seat.bot for seat in replay.seats), tuple(steps), replay.result)


def planned(master: bytes, name: str, field: Participants, rounds: int) -> Iterator[Block]:
    """The finals block by block, in the order of the plan. With nothing voided their numbers are without a gap."""
    schedule = RoundRobin(seed_of_block(master, f"{name}-finals-schedule"), rounds)
    past = Past()
    while pairings := schedule.next_round(field, past):
        for pairing in pairings:
            block_id = f"{name}-finals-{past.given}"
            past.give(pairing)
            yield Block(block_id, pairing.kind.game, pairing.group, seed_of_block(master, block_id), Rotation.CYCLIC)


def play(block: Block, rotation: int, names: dict[int, str], max_faults: int, take: int) -> Played:
    """A match of a block between bots that all answer."""
    seats = [names[bot] for bot in block.seating(rotation)]
    referee = Referee(
        get_game(block.game), [Seat(name) for name in seats], block.seed_of(rotation, take), max_faults=max_faults
    )
    while not referee.over:
        for seat in referee.waiting:
            referee.answer(seat, RULES[seats[seat]](referee.legal(seat)))
    return Played.of(Replay.from_line(referee.replay().to_line()))


def kinds(games: Games) -> tuple[Kind, ...]:
    """The kinds of tables, in the order of the competition's file."""
    return tuple(Kind(game, players) for game, counts in games.items() for players in counts)
