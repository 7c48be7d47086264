"""Everything that a report shows, gathered in one value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from roost_games.errors import UsageError
from roost_ladder.rating.circles import Circularity, circle_line, circularity
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import LATEST, Method, fit
from roost_ladder.rating.lottery import LotteryScore, clone_proof, lottery_line
from roost_ladder.rating.results import gather
from roost_ladder.rating.specialists import Specialist, specialists, specialists_line
from roost_ladder.rating.standings import Standing, StandingsView, find_rater, newcomers_line, views
from roost_ladder.rating.statistics import Curves, HeadToHead, Statistics, elo_curves, head_to_head


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What a report says about the run, besides what follows from its matches."""

    title: str
    notes: tuple[tuple[str, str], ...] = ()
    """Labels and what they label, such as the seed, the schedule and the command."""
    absent: tuple[str, ...] = ()
    """For each bot that was left out or plays no longer, who it is and why."""
    first_seat: int = 0
    """The number of the first seat. Reports of older competitions count seats from 1."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A ladder, ready to be shown. It has no standings if nothing counts yet."""

    about: RunNotes
    names: Mapping[int, str]
    """By bot."""
    rating: str
    """The name of the rater."""
    views: tuple[StandingsView, ...]
    """Everything first, then by game and by table size, where there are several."""
    statistics: Statistics
    head_to_head: HeadToHead
    """In the order of the standings."""
    curves: Curves
    matches: int
    blocks: int
    circularity: Circularity | None
    """`None` if one order may fit the results."""
    clone_proof: tuple[LotteryScore, ...]
    """The second ranking, highest score first; empty if one order may fit the results, or the field is too large."""
    specialists: tuple[Specialist, ...]
    """Bots that surely do better or worse in one game, or at one table size, the clearest first."""

    @property
    def standings(self) -> list[Standing]:
        """Over everything, the strongest bot first."""
        return self.views[0].standings

    def circle_line(self, show: Callable[[str], str] = str) -> str:
        """What circles there are, in a line; empty if one order may fit the results. `show` makes a name text."""
        if self.circularity is None:
            return ""
        strength, low, high, circle = self.circularity
        return circle_line(strength, low, high, [(show(self.names[bot]), share) for bot, share in circle])

    def lottery_line(self, show: Callable[[str], str] = str) -> str:
        """Whether the second ranking differs, in a line; empty without one."""
        names = {bot: show(name) for bot, name in self.names.items()}
        return lottery_line(self.standings, self.clone_proof, names) if self.clone_proof else ""

    def newcomers_line(self, show: Callable[[str], str] = str) -> str:
        """Which bots have played so little that they hardly count in the field, in a line; empty without any."""
        return newcomers_line(self.standings, {bot: show(name) for bot, name in self.names.items()})

    def lines(self, show: Callable[[str], str] = str) -> list[str]:
        """What is said below the standings."""
        names = {bot: show(name) for bot, name in self.names.items()}
        special = specialists_line(self.specialists, names)
        every = (self.newcomers_line(show), self.circle_line(show), self.lottery_line(show), special)
        return [line for line in every if line]

    def check_not_empty(self) -> None:
        """Raise `UsageError` if there is nothing to show."""
        if not self.standings:
            raise UsageError("no match counts yet, so there is nothing to report")


def summarise(
    facts: Sequence[MatchFacts],
    names: Mapping[int, str],
    about: RunNotes,
    *,
    anchor: int | None = None,
    rating: str = "fit",
    forfeits: bool = True,
    method: Method = LATEST,
) -> Summary:
    """The summary of these matches, which are in the order in which they were played.

    If told so, ratings and the head-to-head table leave out forfeited matches; the counts include them. Raises
    `UsageError` if there is no such rating.
    """
    results = [match.result() for match in facts if forfeits or not any(match.forfeited)]
    seen = views(results, anchor=anchor, rater=find_rater(rating, method))
    record = gather(results)
    fitted = fit(record, method=method) if results and rating == "fit" else None
    circles = None if fitted is None else circularity(record, fitted)
    return Summary(
        about=about,
        names=names,
        rating=rating,
        views=tuple(seen),
        statistics=Statistics(facts),
        head_to_head=head_to_head(record).arranged([standing.bot for standing in seen[0].standings]),
        curves=elo_curves(results),
        matches=len(facts),
        blocks=len({match.block_id for match in facts}),
        circularity=circles,
        clone_proof=() if fitted is None or circles is None else tuple(clone_proof(record, fitted)),
        specialists=() if fitted is None else tuple(specialists(record, fitted, method)),
    )
