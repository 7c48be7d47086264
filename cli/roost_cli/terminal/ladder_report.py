"""How a ladder ended: the table for people, everything for programs."""

import shlex
from typing import NamedTuple

from roost_cli.terminal import standings as cells
from roost_cli.terminal.console import MORE_ROOM, Column, print_fitted, results
from roost_cli.terminal.standings import RATING_NOTE
from roost_games.wording import counted
from roost_ladder.rating.standings import Standing
from roost_ladder.rating.statistics import Statistics, Totals
from roost_ladder.report.plain import as_json
from roost_ladder.report.summary import About, Summary
from roost_ladder.running.ladder import STOPS_TO_BENCH, Ladder
from roost_ladder.running.rounds import RunEnd

INTERRUPTED = "interrupted"


class Result(NamedTuple):
    """A run that has ended."""

    ladder: Ladder
    ending: RunEnd | None
    """`None` if it was interrupted."""
    db: str | None

    @property
    def why(self) -> str:
        """Why it ended."""
        if self.ending is RunEnd.SCHEDULE and self.ladder.setup.schedule_name == "sure":
            every = "every bot that can still play" if self.ladder.benched else "every bot"
            return f"{every} is surely stronger than the next one"
        return self.ending or INTERRUPTED


def about(result: Result) -> About:
    """What a report says about the run."""
    setup = result.ladder.setup
    clock = setup.limits.clock
    return About(
        f"Ladder of {len(setup.entrants)} bots",
        (
            ("Bots", ", ".join(entrant.spec.name for entrant in setup.entrants)),
            ("Schedule", setup.schedule_name),
            ("Rotation", setup.rotation.value),
            ("Seed", setup.seed),
            ("Clock", f"{clock.decision_ms / 1000:g} s a decision, {clock.bank_ms / 1000:g} s in the bank"),
            ("Ended", result.why),
        ),
    )


def standings_columns(standings: list[Standing], ladder: Ladder, statistics: Statistics) -> list[Column]:
    """The standings, a column for each thing that is known, best bot first."""
    totals = statistics.by(lambda seat: seat.bot)
    sizes = sorted({at.players for standing in standings for at in standing.places})
    faulty = any(totals[standing.bot].faults for standing in standings)
    return [
        Column(">rank", [cells.ranks(each.best_rank, each.worst_rank) for each in standings]),
        Column("bot", [_name(standing.bot, ladder) for standing in standings]),
        Column(">rating", [cells.rating(each.rating, each.low, each.high) for each in standings]),
        *cells.above_next([each.above_next for each in standings], drop=5),
        Column(">matches", [str(standing.matches) for standing in standings], drop=1),
        Column(">won", [str(standing.wins) for standing in standings], drop=4),
        *(Column(f">of {size}", [cells.mean_place(each.places, size) for each in standings], drop=3) for size in sizes),
        Column(">faults", [_faults(totals[standing.bot]) for standing in standings], drop=2 if faulty else 5),
        Column(">ms", [f"{totals[each.bot].ms_per_decision:.2f}" for each in standings], drop=6),
    ]


def _name(bot: int, ladder: Ladder) -> str:
    name = ladder.setup.entrants[bot].spec.name
    return f"{name} (benched)" if bot in ladder.benched else name


def _faults(totals: Totals) -> str:
    return f"{totals.faults} ({totals.forfeits} forfeits)" if totals.forfeits else str(totals.faults)


def print_result(result: Result, summary: Summary) -> None:
    """The table, what it is about, how to read it and what to do next."""
    console = results()
    ladder = result.ladder
    games = ", ".join(summary.statistics.games())
    played = f"{counted(summary.matches, 'match')} in {counted(summary.blocks, 'block')} of {games}"
    console.print(f"{played}: {result.why}", soft_wrap=True)
    complete = print_fitted(console, standings_columns(summary.standings, ladder, summary.statistics))
    console.print(f"{RATING_NOTE} {cells.ABOVE_NOTE} ms: a decision.", soft_wrap=True)
    if not complete:
        console.print(MORE_ROOM, style="dim")
    for line in bench_lines(ladder):
        console.print(line, soft_wrap=True)
    console.print(_hint(result), soft_wrap=True)


def bench_lines(ladder: Ladder) -> list[str]:
    """A line for each bot that does not play any more."""
    return [
        f"{ladder.setup.entrants[bot].spec.name} is benched: it had to be stopped in {STOPS_TO_BENCH} matches"
        for bot in ladder.benched
    ]


def _hint(result: Result) -> str:
    seed = shlex.quote(result.ladder.setup.seed)
    if result.db is None:
        return f"Seed {seed}. With --db FILE every match is kept, and the same command goes on later."
    db = shlex.quote(result.db)
    return f"Seed {seed}. The same command goes on; roost matches --db {db} lists what was played."


def result_json(result: Result, summary: Summary) -> dict[str, object]:
    """Everything, for programs."""
    ladder = result.ladder
    return {
        **as_json(summary),
        "seed": ladder.setup.seed,
        "ended": "interrupted" if result.ending is None else result.ending.name.lower(),
        "benched": [ladder.setup.entrants[bot].spec.name for bot in ladder.benched],
    }
