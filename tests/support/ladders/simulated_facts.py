"""Facts of simulated matches, for statistics and reports: places by strength, everything else made up."""

import numpy as np

from roost_ladder.rating.facts import MatchFacts
from tests.support.ladders.worlds import World, random_groups, results_of

GAMES = ("bratwurmeck", "haecmaec", "karteneck")


def simulated_facts(bots: int, blocks: int, seed: int = 1, games: tuple[str, ...] = GAMES) -> list[MatchFacts]:
    """Some blocks at tables of 2, 3 and 4, in mixed order. The last bot makes faults and forfeits now and then."""
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
