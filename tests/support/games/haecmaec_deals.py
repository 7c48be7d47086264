"""Häc Mäc by script: deals and positions made by hand, in which the tests say what should follow.

Cards are written short: "T3" is tomato-3, "F" is a fly.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

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
