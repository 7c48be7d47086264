"""Knockout: a bracket of duels, seeded so that the best meet late. The loser is out.

The bracket follows from the order of the field alone, the best first: with eight bots 1–8, 4–5, 2–7, 3–6 meet first. If
their number is not a power of two, the best have a bye in the first round. A tie of the bracket is decided by the
matches of all its blocks together. If they are level it continues, and after `EXTRA` more rounds of blocks the bot that
was seeded higher stays in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, rng_for, shuffled

EXTRA = 3
DUEL = 2


class Tie(NamedTuple):
    """Two bots in the bracket. The second is `None` if the first has a bye."""

    high: int
    """Seeded higher than the other."""
    low: int | None
    score_high: float = 0.0
    """Matches in which it finished ahead; a tie is half."""
    score_low: float = 0.0
    winner: int | None = None
    """`None` while it is not decided."""


@dataclass(frozen=True, slots=True)
class Knockout:
    """A bracket over all duels of the field. Each tie has `blocks` blocks at each kind of table."""

    seed: bytes = b""
    blocks: int = 1

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        kinds = duels(field)
        rounds = bracket(field, past, self.blocks)
        open_ties = [tie for tie in rounds[-1] if tie.winner is None] if rounds else []
        rng = rng_for(self.seed, past)
        return [
            shuffled(kind, (tie.high, tie.low), rng)
            for kind in kinds
            for _ in range(self.blocks)
            for tie in open_ties
            if tie.low is not None
        ]


def duels(field: Participants) -> list[Kind]:
    """The kinds of tables at which a knockout is played. Raises `UsageError` if there is none."""
    kinds = [kind for kind in field.kinds if kind.players == DUEL]
    if not kinds:
        raise UsageError("a knockout is played in duels: some game must be played by 2 players")
    return kinds


def bracket(field: Participants, past: Past, blocks: int) -> list[list[Tie]]:
    """The rounds of the bracket so far, the last of which may be undecided. Empty for fewer than two bots."""
    usual = blocks * len(duels(field)) * DUEL
    rank = {bot: rank for rank, bot in enumerate(field.bots)}
    left: list[int | None] = list(_slots(field.bots))
    rounds: list[list[Tie]] = []
    while len(left) > 1:
        pairs = zip(left[::2], left[1::2], strict=True)
        ties = [_tie(pair, rank, past, usual) for pair in pairs]
        rounds.append(ties)
        if any(tie.winner is None for tie in ties):
            break
        left = [tie.winner for tie in ties]
    return rounds


def champion(rounds: Sequence[Sequence[Tie]]) -> int | None:
    """The winner of the last tie of a bracket; `None` until it is decided."""
    return rounds[-1][0].winner if rounds and len(rounds[-1]) == 1 else None


def _slots(bots: Sequence[int]) -> Iterable[int | None]:
    """The bots in the order of the bracket, with `None` for a bye."""
    order = [0]
    while len(order) < len(bots):
        size = 2 * len(order)
        order = [place for low in order for place in (low, size - 1 - low)]
    return (bots[place] if place < len(bots) else None for place in order)


def _tie(pair: tuple[int | None, int | None], rank: dict[int, int], past: Past, usual: int) -> Tie:
    # A bye is never against another: the higher half of every pair of places is taken first.
    high, *low = sorted((bot for bot in pair if bot is not None), key=rank.__getitem__)
    if not low:
        return Tie(high, None, winner=high)
    return _decided(Tie(high, low[0], *past.duels(high, low[0])), usual)


def _decided(tie: Tie, usual: int) -> Tie:
    """The tie with its winner, if enough has been played. Voided matches are played again, so counts are whole."""
    matches = tie.score_high + tie.score_low
    level = tie.score_high == tie.score_low
    if matches < usual or (level and matches < usual * (1 + EXTRA)):
        return tie
    return tie._replace(winner=tie.low if tie.score_low > tie.score_high else tie.high)
