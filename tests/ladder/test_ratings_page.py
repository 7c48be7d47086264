"""The numbers on the page about ratings, recalculated."""

import doctest
import re
from math import exp, log, sqrt
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "why/ratings.md").read_text(encoding="utf-8")
SENTENCES = " ".join(PAGE.split())
POINTS = 400 / log(10)


def rows() -> dict[str, str]:
    """The first and the last cell of every row of three cells."""
    return dict(re.findall(r"^\| ([^|]+) \|[^|]*\| ([^|]+) \|$", PAGE, re.MULTILINE))


def worked_example() -> dict[str, float]:
    low, high = 0.0, 5.0
    for _ in range(60):
        d = (low + high) / 2
        p, v = 1 / (1 + exp(-d)), 1 / (1 + exp(-d / 2))
        low, high = (d, high) if 12 - 16 * p + 1 / 2 - v > 0 else (low, d)
    noise = [4 * (2 - 2 * p) ** 2 + 4 * (1 - 2 * p) ** 2, 2 * p * (1 - p), ((1 / 2 - v) ** 2 + 1 / 4) / 2]
    curvature = 16 * p * (1 - p) + v * (1 - v) / 2
    error = sqrt(sum(noise)) / curvature
    published_t = 2.262
    return {
        "chance of bot 1 to win": p,
        "its chance in the virtual match": v,
        "difference": d,
        "difference in points": POINTS * d,
        "slope of a block won 2 : 0": 2 - 2 * p,
        "slope of a block split 1 : 1": 1 - 2 * p,
        "observed noise": noise[0],
        "one more block": noise[1],
        "virtual matches": noise[2],
        "curvature": curvature,
        "standard error": error,
        "standard error in points": POINTS * error,
        "Student's factor, 9 degrees of freedom": published_t,
        "half width of the difference": published_t * POINTS * error,
    }


def test_the_example_on_the_page_runs() -> None:
    failed, tried = doctest.testfile(str(DOCS / "why/ratings.md"), module_relative=False)
    assert tried >= 4
    assert failed == 0


@pytest.mark.parametrize(("label", "value"), worked_example().items())
def test_the_example_by_hand(label: str, value: float) -> None:
    printed = rows()[label].replace("−", "-")
    decimals = len(printed.partition(".")[2])
    assert f"{value:.{decimals}f}" == printed


def numbers_after(label: str) -> list[int]:
    (row,) = re.findall(rf"^\| {label} (.*)\|$", PAGE, re.MULTILINE)
    return [int(number) for number in re.findall(r"\d+", row)]


def test_points_and_chances() -> None:
    points = numbers_after("Points higher")
    assert points == [0, 50, 100, 200, 400]
    assert numbers_after("Finishes ahead") == [round(100 / (1 + 10 ** (-point / 400))) for point in points]


def test_weights_on_the_page() -> None:
    """How much a match tells about a bot, compared with two players: curvature squared by variance."""
    told = {n: ((n - 1) / 4) ** 2 / ((n * n - 1) / 12) for n in (2, 3, 4)}
    assert told[3] / told[2] == pytest.approx(1.5)
    assert told[4] / told[2] == pytest.approx(1.8)
    assert "three players tell 1.5 times as much about each bot as two players do, four players 1.8 times" in SENTENCES


def test_how_far_elo_strays() -> None:
    """What a match takes off an error and what its luck adds are in balance: v = (1 - c)^2 v + K^2 / 4."""
    follows = 20 * log(10) / 1600
    variance = 20**2 / 4 / (1 - (1 - follows) ** 2)
    assert f"a rating strays by ±{1.96 * sqrt(variance):.0f} points" in SENTENCES
