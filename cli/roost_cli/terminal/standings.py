"""Standings as a table and as JSON: one face for a ladder's and an arena's.

`docs/hosting/arena.md` documents the keys of the JSON, which stay as they are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, Self

from rich.console import Console

from roost.v1 import arena_pb2
from roost_cli.terminal.console import TextColumn, note_room, print_fitted, results
from roost_games.wording import counted
from roost_ladder.rating.circles import circle_line
from roost_ladder.rating.lottery import LotteryScore
from roost_ladder.rating.specialists import Specialist, specialists_line
from roost_ladder.rating.standings import Standing
from roost_ladder.rating.statistics import Totals

SHORT_VERSION = 8
RATING_NOTE = "±: 95 % interval of the rating; rank: as the results allow; of 2, 3, 4: mean place at that table size."
ABOVE_NOTE = "above: how likely a bot is to be stronger than the next one."
DEFAULT_NOTE = (
    "This is what is being played, or was played last. --competition and --phase show another part, "
    "--everything all matches."
)
NOTHING_YET = "no matches are recorded yet"
NOTHING_SHOWN = "no matches are shown yet"
UNKNOWN = "-"
NEARLY_SURE = 0.995
"""Above this a likelihood would be rounded to 100 %."""


class MeanPlaceAt(Protocol):
    """A bot's places at tables of one size."""

    @property
    def players(self) -> int:
        """The size."""

    @property
    def mean_place(self) -> float:
        """1 is the best."""


class StandingsRow(NamedTuple):
    """One bot in a table of standings."""

    name: str
    ranks: str
    rating: str
    above_next: float | None
    matches: int
    wins: int
    faults: str
    places: Sequence[MeanPlaceAt]
    version: str = ""
    """Only where versions are told apart."""
    blocks: int | None = None
    ms: str = ""
    """Milliseconds per decision, where they are known."""
    clone_proof: str = ""
    """The ranks and the score of the second ranking, where there is one."""

    @classmethod
    def of_arena(cls, row: arena_pb2.Standing, second: arena_pb2.SecondScore | None = None) -> Self:
        """A row of the answer of an arena. Old arenas do not say how likely a bot is above the next."""
        return cls(
            row.name,
            ranks(row.rank_low, row.rank_high),
            rating(row.rating, row.rating_low, row.rating_high),
            row.above_next if row.HasField("above_next") else None,
            row.matches,
            row.wins,
            str(row.faults),
            row.places,
            short_version(row.version),
            row.blocks,
            f"{row.thinking_ms / row.decisions:.2f}" if row.decisions else "",
            "" if second is None else f"{ranks(second.rank_low, second.rank_high)}: {_percent(second)}",
        )

    @classmethod
    def of_ladder(cls, name: str, standing: Standing, totals: Totals, score: LotteryScore | None = None) -> Self:
        """A row of a ladder that runs here, which also knows how long bots think."""
        return cls(
            name,
            ranks(standing.best_rank, standing.worst_rank),
            rating(standing.rating, standing.low, standing.high),
            standing.above_next,
            standing.matches,
            standing.wins,
            f"{totals.faults} ({totals.forfeits} forfeits)" if totals.forfeits else str(totals.faults),
            standing.places,
            ms=f"{totals.ms_per_decision:.2f}",
            clone_proof="" if score is None else f"{ranks(score.best_rank, score.worst_rank)}: {score.percent}",
        )


def standings_columns(rows: Sequence[StandingsRow]) -> list[TextColumn]:
    """The standings, a column for each thing that is known, best bot first."""
    several = max(Counter(row.name for row in rows).values(), default=0) > 1
    faulty = any(row.faults != "0" for row in rows)
    sizes = sorted({at.players for row in rows for at in row.places})
    columns = [
        TextColumn(">rank", [row.ranks for row in rows]),
        TextColumn("bot", [row.name for row in rows]),
        # Needed where a bot has several.
        TextColumn("version", [row.version for row in rows], drop=0 if several else 6),
        TextColumn(">rating", [row.rating for row in rows]),
        *above_next([row.above_next for row in rows], drop=5),
        TextColumn(">clone-proof", [row.clone_proof for row in rows]),
        TextColumn(">matches", [str(row.matches) for row in rows], drop=1),
        TextColumn(">blocks", ["" if row.blocks is None else str(row.blocks) for row in rows], drop=7),
        TextColumn(">won", [str(row.wins) for row in rows], drop=3),
        TextColumn(">faults", [row.faults for row in rows], drop=2 if faulty else 5),
        *(TextColumn(f">of {size}", [mean_place(row.places, size) for row in rows], drop=4) for size in sizes),
        TextColumn(">ms", [row.ms for row in rows], drop=6),
    ]
    return [column for column in columns if any(column.cells)]


def _percent(score: arena_pb2.SecondScore) -> str:
    low, high = (round(100 * each) for each in (score.score_low, score.score_high))
    return f"{100 * score.score:.0f} % ({low}–{high})"


def ranks(best: int, worst: int) -> str:
    """The ranks that the results allow: `2`, or `2-4`."""
    return f"{best}" if best == worst else f"{best}-{worst}"


def rating(points: float, low: float, high: float) -> str:
    """The rating with half the width of its interval, which is even around it."""
    return f"{points:.0f} ±{(high - low) / 2:.0f}"


def mean_place(places: Iterable[MeanPlaceAt], size: int) -> str:
    """The mean place at tables of this size."""
    return next((f"{at.mean_place:.2f}" for at in places if at.players == size), UNKNOWN)


def above_next(likelihoods: Sequence[float | None], drop: int) -> list[TextColumn]:
    """How likely each bot is to be stronger than the one below it; no column if nothing is known."""
    known = any(each is not None for each in likelihoods)
    return [TextColumn(">above", [_likelihood(each) for each in likelihoods], drop)] if known else []


def _likelihood(share: float | None) -> str:
    if share is None:
        return UNKNOWN
    return "> 99 %" if share > NEARLY_SURE else f"{100 * share:.0f} %"


def short_version(version: str) -> str:
    """A version in a table: fingerprints are long, and their beginning tells them apart."""
    return version if len(version) <= SHORT_VERSION + 1 else f"{version[:SHORT_VERSION]}…"


def print_standings(answer: arena_pb2.GetStandingsResponse, wanted: arena_pb2.GetStandingsRequest) -> None:
    """`roost standings`: the table, what it is about and how to read it."""
    console = results()
    matches = counted(answer.matches, "match") if answer.standings else NOTHING_SHOWN if answer.held else NOTHING_YET
    console.print(f"{matches}{_about(answer, wanted)}")
    if answer.held:
        console.print(answer.held, soft_wrap=True, markup=False)
    if answer.standings:
        _print_table(console, answer)
    if answer.competition and not wanted.competition:
        console.print(DEFAULT_NOTE)


def _print_table(console: Console, answer: arena_pb2.GetStandingsResponse) -> None:
    second = {each.version_id: each for each in answer.second.scores}
    rows = [StandingsRow.of_arena(row, second.get(row.version_id)) for row in answer.standings]
    complete = print_fitted(console, standings_columns(rows))
    known = any(row.above_next for row in rows)
    console.print(f"{RATING_NOTE} {ABOVE_NOTE}" if known else RATING_NOTE)
    note_room(console, complete)
    if answer.HasField("circularity"):
        console.print(_circle_line(answer.circularity), soft_wrap=True, markup=False)
    if answer.second.summary:
        console.print(answer.second.summary, soft_wrap=True, markup=False)
    if answer.specialists:
        console.print(_specialists_line(answer), soft_wrap=True, markup=False)


def _specialists_line(answer: arena_pb2.GetStandingsResponse) -> str:
    times = Counter(row.name for row in answer.standings)
    names = {
        row.version_id: row.name + (f" {short_version(row.version)}" if times[row.name] > 1 else "")
        for row in answer.standings
    }
    return specialists_line([_specialist(each) for each in answer.specialists], names)


def _specialist(each: arena_pb2.Specialist) -> Specialist:
    points = (each.points, each.points_low, each.points_high)
    return Specialist.told(each.version_id, (each.game, each.players), (each.rank, each.rank_there), points)


def _circle_line(found: arena_pb2.Circularity) -> str:
    times = Counter(each.name for each in found.circle)
    names = [each.name + (f" {short_version(each.version)}" if times[each.name] > 1 else "") for each in found.circle]
    circle = [(name, each.ahead_of_next) for name, each in zip(names, found.circle, strict=True)]
    return circle_line(found.strength, found.strength_low, found.strength_high, circle)


def _about(answer: arena_pb2.GetStandingsResponse, wanted: arena_pb2.GetStandingsRequest) -> str:
    game = f" of {wanted.game}" if wanted.game else ""
    tables = f" at tables of {wanted.players}" if wanted.players else ""
    competition, phase = _shown(answer, wanted)
    return f"{game}{tables}{f' in {competition}' if competition else ''}{f', {phase}' if phase else ''}"


def _shown(answer: arena_pb2.GetStandingsResponse, wanted: arena_pb2.GetStandingsRequest) -> tuple[str, str]:
    """The competition and the phase that the answer is about. Old arenas do not say, and show what is asked for."""
    return answer.competition or wanted.competition, answer.phase or wanted.phase


def standings_json(answer: arena_pb2.GetStandingsResponse, wanted: arena_pb2.GetStandingsRequest) -> dict[str, object]:
    """`roost standings --json`."""
    competition, phase = _shown(answer, wanted)
    return {
        "game": wanted.game or None,
        "players": wanted.players or None,
        "competition": competition or None,
        "phase": phase or None,
        "matches": answer.matches,
        "standings": [_row_json(row) for row in answer.standings],
        **({"circularity": _circularity_json(answer.circularity)} if answer.HasField("circularity") else {}),
        **(_second_json(answer) if answer.HasField("second") else {}),
        **({"specialists": _specialists_json(answer)} if answer.specialists else {}),
    }


def _specialists_json(answer: arena_pb2.GetStandingsResponse) -> list[dict[str, object]]:
    names = {row.version_id: (row.name, row.version) for row in answer.standings}
    return [
        {
            "version_id": each.version_id,
            **dict(zip(("name", "version"), names[each.version_id], strict=True)),
            "game": each.game or None,
            "players": each.players or None,
            "rank": each.rank,
            "rank_there": each.rank_there,
            "points": each.points,
            "points_low": each.points_low,
            "points_high": each.points_high,
        }
        for each in answer.specialists
    ]


def _second_json(answer: arena_pb2.GetStandingsResponse) -> dict[str, object]:
    """The second ranking, called as in the reports of `roost ladder`, and whether it is there."""
    second, names = answer.second, {row.version_id: (row.name, row.version) for row in answer.standings}
    state = arena_pb2.SecondState.Name(second.state).removeprefix("SECOND_STATE_").lower()
    scores = [
        {
            "rank_low": each.rank_low,
            "rank_high": each.rank_high,
            "version_id": each.version_id,
            **dict(zip(("name", "version"), names[each.version_id], strict=True)),
            "score": each.score,
            "score_low": each.score_low,
            "score_high": each.score_high,
        }
        for each in second.scores
    ]
    about = {"state": state, "matches": second.matches, "summary": second.summary}
    return {"second_ranking": about, **({"clone_proof": scores} if scores else {})}


def _circularity_json(found: arena_pb2.Circularity) -> dict[str, object]:
    return {
        "strength": found.strength,
        "strength_low": found.strength_low,
        "strength_high": found.strength_high,
        "circle": [
            {
                "version_id": each.version_id,
                "name": each.name,
                "version": each.version,
                "ahead_of_next": each.ahead_of_next,
            }
            for each in found.circle
        ],
    }


def _row_json(row: arena_pb2.Standing) -> dict[str, object]:
    return {
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "version_id": row.version_id,
        "name": row.name,
        "version": row.version,
        "rating": row.rating,
        "rating_low": row.rating_low,
        "rating_high": row.rating_high,
        "above_next": row.above_next if row.HasField("above_next") else None,
        "matches": row.matches,
        "blocks": row.blocks,
        "wins": row.wins,
        "faults": row.faults,
        "places": [{"players": at.players, "matches": at.matches, "mean_place": at.mean_place} for at in row.places],
        "trend": row.trend if row.HasField("trend") else None,
        "decisions": row.decisions,
        "thinking_ms": row.thinking_ms,
    }
