"""Everything that a report shows, gathered in one value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from roost_games.errors import UsageError
from roost_ladder.rating.circles import Circularity, circle_line, circularity
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import LATEST, Fit, Method, fit
from roost_ladder.rating.lottery import AGREES, TOO_MANY_BOTS, LotteryScore, clone_proof, lottery_line
from roost_ladder.rating.misfit import UNKNOWN
from roost_ladder.rating.pairs import PairRecord, defying, defying_line
from roost_ladder.rating.results import ResultSums, gather
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
class Beyond:
    """What the results show that no single order of ratings can tell."""

    judged: bool = False
    """Whether enough pairs have met to say whether one order fits."""
    circularity: Circularity | None = None
    """`None` if one order may fit the results."""
    clone_proof: tuple[LotteryScore, ...] = ()
    """The second ranking, highest score first; empty if one order may fit the results, or the field is too large."""
    defying: tuple[PairRecord, ...] = ()
    """Pairs that surely do not do what the ratings say, those that stray most first."""
    specialists: tuple[Specialist, ...] = ()
    """Bots that surely do better or worse in one game, or at one table size, the clearest first."""


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
    beyond: Beyond

    @property
    def standings(self) -> list[Standing]:
        """Over everything, the strongest bot first."""
        return self.views[0].standings

    def circle_line(self, show: Callable[[str], str] = str) -> str:
        """What circles there are, in a line; empty if one order may fit the results. `show` makes a name text."""
        if self.beyond.circularity is None:
            return ""
        strength, low, high, circle = self.beyond.circularity
        return circle_line(strength, low, high, [(show(self.names[bot]), share) for bot, share in circle])

    def lottery_line(self, show: Callable[[str], str] = str) -> str:
        """Whether the second ranking differs, in a line; empty if that is not known."""
        if self.beyond.clone_proof:
            names = {bot: show(name) for bot, name in self.names.items()}
            return lottery_line(self.standings, self.beyond.clone_proof, names)
        if self.beyond.circularity is not None:
            return TOO_MANY_BOTS
        return AGREES if self.beyond.judged else ""

    def newcomers_line(self, show: Callable[[str], str] = str) -> str:
        """Which bots have played so little that they hardly count in the field, in a line; empty without any."""
        return newcomers_line(self.standings, {bot: show(name) for bot, name in self.names.items()})

    def lines(self, show: Callable[[str], str] = str) -> list[str]:
        """What is said below the standings."""
        names = {bot: show(name) for bot, name in self.names.items()}
        every = (
            self.newcomers_line(show),
            self.circle_line(show),
            self.lottery_line(show),
            defying_line(self.beyond.defying, names),
            specialists_line(self.beyond.specialists, names),
        )
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
        beyond=Beyond() if fitted is None else _beyond(record, fitted, method),
    )


def _beyond(record: ResultSums, fitted: Fit, method: Method) -> Beyond:
    """Nothing for a competition that began before anybody asked: its reports stay as they were."""
    if method is Method.EACH_MATCH:
        return Beyond()
    circles = circularity(record, fitted)
    return Beyond(
        fitted.misfit != UNKNOWN,
        circles,
        () if circles is None else tuple(clone_proof(record, fitted)),
        tuple(defying(record, fitted)),
        tuple(specialists(record, fitted, method)),
    )
