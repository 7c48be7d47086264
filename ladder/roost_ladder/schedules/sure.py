"""Plays where the ranking is least certain, and stops when all neighbours in it are told apart.

How a block is chosen. The fit knows the differences of all strengths with their variances. Two bots in the wrong order
cost the difference between them, and the less is known, the higher the expected costs. For every two bots that could
meet, the schedule computes by how much a match between them reduces the expected costs of all pairs. All pairs, because
a match also tells something about the bots that the two have met before. A group is worth the sum of its pairs. The
best group is taken, then the best of bots that are not in it, and so on; then these are taken as played, and everything
is weighed again. This favours bots that are close to each other and about which little is known. Pairs that have hardly
met come first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roost_ladder.rating.fit import LATEST, Fit, Method
from roost_ladder.rating.results import Floats
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, rng_for, shuffled
from roost_ladder.schedules.separation import Known, Separation, difference_variances, known, separations

LEAST_ROUND = 16
GROWTH = 8
"""A round adds an eighth of what has been given out, but at least 16 blocks, and one for each bot."""
LOOKS = 16
"""About how often everything is weighed again in a round. In a long run, groups therefore get several deals."""
OPEN = exp(-2)
"""Neighbours that are not separated yet are weighed as if they were two standard errors apart, if they are more. So two
equal bots, which are never separated, do not keep all others from being separated."""
DOUBLED = 2.0
"""An order is doubted as if the variance of the difference were twice as large. So two bots whose order looks clear by
early luck go on meeting."""
LEAST_MET = 16
"""Two bots that have met in fewer blocks than this, …"""
BEHIND = 1 / 3
"""… and in fewer than this part of what a pair has on average, come first: who they beat is not known otherwise."""
WORTHWHILE = 0.5
"""Groups that are worth less than this part of the best one wait until everything is weighed again."""


@dataclass(frozen=True, slots=True)
class Sure:
    """Ends when all neighbours are separated at 95 %, all together and however often one looks: see `separation`.

    All kinds of tables get the same number of blocks, give or take what is weighed at one time. With a `budget` it also
    ends when this many blocks have been given out.
    """

    seed: bytes = b""
    budget: int | None = None
    method: Method = LATEST
    """How it weighs matches; what began with an older one is planned with it to the end."""

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        left = None if self.budget is None else max(self.budget - past.given, 0)
        return [] if left == 0 else self._next_round(field, past)[:left]

    def _next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        about = known((bot for kind in field.kinds for bot in field.at(kind)), past.record(), self.method)
        neighbours = separations(about)
        if all(each.separated for each in neighbours):
            return []
        care = _Care() if self.method is LATEST else _Care(least_met=0, doubled=1)
        return _Plan(field, past, about, neighbours, care, rng_for(self.seed, past)).round()


class _Care(NamedTuple):
    """What keeps early luck from leading it astray: nothing, in what began with an older method."""

    least_met: float = LEAST_MET
    doubled: float = DOUBLED


class _Plan:
    """Chooses the blocks of one round. Bots are named by their index in a random order."""

    def __init__(
        self,
        field: Participants,
        past: Past,
        about: Known,
        neighbours: list[Separation],
        care: _Care,
        rng: Random,
    ) -> None:
        drawn = rng.sample(range(len(about.bots)), len(about.bots))
        self._bots = [about.bots[index] for index in drawn]
        self._rng = rng
        self._size = max(LEAST_ROUND, len(drawn), past.given // GROWTH)
        strengths = about.fit.strengths[drawn]
        self._difference = strengths[:, None] - strengths
        self._covariance = about.fit.covariance[np.ix_(drawn, drawn)]
        self._least_chance = self._of_open_neighbours(neighbours)
        self._forbidden = {kind: self._who_may_not_meet(field, kind) for kind in field.kinds if field.at(kind)}
        self._met, self._care = self._who_met(past), care
        self._told = {kind: self._tells(about.fit, kind, drawn) for kind in self._forbidden}
        self._blocks = {kind: past.tally.blocks[kind] for kind in self._forbidden}

    def _of_open_neighbours(self, neighbours: list[Separation]) -> Floats:
        index = {bot: index for index, bot in enumerate(self._bots)}
        least = np.zeros(self._difference.shape)
        for each in neighbours:
            one, other = index[each.upper], index[each.lower]
            least[one, other] = least[other, one] = 0 if each.separated else OPEN
        return least

    def _who_may_not_meet(self, field: Participants, kind: Kind) -> NDArray[np.bool_]:
        seated = set(field.at(kind))
        absent = np.array([bot not in seated for bot in self._bots])
        number = {owner: number for number, owner in enumerate({field.owner(bot) for bot in self._bots})}
        owners = np.array([number[field.owner(bot)] for bot in self._bots])
        forbidden: NDArray[np.bool_] = absent | absent[:, None] | (owners[:, None] == owners)
        return forbidden

    def _who_met(self, past: Past) -> Floats:
        """By bot and bot: in how many blocks they have met."""
        index = {bot: index for index, bot in enumerate(self._bots)}
        met = np.zeros(self._difference.shape)
        for bot, others in past.tally.met.items():
            for other, blocks in others.items():
                if bot in index and other in index:
                    met[index[bot], index[other]] = blocks
        return met

    def _tells(self, fitted: Fit, kind: Kind, drawn: list[int]) -> Floats:
        """By bot and bot: the information that a match between them adds, with what it counts for."""
        information: Floats = 1 / (2 + 2 * np.cosh(self._difference))
        shares = fitted.shares.get(kind)
        return information if shares is None else information * shares[np.ix_(drawn, drawn)] ** 2

    def round(self) -> list[Pairing]:
        """The blocks, the most telling ones first."""
        pairings: list[Pairing] = []
        while self._blocks and len(pairings) < self._size:
            kind = min(self._blocks, key=self._blocks.__getitem__)
            groups = self._groups(kind)
            deals = max(1, self._size // (LOOKS * len(groups)))
            self._suppose_played(kind, groups, deals)
            self._blocks[kind] += deals * len(groups)
            pairings += [self._pairing(kind, group) for group in groups for _ in range(deals)]
        return pairings

    def _pairing(self, kind: Kind, group: list[int]) -> Pairing:
        return shuffled(kind, [self._bots[index] for index in group], self._rng)

    def _groups(self, kind: Kind) -> list[list[int]]:
        """The best group, the best one of the others, and so on, as long as they are worthwhile."""
        worth = np.where(self._forbidden[kind], -np.inf, self._worth(kind) + self._behind(kind))
        groups: list[list[int]] = []
        least = 0.0
        while (best := _best_group(worth, kind.players)).worth > least:
            least = least or WORTHWHILE * best.worth
            groups.append(best.members)
            worth[best.members] = worth[:, best.members] = -np.inf
        return groups

    def _behind(self, kind: Kind) -> NDArray[np.bool_]:
        """By bot and bot: whether they have met so seldom that they come first.

        What is worth most never lets a strong bot meet a weak one. If the weak one beats it, nobody would know.
        """
        mean = self._met[~self._forbidden[kind]].mean()
        return np.asarray(self._met < np.floor(min(self._care.least_met, BEHIND * mean)))

    def _worth(self, kind: Kind) -> Floats:
        """By bot and bot: by how much a match between them reduces the expected costs of wrong orders.

        If the difference of two strengths has the estimate d and the variance V, the expected cost changes with V by
        exp(-d²/2V) / sqrt(8 pi V): that is the weight of the pair, with 2V instead of V in the exponent. A match adds
        its information to the inverse of the covariance C, so the variance of any difference falls by what the match
        tells times the squared covariance of that difference with the one of the two bots. Over all pairs this is C M
        C, with M the Laplacian of the weights.
        """
        variance = difference_variances(self._covariance)
        chance = np.exp(-(self._difference**2) / variance / 2 / self._care.doubled)
        weight = np.maximum(chance, self._least_chance) / np.sqrt(variance)
        np.fill_diagonal(weight, 0)
        effect = self._covariance @ (np.diag(weight.sum(axis=1)) - weight) @ self._covariance
        worth = self._told[kind] * difference_variances(effect)
        np.fill_diagonal(worth, 0)
        # Rounded, so that rounding errors, which differ between machines, do not decide between equals.
        rounded: Floats = np.round(worth / worth.max(), 9) + 1e-9
        return rounded

    def _suppose_played(self, kind: Kind, groups: list[list[int]], deals: int) -> None:
        """What the covariance becomes with these blocks, each with its weight in the fit."""
        links = np.zeros(self._covariance.shape)
        for group in groups:
            self._met[np.ix_(group, group)] += deals
            links[np.ix_(group, group)] = deals * kind.players * 3 / (kind.players + 1)
        links *= self._told[kind]
        np.fill_diagonal(links, 0)
        told = np.diag(links.sum(axis=1)) - links
        self._covariance = np.asarray(np.linalg.inv(np.linalg.inv(self._covariance) + told), np.float64)


class _Group(NamedTuple):
    """Bots that may sit at one table."""

    members: list[int]
    worth: float
    """The sum over their pairs; minus infinity if there is no such group."""


def _best_group(worth: Floats, size: int) -> _Group:
    """The pair that is worth most, and then, one by one, the bot that adds most to it."""
    members = list(divmod(int(worth.argmax()), len(worth)))
    total = float(worth[members[0], members[1]])
    while len(members) < size:
        added = worth[members].sum(axis=0)
        members.append(int(added.argmax()))
        total += float(added.max())
    return _Group(members, total)
