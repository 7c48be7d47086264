"""Prints how often fields of every kind are ranked wrongly, by schedule and by method.

    python -m benchmarks.fields [RUNS] [--fields WORD ...] [--tables WORD ...]

RUNS (300 by default) are played for each row. A field is transitive, or bots beat each other in a circle, or they are
specialists, or some are copies. What is true is the strength against the field: every opponent counts the same, games
and table sizes as they were played.

- *sure*: a run is wrong if two neighbours were ever separated that are equal, or in the wrong order. *before* is with
  the previous fit, in which a pair counts for more the more often it meets, and the previous schedule.
- *schedules*: after 1000 matches, in how many runs some bot's range of ranks is wrong; the share of bots with a wrong
  range, which may be 5 %; and how many intervals hold the truth. Elo has the deviations that it claims. OpenSkill
  (Plackett-Luce) needs `pip install openskill`.
- *circles*: after 300 and 1000 matches of a round robin, how often a circle is named, and a pair that defies the
  ladder. Where there is an order, either may be in 5 %.
- *newcomers*: all bots but one have met each other in 16 blocks, and one has played few. How often the intervals of the
  others hold the truth, and its own; how often some range of ranks is wrong; how wide the intervals are, and how wide
  those of the others are without it, and with a plain mean of all ratings.
- *specialists*: after as many matches of `least-played`, how often a bot that has the same rank at all tables is named,
  and what share of the others is. A field in which all bots are closer together at tables of four has no specialists.
- *copies*: how far 3, 6 and 10 copies of scissors move the scores of those who were there before, in percentage points,
  beside half the width of their intervals without and with the copies; how often neither interval holds the other
  score; and how far ratings move in the same matches, counted from the weak bot.
- *mixes*: how far scores against the mix that nothing beats differ from those with the mixes that OpenSpiel finds for
  the true margins (needs `pip install open_spiel cvxpy ecos cvxopt`).
- *clone-proof*: the ranking by the score against the mix that nothing beats, in fields at tables of two, after 300 and
  1000 matches of a round robin. *shown* is how often the field is measurably circular, so that people see it. Of these,
  a run is wrong if the range of ranks of some bot is; *moved* is how far scores are from the true ones, in
  percentage points on average, beside half the width of their intervals. Copies leave the true ones as they are.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from math import sqrt

import numpy as np

from benchmarks.simulations.fields import (
    DUEL,
    EQUAL,
    FIELDS,
    SCALED,
    Field,
    covered,
    ladder,
    misranked,
    out_of_range,
    played,
    scissors,
    steps,
    strengths_against,
    within,
)
from roost_ladder.rating.certainty import RankRange, half_widths
from roost_ladder.rating.circles import circularity
from roost_ladder.rating.elo import ELO, MEAN_RATING, Elo
from roost_ladder.rating.fit import Fit, Method, fit
from roost_ladder.rating.lottery import LotteryScore, clone_proof, lottery_scores
from roost_ladder.rating.pairs import defying
from roost_ladder.rating.results import Floats, MatchResult, gather
from roost_ladder.rating.specialists import specialists
from roost_ladder.rating.standings import ALL_KNOWN
from roost_ladder.schedules.cycles import RoundRobin
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.schedule import Pairing, Schedule
from roost_ladder.schedules.swiss import Swiss

WEAK = 3
"""The bot that was there before all copies of scissors, and that loses to everybody."""
VOTES = 1_000_000
"""How many voters the margin of each pair is expressed in."""
SCHEDULES: Mapping[str, Callable[[bytes], Schedule]] = {
    "round robin": partial(RoundRobin, times=None),
    "least played": LeastPlayed,
    "swiss": Swiss,
}


def by_elo(k: float, results: Sequence[MatchResult], bots: int) -> Fit:
    """Classic Elo, with the deviations that it claims."""
    elo = Elo(k)
    for each in results:
        elo.add(each)
    strengths = [(elo.rating(bot) - MEAN_RATING) / ELO for bot in range(bots)]
    deviations = [elo.deviation(bot) / ELO for bot in range(bots)]
    return Fit(np.array(strengths), np.diag(np.square(deviations)), np.full(bots, ALL_KNOWN))


def by_openskill(results: Sequence[MatchResult], bots: int) -> Fit:
    """OpenSkill's Plackett-Luce. Its scale is that of skill plus normal luck in each match."""
    model = import_module("openskill.models").PlackettLuce()
    rated = [model.rating() for _ in range(bots)]
    for each in results:
        teams = model.rate([[rated[bot]] for bot in each.bots], ranks=list(each.places))
        for bot, (after,) in zip(each.bots, teams, strict=True):
            rated[bot] = after
    scale = np.pi / sqrt(3) / (sqrt(2) * model.beta)
    strengths, deviations = (scale * np.array([getattr(each, what) for each in rated]) for what in ("mu", "sigma"))
    return Fit(strengths, np.diag(deviations**2), np.full(bots, ALL_KNOWN))


METHODS: Mapping[str, Callable[[Sequence[MatchResult], int], Fit]] = {
    "each opponent": lambda results, bots: fit(gather(results)),
    "each match": lambda results, bots: fit(gather(results), method=Method.EACH_MATCH),
    "Elo, K 16": partial(by_elo, 16),
    "Elo, K 32": partial(by_elo, 32),
    **({"OpenSkill": by_openskill} if find_spec("openskill") else {}),
}


def table_of_sure(method: Method, fields: Sequence[Field], seeds: range) -> None:
    """How often `sure` is wrong, and what it needs."""
    out(f"sure, {method.name.lower().replace('_', ' ')}", "wrong %", "covered %", "ended %", "matches")
    for field in fields:
        wrong, inside, ended, matches = np.mean([ladder(field, method, seed) for seed in seeds], axis=0)
        out(field.name, f"{100 * wrong:.1f}", f"{100 * inside:.1f}", f"{100 * ended:.0f}", f"{matches:,.0f}")


def table_of_schedules(fields: Sequence[Field], seeds: range) -> None:
    """How often ranges of ranks are wrong, and intervals right."""
    out("wrong runs, bots; covered %", *METHODS)
    for field in fields:
        for name, schedule in SCHEDULES.items():
            cells: dict[str, list[tuple[float, float, float]]] = {method: [] for method in METHODS}
            for seed in seeds:
                results, truth = played(field._replace(matches=1000), schedule(seed.to_bytes(4)), seed)
                for method, rate in METHODS.items():
                    found = rate(results, field.bots)
                    wrong = misranked(found, truth)
                    cells[method].append((float(wrong.any()), wrong.mean(), covered(found, truth)))
            means = [100 * np.mean(each, axis=0) for each in cells.values()]
            out(f"{field.name}, {name}", *("  ".join(f"{share:.1f}" for share in each) for each in means))


def table_of_clone_proof(fields: Sequence[Field], seeds: range) -> None:
    """How often the second ranking is shown, and is wrong."""
    out("clone-proof", "shown %", "wrong %", "covered %", "moved", "half width")
    for field in fields:
        if list(field.chances) != [DUEL]:
            continue
        truth = lottery_scores(field.chances[DUEL])
        for matches in (300, 1000):
            some = field._replace(matches=matches)
            found = [scores for seed in seeds if (scores := second_ranking(some, seed))]
            wrong = [
                out_of_range([RankRange(each.best_rank, each.worst_rank) for each in run], truth).any() for run in found
            ]
            ends = np.array([[(each.low, each.score, each.high) for each in run] for run in found]).reshape(-1, 3)
            true = np.tile(truth, len(found))
            inside = (ends[:, 0] - EQUAL < true) & (true < ends[:, 2] + EQUAL)
            moved, half = np.abs(ends[:, 1] - true), (ends[:, 2] - ends[:, 0]) / 2
            cells = [f"{100 * len(found) / len(seeds):.0f}"]
            if found:
                cells += [f"{100 * np.mean(each):.1f}" for each in (wrong, inside, moved, half)]
            out(f"{field.name}, {matches}", *cells)


def table_of_circles(fields: Sequence[Field], seeds: range) -> None:
    """How often a circle is named, or a pair that defies the ladder."""
    out("circles", "circle %", "defying %")
    for field in (*fields, Field("steps of 400", {DUEL: steps(400)})):
        for matches in (300, 1000):
            records = [gather(round_robin(field._replace(matches=matches), seed)) for seed in seeds]
            found = [(record, fit(record)) for record in records]
            named = np.mean(
                [(fitted.misfit.low > 0, bool(defying(record, fitted))) for record, fitted in found], axis=0
            )
            out(f"{field.name}, {matches}", *(f"{100 * each:.1f}" for each in named))


def round_robin(field: Field, seed: int) -> list[MatchResult]:
    """The results of a run of it."""
    return played(field, RoundRobin(seed.to_bytes(4), times=None), seed)[0]


def table_of_newcomers(fields: Sequence[Field], seeds: range) -> None:
    """What a bot that has played little does to the others: how often their intervals and its own are right."""
    out("a bot with few blocks", "covered %", "it %", "ranks wrong %", "±", "± of it", "± without it", "± plain mean")
    for field in fields:
        if list(field.chances) == [DUEL]:
            for blocks in (1, 2, 4, 8, 16):
                covered, own, wrong, *widths = np.mean([newcomer(field, blocks, seed) for seed in seeds], axis=0)
                shares = (f"{100 * each:.1f}" for each in (covered, own, wrong))
                out(f"{field.name}, {blocks}", *shares, *(f"{ELO * each:.0f}" for each in widths))


def newcomer(field: Field, blocks: int, seed: int) -> tuple[float, ...]:
    """A field in which all but the last bot have met each other in 16 blocks, and the last one some of them."""
    rng, last = np.random.default_rng([19, seed]), field.bots - 1
    groups = [pair for pair in combinations(range(last), 2) for _ in range(16)]
    before = field.play(rng, [Pairing(DUEL, group) for group in groups], 0)
    met = [Pairing(DUEL, (int(other), last)) for other in rng.choice(last, blocks)]
    found, alone = fit(gather(before + field.play(rng, met, len(groups)))), fit(gather(before))
    truth = strengths_against(field.chances[DUEL], found.field)
    right, widths = within(found, truth), half_widths(found, found.middle)
    without, plain = half_widths(alone, alone.middle), half_widths(found, np.full(field.bots, 1 / field.bots))
    return (
        right[:last].mean(),
        right[last],
        float(misranked(found, truth).any()),
        widths[:last].mean(),
        widths[last],
        without.mean(),
        plain[:last].mean(),
    )


def second_ranking(field: Field, seed: int) -> list[LotteryScore]:
    """After a run of a round robin, by the numbers of bots; empty if it is not shown."""
    record = gather(round_robin(field, seed))
    fitted = fit(record)
    return sorted(clone_proof(record, fitted)) if circularity(record, fitted) else []


def out(*cells: str) -> None:
    """A line of a table."""
    sys.stdout.write("".join(f"{cell:>20}" if column else f"{cell:36}" for column, cell in enumerate(cells)) + "\n")
    sys.stdout.flush()


def table_of_specialists(fields: Sequence[Field], seeds: range) -> None:
    """How often specialists are named, rightly or not."""
    out("specialists", "false alarm %", "found %")
    for field in (*fields, *SCALED):
        if len(field.chances) == 1:
            continue
        # What counts is which bots have another rank in one kind of table than in another.
        places = [
            np.argsort(np.argsort(-chances.sum(axis=1).round(6), kind="stable")) for chances in field.chances.values()
        ]
        true = set(np.flatnonzero(places[0] != places[1]).tolist())
        for matches in (600, 2400):
            named = [named_in(field._replace(matches=matches), seed) for seed in seeds]
            false = np.mean([bool(each - true) for each in named])
            found = f"{100 * np.mean([len(each & true) / len(true) for each in named]):.0f}" if true else "none"
            out(f"{field.name}, {matches}", f"{100 * false:.1f}", found)


def named_in(field: Field, seed: int) -> set[int]:
    """The bots that are named in a run of the schedule that evens out who plays."""
    record = gather(played(field, LeastPlayed(seed.to_bytes(4)), seed)[0])
    return {each.bot for each in specialists(record, fit(record))}


def table_of_mixes(fields: Sequence[Field], seeds: range) -> None:
    """By how much scores differ from those against the mixes of OpenSpiel, at most, in percentage points."""
    out("mixes of OpenSpiel", "maximal lotteries", "nash averaging")
    random = np.triu(np.random.default_rng(20).uniform(-0.5, 0.5, (len(seeds), 8, 8)), 1)
    every = {each.name: [each.chances[DUEL]] for each in fields if list(each.chances) == [DUEL]}
    every[f"{len(seeds)} random fields of 8"] = list(0.5 + random - random.transpose(0, 2, 1))
    for name, shares in every.items():
        worst = np.max(
            [[np.abs(lottery_scores(each) - other).max() for other in by_openspiel(each)] for each in shares], axis=0
        )
        out(name, *(f"{100 * each:.4f}" for each in worst))


def by_openspiel(shares: Floats) -> tuple[Floats, Floats]:
    """The scores against the mixes that OpenSpiel finds: by its voting methods, and by Nash averaging.

    Voters with two votes for each pair, which cancel in all other pairs, make the margins (McGarvey).
    """
    spiel, base = import_module("pyspiel"), import_module("open_spiel.python.voting.base")
    bots, profile = list(range(len(shares))), base.PreferenceProfile(alternatives=list(range(len(shares))))
    for one, other in np.argwhere(shares > 0.5).tolist():
        others, votes = [each for each in bots if each not in (one, other)], round(VOTES * (shares[one, other] - 0.5))
        profile.add_vote([one, other, *others], votes)
        profile.add_vote([*others[::-1], one, other], votes)
    voting = import_module("open_spiel.python.voting.maximal_lotteries").MaximalLotteriesVoting(iterative=False)
    outcome = voting.run_election(profile)
    lottery = np.array([outcome.scores[outcome.ranking.index(bot)] for bot in bots])
    margins = (shares - shares.T) / 2
    game = spiel.create_matrix_game(margins.tolist(), (-margins).tolist())
    averages = import_module("open_spiel.python.algorithms.nash_averaging").nash_averaging(game)[1]
    return shares @ lottery, 0.5 + averages.ravel()


def table_of_copies(fields: Sequence[Field], seeds: range) -> None:
    """What copies do to the scores of the bots that were there before."""
    out("copies of scissors", "moved", "half width", "with them", "beyond %", "rating moved")
    for copies in (3, 6, 10):
        found = np.concatenate([moved_by_copies(copies, seed) for seed in seeds])
        moved, before, after, beyond, points = found.mean(axis=0)
        shown = (100 * moved, 100 * before, 100 * after, 100 * beyond)
        out(f"{copies} copies", *(f"{each:.1f}" for each in shown), f"{ELO * points:.0f}")


def moved_by_copies(copies: int, seed: int) -> Floats:
    """Rock, paper, scissors and a weak bot, each two of which meet in 20 blocks; then copies of scissors do so too.

    By bot: how far its score moves; half its interval before and after; whether neither interval holds the other score;
    how far its rating moves.
    """
    rng, field = np.random.default_rng([21, seed]), Field("", {DUEL: scissors(copies)})
    pairs = [Pairing(DUEL, pair) for pair in combinations(range(field.bots), 2) for _ in range(20)]
    pairs.sort(key=lambda each: max(each.group) > WEAK)
    first = sum(max(each.group) <= WEAK for each in pairs)
    results = field.play(rng, pairs, 0)
    ended = [result for result in results if int(result.block_id) < first]
    (alone, ratings), (beside, moved) = scored(ended), scored(results)
    return np.array(
        [
            (
                abs(new.score - old.score),
                (old.high - old.low) / 2,
                (new.high - new.low) / 2,
                not (holds(old, new.score) or holds(new, old.score)),
                abs(moved[bot] - moved[WEAK] - ratings[bot] + ratings[WEAK]),
            )
            for bot, (old, new) in enumerate(zip(alone, beside[: WEAK + 1], strict=True))
        ]
    )


def holds(found: LotteryScore, score: float) -> bool:
    """Whether its interval holds a score."""
    return found.low - EQUAL < score < found.high + EQUAL


def scored(results: Sequence[MatchResult]) -> tuple[list[LotteryScore], Floats]:
    """The second ranking and the strengths, by the numbers of bots."""
    record = gather(results)
    fitted = fit(record)
    return sorted(clone_proof(record, fitted)), fitted.strengths


TABLES: Mapping[str, Callable[[Sequence[Field], range], None]] = {
    "sure": partial(table_of_sure, Method.EACH_KIND),
    "before": partial(table_of_sure, Method.EACH_MATCH),
    "schedules": table_of_schedules,
    "circles": table_of_circles,
    "newcomers": table_of_newcomers,
    "copies": table_of_copies,
    "specialists": table_of_specialists,
    "clone-proof": table_of_clone_proof,
    **({"mixes": table_of_mixes} if find_spec("pyspiel") else {}),
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int, nargs="?", default=300)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--fields", nargs="*", default=[""], help="words in their names")
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES)
    given = parser.parse_args()
    fields = [field for field in FIELDS if any(word in f"^{field.name} " for word in given.fields)]
    for name in given.tables:
        TABLES[name](fields, range(given.first, given.first + given.runs))


if __name__ == "__main__":
    main()
