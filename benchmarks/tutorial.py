"""Is each step of the tutorial an improvement? `roost compare` from step to step, as docs/bots/tutorial.md shows it.

    python -m benchmarks.tutorial [STEP...]

The seed is fixed, so the figures repeat. Each step is compared with the one before it, and with `careful`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import roost_bots.tutorial
from roost_bots import SAMPLES, starters
from roost_ladder.rating.sprt import Verdict
from roost_ladder.running.comparison import CompareOptions, run_comparison

STEPS = 5
SEED = "tutorial"
ELO1 = 10.0
"""Improvements of this size must not be missed."""
MOST_BLOCKS = 20_000


class StepFigures(NamedTuple):
    """What a comparison says."""

    elo: float
    low: float
    high: float
    blocks: int
    stronger: bool

    def __str__(self) -> str:
        return f"{self.elo:+.0f} ({self.low:+.0f} to {self.high:+.0f})"


def bot(step: int) -> str:
    """The bot of a step, as `load_bot` finds it; step 0 is what `roost new` makes."""
    if step == 0:
        return f"{Path(starters.__file__).with_name('karteneck.py')}:MyBot"
    return f"{Path(roost_bots.tutorial.__file__).with_name(f'step{step}.py')}:Step{step}"


def compare(new: str, old: str) -> StepFigures:
    """One comparison, at tables of two."""
    options = CompareOptions(new, old, ("karteneck",), (2,), elo1=ELO1, blocks=MOST_BLOCKS, seed=SEED, trusted=True)
    comparison = run_comparison(options, SAMPLES).comparison
    elo = comparison.elo
    return StepFigures(elo.middle, elo.low, elo.high, comparison.sample.blocks, comparison.verdict is Verdict.STRONGER)


def rows(steps: list[int]) -> Iterator[tuple[int, StepFigures, StepFigures]]:
    """By step, how it compares with the one before, and with `careful`."""
    for step in steps:
        yield step, compare(bot(step), bot(step - 1)), compare(bot(step), "careful")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("steps", type=int, nargs="*", help="which steps (all)")
    print(f"{'step':6}{'against the one before':>30}{'blocks':>8}{'against careful':>30}{'blocks':>8}")
    for step, before, careful in rows(parser.parse_args().steps or list(range(1, STEPS + 1))):
        print(f"{step:<6}{before!s:>30}{before.blocks:>8}{careful!s:>30}{careful.blocks:>8}", flush=True)


if __name__ == "__main__":
    main()
