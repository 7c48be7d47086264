"""Bets on a bot: by hand, and with bots that are no better than even."""

from random import Random

import pytest

from roost_server.competition.betting import Evidence


def after(*scores: float) -> Evidence:
    evidence = Evidence()
    for score in scores:
        evidence.add(score)
    return evidence


def test_by_hand() -> None:
    # 1.25, 1.5 and 1.75, then their squares 1.5625, 2.25 and 3.0625.
    assert after(1.0).best == pytest.approx(1.5)
    assert after(1.0, 1.0).best == pytest.approx(6.875 / 3)
    assert after(1.0, 1.0).confidence == pytest.approx(1 - 3 / 6.875)
    # A lost block takes a quarter, a half and three quarters: what was reached before stays reached.
    lost = after(1.0, 0.0, 0.5)
    assert (lost.blocks, lost.best, lost.score) == (3, 1.5, 0.5)
    assert after().score == 0.5
    assert after(0.0, 0.25).confidence == 0.0


@pytest.mark.parametrize(
    "scores", [(0.0, 1.0), (0.0, 0.5, 1.0), (0.25, 0.75), (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)]
)
@pytest.mark.short(1)
def test_a_bot_that_is_only_even_seldom_convinces(scores: tuple[float, ...]) -> None:
    """Ville's bound, with a look after each of 300 blocks: at most 1 in 20 ever reaches 20 times the stake."""
    rng = Random("even")
    runs = 1000
    convinced = sum(after(*rng.choices(scores, k=300)).best >= 20 for _ in range(runs))
    # Three standard deviations above 5 % of 1000.
    assert convinced <= 50 + 3 * 6.9


def test_a_better_bot_convinces() -> None:
    rng = Random("better")
    for _ in range(50):
        assert after(*(float(rng.random() < 0.75) for _ in range(300))).best >= 20
