"""What a bot has to learn from the matches that it lost: which kinds of decisions cost it most.

    with bot_to_ask("mybot.py", SAMPLES) as own, bot_to_ask("strong", SAMPLES) as better:
        study = Study(own, better, lambda game: CarefulBot)
        for loss in losses:
            study.add(loss)
    for lesson in study.lessons():
        print(lesson.kind, lesson.cost)

Wherever the bot, as it is now, would still decide otherwise than a better one, the match is played on with both moves.
Decisions of one kind are added up. A match is one observation, because its decisions share a table.

Among many kinds some cost much by accident. So the intervals hold together: with a chance of 95 % all of them are
right at once (Bonferroni's correction).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from operator import sub
from statistics import fmean
from typing import NamedTuple

from roost_games.decisions import kind_of
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_ladder.rating.estimates import DOUBT, Estimate, student_quantile
from roost_ladder.workshop.guests import AskedBot
from roost_ladder.workshop.second_opinion import Opinion, move_words, second_opinion
from roost_ladder.workshop.weighing import outcomes
from roost_sdk.bot import Bot

WORLDS = 8
"""How often a match is played on from a decision. Few are enough, since many decisions are added up."""
LEAST_MATCHES = 5
"""A kind of decision is looked at if it differed in this many matches: in fewer, chance decides."""


class LostMatch(NamedTuple):
    """A match that a bot did not win."""

    replay: Replay
    seat: int
    random: str = ""
    """What its randomness was seeded with; empty if the record tells."""


class Mistake(NamedTuple):
    """A decision that a better bot would have made otherwise."""

    game: str
    kind: str
    instead: str
    """The kind of its decision."""
    loss: int
    """The number of the match, from 0."""
    match: str
    step: int
    played: str
    advised: str
    cost: float
    """By how many places its move is better, by playing on."""


class Lesson(NamedTuple):
    """A kind of decision, and what it costs."""

    game: str
    kind: str
    times: int
    """How often the better bot would have decided otherwise."""
    made: int
    """How often the bot decided so in all."""
    matches: int
    cost: Estimate
    """In places, each time. The interval is corrected for the number of lessons."""
    instead: tuple[tuple[str, int], ...]
    """What the better bot would have done, with how often, the most frequent first."""
    example: Mistake
    """The costliest one."""

    @property
    def is_sure(self) -> bool:
        """Whether it costs something, by more than chance allows."""
        return self.cost.is_positive

    @property
    def total(self) -> float:
        """In places, over all matches."""
        return self.cost.mean * self.times

    def to_json(self) -> dict[str, object]:
        """As JSON."""
        return {
            **self._asdict(),
            "cost": self.cost._asdict(),
            "sure": self.is_sure,
            "instead": [{"kind": kind, "times": times} for kind, times in self.instead],
            "example": self.example._asdict(),
        }


class Study:
    """Looks into one loss after the other."""

    def __init__(
        self, own: AskedBot, better: AskedBot, player: Callable[[str], type[Bot]], worlds: int = WORLDS
    ) -> None:
        """`player` says which bot plays on in a game, in all seats; it should be quick and sensible."""
        self.worlds = worlds
        self.losses = 0
        self.decisions = 0
        self._own = own
        self._better = better
        self._player = player
        self._made: Counter[tuple[str, str]] = Counter()
        self._mistakes: list[Mistake] = []

    def add(self, loss: LostMatch) -> None:
        """Ask both bots about a match, and play on where they differ."""
        replay = loss.replay
        own, better = (second_opinion(replay, bot, loss.seat, loss.random) for bot in (self._own, self._better))
        looked_at = [self._look_at(replay, *both) for both in zip(own.all, better.all, strict=True)]
        # All at once, so that nothing is left of a match in which Ctrl-C was pressed.
        self._made.update((replay.game, kind) for kind, _ in looked_at if kind)
        self._mistakes += [mistake for _, mistake in looked_at if mistake is not None]
        self.decisions += len(looked_at)
        self.losses += 1

    def _look_at(self, replay: Replay, mine: Opinion, advised: Opinion) -> tuple[str, Mistake | None]:
        """The kind of a decision, if both bots have a legal move, and the mistake in it if they differ."""
        if mine.move is None or advised.move is None:
            return "", None
        kind = _kind(replay.game, mine)
        if not _differ(mine, advised):
            return kind, None
        lucks = [f"{replay.match}:{mine.step}:{number}" for number in range(self.worlds)]
        moves = [mine.move, advised.move]
        played, otherwise = outcomes(replay.game, mine, moves, self._player(replay.game), lucks)
        cost = (mine.view.players - 1) * fmean(map(sub, otherwise, played))
        words, instead = [move_words(replay.game, move) for move in moves], _kind(replay.game, advised)
        at = self.losses, replay.match, mine.step
        return kind, Mistake(replay.game, kind, instead, *at, words[0], words[1], cost)

    def lessons(self) -> list[Lesson]:
        """Every kind of decision that differed in several matches, the one that cost most in all first."""
        groups: defaultdict[tuple[str, str], list[Mistake]] = defaultdict(list)
        for mistake in self._mistakes:
            groups[mistake.game, mistake.kind].append(mistake)
        kept = {key: group for key, group in groups.items() if len({each.loss for each in group}) >= LEAST_MATCHES}
        found = [self._lesson(key, group, DOUBT / len(kept)) for key, group in kept.items()]
        return sorted(found, key=lambda lesson: -lesson.total)

    def _lesson(self, key: tuple[str, str], group: Sequence[Mistake], doubt: float) -> Lesson:
        by_match: defaultdict[int, list[float]] = defaultdict(list)
        for each in group:
            by_match[each.loss].append(each.cost)
        return Lesson(
            *key,
            times=len(group),
            made=self._made[key],
            matches=len(by_match),
            cost=clustered_mean(list(by_match.values()), doubt),
            instead=tuple(Counter(each.instead for each in group).most_common()),
            example=max(group, key=lambda each: each.cost),
        )


def clustered_mean(clusters: Sequence[Sequence[float]], doubt: float = DOUBT) -> Estimate:
    """The mean of values that come in independent clusters, with an interval that is wrong as often as `doubt` says.

    The values of a cluster may have anything in common: what varies is the sum of each cluster around what its size
    lets one expect. Student's distribution allows for the number of clusters.
    """
    count = sum(map(len, clusters))
    mean = sum(map(sum, clusters)) / count
    rest = [sum(cluster) - len(cluster) * mean for cluster in clusters]
    freedom = len(clusters) - 1
    if freedom < 1 or not any(rest):
        return Estimate(mean, None, None)
    error = sqrt(sum(each**2 for each in rest) * len(clusters) / freedom) / count
    half = student_quantile(freedom, doubt) * error
    return Estimate(mean, mean - half, mean + half)


def _kind(game: str, opinion: Opinion) -> str:
    return kind_of(game, opinion.view, get_game(game).decode_move(dict(opinion.move or {})))


def _differ(mine: Opinion, advised: Opinion) -> bool:
    """Whether these are two moves; the order of cards in a move makes no difference."""
    return advised._replace(recorded=mine.move or {}).differs
