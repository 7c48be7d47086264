"""The narration of a match: every decision has its words, which say what happened."""

from collections.abc import Sequence
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games import bratwurmeck, haecmaec, karteneck
from roost_games.chance import Tape, seed_of
from roost_games.haecmaec import Card, ClosedBurger, React
from roost_games.narration import Words, narration_of
from roost_games.narrator import Frame, Narrator
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk import Bot, LoadedBot, LocalMatch
from tests.support.games.values import text_of

RANDOM = LoadedBot("random", SAMPLES["random"])


def frames_of(game: str, bots: Sequence[LoadedBot], **settings: Any) -> list[str]:
    """The words of each frame of a match, as text."""
    frames: list[Frame] = []
    narrator = Narrator(game, [bot.name for bot in bots], frames.append)
    match = LocalMatch(
        get_game(game), bots, seed_of("show"), listener=narrator.listen, tell=lambda trouble: None, **settings
    )
    narrator.begin(match.referee)
    match.play()
    return ["".join(f"{text_of(line.words)}\n" for line in frame.lines) for frame in frames]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_decision_has_a_frame_with_words(game: str) -> None:
    words = frames_of(game, [RANDOM] * 3)
    assert all(words)
    assert len(words) > 30


def test_hands_of_all_seats_are_shown_as_they_are() -> None:
    watched: list[Frame] = []
    narrator = Narrator("karteneck", ["a", "b"], watched.append)
    match = LocalMatch(get_game("karteneck"), [RANDOM] * 2, seed_of("show"), listener=narrator.listen)
    narrator.begin(match.referee)
    board = watched[0].board
    assert board is not None
    for row in board.rows:
        (shown,) = row.cells[-1]
        assert shown.role == "dim"
        assert shown.text.replace(" ", "") == "hand" + "".join(match.referee.view(row.seat).hand)


def test_faults_and_forfeits_are_told() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError

    words = frames_of("karteneck", [LoadedBot("bad", Raises), RANDOM, RANDOM])
    told = "".join(words)
    assert told.count("seat 0 (bad) is at fault: crashed\n") == 3
    assert told.count("seat 0 (bad) forfeits\n") == 1
    assert "seat 0 (bad) [fallback] passes with 0 and no worm, which is invalid" in told


def test_a_match_that_ends_by_forfeit_is_drawn_to_its_end() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError

    words = frames_of("karteneck", [LoadedBot("bad", Raises), RANDOM], max_faults=1)
    assert words[-1] == "seat 0 (bad) is at fault: crashed\nseat 0 (bad) forfeits\n"


def test_karteneck_in_words() -> None:
    told = narration_of("karteneck", ["ann", "bob"])
    state = get_game("karteneck").start(2, get_game("karteneck").options({}), _tape())
    before = state.observe(None)
    cards = tuple(karteneck.Card(card) for card in ("3", "3"))
    after = before._replace(totals=(12, 0))
    assert said(told.move(0, karteneck.Lay(cards), before, after)) == "lays 3 3, total 12"
    valid = before._replace(displays=((karteneck.Card("W4"),), ()), totals=(5, 0))
    assert said(told.move(0, karteneck.PASS, valid, valid)) == "passes with 5"
    assert said(told.event(karteneck.Stole(1, 0, karteneck.Portion(30, 3)))) == "seat 1 steals the 30~~~ from seat 0"
    assert said(told.event(karteneck.Took(0, karteneck.Portion(0, 0), False))) == "seat 0 takes the lowest portion, 0"


def test_bratwurmeck_in_words() -> None:
    told = narration_of("bratwurmeck", ["ann", "bob"])
    before = get_game("bratwurmeck").start(2, get_game("bratwurmeck").options({}), _tape()).observe(None)
    before = before._replace(aside=("5", "5"), total=10, roll=("1", "W", "W"))
    assert said(told.move(0, bratwurmeck.Take("W", "stop"), before, before)) == "adds W W to 5 5, total 20, and stops"
    tile = bratwurmeck.Tile
    assert said(told.event(bratwurmeck.Stole(0, 1, tile(30, 3)))) == "seat 0 steals the 30~~~ from seat 1"
    failed = bratwurmeck.Failed(1, "bust", tile(25, 2), tile(36, 4))
    assert said(told.event(failed)) == (
        "seat 1 fails: every face rolled has been set aside before; its 25~~ goes back to the grill, "
        "and the 36~~~~ is turned over"
    )


def test_haecmaec_in_words() -> None:
    told = narration_of("haecmaec", ["ann", "bob", "cyn"])
    options = get_game("haecmaec").options({})
    before = get_game("haecmaec").start(3, options, _tape()).observe(None)
    before = before._replace(burger=(Card("onion-1"), Card("onion-2")), laid_by=(0, 1))
    assert said(told.move(2, haecmaec.Play(Card("onion-3")), before, before)) == (
        "lays onion-3, a third of its kind or more"
    )
    assert told.move(1, React(suspect=True), before, before) is None
    reacted = haecmaec.Reacted((React(suspect=True), React(suspect=False, slap="fly"), React()))
    assert said(told.event(reacted)) == "seat 0 suspects; seat 1 slaps with a fly"
    assert said(told.event(haecmaec.Reacted((React(suspect=False), React())))) == "nobody reacts"
    assert said(told.event(haecmaec.Suspected(0, 2, Card("onion-3"), True))) == (
        "seat 0 is right: onion-3 becomes a penalty of seat 2"
    )
    closed = haecmaec.Closed(1, ClosedBurger((Card("onion-1"), Card("patty-4")), "double"))
    assert said(told.event(closed)) == "seat 1 takes onion-1 patty-4 for 10 points"


def said(words: Words | None) -> str:
    assert words is not None
    return text_of(words)


def _tape() -> Tape:
    return Tape(seed_of("show"))
