"""What the standings of a ladder and those of an arena show alike."""

from roost_cli.terminal.standings import above_next, mean_place, ranks, rating
from roost_ladder.rating.standings import PlacesAt


def test_how_likely_a_bot_is_stronger_than_the_next_one() -> None:
    (column,) = above_next([0.9999, 0.975, 0.5, None], drop=5)
    assert column.head == ">above"
    assert column.cells == ["> 99 %", "98 %", "50 %", "-"]
    assert above_next([None, None], drop=5) == []


def test_ranks_ratings_and_places() -> None:
    assert (ranks(2, 2), ranks(2, 4)) == ("2", "2-4")
    assert rating(1592.3, 1494.3, 1690.3) == "1592 ±98"
    places = [PlacesAt(2, 10, 1.5), PlacesAt(3, 6, 2.0)]
    assert [mean_place(places, size) for size in (2, 3, 4)] == ["1.50", "2.00", "-"]
