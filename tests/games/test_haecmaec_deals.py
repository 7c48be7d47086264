"""Scripted deals and positions made by hand, in which the tests of Häc Mäc say what should follow; and the set-up.

Cards are written short: "T3" is tomato-3, "F" is a fly.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

from roost_games.chance import Outcome, Recording, Tape
from roost_games.errors import UsageError
from roost_games.haecmaec import (
    FLY,
    GAME,
    Card,
    HaecMaecState,
    Options,
    Play,
    React,
    View,
)

T = TypeVar("T")

KINDS = {"P": "patty", "C": "cheese", "T": "tomato", "L": "lettuce", "O": "onion"}
BASIC = Options()
SLAP = Options(slap=True)
PASS = React(suspect=False)
SUSPECT = React(suspect=True)


def card(short: str) -> Card:
    return FLY if short == "F" else Card(f"{KINDS[short[0]]}-{short[1:]}")


def cards(short: str) -> tuple[Card, ...]:
    return tuple(card(each) for each in short.split())


def play(short: str) -> Play:
    return Play(card(short))


class Scripted:
    """Chance that deals what a test says, then the rest of the sheet, and notes what it was asked."""

    def __init__(self, deck: str = "", starter: int = 0, quickest: Sequence[int] = ()) -> None:
        self.deck = cards(deck)
        self.starter = starter
        self.quickest = list(quickest)
        self.asked: list[tuple[str, tuple[object, ...]]] = []

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        self.asked.append((purpose, tuple(items)))
        wanted = self.starter if purpose == "starter" else self.quickest.pop(0)
        return next(item for item in items if item == wanted)

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        self.asked.append((purpose, tuple(items)))
        assert count == len(items)
        rest = list(items)
        first = [rest.pop(rest.index(wanted)) for wanted in self.deck]  # type: ignore[arg-type]
        return first + rest

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        raise AssertionError("there are no dice in this game")


def deal(*hands: str, draws: str = "", starter: int = 0, options: Options = BASIC) -> HaecMaecState:
    """A match from its beginning: four cards to each seat, then the cards that will be drawn."""
    return GAME.start(len(hands), options, Scripted(" ".join((*hands, draws)), starter))


def position(
    *hands: str,
    burger: str = "",
    pile: str = "",
    turn: int = 0,
    bottoms: int = 9,
    normal_tops: Sequence[int] | None = None,
    doubling_tops: Sequence[int] | None = None,
    options: Options = BASIC,
    quickest: Sequence[int] = (),
) -> HaecMaecState:
    """A match in the middle: the seat `turn` has drawn and decides. `pile` is written next card first."""
    players = len(hands)
    view = View(
        seat=None,
        players=players,
        to_move=(turn,),
        hand=(),
        answer=None,
        phase="turn" if burger else "open",
        turn=turn,
        starter=0,
        options=options,
        burger=cards(burger),
        laid_by=tuple((turn - 1) % players for _ in cards(burger)),
        bottoms=bottoms,
        pile=len(cards(pile)),
        hand_sizes=tuple(len(cards(hand)) for hand in hands),
        normal_tops=tuple(normal_tops or [2] * players),
        doubling_tops=tuple(doubling_tops or [1] * players),
        closed=((),) * players,
        penalties=((),) * players,
        spoiled=(),
        shown_flies=(False,) * players,
        reactions=(),
        rounds=0,
    )
    held = [list(cards(hand)) for hand in hands]
    return HaecMaecState.restored(view, held, list(reversed(cards(pile))), Scripted(quickest=quickest))


def react(state: HaecMaecState, *answers: React) -> None:
    """The seats to move answer, ascending; one answer stands for all of them."""
    for seat, answer in zip(state.to_move, answers if len(answers) > 1 else answers * 6, strict=False):
        state.apply(seat, answer)


def hand(state: HaecMaecState, seat: int) -> Counter[str]:
    return Counter(state.observe(seat).hand)


def held(short: str) -> Counter[str]:
    return Counter(cards(short))


@pytest.mark.parametrize(("players", "normal", "bottoms"), [(2, 8, 18), (3, 5, 18), (4, 4, 20), (5, 3, 20), (6, 2, 18)])
def test_everybody_gets_a_doubling_top_and_a_share_of_the_normal_ones(players: int, normal: int, bottoms: int) -> None:
    view = GAME.start(players, BASIC, Tape(b"set-up")).observe(None)
    assert view.normal_tops == (normal,) * players
    assert view.doubling_tops == (1,) * players
    assert view.bottoms == bottoms


def test_four_cards_are_dealt_to_each_seat_and_the_starter_draws_the_next() -> None:
    state = deal("P1 P2 P3 P4", "F F F C1", "T1 T1 T2 T2", draws="L5", starter=1)
    assert state.to_move == (1,)
    assert hand(state, 0) == held("P1 P2 P3 P4")
    assert hand(state, 1) == held("F F F C1 L5")
    assert hand(state, 2) == held("T1 T1 T2 T2")
    view = state.observe(0)
    assert (view.hand_sizes, view.pile, view.starter, view.turn, view.phase) == ((4, 5, 4), 75, 1, 1, "open")


def test_chance_is_asked_for_the_starter_and_then_for_the_whole_pile_in_the_order_of_the_sheet() -> None:
    chance = Scripted()
    GAME.start(3, BASIC, chance)
    (starter, seats), (deck, items) = chance.asked
    assert (starter, seats, deck) == ("starter", (0, 1, 2), "deck")
    assert items[:6] == ("patty-1",) * 5 + ("patty-2",)
    assert items[82:] == ("onion-4", "onion-5", "onion-5", "fly", "fly", "fly")
    assert Counter(str(item).partition("-")[0] for item in items) == {
        "patty": 17,
        "cheese": 17,
        "tomato": 17,
        "lettuce": 17,
        "onion": 17,
        "fly": 3,
    }
    assert sorted(items.count(f"cheese-{value}") for value in range(1, 6)) == [2, 2, 4, 4, 5]


def test_a_recorded_deal_is_in_replay_notation() -> None:
    outcomes: list[Outcome] = []
    GAME.start(2, BASIC, Recording(Tape(b"deal"), outcomes.append))
    assert [outcome.name for outcome in outcomes] == ["starter", "deck"]
    assert outcomes[0].value in (0, 1)
    assert Counter(outcomes[1].value)["fly"] == 3  # type: ignore[call-overload]


@pytest.mark.parametrize(("options", "counts"), [(BASIC, [2, 3, 4, 5, 6]), (SLAP, [3, 4, 5, 6])])
def test_player_counts(options: Options, counts: list[int]) -> None:
    assert list(GAME.players(options)) == counts
    for wrong in (counts[0] - 1, 7):
        with pytest.raises(UsageError, match=f"{counts[0]} to 6 players, not {wrong}"):
            GAME.start(wrong, options, Tape(b""))
