"""Real bots for `ladder.py`: the sample bots, alone or among versions of them that are not always with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from roost_bots import SAMPLES
from roost_games.registry import get_game
from roost_ladder.blocks import Block, seed_of_block
from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.schedules.cycles import RoundRobin
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past
from roost_sdk import Bot
from roost_sdk.load import LoadedBot, load_bot
from roost_sdk.local import LocalMatch
from roost_sdk.seat import method_for, seat_bot

NAMES = ("random", "timid", "greedy", "careful")
"""Those that answer within microseconds, so that very many matches can be played."""
DISTRACTED = (0.1, 0.25, 0.5)
"""In what part of its decisions a bot does anything."""
LONG_RUN = 3_000
"""Blocks from which the true order is taken."""


@dataclass(frozen=True, slots=True)
class SampleField:
    """Bots that play one game at tables of several sizes. They are numbered in the order of `bots`."""

    name: str
    bots: tuple[LoadedBot, ...]
    kinds: tuple[Kind, ...]

    @property
    def field(self) -> Participants:
        """Who plays at which tables."""
        return Participants(tuple(range(len(self.bots))), self.kinds)

    def blocks(self, seed: int, pairings: Sequence[Pairing], first_block: int) -> list[MatchResult]:
        """Plays these blocks, every deal in each rotation."""
        blocks = [self._block(seed, first_block + index, pairing) for index, pairing in enumerate(pairings)]
        return [self._play(block, rotation) for block in blocks for rotation in range(block.rotations)]

    def matches(self, seed: int, pairings: Sequence[Pairing], first_block: int) -> list[MatchResult]:
        """Plays one match for each of these, every one with a deal of its own."""
        return [self._play(self._block(seed, first_block + index, each), 0) for index, each in enumerate(pairings)]

    def _block(self, seed: int, number: int, pairing: Pairing) -> Block:
        master = f"{self.name} {seed}".encode()
        return Block(f"block {number}", pairing.kind.game, pairing.group, seed_of_block(master, str(number)))

    def _play(self, block: Block, rotation: int) -> MatchResult:
        seating = block.seating(rotation)
        places = LocalMatch(get_game(block.game), [self.bots[bot] for bot in seating], block.seed).play().places
        return MatchResult(block.block_id, block.game, seating, places)


def sample_fields(game: str) -> tuple[SampleField, SampleField]:
    """Two fields, each with the strongest first: the sample bots, and these among distracted ones."""
    kinds = tuple(Kind(game, players) for players in (2, 3, 4))
    samples = tuple(load_bot(name, SAMPLES) for name in NAMES)
    thinking = [bot for bot in samples if bot.name != "random"]
    distracted = tuple(_distracted(bot, share) for bot in thinking for share in DISTRACTED)
    return (
        _in_true_order(SampleField(f"{game}, the sample bots", samples, kinds)),
        _in_true_order(SampleField(f"{game}, these and distracted ones", samples + distracted, kinds)),
    )


def _in_true_order(bots: SampleField) -> SampleField:
    """From a very long run that nothing else uses."""
    results: list[MatchResult] = []
    for kind in bots.kinds:
        groups = RoundRobin(times=None).next_round(Participants(bots.field.bots, (kind,)), Past())
        rounds = -(-LONG_RUN // len(bots.kinds) // len(groups))
        pairings = list(islice(groups, LONG_RUN)) * rounds
        results += bots.blocks(-1, pairings, len(results))
    record = gather(results)
    strengths = dict(zip(record.bots.tolist(), fit(record).strengths.tolist(), strict=True))
    order = sorted(strengths, key=strengths.__getitem__, reverse=True)
    return SampleField(bots.name, tuple(bots.bots[bot] for bot in order), bots.kinds)


def _distracted(bot: LoadedBot, share: float) -> LoadedBot:
    class Distracted(Bot):
        def start(self) -> None:
            self.attentive = seat_bot(bot.bot_class, self.game, self.seat, self.players, self.rng)
            self.attentive.start()

        def choose(self, view: object, legal: Sequence[object]) -> object:
            if self.rng.random() < share:
                return self.rng.choice(legal)
            return method_for(self.attentive, self.game)(view, legal)

    return LoadedBot(f"{bot.name}, {share:.0%} distracted", Distracted)
