"""How many matches an arena plays at once, by how late it is itself."""

from collections.abc import Callable

from roost_server.clocks import Instant
from roost_server.play.pacing.load import FIRST, LEAST, UP, Load

MOST_LATE = 0.1


def playing_after(seconds: int, late: Callable[[int], float], wanted: int = 10_000) -> list[int]:
    """How many matches are played at once, second by second, if the arena is late for this share of the time."""
    load, delayed_ms, seen = Load(MOST_LATE), 0.0, []
    playing = min(wanted, load.limit)
    for second in range(seconds):
        delayed_ms += 1000 * late(playing)
        load.look(Instant(float(second), delayed_ms), playing)
        playing = min(wanted, load.limit)
        seen.append(playing)
    return seen


def test_an_arena_that_is_never_late_plays_more_and_more() -> None:
    assert playing_after(60, lambda playing: 0.0)[-1] > 10 * FIRST


def test_an_arena_that_is_late_plays_as_many_as_it_can_serve() -> None:
    """This one can serve 500; with each of the others it is late for another thousandth of the time."""
    later = playing_after(300, lambda playing: max(0, playing - 500) / 1000)[100:]
    # It is late for a tenth of the time with 600 matches. One step more than that is tried, and two steps back follow.
    assert min(later) > 450
    assert max(later) <= UP * 600 + 1


def test_an_arena_that_is_always_late_plays_some() -> None:
    assert playing_after(60, lambda playing: 0.5)[-1] == LEAST


def test_an_arena_that_is_late_with_nothing_to_do_begins_with_many_all_the_same() -> None:
    load = Load(MOST_LATE)
    assert not any(load.look(Instant(float(second), 900.0 * second), 0) for second in range(60))
    assert load.limit == FIRST


def test_what_nobody_uses_does_not_grow() -> None:
    load = Load(MOST_LATE)
    assert not any(load.look(Instant(float(second), 0.0), 5) for second in range(60))
    assert load.limit == FIRST


def test_a_moment_is_not_looked_at() -> None:
    load = Load(MOST_LATE)
    load.look(Instant(0.0, 0.0), FIRST)
    assert not load.look(Instant(0.01, 10.0), FIRST)
    assert load.limit == FIRST
