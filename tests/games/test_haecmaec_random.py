"""What holds in every match of Häc Mäc: random play of all player counts, with and without slapping, on any sheet.

`adjudicate` is a second, slow and plain reading of the rules. It knows a match only as a replay tells it.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.chance import Outcome, Recording, Tape, seed_of
from roost_games.errors import IllegalMove
from roost_games.haecmaec import FLY, GAME, Card, Close, HaecMaecState, Move, Options, Play, React
from roost_games.haecmaec.table import HaecMaecTable

Step = dict[str, Any]


class Setting(NamedTuple):
    """What is played, and how: `dull` is the probability with which the fallback is played instead of anything."""

    players: int
    options: Options
    dull: float
    seed: int

    def start(self) -> HaecMaecState:
        return GAME.start(self.players, self.options, Tape(seed_of("random play", self.seed)))


@st.composite
def sheets(draw: st.DrawFn) -> list[list[Any]]:
    kinds = st.sampled_from(["egg", "bun", "ant", "cod", "fig", "ham"])
    rows = draw(st.lists(st.tuples(kinds, st.integers(1, 99)), min_size=1, max_size=20, unique=True))
    cuts = sorted(draw(st.sets(st.integers(1, 84), min_size=len(rows) - 1, max_size=len(rows) - 1)))
    counts = [upper - lower for lower, upper in zip([0, *cuts], [*cuts, 85], strict=True)]
    return [[kind, value, count] for (kind, value), count in zip(rows, counts, strict=True)]


@st.composite
def matches(draw: st.DrawFn) -> Setting:
    slap = draw(st.booleans())
    given_options: dict[str, Any] = {"slap": slap}
    if draw(st.booleans()):
        given_options["ingredients"] = draw(sheets())
    players = draw(st.integers(3 if slap else 2, 6))
    dull = draw(st.sampled_from([0.0, 0.5, 0.9, 0.98]))
    return Setting(players, GAME.options(given_options), dull, draw(st.integers(0, 10**9)))


def choose(state: HaecMaecState, seat: int, dull: float, rng: Random) -> Move:
    if rng.random() < dull:
        return GAME.fallback(state.observe(seat))
    return rng.choice(state.legal(seat))


def decisions(match: Setting, state: HaecMaecState, rng: Random) -> Iterator[int]:
    """Play the match; before each decision, say whose it is."""
    while state.to_move:
        seat = rng.choice(state.to_move)
        yield seat
        state.apply(seat, choose(state, seat, match.dull, rng))


def everything(state: HaecMaecState) -> dict[str, Any]:
    fields = {slot: getattr(state, slot) for slot in (*HaecMaecTable.__slots__, "players", "termination", "to_move")}
    lists = {"hands": [hand[:] for hand in state.hands], "pile": state.pile[:], "_answers": state._answers[:]}
    return {**fields, **lists}


def universe(options: Options) -> list[Move]:
    """Every well-formed move there is, with a card that is not on the sheet among them."""
    cards = [Card(f"{row.kind}-{row.value}") for row in options.ingredients] + [FLY, Card("caviar-9")]
    answers = product((None, False, True), (None, "no", "normal", "double", "fly"))
    return [
        *(Play(card) for card in cards),
        *(Close(top, card) for top in ("normal", "double") for card in (None, *cards)),
        *(React(suspect, slap) for suspect, slap in answers if (suspect, slap) != (None, None)),  # type: ignore[arg-type]
    ]


@settings(max_examples=25, deadline=None)
@given(matches())
def test_legal_moves_are_exactly_what_apply_accepts_and_refusals_leave_no_trace(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    moves = universe(match.options)
    for seat in decisions(match, state, rng):
        if rng.random() > 0.15:
            continue
        before, accepted = everything(state), set()
        for move in moves:
            tried = state.copy()
            try:
                tried.apply(seat, move)
                accepted.add(move)
            except IllegalMove:
                assert everything(tried) == before
        legal = state.legal(seat)
        assert accepted == set(legal)
        assert len(accepted) == len(legal) > 0
        assert everything(state) == before


@settings(max_examples=60, deadline=None)
@given(matches())
def test_a_view_gives_the_legal_moves_and_a_legal_fallback(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    for _ in decisions(match, state, rng):
        for seat in range(match.players):
            view = state.observe(seat)
            assert list(GAME.legal(view)) == list(state.legal(seat))
            if seat in state.to_move:
                assert seat in view.to_move
                assert GAME.fallback(view) in state.legal(seat)
        assert GAME.legal(state.observe(None)) == ()


@settings(max_examples=60, deadline=None)
@given(matches())
def test_nothing_is_lost_and_everybody_can_go_on(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    inventory = Counter(state.inventory())
    assert inventory.total() == 88 + 2 * inventory["bottom"]
    for _ in decisions(match, state, rng):
        view = state.observe(None)
        assert Counter(state.inventory()) == inventory
        for seat in range(match.players):
            hand = state.observe(seat).hand
            assert len(hand) == view.hand_sizes[seat]
            assert set(hand) - {FLY} or (view.phase == "react" and seat == view.turn)
            assert FLY in hand or not view.shown_flies[seat]
        assert view.burger or view.bottoms or view.phase == "react"
        assert len(view.laid_by) == len(view.burger)
    assert Counter(state.inventory()) == inventory
    assert state.termination == "finished"
    assert state.observe(None).to_move == ()


@settings(max_examples=60, deadline=None)
@given(matches())
def test_views_leave_open_exactly_what_is_hidden(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    for seat in decisions(match, state, rng):
        others = [state.observe(other).hand for other in range(match.players) if other != seat]
        pile = Counter(state.observe(seat).unseen()) - Counter(card for hand in others for card in hand)
        assert pile.total() == state.observe(None).pile


@settings(max_examples=40, deadline=None)
@given(matches())
def test_a_determinised_or_scrambled_state_shows_the_same_and_can_be_played_to_the_end(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    inventory = Counter(state.inventory())
    for _ in decisions(match, state, rng):
        if rng.random() > 0.1:
            continue
        seat = rng.choice([None, *range(match.players)])
        scrambled = state.copy()
        scrambled.scramble(seat, rng)
        assert scrambled.to_move == state.to_move
        for sampled in (scrambled, GAME.determinise(state.observe(seat), rng)):
            assert sampled.observe(seat) == state.observe(seat)
            assert Counter(sampled.inventory()) == inventory
            for _ in decisions(match, sampled, rng):
                pass
            assert sampled.termination == "finished"


@settings(max_examples=30, deadline=None)
@given(matches())
def test_the_end_of_a_match_can_be_determinised_too(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    for _ in decisions(match, state, rng):
        pass
    for seat in (None, *range(match.players)):
        sampled = GAME.determinise(state.observe(seat), rng)
        assert sampled.observe(seat) == state.observe(seat)
        last = sampled.observe(sampled.turn)
        out_of_ingredients = set(last.hand) <= {FLY}
        assert out_of_ingredients or (not last.burger and not last.bottoms)
        for other in range(match.players):
            assert set(sampled.observe(other).hand) - {FLY} or other == sampled.turn


@settings(max_examples=30, deadline=None)
@given(matches())
def test_a_copy_is_independent(match: Setting) -> None:
    state, rng = match.start(), Random(match.seed)
    for _ in decisions(match, state, rng):
        if rng.random() < 0.1:
            before, copy = everything(state), state.copy()
            assert everything(copy) == before
            for _ in decisions(match, copy, rng):
                pass
            assert everything(state) == before


def replay(match: Setting) -> tuple[HaecMaecState, list[Step]]:
    """A match to its end, and its steps as a replay lists them."""
    steps: list[Step] = []

    def note(outcome: Outcome) -> None:
        steps.append({"chance": outcome.name, "outcome": outcome.value})

    rng = Random(match.seed)
    tape = Tape(seed_of("replay", match.seed))
    state = GAME.start(match.players, match.options, Recording(tape, note))
    while state.to_move:
        moves = {seat: choose(state, seat, match.dull, rng) for seat in state.to_move}
        for seat, move in moves.items():
            steps.append({"seat": seat, "move": GAME.encode_move(move)})
            state.apply(seat, move)
    return state, json.loads(json.dumps(steps))


class Adjudicator:
    """Plays the steps of a replay by the rules page and objects to whatever does not fit."""

    def __init__(self, players: int, slap: bool, steps: list[Step]) -> None:
        self.steps, self.players, self.slap = steps, players, slap
        self.tops = [{"normal": 16 // players, "double": 1} for _ in range(players)]
        self.bottoms = sum(sum(tops.values()) for tops in self.tops)
        self.points = [0] * players
        self.burger: list[str] | None = None
        self.seat = self.chance("starter")
        self.pile = self.chance("deck")
        self.hands = [[self.pile.pop(0) for _ in range(4)] for _ in range(players)]
        while self.turn():
            pass
        assert self.steps == [], "the match is over"
        for seat, hand in enumerate(self.hands):
            self.points[seat] -= self.value(hand)

    def chance(self, name: str) -> Any:
        step = self.steps.pop(0)
        assert step["chance"] == name
        return step["outcome"]

    def move(self, seat: int) -> dict[str, Any]:
        step = self.steps.pop(0)
        assert step["seat"] == seat
        move: dict[str, Any] = step["move"]
        return move

    def left(self, seat: int) -> int:
        return (seat + 1) % self.players

    def value(self, cards: list[str]) -> int:
        return sum(int(card.split("-")[1]) for card in cards if card != "fly")

    def draw(self, seat: int) -> None:
        if self.pile:
            self.hands[seat].append(self.pile.pop(0))

    def take(self, seat: int, top: str) -> None:
        assert self.burger is not None
        self.tops[seat][top] -= 1
        assert self.tops[seat][top] >= 0
        self.points[seat] += self.value(self.burger) * (2 if top == "double" else 1)
        self.burger = None

    def turn(self) -> bool:
        """One turn with everything that follows from it; whether there is another one."""
        player = self.seat
        self.draw(player)
        self.seat = self.left(player)
        move = self.move(player)
        if "close" in move:
            assert self.burger is not None
            assert len(self.burger) >= (3 if self.players == 2 else 2)
            self.take(player, move["close"])
            assert ("play" in move) == (self.bottoms > 0)
        if move.get("play") == "fly":
            assert move == {"play": "fly"}
            assert self.burger
            self.hands[player].remove("fly")
            self.burger = None
        elif "play" in move:
            self.lay(player, move["play"])
        nobody_is_out = all(any(card != "fly" for card in hand) for hand in self.hands)
        return nobody_is_out and (self.burger is not None or self.bottoms > 0)

    def lay(self, player: int, card: str) -> None:
        self.hands[player].remove(card)
        if self.burger is None:
            self.burger = []
            self.bottoms -= 1
            assert self.bottoms >= 0
        self.burger.append(card)
        if len(self.burger) >= (2 if self.slap else 3):
            self.react(player, card)

    def react(self, player: int, card: str) -> None:
        assert self.burger is not None
        keys = (["suspect"] if len(self.burger) >= 3 else []) + (["slap"] if self.slap else [])
        answers = {seat: self.move(seat) for seat in range(self.players) if seat != player}
        assert all(list(answer) == keys for answer in answers.values())
        others = [(player + step) % self.players for step in range(1, self.players)]
        suspicious = [seat for seat in others if answers[seat].get("suspect")]
        if suspicious:
            kinds = [laid.split("-")[0] for laid in self.burger]
            guilty = kinds.count(card.split("-")[0]) >= 3
            self.points[player if guilty else suspicious[0]] -= 2 * self.value([card])
            self.burger.pop()
        slappers = [seat for seat in sorted(others) if answers[seat].get("slap")]
        if slappers:
            quickest = slappers[0] if len(slappers) == 1 else self.chance("slap")
            assert quickest in slappers
            self.slapped(quickest, answers[quickest]["slap"])

    def slapped(self, seat: int, means: str) -> None:
        if means == "fly":
            self.hands[seat].remove("fly")
            self.burger = None
            self.draw(seat)
            self.seat = self.left(seat)
        else:
            self.take(seat, means)
            self.seat = seat


@settings(max_examples=120, deadline=None)
@given(matches())
def test_a_plain_reading_of_the_rules_comes_to_the_same_score(match: Setting) -> None:
    state, steps = replay(match)
    points = Adjudicator(match.players, match.options.slap, steps).points
    assert state.merits() == tuple((score,) for score in points)


@pytest.mark.parametrize(("players", "slap"), [(2, False), (4, False), (6, False), (3, True), (6, True)])
def test_random_matches_end_in_both_ways(players: int, slap: bool) -> None:
    endings = set()
    for seed in range(40):
        state, _ = replay(Setting(players, Options(slap), 0.9 if seed % 2 else 0.0, seed))
        view = state.observe(None)
        endings.add("no bottom" if not view.burger and not view.bottoms else "no ingredient")
    assert endings == {"no bottom", "no ingredient"}


def test_the_same_seed_gives_the_same_match() -> None:
    match = Setting(4, Options(slap=True), 0.5, 7)
    assert replay(match)[1] == replay(match)[1]
