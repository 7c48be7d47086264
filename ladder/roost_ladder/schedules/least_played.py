"""Random groups, least played first: fair while bots come and go, and without end."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, rng_for

ROUND = 64
"""A round has about this many blocks of each kind, or every bot once if that is more."""


@dataclass(frozen=True, slots=True)
class LeastPlayed:
    """The bot that has played least at a kind of table plays next, with those it has met least often. It has no end.

    At each kind of table all bots play equally often, give or take one block, as long as owners allow it.
    """

    seed: bytes = b""
    turns: int = ROUND
    """How often each bot plays at each kind of table in a round, at most. Where bots come and go, plan few."""

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        rng = rng_for(self.seed, past)
        played = {kind: Counter(past.tally.played[kind]) for kind in field.kinds}
        met = {bot: Counter(past.tally.met[bot]) for bot in field.bots}
        seated = {kind: bots for kind in field.kinds if (bots := field.at(kind))}
        pairings: list[Pairing] = []
        for turn in range(self.turns):
            for kind, bots in seated.items():
                if turn * (len(bots) // kind.players) < ROUND:
                    pairings += _everybody_once(field, kind, bots, played[kind], met, rng)
        return pairings


def _everybody_once(
    field: Participants,
    kind: Kind,
    bots: Sequence[int],
    played: Counter[int],
    met: Mapping[int, Counter[int]],
    rng: Random,
) -> list[Pairing]:
    """Groups of these bots, with no bot in two of them. If some must sit out, it is those that have played most."""
    by_need = sorted(bots, key=lambda bot: (played[bot], rng.random()))
    waiting, pairings = set(by_need[: len(bots) - len(bots) % kind.players]), []
    while field.can_fill(kind, waiting):
        group = least_played_group(kind.players, waiting, played, met, rng, field)
        waiting.difference_update(group)
        played.update(group)
        for bot in group:
            met[bot].update(other for other in group if other != bot)
        pairings.append(Pairing(kind, group))
    return pairings


def least_played_group(
    size: int,
    bots: Collection[int],
    played: Mapping[int, int],
    met: Mapping[int, Mapping[int, int]],
    rng: Random,
    field: Participants,
) -> tuple[int, ...]:
    """A group of `size` of these bots, in random seats. Enough of them must be allowed to meet.

    The first is one that has played least. Then come, one by one, those that have met the group least often, and
    among them those that have played least. Ties are broken by `rng`.
    """
    waiting = set(bots)
    group: list[int] = []
    meetings: Counter[int] = Counter()
    while len(group) < size:
        candidates = _fewest(_fewest(waiting, meetings), played)
        chosen = rng.choice(sorted(candidates))
        group.append(chosen)
        waiting = {bot for bot in waiting if field.owner(bot) != field.owner(chosen)}
        meetings.update(met.get(chosen, {}))
    rng.shuffle(group)
    return tuple(group)


def _fewest(bots: Collection[int], counts: Mapping[int, int]) -> Collection[int]:
    """The bots with the lowest count."""
    if not counts:
        return bots
    of_bots = [counts.get(bot, 0) for bot in bots]  # a Counter's own answer for missing bots takes twice as long
    fewest = min(of_bots)
    return [bot for bot, count in zip(bots, of_bots, strict=True) if count == fewest]
