"""What all schedules promise, what the ones that only count promise, and schedules by name."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.errors import UsageError
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.cycles import Gauntlet, RoundRobin
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.registry import SCHEDULES, schedule_named
from roost_ladder.schedules.schedule import Bounded, Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.sure import Sure
from roost_ladder.schedules.swiss import Swiss

PAIRS = Kind("karteneck", 2)
TRIOS = Kind("karteneck", 3)
FOURS = Kind("haecmaec", 4)
ALL = [RoundRobin(b"s"), Gauntlet(0, b"s"), Swiss(b"s"), LeastPlayed(b"s"), Sure(b"s")]


def matches_of(pairing: Pairing, block: int) -> list[MatchResult]:
    """A block in which lower numbers win."""
    kind, group = pairing
    places = {bot: place for place, bot in enumerate(sorted(group), start=1)}
    turns = [group[turn:] + group[:turn] for turn in range(len(group))]
    return [MatchResult(f"{block}", kind.game, turn, tuple(places[bot] for bot in turn)) for turn in turns]


class Told(Past):
    """A past that also remembers what it was told."""

    def __init__(self, pairings: Sequence[Pairing] = ()) -> None:
        self.pairings: list[Pairing] = []
        self.results: list[MatchResult] = []
        super().__init__(pairings)

    def give(self, pairing: Pairing) -> None:
        self.pairings.append(pairing)
        super().give(pairing)

    def finish(self, results: Iterable[MatchResult]) -> None:
        some = list(results)
        self.results += some
        super().finish(some)


def play(past: Past, pairings: Sequence[Pairing]) -> None:
    for pairing in pairings:
        past.finish(matches_of(pairing, past.given))
        past.give(pairing)


def played(schedule: Schedule, field: Participants, rounds: int = 10_000) -> Told:
    """What a schedule gives out in this many rounds, or until its end."""
    past = Told()
    for _ in range(rounds):
        pairings = schedule.next_round(field, past)
        if not pairings:
            break
        play(past, pairings)
    return past


def groups_of(past: Told, kind: Kind) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted(group)) for its_kind, group in past.pairings if its_kind == kind)


def blocks_of(past: Told, kind: Kind, bots: range | list[int]) -> list[int]:
    """By bot: how many blocks of this kind it has played."""
    counts = Counter(bot for its_kind, group in past.pairings if its_kind == kind for bot in group)
    return [counts[bot] for bot in bots]


def meetings_of(past: Told) -> Counter[tuple[int, ...]]:
    return Counter(pair for _, group in past.pairings for pair in combinations(sorted(group), 2))


# All schedules


@st.composite
def fields(draw: st.DrawFn) -> Participants:
    """Up to 9 bots that belong to up to 4 owners, or to nobody, and some of which do not play everything."""
    bots = draw(st.lists(st.integers(0, 99), min_size=1, max_size=9, unique=True).map(lambda some: [0, *some]))
    kinds = draw(st.lists(st.sampled_from([PAIRS, TRIOS, FOURS]), min_size=1, max_size=3, unique=True))
    owners = draw(st.dictionaries(st.sampled_from(bots), st.sampled_from("ABCD"), max_size=6))
    plays = draw(st.dictionaries(st.sampled_from(bots), st.frozensets(st.sampled_from(kinds)), max_size=3))
    return Participants(tuple(bots), tuple(kinds), owners, plays)


@pytest.mark.parametrize("schedule", ALL, ids=lambda schedule: type(schedule).__name__)
@settings(max_examples=25, deadline=None)
@given(field=fields())
def test_groups_are_allowed(schedule: Schedule, field: Participants) -> None:
    for kind, group in played(schedule, field, rounds=3).pairings:
        assert kind in field.kinds
        assert len(set(group)) == kind.players
        assert set(group) <= set(field.bots)
        assert all(kind in field.plays.get(bot, {kind}) for bot in group)
        owners = [field.owners[bot] for bot in group if bot in field.owners]
        assert len(set(owners)) == len(owners)


@pytest.mark.parametrize("schedule", ALL, ids=lambda schedule: type(schedule).__name__)
def test_rounds_are_the_same_whatever_the_order(schedule: Schedule) -> None:
    """In whatever order the bots are named and the results come in, however often it is asked."""
    field = Participants(tuple(range(7)), (PAIRS, TRIOS))
    past = played(schedule, field, rounds=1)
    asked = schedule.next_round(field, past)
    assert schedule.next_round(field, past) == asked
    again = Past(past.pairings, reversed(past.results))
    assert schedule.next_round(Participants(field.bots[::-1], field.kinds), again) == asked


@pytest.mark.parametrize("schedule", ALL, ids=lambda schedule: type(schedule).__name__)
def test_nobody_to_play_with(schedule: Schedule) -> None:
    assert not schedule.next_round(Participants((0,), (PAIRS,)), Past())
    assert not schedule.next_round(Participants((0, 1, 2), (FOURS,)), Past())
    assert not schedule.next_round(Participants((0, 1, 2), (PAIRS,), owners=dict.fromkeys(range(3), "A")), Past())


@pytest.mark.parametrize("name", SCHEDULES)
def test_another_seed_gives_another_run(name: str) -> None:
    field = Participants(tuple(range(9)), (TRIOS,))
    hero = 3 if name == "gauntlet" else None
    seeds = (b"1", b"2", b"3")
    rounds = [tuple(schedule_named(name, seed=seed, hero=hero).next_round(field, Past())) for seed in seeds]
    assert len(set(rounds)) == 3


# Round robin and gauntlet


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.sampled_from([2, 3, 4]), st.integers(1, 3))
def test_round_robin_is_every_group_so_many_times(bots: int, players: int, times: int) -> None:
    kind = Kind("karteneck", players)
    groups = groups_of(played(RoundRobin(b"x", times), Participants(tuple(range(bots)), (kind,))), kind)
    assert groups == dict.fromkeys(combinations(range(bots), players), times)


def test_three_bots_by_hand() -> None:
    past = played(RoundRobin(), Participants((5, 6, 7), (PAIRS, TRIOS)))
    assert groups_of(past, PAIRS) == {(5, 6): 1, (5, 7): 1, (6, 7): 1}
    assert groups_of(past, TRIOS) == {(5, 6, 7): 1}


@pytest.mark.parametrize(("bots", "players"), [(7, 2), (8, 2), (9, 3), (11, 3), (10, 4), (12, 4)])
def test_round_robin_is_balanced_all_the_time(bots: int, players: int) -> None:
    """An orbit has everybody equally often, and has at most as many blocks as there are bots."""
    kind = Kind("karteneck", players)
    field = Participants(tuple(range(bots)), (kind,))
    pairings = RoundRobin(b"y").next_round(field, Past())
    for blocks in range(len(pairings)):
        counts = blocks_of(Told(pairings[:blocks]), kind, range(bots))
        assert max(counts) - min(counts) <= players


def test_kinds_of_tables_advance_together() -> None:
    pairings = RoundRobin(b"z").next_round(Participants(tuple(range(10)), (PAIRS, FOURS)), Past())
    half = Counter(kind for kind, _ in pairings[: len(pairings) // 2])
    assert half[PAIRS] == pytest.approx(comb(10, 2) / 2, abs=2)
    assert half[FOURS] == pytest.approx(comb(10, 4) / 2, abs=2)


def test_a_newcomer_makes_up_for_what_it_missed() -> None:
    past = played(RoundRobin(), Participants((1, 2, 3), (PAIRS,)))
    pairings = RoundRobin().next_round(Participants((1, 2, 3, 4), (PAIRS,)), past)
    assert {tuple(sorted(group)) for _, group in pairings} == {(1, 4), (2, 4), (3, 4)}


def test_owners_only_leave_groups_out() -> None:
    past = played(RoundRobin(), Participants((1, 2, 3, 4), (PAIRS,), owners={1: "A", 2: "A", 3: "B"}))
    assert groups_of(past, PAIRS) == dict.fromkeys([(1, 3), (1, 4), (2, 3), (2, 4), (3, 4)], 1)


def test_gauntlet_by_hand() -> None:
    past = played(Gauntlet(2, times=2), Participants((1, 2, 3, 4), (PAIRS, TRIOS)))
    assert groups_of(past, PAIRS) == {(1, 2): 2, (2, 3): 2, (2, 4): 2}
    assert groups_of(past, TRIOS) == {(1, 2, 3): 2, (1, 2, 4): 2, (2, 3, 4): 2}


def test_gauntlet_without_its_bot() -> None:
    with pytest.raises(UsageError, match="bot 9"):
        Gauntlet(9).next_round(Participants((1, 2), (PAIRS,)), Past())


@pytest.mark.parametrize(("bots", "kind"), [(38, TRIOS), (40, TRIOS), (60, FOURS), (64, FOURS)])
def test_of_too_many_groups_a_sample_plays_in_which_every_pair_meets_equally_often(bots: int, kind: Kind) -> None:
    """Also if it is played twice, and at its halfway point."""
    field = Participants(tuple(range(bots)), (kind,))
    schedule = RoundRobin(b"s", 2, most_groups=5_000)
    (extent,) = schedule.extents(field)
    past = Told()
    while pairings := schedule.next_round(field, past):
        for pairing in pairings:
            past.give(pairing)
    assert extent.possible == comb(bots, kind.players)
    assert len(past.pairings) == 2 * extent.groups < extent.possible
    for part in (past.pairings[: extent.groups], past.pairings):
        met = Counter(frozenset(pair) for pairing in part for pair in combinations(pairing.group, 2))
        assert len(met) == comb(bots, 2)
        assert len(set(met.values())) == 1


def test_a_sample_leaves_out_groups_of_one_owner() -> None:
    field = Participants(tuple(range(60)), (FOURS,), owners={0: "ann", 1: "ann"})
    schedule = RoundRobin(b"s", 1, most_groups=5_000)
    assert all(not {0, 1} <= set(pairing.group) for pairing in schedule.next_round(field, Past()))


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="3000 bots have too many groups of 4 to go through, 8,997,000 if every pair"):
        RoundRobin().next_round(Participants(tuple(range(3000)), (FOURS,)), Past())


# Swiss


def test_winners_meet_winners() -> None:
    field = Participants(tuple(range(8)), (PAIRS,))
    past = played(Swiss(b"a"), field, rounds=1)
    winners = {min(group) for _, group in past.pairings}
    for _, group in Swiss(b"a").next_round(field, past):
        assert len(winners & set(group)) in (0, 2)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_swiss_pairs_do_not_meet_again(seed: int) -> None:
    field = Participants(tuple(range(8)), (PAIRS,))
    meetings = meetings_of(played(Swiss(seed.to_bytes(2), rounds=4), field))
    assert meetings.total() == 16
    assert max(meetings.values()) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 13), st.sampled_from([2, 3, 4]), st.integers(1, 5), st.integers(0, 99))
def test_swiss_lets_everybody_play_equally_often(bots: int, players: int, rounds: int, seed: int) -> None:
    kind = Kind("karteneck", players)
    past = played(Swiss(bytes([seed]), rounds), Participants(tuple(range(bots)), (kind,)))
    counts = blocks_of(past, kind, range(bots))
    assert min(counts) == (rounds if bots >= players else 0)
    assert max(counts) <= rounds + 1


def test_swiss_ends_although_owners_leave_bots_over() -> None:
    """Only bot 4 may meet the others, so it has to play three times."""
    past = played(Swiss(b"", rounds=1), Participants((1, 2, 3, 4), (PAIRS,), owners=dict.fromkeys((1, 2, 3), "A")))
    assert groups_of(past, PAIRS) == {(1, 4): 1, (2, 4): 1, (3, 4): 1}


def test_swiss_finds_the_order() -> None:
    """Lower numbers always win, so after enough rounds the best is at the top and the worst at the bottom."""
    past = played(Swiss(b"o", rounds=5), Participants(tuple(range(16)), (PAIRS,)))
    scores = [past.score(bot) for bot in range(16)]
    assert scores[0] == 1 == max(scores)
    assert scores[15] == 0 == min(scores)
    assert sum(scores[:8]) > sum(scores[8:]) + 2


# Least played


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 11), st.lists(st.sampled_from([PAIRS, TRIOS, FOURS]), min_size=1, unique=True), st.integers(0, 99)
)
def test_least_played_lets_everybody_play_equally_often(bots: int, kinds: list[Kind], seed: int) -> None:
    field = Participants(tuple(range(bots)), tuple(kinds))
    past = played(LeastPlayed(bytes([seed])), field, rounds=2)
    for kind in kinds:
        counts = blocks_of(past, kind, range(bots))
        assert max(counts) - min(counts) <= 1
        assert bool(max(counts)) == (bots >= kind.players)


def test_least_played_lets_everybody_meet() -> None:
    past = played(LeastPlayed(b"m"), Participants(tuple(range(10)), (FOURS,)), rounds=2)
    meetings = meetings_of(past)
    mean = meetings.total() / 45
    assert len(meetings) == 45
    assert max(meetings.values()) <= mean + 3
    assert min(meetings.values()) >= mean - 3


def test_a_newcomer_plays_first() -> None:
    past = played(LeastPlayed(b"n"), Participants(tuple(range(5)), (PAIRS,)), rounds=1)
    pairings = LeastPlayed(b"n").next_round(Participants(tuple(range(6)), (PAIRS,)), past)
    assert all(any(5 in group for _, group in pairings[turn : turn + 3]) for turn in range(0, 30, 3))


# What has happened


def test_scores_by_hand() -> None:
    past = Past()
    past.finish([MatchResult("a", "karteneck", (1, 2, 3), (1, 2, 2)), MatchResult("b", "karteneck", (1, 2), (2, 1))])
    # Bot 1 is ahead of 2 of 3 opponents; bot 2 has a half and one of 3; bot 3 a half of 2.
    assert [past.score(bot) for bot in (1, 2, 3, 4)] == pytest.approx([2 / 3, 1 / 2, 1 / 4, 1 / 2])


def test_counts_by_hand() -> None:
    past = Past([Pairing(PAIRS, (2, 1)), Pairing(TRIOS, (1, 3, 2)), Pairing(PAIRS, (1, 2))])
    assert past.tally.blocks == {PAIRS: 2, TRIOS: 1}
    assert past.tally.played[PAIRS] == {1: 2, 2: 2}
    assert past.tally.groups[PAIRS] == {(1, 2): 2}
    assert past.tally.met[1] == {2: 3, 3: 1}


def test_the_record_grows_with_the_results() -> None:
    past = played(LeastPlayed(), Participants((1, 2, 3), (PAIRS,)), rounds=1)
    before = past.record().tables[0].matches.sum()
    play(past, [Pairing(PAIRS, (1, 2))])
    assert past.record().tables[0].matches.sum() == before + 2 == past.ended


# By name


def test_schedules_by_name() -> None:
    assert schedule_named("sure", seed=b"a") == Sure(b"a")
    assert schedule_named("round-robin", seed=b"a", times=2) == RoundRobin(b"a", 2)
    assert schedule_named("gauntlet", seed=b"a", hero=4) == Gauntlet(4, b"a", None)
    assert schedule_named("swiss", times=5) == Swiss(b"", 5)
    assert schedule_named("least-played", seed=b"a") == LeastPlayed(b"a")


@pytest.mark.parametrize(
    ("name", "times", "hero", "message"),
    [
        ("shure", None, None, "Did you mean 'sure'"),
        ("sure", 3, None, "limit its blocks"),
        ("swiss", 0, None, "1 or more"),
        ("gauntlet", None, None, "needs the bot"),
        ("round-robin", None, 3, "use gauntlet"),
    ],
)
def test_wrong_wishes(name: str, times: int | None, hero: int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        schedule_named(name, times=times, hero=hero)


@pytest.mark.parametrize("schedule", [RoundRobin(b"s", 3), Gauntlet(0, b"s", 3), Swiss(b"s", 3)])
@pytest.mark.parametrize("bots", [4, 5, 7])
def test_how_many_blocks_are_left_is_known_at_any_time(schedule: Bounded, bots: int) -> None:
    field = Participants(tuple(range(bots)), (PAIRS, TRIOS))
    past = Told()
    expected = [schedule.blocks_left(field, past)]
    while pairings := schedule.next_round(field, past):
        for pairing in pairings:
            past.give(pairing)
        expected.append(past.given + (schedule.blocks_left(field, past) or 0))
    assert set(expected) == {past.given}


def test_who_goes_on_for_ever_does_not_know() -> None:
    field = Participants((0, 1, 2), (PAIRS,))
    assert RoundRobin(b"s", None).blocks_left(field, Past()) is None
    assert Swiss(b"s").blocks_left(field, Past()) is None
    assert not isinstance(Sure(b"s"), Bounded)
