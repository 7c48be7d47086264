"""Brownian motion between bounds, against textbook formulas and against random walks."""

from math import exp, inf
from statistics import NormalDist

import numpy as np
import pytest

from roost_ladder.rating.sprt import Motion

NORMAL = NormalDist()


@pytest.mark.parametrize("drift", [-0.7, -0.1, 0.1, 0.7])
@pytest.mark.parametrize("variance", [0.25, 4.0])
def test_in_the_end_it_leaves_at_the_lower_bound_as_often_as_a_gambler_is_ruined(drift: float, variance: float) -> None:
    """From 0 between -2 and 3: (r^2 - r^5) / (1 - r^5) with r = exp(-2 drift / variance), divided by r^0."""
    r = exp(-2 * drift / variance)
    ruin = (r**2 - r**5) / (1 - r**5)
    assert Motion(-2, 3, drift, variance).chance_up_to(2000, -2) == pytest.approx(ruin, abs=1e-9)


def test_without_drift_the_ruin_depends_on_the_distances() -> None:
    assert Motion(-2, 3, 0, 1).chance_up_to(500, 1) == pytest.approx(3 / 5, abs=1e-9)


@pytest.mark.parametrize("position", [-1.5, 0.0, 2.0])
@pytest.mark.parametrize("drift", [-0.3, 0.0, 0.5])
def test_with_far_bounds_it_is_normal(position: float, drift: float) -> None:
    chance = Motion(-1000, 1000, drift, 2.0).chance_up_to(3.0, position)
    assert chance == pytest.approx(NormalDist(3 * drift, 6**0.5).cdf(position), abs=1e-12)


@pytest.mark.parametrize("drift", [-1.0, -0.2, 0.4])
def test_with_one_far_bound_it_is_the_first_passage(drift: float) -> None:
    """Out at the lower bound b by the time t: N((b - dt) / sqrt t) + exp(2 d b) N((b + dt) / sqrt t)."""
    bound, time = -1.2, 2.5
    root = time**0.5
    textbook = NORMAL.cdf((bound - drift * time) / root) + exp(2 * drift * bound) * NORMAL.cdf(
        (bound + drift * time) / root
    )
    assert Motion(bound, 1000, drift, 1).chance_up_to(time, bound) == pytest.approx(textbook, abs=1e-12)


@pytest.mark.parametrize(("drift", "time", "position"), [(0.0, 5, 0.3), (0.3, 5, 3.0), (-0.2, 8, -2.0), (0.9, 2, 1.0)])
def test_random_walks(drift: float, time: float, position: float) -> None:
    """All walks at once, by their chances: steps of a coin on a fine grid, until they are at a bound."""
    step = 0.025
    up = (1 + drift * step) / 2
    places = step * np.arange(round(-2 / step), round(3 / step) + 1)
    chance = (np.abs(places) < step / 2).astype(float)
    for _ in range(round(time / step**2)):
        inside = chance[1:-1].copy()
        chance[1:-1] = 0
        chance[2:] += up * inside
        chance[:-2] += (1 - up) * inside
    walked = chance[0] + chance[1:-1][places[1:-1] <= position + step / 4].sum()
    assert Motion(-2, 3, drift, 1).chance_up_to(time, position) == pytest.approx(walked, abs=0.01)


def test_the_chance_falls_with_the_drift_to_any_extreme() -> None:
    drifts = [-300.0, -30.0, *np.linspace(-3, 3, 41).tolist(), 30.0, 300.0]
    for time, position in [(0.01, 0.0), (2.0, -2.944), (2.0, 2.944), (40.0, 1.0)]:
        chances = [Motion(-2.944, 2.944, drift, 1.0).chance_up_to(time, position) for drift in drifts]
        assert all(later <= earlier + 1e-9 for earlier, later in zip(chances, [*chances[1:], -inf], strict=True))
        assert chances[0] == pytest.approx(1, abs=1e-6)
        assert chances[-1] == pytest.approx(0, abs=1e-6)
