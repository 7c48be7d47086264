"""The example rounds in docs/games.md can be played as they stand there, and end as the page says."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest

from roost_games import bratwurmeck, haecmaec, karteneck

TEXT = (Path(__file__).parents[2] / "docs/games.md").read_text(encoding="utf-8")
T = TypeVar("T")


def example(title: str) -> list[tuple[int, str]]:
    """The lines of an example: the seat, and what it does."""
    section = TEXT.split(f"## An example {title}\n", 1)[1].split("\n## ", 1)[0]
    return [(int(seat), words.strip()) for seat, words in re.findall(r"^    seat (\d)  (.*)$", section, re.MULTILINE)]


class Arranged:
    """Chance as an example wants it: seat 0 begins, these things come first, and the dice fall like this."""

    def __init__(self, first: dict[str, list[Any]], rolls: Sequence[Sequence[str]] = ()) -> None:
        self._first = first
        self._rolls = iter(rolls)

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        return items[0]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        rest = list(items)
        wanted = [rest.pop(rest.index(item)) for item in self._first[purpose.partition("/")[0]]]
        return (wanted + rest)[:count]

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        rolled = next(self._rolls, ["W"] * count)
        assert len(rolled) == count
        return bytes(faces.index(face) for face in rolled)


def test_karteneck() -> None:
    played = example("round of Karteneck")
    draws = [card for _, words in played if "draws" in words for card in words.partition("draws ")[2].split()]
    hands = re.findall(r"holds `([^`]*)`", TEXT)
    deck = [*hands[0].split(), *hands[1].split(), *draws]
    game = karteneck.GAME
    state = game.start(2, game.options({}), Arranged({"portions": [19, 33], "deck": deck}))
    assert [portion.value for portion in state.observe(None).grill] == [19, 33]
    for seat, words in played:
        assert state.to_move == (seat,)
        total = int(re.findall(r"total (\d+)", words)[0])
        if words.startswith("passes"):
            assert state.observe(seat).total == total
            state.apply(seat, karteneck.PASS)
        else:
            cards = words.split("  ")[0].removeprefix("lays ").split()
            state.apply(seat, karteneck.Lay(tuple(map(karteneck.Card, cards))))
            assert state.observe(seat).total == total
    view = state.observe(1)
    assert view.stacks == ((karteneck.Portion(33, 3),), (karteneck.Portion(19, 1),))
    assert (view.round, view.starter) == (2, 1)
    assert sorted(view.hand) == sorted(["1", "1", "3", "3", "4", "W8"])


def test_bratwurmeck() -> None:
    played = example("of Bratwurmeck")
    rolls = [words.split("  ")[0].removeprefix("rolls ").split() for _, words in played]
    game = bratwurmeck.GAME
    state = game.start(2, game.options({}), Arranged({}, rolls))
    state.events = []
    for seat, words in played:
        if words.endswith("fails"):
            continue
        assert state.to_move == (seat,)
        face = re.findall(r"takes (\w)", words)[0]
        then: Literal["roll", "stop"] = "stop" if "stops" in words else "roll"
        steal = True if "steals" in words else None
        before = state.observe(seat)
        gain = before.roll.count(face) * (5 if face == "W" else int(face))
        assert before.total + gain == int(re.findall(r"total (\d+)", words)[0])
        assert bratwurmeck.Take(face, then, steal) in state.legal(seat)
        state.apply(seat, bratwurmeck.Take(face, then, steal))
    told = [event for event in state.events if not isinstance(event, bratwurmeck.Rolled | bratwurmeck.SetAside)]
    tile, highest = bratwurmeck.Tile(25, 2), bratwurmeck.Tile(36, 4)
    assert told == [
        bratwurmeck.TookTile(0, tile),
        bratwurmeck.Stole(1, 0, tile),
        bratwurmeck.Failed(0, "bust", None, None),
        bratwurmeck.Failed(1, "bust", tile, highest),
    ]


HANDS = (
    ["tomato-2", "onion-1", "patty-3", "fly"],
    ["tomato-5", "lettuce-1", "cheese-4", "patty-1"],
    ["tomato-1", "onion-5", "lettuce-3", "cheese-2"],
)
"""The page does not say what the hands are, only what is played from them."""


def test_haecmaec() -> None:
    game = haecmaec.GAME
    state = game.start(3, game.options({}), Arranged({"deck": [card for hand in HANDS for card in hand]}))
    for seat, words in example("of Häc Mäc"):
        assert seat in state.to_move
        state.apply(seat, _haecmaec_move(words))
    view = state.observe(None)
    assert [view.points(seat) for seat in range(3)] == [0, 14, -4]
    assert [burger.cards for burger in view.closed[1]] == [("tomato-2", "tomato-5")]
    assert [spoiled.seat for spoiled in view.spoiled] == [0]
    assert (view.phase, view.turn) == ("open", 1)


def _haecmaec_move(words: str) -> haecmaec.Move:
    card = words.split()[-1]
    if "closes" in words:
        return haecmaec.Close("double", haecmaec.Card(card))
    if "plays" in words:
        return haecmaec.Play(haecmaec.Card(card))
    return haecmaec.React(words == "suspects")


def test_with_slapping_the_second_card_is_asked_about() -> None:
    game = haecmaec.GAME
    deck = {"deck": [card for hand in HANDS for card in hand]}
    state = game.start(3, game.options({"slap": True}), Arranged(deck))
    for seat, words in example("of Häc Mäc")[:2]:
        state.apply(seat, _haecmaec_move(words))
    assert state.to_move == (0, 2)


@pytest.mark.parametrize("title", ["round of Karteneck", "of Bratwurmeck", "of Häc Mäc"])
def test_there_is_an_example(title: str) -> None:
    assert len(example(title)) > 6
