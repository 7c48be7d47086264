"""Comparing two versions: which matches are played, what a block tells, and what Elo points mean."""

from collections import Counter
from math import log10

import pytest

from roost_ladder.rating.compare import (
    NEW,
    OLD,
    BlockObservation,
    ComparedTable,
    Comparison,
    EloScale,
    Meeting,
    MeetingScore,
    PairedMatch,
    Plan,
    observe,
)
from roost_ladder.rating.sprt import Sprt, Verdict

CARDS = ComparedTable("karteneck", 4)
DICE = ComparedTable("bratwurmeck", 2)
SEED = bytes(32)


def copies(*tables: ComparedTable) -> Plan:
    return Plan(tables, (), SEED)


def begin(plan: Plan, elo1: float = 20.0) -> Comparison:
    return Comparison(plan, Sprt(0.05, 0.05), 0.0, elo1)


# The plan


@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_the_new_bot_sits_once_in_every_seat_among_copies(players: int) -> None:
    block = copies(ComparedTable("bratwurmeck", players)).block(0)
    assert [match.seat for match in block] == list(range(players))
    for match in block:
        assert match.seating == tuple(NEW if seat == match.seat else OLD for seat in range(players))
    assert len({match.seed for match in block}) == 1


def test_both_candidates_play_the_same_deals_in_the_same_seats_against_the_same_opponents() -> None:
    block = Plan((CARDS,), (2, 3, 4), SEED).block(5)
    new, old = block[:4], block[4:]
    assert [match.candidate for match in block] == [NEW] * 4 + [OLD] * 4
    for ours, theirs in zip(new, old, strict=True):
        assert ours.seed == theirs.seed
        assert ours.seat == theirs.seat
        assert theirs.seating == tuple(OLD if bot == NEW else bot for bot in ours.seating)


def test_opponents_move_on_with_the_candidate() -> None:
    """Everybody sits in every seat, so a seat's luck goes to everybody once."""
    for candidate in (NEW, OLD):
        block = [match for match in Plan((CARDS,), (2, 3, 4), SEED).block(1) if match.candidate == candidate]
        for seat in range(4):
            assert sorted(match.seating[seat] for match in block) == sorted({candidate, 2, 3, 4})


def test_blocks_have_different_deals_and_tables_too() -> None:
    plan = copies(CARDS, DICE)
    seeds = {(number, match.table): match.seed for number in range(20) for match in plan.block(number)}
    assert len(set(seeds.values())) == 40


def test_a_plan_is_the_same_for_the_same_seed_only() -> None:
    plan = Plan((CARDS,), (2, 3, 4, 5, 6), SEED)
    assert plan.block(9) == Plan((CARDS,), (2, 3, 4, 5, 6), SEED).block(9)
    assert plan.block(9) != Plan((CARDS,), (2, 3, 4, 5, 6), bytes(31) + b"x").block(9)


def seated(plan: Plan, blocks: int) -> Counter[int]:
    return Counter(bot for number in range(blocks) for match in plan.block(number) for bot in match.seating)


def test_many_opponents_take_turns() -> None:
    counts = seated(Plan((CARDS,), (2, 3, 4, 5, 6), SEED), 500)
    assert counts[NEW] == counts[OLD] == 4 * 500
    for opponent in (2, 3, 4, 5, 6):
        assert counts[opponent] / (8 * 500) == pytest.approx(3 / 5, abs=0.08)


def test_few_opponents_sit_there_more_than_once() -> None:
    plan = Plan((CARDS,), (2, 3), SEED)
    for number in range(20):
        assert sorted(Counter(plan.block(number)[0].seating).values()) == [1, 1, 2]
    counts = seated(plan, 400)
    assert counts[2] / counts[3] == pytest.approx(1, abs=0.1)


def test_number_of_matches() -> None:
    assert copies(CARDS).matches == len(copies(CARDS).block(0)) == 4
    both = Plan((CARDS, DICE), (2,), SEED)
    assert both.matches == len(both.block(0)) == 12


# What a block tells


def first(match: PairedMatch, place: int) -> list[int]:
    """Places with which the candidate has `place`, and the others come in the order of their seats."""
    others = iter([each for each in range(1, len(match.seating) + 1) if each != place])
    return [place if seat == match.seat else next(others) for seat in range(len(match.seating))]


def test_a_block_by_hand_among_copies() -> None:
    """Places 1, 2, 2 and 4 of 4: ahead of 3, 2, 2 and 0 opponents, that is 7 of 12."""
    plan = copies(CARDS)
    places = [first(match, place) for match, place in zip(plan.block(0), (1, 2, 2, 4), strict=True)]
    assert observe(plan, 0, places).difference == pytest.approx(7 / 12 - 1 / 2)


def test_ties_are_half() -> None:
    plan = copies(CARDS)
    all_tied = [[1, 1, 1, 1]] * 4
    assert observe(plan, 0, all_tied).difference == 0
    shared_first = [[1, 1, 3, 3], [1, 1, 3, 3], [3, 3, 1, 1], [3, 3, 1, 1]]
    # By seat: ahead of two and level with one.
    assert observe(plan, 0, shared_first).difference == pytest.approx(2.5 / 3 - 1 / 2)


def test_a_block_by_hand_against_others() -> None:
    """Two players: new wins both matches against bot 2, old wins one and ties the other."""
    plan = Plan((DICE,), (2,), SEED)
    told = observe(plan, 0, [[1, 2], [2, 1], [1, 2], [1, 1]])
    assert told.difference == pytest.approx(1 - 0.75)
    assert told.meetings == {Meeting(DICE, 2): MeetingScore(3.5, 4)}


def test_equal_bots_do_not_differ_among_copies() -> None:
    """If the new bot plays like the old one, all matches of the block are the same match."""
    plan = copies(CARDS)
    for places in ([1, 2, 3, 4], [3, 1, 1, 4], [2, 4, 1, 3]):
        assert observe(plan, 0, [places] * 4).difference == pytest.approx(0)


def test_every_table_has_the_same_weight() -> None:
    plan = copies(CARDS, DICE)
    won_at_cards = [first(match, 1) for match in plan.block(0)[:4]]
    lost_at_dice = [first(match, 2) for match in plan.block(0)[4:]]
    assert observe(plan, 0, won_at_cards + lost_at_dice).difference == pytest.approx(0)


def test_a_block_must_be_whole() -> None:
    with pytest.raises(ValueError, match="shorter"):
        observe(copies(CARDS), 0, [[1, 2, 3, 4]] * 3)


# What Elo points mean


@pytest.mark.parametrize(("elo", "share"), [(0, 0.5), (100, 0.640065), (200, 0.759747), (400, 10 / 11), (-400, 1 / 11)])
def test_scores_against_copies_are_those_of_every_elo_table(elo: float, share: float) -> None:
    assert EloScale().difference(elo) == pytest.approx(share - 0.5, abs=1e-6)


def test_a_score_against_weaker_opponents_has_less_room() -> None:
    """Opponents that are 300 points below the middle: 150 - D/2 and so on, by hand with D = 100."""

    def chance(points: float) -> float:
        return 1 / (1 + 10 ** (-points / 400))

    odds = 10 ** (300 / 400)
    level = MeetingScore(1e6 * odds, int(1e6 * (1 + odds))).level
    assert 400 * level / 2.302585 == pytest.approx(300, abs=0.01)
    assert EloScale(((level, 1.0),)).difference(100) == pytest.approx(chance(350) - chance(250), abs=1e-5)


def test_points_and_scores_are_inverse() -> None:
    for scale in (EloScale(), EloScale(((1.5, 1.0), (-0.3, 2.0)))):
        for elo in (-250.0, -3.0, 0.0, 20.0, 600.0):
            assert scale.elo(scale.difference(elo)) == pytest.approx(elo, abs=1e-3)


def test_points_stay_finite() -> None:
    assert EloScale().elo(0.5) == pytest.approx(1000, abs=0.01)
    assert EloScale(((0.0, 1.0),)).elo(-1.0) == pytest.approx(-1000, abs=0.01)


# The comparison


def test_a_comparison_goes_on_until_it_is_sure() -> None:
    comparison = begin(copies(DICE))
    while comparison.verdict is Verdict.UNDECIDED:
        comparison.add(BlockObservation(0.5, {}))
    # Each block has the likelihood ratio (1/2 + m) / (1/2), and log(19) is needed.
    assert comparison.sample.blocks == pytest.approx(2.944 / (2 * EloScale().difference(20)), rel=0.1)
    assert comparison.elo.low > 200


def test_bots_that_do_the_same_are_not_stronger() -> None:
    comparison = begin(copies(DICE))
    while comparison.verdict is Verdict.UNDECIDED:
        comparison.add(BlockObservation(0.0, {}))
    assert comparison.verdict is Verdict.NOT_STRONGER
    assert comparison.elo.low < 0 < comparison.elo.high


def test_the_level_of_opponents_is_learned() -> None:
    """Candidates that win 15 of 16 matches are 470 points above: D/2 more or less is little there."""
    comparison = begin(Plan((DICE,), (2,), SEED))
    for _ in range(200):
        comparison.add(BlockObservation(0.0, {Meeting(DICE, 2): MeetingScore(15 / 4, 4)}))
    ((level, _),) = comparison.scale.levels
    assert level == pytest.approx(400 * log10(15) / 173.72, abs=0.03)
    assert comparison.scale.difference(20) < 0.3 * EloScale().difference(20)


def test_rates_of_error_move_the_bounds() -> None:
    strict = Comparison(copies(DICE), Sprt(0.001, 0.05), 0.0, 20.0)
    for _ in range(60):
        strict.add(BlockObservation(0.5, {}))
    assert strict.verdict is Verdict.UNDECIDED
    assert strict.llr == pytest.approx(60 * 0.0560, rel=0.05)
