"""The least-played schedule, against counts kept by the tests."""

from collections import Counter
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from roost_ladder.least_played import LeastPlayed

Kind = tuple[str, int]
PAIRS: Kind = ("karteneck", 2)
TRIOS: Kind = ("karteneck", 3)
FOURS: Kind = ("haecmaec", 4)


def schedule(seed: int = 1) -> LeastPlayed[Kind]:
    return LeastPlayed([PAIRS, TRIOS, FOURS], Random(seed))


def run(least_played: LeastPlayed[Kind], kind: Kind, bots: range, blocks: int) -> list[tuple[int, ...]]:
    groups = []
    for _ in range(blocks):
        group = least_played.choose(kind, kind[1], bots)
        assert group is not None
        least_played.count(kind, group)
        groups.append(group)
    return groups


def test_too_few_bots() -> None:
    assert schedule().choose(TRIOS, 3, [1, 2]) is None
    assert schedule().choose(TRIOS, 3, []) is None


def test_nobody_sits_at_a_table_with_itself() -> None:
    assert schedule().choose(PAIRS, 2, [5, 5, 5]) is None
    assert set(schedule().choose(PAIRS, 2, [5, 5, 6, 6]) or ()) == {5, 6}


def test_who_has_played_least_plays_next() -> None:
    least_played = schedule()
    for group in [(1, 2), (3, 4), (1, 3), (2, 4), (1, 4)]:
        least_played.count(PAIRS, group)
    least_played.count(PAIRS, (2, 5))
    # Bot 5 has played once, all others twice or more.
    assert all(5 in (least_played.choose(PAIRS, 2, range(1, 6)) or ()) for _ in range(20))


def test_with_whom_it_met_least() -> None:
    least_played = schedule()
    for group in [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]:
        least_played.count(PAIRS, group)
    # Bots 1 and 4 have played twice, the others three times. 1 and 4 have not met.
    assert all(set(least_played.choose(PAIRS, 2, [1, 2, 3, 4]) or ()) == {1, 4} for _ in range(20))


def test_meetings_count_with_the_whole_group() -> None:
    least_played = schedule()
    least_played.count(PAIRS, (1, 3))
    least_played.count(PAIRS, (2, 4))
    for other in (2, 3, 4, 5):
        least_played.count(TRIOS, (6, 7, other))
    # Bot 1 is the only one that has not played in threes. It has not met 2, 4 and 5, of whom 2 and 4 have met.
    for _ in range(20):
        group = set(least_played.choose(TRIOS, 3, [1, 2, 3, 4, 5]) or ())
        assert group in ({1, 2, 5}, {1, 4, 5})


def test_kinds_of_tables_are_counted_apart() -> None:
    least_played = schedule()
    least_played.count(TRIOS, (1, 2, 3))
    least_played.count(PAIRS, (4, 5))
    # At tables for two, bots 1, 2 and 3 have not played; each has met the others once, and nobody else.
    for _ in range(20):
        one, other = sorted(least_played.choose(PAIRS, 2, [1, 2, 3, 4]) or ())
        assert one in {1, 2, 3}
        assert other == 4


@settings(deadline=None)
@given(st.integers(2, 4), st.integers(4, 9), st.integers(0, 2**32))
def test_bots_play_equally_often(size: int, bots: int, seed: int) -> None:
    kind = ("karteneck", size)
    groups = run(LeastPlayed([kind], Random(seed)), kind, range(bots), 60)
    played = Counter(bot for group in groups for bot in group)
    assert all(len(set(group)) == size for group in groups)
    assert max(played.values()) - min(played[bot] for bot in range(bots)) <= size


def test_everybody_meets_everybody() -> None:
    groups = run(schedule(), FOURS, range(10), 75)
    met = Counter(pair for group in groups for pair in combinations(sorted(group), 2))
    # 75 blocks have 450 meetings, 10 for each of the 45 pairs.
    assert len(met) == 45
    assert min(met.values()) >= 8
    assert max(met.values()) <= 12


def test_a_newcomer_catches_up() -> None:
    least_played = schedule()
    run(least_played, PAIRS, range(6), 30)
    groups = run(least_played, PAIRS, range(7), 10)
    assert all(6 in group for group in groups)
    # It meets everybody once before anybody twice.
    partners = [next(bot for bot in group if bot != 6) for group in groups]
    assert set(partners[:6]) == set(range(6))


def test_the_same_counts_and_generator_give_the_same_choice() -> None:
    one, other = schedule(5), schedule(5)
    bots = [bot << 20 for bot in range(100)]  # such numbers leave sets in the order in which they came
    for _ in range(50):
        forwards, backwards = one.choose(TRIOS, 3, bots), other.choose(TRIOS, 3, bots[::-1])
        assert forwards == backwards
        assert forwards is not None
        one.count(TRIOS, forwards)
        other.count(TRIOS, forwards[::-1])
    assert one.kinds_by_need() == other.kinds_by_need()


def test_another_generator_gives_another_choice() -> None:
    assert len({schedule(seed).choose(FOURS, 4, range(100)) for seed in range(10)}) == 10


def test_seats_are_drawn() -> None:
    """The least played bot does not always get the first seat."""
    firsts: Counter[int] = Counter()
    for seed in range(200):
        least_played = schedule(seed)
        least_played.count(PAIRS, (1, 2))
        least_played.count(PAIRS, (1, 2))
        group = least_played.choose(PAIRS, 2, [1, 3])
        assert group is not None
        firsts[group[0]] += 1
    assert 60 < firsts[3] < 140


def test_the_least_played_kind_comes_first() -> None:
    least_played = schedule()
    for kind, blocks in ((PAIRS, 2), (FOURS, 1)):
        for _ in range(blocks):
            least_played.count(kind, range(kind[1]))
    assert least_played.kinds_by_need() == [TRIOS, FOURS, PAIRS]


def test_kinds_in_equal_need_take_turns() -> None:
    assert {tuple(schedule(seed).kinds_by_need()) for seed in range(100)} >= {
        (PAIRS, TRIOS, FOURS),
        (FOURS, TRIOS, PAIRS),
    }
