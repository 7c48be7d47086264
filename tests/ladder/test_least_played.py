"""How the least-played schedule chooses one group, against counts kept by the tests."""

from collections import Counter
from collections.abc import Collection
from itertools import combinations
from random import Random

from roost_ladder.schedules.least_played import least_played_group
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Tally

PAIRS = Kind("karteneck", 2)
TRIOS = Kind("karteneck", 3)
FOURS = Kind("haecmaec", 4)
NO_OWNERS = Participants((), ())


def tally_of(*blocks: tuple[Kind, tuple[int, ...]]) -> Tally:
    tally = Tally()
    for kind, group in blocks:
        tally.count(Pairing(kind, group))
    return tally


def choose(
    tally: Tally, kind: Kind, bots: Collection[int], rng: Random | None = None, field: Participants = NO_OWNERS
) -> tuple[int, ...]:
    return least_played_group(kind.players, bots, tally.played[kind], tally.met, rng or Random(1), field)


def run(kind: Kind, bots: Collection[int], blocks: int, tally: Tally | None = None) -> list[tuple[int, ...]]:
    tally, rng = tally or Tally(), Random(1)
    groups = []
    for _ in range(blocks):
        groups.append(choose(tally, kind, bots, rng))
        tally.count(Pairing(kind, groups[-1]))
    return groups


def test_nobody_sits_at_a_table_with_itself() -> None:
    assert set(choose(Tally(), PAIRS, [5, 5, 6, 6])) == {5, 6}


def test_who_has_played_least_plays_next() -> None:
    tally = tally_of(*((PAIRS, group) for group in [(1, 2), (3, 4), (1, 3), (2, 4), (1, 4), (2, 5)]))
    # Bot 5 has played once, all others twice or more.
    assert all(5 in choose(tally, PAIRS, range(1, 6), Random(seed)) for seed in range(20))


def test_with_whom_it_met_least() -> None:
    tally = tally_of(*((PAIRS, group) for group in [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]))
    # Bots 1 and 4 have played twice, the others three times. 1 and 4 have not met.
    assert all(set(choose(tally, PAIRS, [1, 2, 3, 4], Random(seed))) == {1, 4} for seed in range(20))


def test_meetings_count_with_the_whole_group() -> None:
    trios = [(TRIOS, (6, 7, other)) for other in (2, 3, 4, 5)]
    tally = tally_of((PAIRS, (1, 3)), (PAIRS, (2, 4)), *trios)
    # Bot 1 is the only one that has not played in threes. It has not met 2, 4 and 5, of whom 2 and 4 have met.
    for seed in range(20):
        assert set(choose(tally, TRIOS, [1, 2, 3, 4, 5], Random(seed))) in ({1, 2, 5}, {1, 4, 5})


def test_kinds_of_tables_are_counted_apart() -> None:
    tally = tally_of((TRIOS, (1, 2, 3)), (PAIRS, (4, 5)))
    # At tables for two, bots 1, 2 and 3 have not played; each has met the others once, and nobody else.
    for seed in range(20):
        one, other = sorted(choose(tally, PAIRS, [1, 2, 3, 4], Random(seed)))
        assert one in {1, 2, 3}
        assert other == 4


def test_bots_of_one_owner_are_kept_apart() -> None:
    field = Participants((), (), owners={1: "A", 2: "A", 3: "B"})
    assert {tuple(sorted(choose(Tally(), PAIRS, [1, 2, 3], Random(seed), field))) for seed in range(30)} == {
        (1, 3),
        (2, 3),
    }


def test_everybody_meets_everybody() -> None:
    groups = run(FOURS, range(10), 75)
    met = Counter(pair for group in groups for pair in combinations(sorted(group), 2))
    # 75 blocks have 450 meetings, 10 for each of the 45 pairs.
    assert len(met) == 45
    assert min(met.values()) >= 8
    assert max(met.values()) <= 12


def test_a_newcomer_catches_up() -> None:
    tally = Tally()
    run(PAIRS, range(6), 30, tally)
    groups = run(PAIRS, range(7), 10, tally)
    assert all(6 in group for group in groups)
    # It meets everybody once before anybody twice.
    partners = [next(bot for bot in group if bot != 6) for group in groups]
    assert set(partners[:6]) == set(range(6))


def test_the_same_counts_and_generator_give_the_same_choice() -> None:
    one, other = Random(5), Random(5)
    tally = Tally()
    bots = [bot << 20 for bot in range(100)]  # such numbers leave sets in the order in which they came
    for _ in range(50):
        forwards = choose(tally, TRIOS, bots, one)
        assert forwards == choose(tally, TRIOS, bots[::-1], other)
        tally.count(Pairing(TRIOS, forwards))


def test_another_generator_gives_another_choice() -> None:
    assert len({choose(Tally(), FOURS, range(100), Random(seed)) for seed in range(10)}) == 10


def test_seats_are_drawn() -> None:
    """The least played bot does not always get the first seat."""
    tally = tally_of((PAIRS, (1, 2)), (PAIRS, (1, 2)))
    firsts = Counter(choose(tally, PAIRS, [1, 3], Random(seed))[0] for seed in range(200))
    assert 60 < firsts[3] < 140
