"""What `roost play` does once it knows what to play: run the matches, then say what came of them."""

import contextlib
import secrets
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import typer

from roost_cli.replay_file import ReplayFile
from roost_cli.series import Setup, TroubleLog, play_out
from roost_cli.tally import Tally
from roost_cli.terminal.console import print_json, results
from roost_cli.terminal.progress import progress
from roost_cli.terminal.show import print_frame
from roost_cli.terminal.tables import INTERVAL_NOTE, TERMINATIONS, match_table, summary_json, summary_table
from roost_games.chance import seed_of
from roost_games.narrator import Narrator


def new_seed() -> str:
    """A seed for somebody who did not choose one: short enough to type again."""
    return secrets.token_hex(4)


def run_matches(setup: Setup, matches: int, replay: Path | None, *, show: bool, as_json: bool) -> None:
    """Play and report. Ctrl-C ends the run early: what was played until then is reported, and the exit code is 130."""
    tally = Tally([bot.name for bot in setup.bots])
    interrupted = False
    with ReplayFile(replay) if replay else contextlib.nullcontext() as replays:
        try:
            _play_all(setup, matches, tally, replays, show=show)
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        print_json(_as_json(setup, tally))
    elif tally.results:
        _print_results(setup, tally, matches, replay, show=show)
    if interrupted:
        raise typer.Exit(130)


def _play_all(setup: Setup, matches: int, tally: Tally, replays: ReplayFile | None, *, show: bool) -> None:
    troubles = TroubleLog()
    console = results()
    with _progress(matches, show=show) as numbers:
        for number in numbers:
            narrator = Narrator(setup.game.name, tally.bots, partial(print_frame, console)) if show else None
            match = setup.match(number, troubles.tell, narrator.listen if narrator else None)
            if narrator:
                narrator.begin(match.referee)
            tally.results.append(play_out(match))
            if replays:
                replays.add(match.referee.replay())
    troubles.close()


@contextlib.contextmanager
def _progress(matches: int, *, show: bool) -> Iterator[Iterator[int]]:
    """The numbers of the matches; progress is shown unless the matches themselves are."""
    if show or matches == 1:
        yield iter(range(matches))
        return
    with progress("matches", matches) as advance:

        def numbers() -> Iterator[int]:
            for number in range(matches):
                yield number
                advance(1)

        yield numbers()


def _print_results(setup: Setup, tally: Tally, wanted: int, replay: Path | None, *, show: bool) -> None:
    console = results()
    played = len(tally.results)
    count = f"{played} of {wanted} matches" if played < wanted else f"{played} matches" if played > 1 else "one match"
    console.print(f"{setup.game.title}, {len(setup.bots)} players, {count}, seed {setup.seed}")
    if wanted > 1:
        console.print(summary_table(tally.summary()))
        console.print(INTERVAL_NOTE)
    else:
        console.print(match_table(tally.bots, tally.results[0]))
        console.print(f"The match is over: {TERMINATIONS[tally.results[0].termination]}.")
    console.print(_hint(setup, replay, show=show or wanted > 1), soft_wrap=True)


def _hint(setup: Setup, replay: Path | None, *, show: bool) -> str:
    """What to do next."""
    watch = "." if show else ", and --show to watch."
    again = f"Add --seed {shlex.quote(setup.seed)} to play the same deals again{watch}"
    return f"{again} roost verify {shlex.quote(str(replay))} checks the record." if replay else again


def _as_json(setup: Setup, tally: Tally) -> dict[str, object]:
    return {
        "game": setup.game.name,
        "options": setup.options.to_json(),
        "seed": setup.seed,
        "matches": len(tally.results),
        "seats": [summary_json(row) for row in tally.summary()] if tally.results else [],
        "results": [
            {
                "seed": seed_of(setup.seed, number).hex(),
                "places": result.places,
                "scores": result.scores,
                "termination": result.termination,
                "forfeits": result.forfeits,
                "faults": [{"seat": fault.seat, "kind": fault.kind, "step": fault.step} for fault in result.faults],
            }
            for number, result in enumerate(tally.results)
        ],
    }
