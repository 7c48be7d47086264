"""Plays many random matches of every game, some of them with faults and forfeits, and verifies each record.

    make verify-many                  # 10,000 matches of each game
    python -m benchmarks.soak.verify_many 500

Every record goes through its line of JSON, as a file would hold it. Prints a table and exits 1 if anything deviates.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from roost_games.chance import seed_of
from roost_games.referee import Referee, Seat
from roost_games.replay import Replay
from roost_games.verify import verify
from tests.golden.cases import Case, all_cases
from tests.support.games.toy import play_out

MATCHES = 10_000
CHUNK = 50
FAULTY_SHARE = 0.2
"""The number of matches in which bots misbehave."""


def play_chunk(number: int, first: int, count: int) -> Counter[str]:
    """Play and verify matches `first`, `first + 1` ... of case `number`; counts terminations and deviations."""
    case = all_cases()[number]
    found: Counter[str] = Counter()
    for match in range(first, first + count):
        replay = play(case, match)
        found[replay.result.termination] += 1
        deviation = verify(replay)
        if deviation is not None:
            found[f"{case.name} match {match}: {deviation}"] += 1
    return found


def play(case: Case, match: int) -> Replay:
    """One random match, read back from its line."""
    rng = Random(f"{case.name}:{match}")
    seats = [Seat(f"bot{seat}") for seat in range(case.players)]
    options = case.game.options(case.options)
    referee: Referee[Any, Any] = Referee(
        case.game, seats, seed_of(f"verify-many:{case.name}", match), options=options, match=str(match)
    )
    misbehave = 0.02 if rng.random() < FAULTY_SHARE else 0.0
    play_out(referee, rng, fault_rate=misbehave, grace_rate=misbehave / 10)
    return Replay.from_line(referee.replay().to_line())


def main(matches: int) -> int:
    """Play `matches` of each game, spread over its player counts and options. Returns the exit code."""
    cases = all_cases()
    jobs = []
    for number, case in enumerate(cases):
        share = -(-matches // sum(each.game is case.game for each in cases))
        jobs += [(number, first, min(CHUNK, share - first)) for first in range(0, share, CHUNK)]
    totals: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor() as pool:
        results = pool.map(play_chunk, *zip(*jobs, strict=True))
        for (number, _, _), found in zip(track(jobs, "verifying"), results, strict=True):
            totals.setdefault(cases[number].game.name, Counter()).update(found)
    return report(totals)


def report(totals: dict[str, Counter[str]]) -> int:
    """Print what was found. Returns the exit code."""
    endings = ("finished", "horizon", "forfeit")
    table = Table("game", "matches", *endings, "deviations")
    deviations = {what for found in totals.values() for what in found if what not in endings}
    for game, found in totals.items():
        ended = [found[ending] for ending in endings]
        wrong = sum(found[what] for what in deviations)
        table.add_row(game, *map(str, (sum(ended), *ended, wrong)))
    console = Console()
    console.print(table)
    for what in sorted(deviations):
        console.print(what)
    return 1 if deviations else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES))
