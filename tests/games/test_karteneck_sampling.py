"""Sampling of what a Karteneck seat does not see: against counted worlds on tiny tables, and over real matches."""

from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from math import sqrt
from random import Random
from typing import TypeVar

import pytest

from roost_games.karteneck import GAME, Drew, KarteneckState, Shuffled, View
from roost_games.karteneck.sampling import place_unseen
from tests.support.games.karteneck_deals import (
    SHEET,
    bury,
    cards,
    hand,
    lavish,
    match_states,
    play,
    sparing_match,
    table,
)
from tests.support.games.karteneck_worlds import Course, Found, count_draws, count_worlds, expected_hands, seen_by

T = TypeVar("T")

SAMPLES = 1500

COURSES = {
    "two players, the old cards known": (
        0,
        Course(
            ("1 2", "3 3 4"),
            "4 3 2 W1 1 3",
            "1 draws, 1 lays 3, 1 draws, 0 draws, 1 lays 4, 1 draws, 1 lays 3",
        ),
    ),
    "three players, a lay before any draw": (
        0,
        Course(
            ("1", "3 4", "3 2"),
            "3 2 4 1 3",
            "1 lays 3, 1 draws, 2 draws, 2 lays 3, 2 draws, 0 draws, 1 lays 4",
        ),
    ),
    "three players, two cards laid at once": (
        1,
        Course(
            ("3 3 4", "2", "3 4"),
            "3 3 4 2 1",
            "0 draws, 2 draws, 0 lays 3 3, 0 draws, 1 draws, 2 lays 4, 0 lays 4",
        ),
    ),
    "the own lays and draws among the others": (
        2,
        Course(
            ("3 4", "3", "3 3 4"),
            "3 4 3 2 4 3",
            "2 lays 3, 2 draws, 0 lays 3, 0 draws, 1 draws, 2 draws, 2 lays 4, 1 lays 3, 1 draws",
        ),
    ),
    "worms, of which each is one card": (
        0,
        Course(
            ("1", "W1 3", "W2 4"),
            "W3 3 4 W4 1",
            "1 draws, 2 draws, 1 lays 3, 1 draws, 2 lays W2, 1 lays W3, 2 draws",
        ),
    ),
    "worms laid late, so that what was laid before was old": (
        0,
        Course(
            ("1", "3 3 3"),
            "W1 W2 3 3 3 4",
            "1 draws, 1 draws, 1 draws, 1 lays 3, 1 lays 3, 1 lays W1, 1 lays W2",
        ),
    ),
    "a lay by a third after worms that were drawn late": (
        0,
        Course(
            ("1", "3 3 3", "2 2"),
            "W1 W2 3 3 4",
            "1 draws, 1 draws, 1 draws, 1 lays 3, 1 lays 3, 1 lays W1 W2, 2 draws, 2 lays 2",
        ),
    ),
    "several worms laid at once": (
        0,
        Course(
            ("1", "W1 3 3", "W2 4"),
            "W3 3 W5 4 W4 1",
            "1 draws, 1 draws, 1 draws, 1 lays 3, 1 lays W5 W3, 2 draws, 2 lays 4",
        ),
    ),
    "a spectator": (
        None,
        Course(
            ("3 4", "3 2"),
            "3 2 4 1",
            "0 draws, 1 draws, 1 lays 3, 1 draws, 0 lays 4",
        ),
    ),
    "two players, two reshuffles": (
        0,
        Course(
            ("1", "3 4 2"),
            "3 4 1",
            "1 draws, 1 lays 3, 1 draws, 0 draws, 1 lays 4, 1 clears, shuffle 4 3, 1 draws, 1 lays 3",
        ),
    ),
    "three players, two reshuffles": (
        0,
        Course(
            ("1 4", "3 4", "3 2"),
            "3 4 2",
            "1 draws, 2 draws, 1 lays 3, 2 lays 3, 0 lays 4, 1 draws, 1 clears, 2 clears, 0 clears, "
            "shuffle 3 4 3, 2 draws, 2 lays 3, 0 draws, 1 lays 4, 1 draws",
        ),
    ),
    "a display that stays on the table at the second reshuffle": (
        0,
        Course(
            ("1", "3 4", "3 2 4"),
            "3 4 2",
            "1 draws, 2 draws, 2 lays 3, 1 lays 4, 1 draws, 2 clears, shuffle 3, 1 draws, 1 lays 3, 2 lays 4",
        ),
    ),
}


def found(view: View, rng: Random) -> Found:
    placed = place_unseen(view, rng)
    hands = tuple(tuple(sorted(placed.hands[seat])) for seat in sorted(placed.hands))
    return Found(hands, placed.pile[0] if placed.pile else None)


def check_distribution(expected: Counter[T], sampled: Counter[T]) -> None:
    """Chi-square, p > 0.0001: where fewer than 8 samples are expected, results count together."""
    assert not set(sampled) - set(expected), "a sample that cannot be"
    samples, worlds = sampled.total(), expected.total()
    cells = [(samples * times / worlds, sampled[key]) for key, times in expected.items()]
    rare = [cell for cell in cells if cell[0] < 8]
    common = [cell for cell in cells if cell[0] >= 8]
    if rare:
        common.append((sum(cell[0] for cell in rare), sum(cell[1] for cell in rare)))
    square = sum((count - mean) ** 2 / mean for mean, count in common)
    assert square <= chi_square_limit(len(common) - 1)


def chi_square_limit(freedom: int) -> float:
    """What chi-square exceeds once in 10,000 times, after Wilson and Hilferty (7 % too high for one degree)."""
    if not freedom:
        return 0.0
    spread = 2 / (9 * freedom)
    return freedom * float(1 - spread + 3.719 * sqrt(spread)) ** 3


def test_the_limit_of_chi_square_is_near_the_published_one() -> None:
    for freedom, published in ((1, 15.137), (5, 25.745), (10, 35.564), (50, 95.969)):
        assert chi_square_limit(freedom) == pytest.approx(published, rel=0.08)


# Counted worlds


def test_worlds_counted_by_hand() -> None:
    """The other seat held two cards, drew one of four and laid a 3: from which of its cards?

    Old 3 laid (it held "3 4"): any of 4 cards drawn, 4 worlds. New 3 laid: it is one of the two 3s of the pile, 2.
    """
    course = Course(("1", "3 4"), "3 3 2 2", "1 draws, 1 lays 3")
    worlds = count_worlds(0, course)
    hands: Counter[tuple[str, ...]] = Counter()
    for world, times in worlds.items():
        hands[world.hands[0]] += times
    # Each of the 6 worlds has three cards in the pile, and each of them may be the next one.
    assert hands == {("3", "4"): 3 * (2 + 2), ("2", "4"): 3 * 2}


@pytest.mark.short(2)
@pytest.mark.parametrize("name", COURSES)
def test_samples_are_distributed_like_counted_worlds(name: str) -> None:
    seat, course = COURSES[name]
    view, rng = seen_by(seat, course), Random(name)
    sampled = Counter(found(view, rng) for _ in range(SAMPLES))
    check_distribution(count_worlds(seat, course), sampled)


@pytest.mark.parametrize("name", ["two players, the old cards known", "three players, two reshuffles"])
def test_the_draws_of_the_others_are_distributed_like_counted_worlds(name: str) -> None:
    seat, course = COURSES[name]
    view, rng = seen_by(seat, course), Random(name)
    placed = [place_unseen(view, rng).drawn for _ in range(SAMPLES)]
    sampled = Counter(tuple(tuple(drawn[other]) for other in sorted(drawn)) for drawn in placed)
    check_distribution(count_draws(seat, course), sampled)


def test_the_order_of_the_pile_is_open() -> None:
    seat, course = COURSES["two players, the old cards known"]
    course = course._replace(steps="1 draws, 1 lays 3")
    view, rng = seen_by(seat, course), Random(1)
    orders = Counter("".join(place_unseen(view, rng).pile) for _ in range(SAMPLES))
    # Given the cards of the pile, each of their orders is as likely as any other.
    by_cards: dict[str, list[int]] = {}
    for order, times in orders.items():
        by_cards.setdefault("".join(sorted(order)), []).append(times)
    for counts in by_cards.values():
        mean = sum(counts) / len(counts)
        assert sum((times - mean) ** 2 / mean for times in counts) <= chi_square_limit(len(counts) - 1)


def test_two_players_and_nothing_laid_since_the_shuffle() -> None:
    view = seen_by(0, Course(("1 2", "3 3 W4"), "4 W1", "0 draws"))
    assert {found(view, Random(seed)) for seed in range(20)} == {Found((cards("3 3 W4"),), cards("W1")[0])}


# Before the first reshuffle


def few_unseen(seats: int) -> View:
    """Seat 0's view before any reshuffle when only seven cards are unseen: 1 1 2 2 3 W24 W25.

    Two of them are in the hand of every other seat.
    """
    unseen = cards("1 1 2 2 3 W24 W25")
    view = table("5 5 5 5 5 W1", *[""] * (seats - 1)).observe(0)
    discard = Counter(map(str, SHEET)) - Counter(unseen) - Counter(view.hand)
    return view._replace(
        discard=cards(" ".join(discard.elements())),
        hand_sizes=(6, *[2] * (seats - 1)),
        pile_size=7 - 2 * (seats - 1),
    )


@pytest.mark.parametrize("seats", [2, 3])
def test_without_a_reshuffle_every_way_to_place_the_unseen_cards_is_equally_likely(seats: int) -> None:
    expected: Counter[Found] = Counter()
    for order in permutations(cards("1 1 2 2 3 W24 W25")):
        hands = [tuple(sorted(order[2 * seat : 2 * seat + 2])) for seat in range(seats - 1)]
        expected[Found(tuple(hands), order[2 * seats - 2])] += 1
    view, rng = few_unseen(seats), Random(seats)
    sampled = Counter(found(view, rng) for _ in range(2 * SAMPLES))
    check_distribution(expected, sampled)


def test_the_next_card_of_a_determinised_pile_is_any_of_the_unseen() -> None:
    view, rng, samples = few_unseen(2), Random(6), 700
    drawn: Counter[str] = Counter()
    for _ in range(samples):
        sampled = GAME.determinise(view, rng)
        play(sampled, "0: 5")
        drawn += hand(sampled, 0) - Counter(map(str, view.hand))
    # Each of the seven unseen cards is next in 100 of 700 samples; the standard error is 9.3 for one, 12 for two.
    for card, times in Counter(cards("1 1 2 2 3 W24 W25")).items():
        assert abs(drawn[card] - 100 * times) < 5 * 12


def test_portions_that_nobody_has_seen_are_sampled_too() -> None:
    """12 of the 30 portions were left out, 4 have been seen: each other comes next with chance 1 in 26."""
    state = table("", "", values=(16, 17, 20, 21))
    play(state, "0: pass", "1: pass")
    view, rng = state.observe(0), Random(3)
    coming: Counter[int] = Counter()
    for _ in range(SAMPLES):
        sampled = GAME.determinise(view, rng)
        play(sampled, "1: pass", "0: pass")
        coming.update(portion.value for portion in sampled.observe(None).grill)
    open_values = {0, 18, 19, *range(22, 43)}
    assert set(coming) == open_values
    for value in open_values:
        chance = 2 / 26 * (3 if value == 0 else 1)
        assert abs(coming[value] - SAMPLES * chance) < 4.5 * sqrt(SAMPLES * chance)


# Real matches


@pytest.mark.parametrize(("seed", "decision", "seat"), [(4, 105, 1), (4, 99, 3), (1, 105, 1)])
def test_samples_of_a_real_view_hold_each_card_as_often_as_all_worlds_do(seed: int, decision: int, seat: int) -> None:
    """Long traces, in which the origin of most cards laid is open, of players who lay all they have of a kind.

    The tolerance is five standard errors of the mean of the samples (few are over three, of 300 in all).
    """
    samples = 200
    view, rng = match_states(4, seed, lavish)[decision].observe(seat), Random(seed)
    totals: Counter[tuple[int, str]] = Counter()
    squares: Counter[tuple[int, str]] = Counter()
    for _ in range(samples):
        for other, held in place_unseen(view, rng).hands.items():
            for card, times in Counter(held).items():
                totals[other, card] += times
                squares[other, card] += times**2
    for key, expected in expected_hands(view).items():
        mean = totals[key] / samples
        variance = max(squares[key] / samples - mean**2, expected / 4)
        assert abs(mean - expected) <= 5 * sqrt(variance / samples) + 1e-9, key


def some_states(players: int, seed: int) -> Iterable[KarteneckState]:
    """A dozen decisions of a match that comes to a reshuffle, most of them after it, and the end."""
    states = sparing_match(players, seed)
    return [*states[:-1:11], *[state for state in states if state.trace][::9], states[-1]]


@pytest.mark.short(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_determinised_state_shows_the_seat_what_it_saw(players: int, seed: int) -> None:
    rng = Random(seed)
    for state in some_states(players, seed):
        for seat in (None, *range(players)):
            view = state.observe(seat)
            sampled = GAME.determinise(view, rng)
            assert sampled.observe(seat) == view
            assert sorted(sampled.inventory()) == sorted(state.inventory())
            assert sampled.termination == state.termination
            assert sampled.merits() == state.merits()
            if seat is not None:
                assert list(sampled.legal(seat)) == list(state.legal(seat))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_determinised_state_can_be_played_to_its_end(players: int) -> None:
    rng = Random(players)
    for state in some_states(players, 7):
        sampled = GAME.determinise(state.observe(0), rng)
        inventory = sorted(sampled.inventory())
        while sampled.to_move:
            seat = sampled.to_move[0]
            sampled.apply(seat, rng.choice(sampled.legal(seat)))
        assert sampled.termination == "finished"
        assert sorted(sampled.inventory()) == inventory


@pytest.mark.parametrize("seed", range(5))
def test_with_two_players_the_opponents_hand_is_known_right_after_the_reshuffle(seed: int) -> None:
    state = next(state for state in sparing_match(2, seed) if state.trace)
    drawers = [event.seat for event in state.trace if isinstance(event, Drew)]
    assert len(set(drawers)) == 1
    drawer, other = drawers[0], 1 - drawers[0]
    rng = Random(seed)
    samples = [GAME.determinise(state.observe(drawer), rng) for _ in range(20)]
    assert {sample.observe(other).hand for sample in samples} == {state.observe(other).hand}
    samples = [GAME.determinise(state.observe(other), rng) for _ in range(20)]
    kept = hand(state, drawer) - Counter(map(str, state.observe(drawer).drawn))
    assert all(not kept - hand(sample, drawer) for sample in samples), "all but the new card is known"
    assert len({sample.observe(drawer).hand for sample in samples}) > 1, "the new card is not"


@pytest.mark.parametrize("players", [3, 4])
def test_after_a_reshuffle_the_hands_hold_together_what_must_be_in_hands(players: int) -> None:
    state = table(*[""] * players)
    bury(state, left=0)
    play(state, "0: 1")
    shuffle = state.observe(None).trace[0]
    assert isinstance(shuffle, Shuffled)
    rng = Random(players)
    for _ in range(20):
        sampled = GAME.determinise(state.observe(1), rng)
        hands = sum((hand(sampled, seat) for seat in range(players)), Counter[str]())
        assert not Counter(map(str, shuffle.held)) - hands


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_other_seats_of_a_determinised_state_know_what_they_drew(players: int) -> None:
    """A search may ask what another seat sees in a sample: a view as good as any, with a card for each own draw."""
    rng = Random(players)
    for state in some_states(players, 1):
        sampled = GAME.determinise(state.observe(0), rng)
        for seat in range(1, players):
            view = sampled.observe(seat)
            assert len(view.drawn) == view.trace.count(Drew(seat))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_view_of_another_seat_in_a_determinised_state_can_be_determinised(players: int) -> None:
    rng = Random(players)
    for state in some_states(players, 1):
        sampled = GAME.determinise(state.observe(0), rng)
        for seat in range(1, players):
            view = sampled.observe(seat)
            assert GAME.determinise(view, rng).observe(seat) == view


def test_the_same_generator_gives_the_same_sample() -> None:
    view = next(state for state in sparing_match(3, 2) if len(state.trace) > 20).observe(1)
    one, other = (GAME.determinise(view, Random(5)) for _ in range(2))
    assert [one.observe(seat) for seat in range(3)] == [other.observe(seat) for seat in range(3)]


def test_sampling_does_not_touch_the_state_it_came_from() -> None:
    state = next(state for state in sparing_match(3, 2) if state.trace)
    before = [state.observe(seat) for seat in range(3)]
    sampled = GAME.determinise(state.observe(1), Random(5))
    while sampled.to_move:
        sampled.apply(sampled.to_move[0], sampled.legal(sampled.to_move[0])[-1])
    assert [state.observe(seat) for seat in range(3)] == before
