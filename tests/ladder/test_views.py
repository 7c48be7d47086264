"""Views per game and table size, the weight of forfeits, and how likely neighbours are in the right order."""

import pytest

from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings, views
from tests.support.records.results import duels

TRIOS = [
    MatchResult(f"t{block}", "trio", order, (1, 2, 3))
    for block in range(4)
    for order in ((3, 1, 2), (3, 2, 1), (1, 3, 2))
]
MIXED = duels([2, 1, 2, 2]) + [result._replace(block_id=f"x {block}") for block, result in enumerate(TRIOS)]


def test_one_view_over_everything_then_by_game_and_by_size() -> None:
    seen = views(MIXED)
    assert [(view.game, view.players) for view in seen] == [
        (None, None),
        ("duel", None),
        ("trio", None),
        (None, 2),
        (None, 3),
    ]
    assert seen[0].standings == standings(MIXED)
    assert seen[1].standings == seen[3].standings == standings(MIXED[:8])
    assert seen[2].standings == seen[4].standings == standings(MIXED[8:])


def test_one_game_of_one_size_has_one_view() -> None:
    assert [(view.game, view.players) for view in views(duels([2, 1]))] == [(None, None)]


def test_a_view_without_the_anchor_is_counted_from_the_mean() -> None:
    by_game = {view.game: view for view in views(MIXED, anchor=3) if view.players is None}
    for game in (None, "trio"):
        assert {standing.bot: standing.rating for standing in by_game[game].standings}[3] == 1500
    assert sum(standing.rating for standing in by_game["duel"].standings) == pytest.approx(3000)


def test_forfeits_count_or_do_not() -> None:
    given_up = [result._replace(forfeited=True, block_id="f") for result in duels([2])]
    played = duels([1, 1, 2])
    fair = duels([1, 1, 2, 2])
    assert ratings(played + given_up) == pytest.approx(ratings(fair))
    assert standings(played + given_up, forfeits=False) == standings(played)
    assert views(played + given_up, forfeits=False)[0].standings == standings(played)
    assert standings(given_up, forfeits=False) == []


def ratings(results: list[MatchResult]) -> list[float]:
    return [standing.rating for standing in standings(results)]


def test_how_likely_neighbours_are_in_the_right_order() -> None:
    """From the interval of the difference: where its end is at 0, the likelihood is 97.5 %."""
    first, second = standings(duels([2, 2, 1, 2] * 3))
    assert second.above_next is None
    assert first.above_next is not None
    # With two bots the interval of the difference is twice as wide as that of a rating.
    in_half_widths = (first.rating - second.rating) / (first.high - first.low)
    assert in_half_widths > 1
    assert 0.975 < first.above_next < 1


def test_equal_neighbours_are_in_the_right_order_half_the_time() -> None:
    first, _ = standings(duels([1, 1, 1]))
    assert first.above_next == pytest.approx(0.5)
