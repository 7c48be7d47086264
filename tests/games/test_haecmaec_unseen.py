"""What a seat cannot see in Häc Mäc: `determinise` and `scramble` against every deal of a tiny deck, played out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial, prod, sqrt
from random import Random
from typing import NamedTuple, TypeVar

import pytest

from roost_games.errors import IllegalMove
from roost_games.haecmaec import FLY, GAME, Card, Close, HaecMaecState, Move, Options, Play, React, Row, View
from tests.support.games.haecmaec_deals import PASS, cards, hand, held, play, position, react

T = TypeVar("T")
Hidden = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Hands and pile as card numbers. The own hand is the same in all that are compared."""

ANT, BUN = Card("ant-1"), Card("bun-2")
FLY_NUMBER = 2
SAMPLES = 10_000


class Stacked:
    """Chance with a known pile; seat 0 starts, and of several slappers the last is quickest."""

    def __init__(self, deck: Sequence[Card]) -> None:
        self.deck = deck

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        return items[0 if purpose == "starter" else -1]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        assert Counter(self.deck) == Counter(items)
        return [items[items.index(wanted)] for wanted in self.deck]

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        raise AssertionError("there are no dice in this game")


class Tiny(NamedTuple):
    """A game with a few ants and buns and the three flies."""

    players: int
    slap: bool
    ants: int
    buns: int

    def start(self, deck: Sequence[Card]) -> HaecMaecState:
        options = Options(self.slap, (Row("ant", 1, self.ants), Row("bun", 2, self.buns)))
        return HaecMaecState(self.players, options, Stacked(deck))

    def deals(self) -> Iterator[list[Card]]:
        """Every order of the pile, each standing for equally many orders of cards that are things of their own."""
        size = self.ants + self.buns + 3
        for flies in combinations(range(size), 3):
            others = [place for place in range(size) if place not in flies]
            for buns in combinations(others, self.buns):
                yield [FLY if place in flies else BUN if place in buns else ANT for place in range(size)]

    def weight(self, hidden: Hidden, seat: int | None) -> int:
        """In how many ways cards that are things of their own come to lie like this."""
        hands = [unseen for place, unseen in enumerate(hidden[0]) if place != seat]
        ways = 1
        for number in range(3):
            in_hands = [unseen.count(number) for unseen in hands]
            total = sum(in_hands) + hidden[1].count(number)
            ways *= factorial(total) // prod(map(factorial, in_hands))
        return ways


class Case(NamedTuple):
    """A random position of a tiny game, and who looks at it."""

    tiny: Tiny
    decisions: int
    seed: int
    seat: int | None


TWO = Tiny(2, False, 6, 3)
THREE = Tiny(3, False, 9, 2)
SLAPPING = Tiny(3, True, 9, 2)

CASES = [
    Case(TWO, 0, 0, 1),
    Case(TWO, 1, 1, None),
    Case(THREE, 4, 1, None),
    Case(THREE, 7, 2, None),
    Case(THREE, 20, 0, None),
    Case(SLAPPING, 4, 2, 0),
    Case(SLAPPING, 7, 2, 2),
    Case(SLAPPING, 10, 1, None),
]


def hidden_in(state: HaecMaecState) -> Hidden:
    return tuple(map(tuple, state.hands)), tuple(state.pile)


def some_match(case: Case) -> tuple[HaecMaecState, list[tuple[int, Move]]]:
    """A random position, and how it came about. Nobody suspects anybody, so that matches get somewhere."""
    rng = Random(100 * case.decisions + case.seed)
    deck = [ANT] * case.tiny.ants + [BUN] * case.tiny.buns + [FLY] * 3
    rng.shuffle(deck)
    state = case.tiny.start(deck)
    moves: list[tuple[int, Move]] = []
    while state.to_move and len(moves) < case.decisions:
        seat = rng.choice(state.to_move)
        move = rng.choice([move for move in state.legal(seat) if not (isinstance(move, React) and move.suspect)])
        moves.append((seat, move))
        state.apply(seat, move)
    return state, moves


def replayed(tiny: Tiny, deck: list[Card], moves: list[tuple[int, Move]]) -> tuple[HaecMaecState, int] | None:
    """The state that `moves` lead to from another deal, if they can be made there.

    With it goes in how many ways they can: a card played may be any of those in the hand that look like it.
    """
    state, ways = tiny.start(deck), 1
    try:
        for seat, move in moves:
            if isinstance(move, Play | Close) and move.card is not None:
                ways *= state.observe(seat).hand.count(move.card)
            state.apply(seat, move)
    except IllegalMove:
        return None
    return state, ways


def deals_behind(tiny: Tiny, view: View, moves: list[tuple[int, Move]]) -> Counter[Hidden]:
    """By what they hide now, the deals (times ways to play) that would have shown the same `view`."""
    found: Counter[Hidden] = Counter()
    for deck in tiny.deals():
        outcome = replayed(tiny, deck, moves)
        if outcome is not None and outcome[0].observe(view.seat) == view:
            found[hidden_in(outcome[0])] += outcome[1]
    return found


def assert_distributed(samples: Counter[Hidden], weights: dict[Hidden, int]) -> None:
    """A chi-square test, five standard deviations wide; rare outcomes are taken together."""
    assert samples.keys() <= weights.keys()
    share = samples.total() / sum(weights.values())
    rare = {hidden for hidden, weight in weights.items() if weight * share < 10}
    cells = [(samples[hidden], weight * share) for hidden, weight in weights.items() if hidden not in rare]
    if rare:
        cells.append((sum(samples[hidden] for hidden in rare), sum(weights[hidden] for hidden in rare) * share))
    deviation = sum((observed - expected) ** 2 / expected for observed, expected in cells)
    assert deviation <= len(cells) + 5 * sqrt(2 * len(cells))


@pytest.mark.short(2)
@pytest.mark.parametrize("case", CASES)
def test_determinise_is_uniform_over_all_that_some_deal_leads_to(case: Case) -> None:
    state, moves = some_match(case)
    view = state.observe(case.seat)
    possible = deals_behind(case.tiny, view, moves)
    assert hidden_in(state) in possible
    assert len(possible) > 1
    weights = {hidden: case.tiny.weight(hidden, case.seat) for hidden in possible}
    rng = Random(case.seed)
    assert_distributed(Counter(hidden_in(GAME.determinise(view, rng)) for _ in range(SAMPLES)), weights)
    if not case.tiny.slap:
        share = Fraction(sum(weights.values()), possible.total())
        assert weights == {hidden: ways * share for hidden, ways in possible.items()}


@pytest.mark.long
def test_determinise_knows_of_a_fly_slapped_in_vain() -> None:
    """Both others slap with a fly, the last is quickest, so the other one keeps a fly that everybody knows of."""
    deck = [FLY] + [ANT] * 4 + [FLY] + [ANT] * 2 + [FLY] + [ANT] * 3 + [BUN] * 2
    moves: list[tuple[int, Move]] = [(0, Play(ANT)), (1, Play(ANT)), (0, React(slap="no")), (2, React(slap="normal"))]
    moves += [(2, Play(ANT)), (0, Play(ANT)), (1, React(slap="fly")), (2, React(slap="fly"))]
    outcome = replayed(SLAPPING, deck, moves)
    assert outcome is not None
    for seat in (0, None):
        view = outcome[0].observe(seat)
        assert view.shown_flies == (False, True, False)
        possible = deals_behind(SLAPPING, view, moves)
        assert all(FLY_NUMBER in hands[1] for hands, _ in possible)
        weights = {hidden: SLAPPING.weight(hidden, seat) for hidden in possible}
        rng = Random(1)
        assert_distributed(Counter(hidden_in(GAME.determinise(view, rng)) for _ in range(SAMPLES)), weights)


def test_scramble_is_as_uniform_as_determinise() -> None:
    case = Case(TWO, 1, 1, None)
    state, moves = some_match(case)
    weights = {hidden: TWO.weight(hidden, None) for hidden in deals_behind(TWO, state.observe(None), moves)}
    samples: Counter[Hidden] = Counter()
    rng = Random(1)
    for _ in range(SAMPLES):
        state.scramble(None, rng)
        samples[hidden_in(state)] += 1
    assert_distributed(samples, weights)


def sheet_with(short: str) -> Options:
    """A sheet of just these ingredients; the three flies come with it."""
    return Options(ingredients=tuple(Row(each.kind, each.value, 1) for each in cards(short)))


def test_who_has_one_card_left_between_turns_holds_no_fly() -> None:
    state = position("P1 P2", "C1", "F F F T1", burger="O1", options=sheet_with("P1 P2 C1 T1 O1"))
    view = state.observe(0)
    sampled = [GAME.determinise(view, Random(seed)) for seed in range(40)]
    assert {card for each in sampled for card in hand(each, 1)} == set(cards("C1 T1"))


def test_whose_card_is_judged_may_hold_nothing_but_flies_and_has_nothing_else_when_that_ends_the_match() -> None:
    options = sheet_with("P1 P2 C1 T1 O1 L1")
    state = position("P1 P2", "C1 F F F", burger="O1 L1", pile="T1", turn=1, options=options)
    state.apply(1, play("C1"))
    sampled = [hand(GAME.determinise(state.observe(0), Random(seed)), 1) for seed in range(40)]
    assert held("F F F") in sampled
    assert held("T1 F F") in sampled
    react(state, PASS)
    assert state.termination == "finished"
    assert all(hand(GAME.determinise(state.observe(0), Random(seed)), 1) == held("F F F") for seed in range(40))


def test_after_a_slap_of_the_last_bottom_its_player_may_hold_nothing_but_flies() -> None:
    options = Options(True, sheet_with("P1 C1 C2 T1 T2 O1").ingredients)
    state = position("P1 F F", "C1 C2", "T1 T2", burger="O1", bottoms=0, pile="F", options=options)
    state.apply(0, play("P1"))
    react(state, React(slap="normal"), React(slap="no"))
    assert state.termination == "finished"
    sampled = [hand(GAME.determinise(state.observe(1), Random(seed)), 0) for seed in range(40)]
    assert held("F F") in sampled
    assert held("T1 F") in sampled


def test_after_a_close_over_the_last_bottom_its_player_holds_an_ingredient() -> None:
    options = sheet_with("P1 C1 C2 T1 T2 O1 O2")
    state = position("P1 F", "C1 C2", "T1 T2", burger="O1 O2", bottoms=0, pile="F F", options=options)
    state.apply(0, Close("normal", None))
    assert state.termination == "finished"
    sampled = [hand(GAME.determinise(state.observe(1), Random(seed)), 0) for seed in range(40)]
    assert held("P1 F") in sampled
    assert held("F F") not in sampled


def test_reactions_of_others_are_hidden_until_all_are_in() -> None:
    options = Options(True, sheet_with("P1 P2 C1 T1 T2 L1 L2 O1 O2 O3").ingredients)
    state = position(
        "P1 P2", "C1 F", "T1 F", "L1 F", burger="O1", options=options, pile="T2 L2 O2 O3", quickest=[2] * 40
    )
    state.apply(0, play("P1"))
    state.apply(1, React(slap="fly"))
    state.apply(2, React(slap="normal"))
    own = state.observe(2)
    sampled = GAME.determinise(own, Random(1))
    assert sampled.to_move == (1, 3), "whether seat 1 has answered is not known"
    sampled.apply(1, React(slap="no"))
    sampled.apply(3, React(slap="no"))
    assert len(sampled.observe(None).closed[2]) == 1, "the own answer is known"
    answers = set()
    for seed in range(40):
        scrambled = state.copy()
        scrambled.scramble(2, Random(seed))
        assert scrambled.observe(2) == own
        scrambled.apply(3, React(slap="no"))
        answers.add(scrambled.observe(None).reactions[1].slap)
        assert scrambled.observe(None).reactions[2].slap == "normal"
    assert answers == {"no", "normal", "double", "fly"}
