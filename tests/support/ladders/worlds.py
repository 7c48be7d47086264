"""Simulated worlds: bots of known strength that play blocks of deals.

In a match everybody's performance is the sum of its strength and its fortune, and the best performance wins. A fortune
is a draw from the standard Gumbel distribution. So the odds that one bot finishes ahead of another are exactly
exp(difference of strengths) to 1, no matter who else plays (this is the Plackett-Luce model), and stay so whatever part
of the fortunes the matches of one deal have in common. Advantages of seats, ties and fortunes of another distribution
disturb it a little, as in real games; for such worlds the true ratings are those of a very long run.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.schedule import Pairing, Participants, Past, Schedule

GAMES = ("bratwurmeck", "haecmaec", "karteneck")
Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class World(NamedTuple):
    """Who plays, and how matches go."""

    strengths: tuple[float, ...]
    """On the scale of natural logarithms of odds. Bots are numbered from 0."""
    luck: float = 0.0
    """How often a fortune is the one that the deal has for the seat: shared luck."""
    style: float = 0.0
    """How often a fortune is the one that the deal has for the bot: some deals suit a bot, wherever it sits."""
    seat: float = 0.0
    """By how much the first seat is better than the last."""
    grid: float = 0.0
    """Performances are rounded to multiples of this, so that some are equal."""
    normal: bool = False
    """Fortunes have the normal distribution, with the variance of the other one."""

    def fortunes(self, rng: np.random.Generator, *shape: int) -> Floats:
        """An array of fortunes of this shape."""
        return rng.normal(scale=np.pi / np.sqrt(6), size=shape) if self.normal else rng.gumbel(size=shape)


def play(world: World, rng: np.random.Generator, groups: Indices, deals: Floats | None = None) -> Indices:
    """Places by block, rotation and seat. A group is in the order of the seats in the first match.

    `deals` are the fortunes that each deal has, by seat and by bot of the group; drawn if they are not given.
    """
    blocks, players = groups.shape
    rotations = (np.arange(players)[:, None] + np.arange(players)) % players
    seats = np.broadcast_to(np.arange(players), rotations.shape)
    of_seat, of_bot = world.fortunes(rng, 2, blocks, players) if deals is None else deals
    kind = rng.random((blocks, players, players))
    fortune = world.fortunes(rng, blocks, players, players)
    fortune = np.where(kind < world.luck + world.style, of_bot[:, rotations], fortune)
    fortune = np.where(kind < world.luck, of_seat[:, seats], fortune)
    advantage = world.seat * np.linspace(0.5, -0.5, players)
    performance = np.array(world.strengths)[groups[:, rotations]] + advantage + fortune
    if world.grid:
        performance = np.round(performance / world.grid)
    better: Indices = (performance[..., None, :] > performance[..., :, None]).sum(axis=-1)
    return better + 1


def random_groups(world: World, rng: np.random.Generator, players: int, blocks: int) -> Indices:
    """Groups of bots drawn at random."""
    return np.argsort(rng.random((blocks, len(world.strengths))), axis=1)[:, :players]


def results_of(world: World, rng: np.random.Generator, groups: Indices, first_block: int = 0) -> list[MatchResult]:
    """The matches of one block for each group, with blocks numbered from `first_block`."""
    places = play(world, rng, groups).tolist()
    return [
        MatchResult(f"block {block}", "simulated", tuple(group[rotation:] + group[:rotation]), tuple(of_match))
        for block, group, of_block in zip(count(first_block), groups.tolist(), places, strict=False)
        for rotation, of_match in enumerate(of_block)
    ]


def ladder(world: World, rng: np.random.Generator, blocks: Mapping[int, int]) -> list[MatchResult]:
    """A ladder of random groups: `blocks` for each number of players."""
    results: list[MatchResult] = []
    for players, number in blocks.items():
        results += results_of(world, rng, random_groups(world, rng, players, number), first_block=len(results))
    return results


def play_pairings(
    world: World, rng: np.random.Generator, pairings: Sequence[Pairing], first_block: int = 0
) -> list[MatchResult]:
    """The matches of these blocks in their order, under cyclic rotations, with blocks numbered from `first_block`."""
    by_block: dict[int, list[MatchResult]] = {}
    for kind in sorted({pairing.kind for pairing in pairings}):
        some = [(block, pairing.group) for block, pairing in enumerate(pairings, first_block) if pairing.kind == kind]
        places = play(world, rng, np.array([group for _, group in some])).tolist()
        for (block, group), of_block in zip(some, places, strict=True):
            by_block[block] = [
                MatchResult(f"block {block}", kind.game, group[turn:] + group[:turn], tuple(of_match))
                for turn, of_match in enumerate(of_block)
            ]
    return [result for block in sorted(by_block) for result in by_block[block]]


def run(
    schedule: Schedule, field: Participants, world: World, rng: np.random.Generator, matches: int
) -> Iterator[Past]:
    """A run of a schedule: what has happened after each of its rounds, until it or the matches are at their end."""
    past = Past()
    while past.ended < matches and (pairings := schedule.next_round(field, past)):
        results = play_pairings(world, rng, pairings, past.given)
        for pairing in pairings:
            past.give(pairing)
        past.finish(results)
        yield past


def simulated_facts(bots: int, blocks: int, seed: int = 1, games: tuple[str, ...] = GAMES) -> list[MatchFacts]:
    """Facts for statistics and reports: places by strength, everything else made up.

    Some blocks at tables of 2, 3 and 4, in mixed order. The last bot makes faults and forfeits now and then.
    """
    rng = np.random.default_rng(seed)
    world = World(tuple(rng.normal(0, 0.7, bots).tolist()), luck=0.3, style=0.2, seat=0.4, grid=0.4)
    facts: list[MatchFacts] = []
    for block in range(blocks):
        players = 2 + block % min(3, bots - 1)
        game = games[block // 3 % len(games)]
        for result in results_of(world, rng, random_groups(world, rng, players, 1), first_block=block):
            faulty = tuple(int(bot == bots - 1 and rng.random() < 0.2) for bot in result.bots)
            facts.append(
                MatchFacts(
                    result.block_id,
                    game,
                    result.bots,
                    result.places,
                    scores=tuple(int(60 - 12 * place + rng.integers(0, 15)) for place in result.places),
                    faults=faulty,
                    forfeited=tuple(fault > 0 and rng.random() < 0.3 for fault in faulty),
                    decisions=tuple(int(rng.integers(15, 40)) for _ in result.bots),
                    thinking_ms=tuple(float(1 + bot % 7) * 4 for bot in result.bots),
                )
            )
    return facts
