"""`--show`: every game and count can be drawn, words say what happened, and it can be read without colour."""

from collections.abc import Sequence
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from roost_bots import SAMPLES
from roost_cli.terminal.show import Frame, Watcher, show_for
from roost_games import bratwurmeck, haecmaec, karteneck
from roost_games.chance import seed_of
from roost_games.haecmaec import Card, ClosedBurger, React
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk import Bot, LoadedBot, LocalMatch
from tests.support.commands.roost import Roost

COUNTS = [
    (game, players, ()) for game in GAME_NAMES for players in get_game(game).players(get_game(game).options({}))
] + [("haecmaec", players, ("--option", "slap=true")) for players in range(3, 7)]
RANDOM = LoadedBot("random", SAMPLES["random"])


@pytest.mark.parametrize(("game", "players", "option"), COUNTS)
def test_every_game_and_count_is_drawn(roost: Roost, game: str, players: int, option: tuple[str, ...]) -> None:
    code, out, err = roost("play", game, *["random"] * players, "--seed", "show", "--show", *option)
    assert (code, err) == (0, "")
    assert f"seat {players - 1} (random) " in out
    assert "\x1b" not in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "The match is over" in out


def test_colour_is_for_terminals_and_can_be_declined(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    play = ("play", "karteneck", "random", "random", "--seed", "show", "--show")
    plain = roost(*play).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = roost(*play).out
    assert "\x1b[" in coloured
    assert Text.from_ansi(coloured).plain.split() == plain.split(), "colour adds nothing to read"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in roost(*play).out


def frames_of(game: str, bots: Sequence[LoadedBot], **settings: Any) -> tuple[list[str], list[Frame]]:
    """The words of each frame of a match, as text."""
    frames: list[Frame] = []
    watcher = Watcher(game, [bot.name for bot in bots], frames.append)
    match = LocalMatch(
        get_game(game), bots, seed_of("show"), listener=watcher.listen, tell=lambda trouble: None, **settings
    )
    watcher.begin(match.referee)
    match.play()
    return [text_of(*frame.words) for frame in frames], frames


def text_of(*parts: Any) -> str:
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    return captured.get()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_decision_has_a_frame_with_words(game: str) -> None:
    words, _ = frames_of(game, [RANDOM] * 3)
    assert all(words)
    assert len(words) > 30


def test_hands_of_all_seats_are_shown_as_they_are() -> None:
    watched: list[Frame] = []
    watcher = Watcher("karteneck", ["a", "b"], watched.append)
    match = LocalMatch(get_game("karteneck"), [RANDOM] * 2, seed_of("show"), listener=watcher.listen)
    watcher.begin(match.referee)
    drawn = text_of(watched[0].table).splitlines()
    for seat in (0, 1):
        hand = match.referee.view(seat).hand
        shown = drawn[1 + seat].partition("hand ")[2].split()
        assert "".join(shown) == "".join(hand)


def test_faults_and_forfeits_are_told() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError

    words, _ = frames_of("karteneck", [LoadedBot("bad", Raises), RANDOM, RANDOM])
    told = "".join(words)
    assert told.count("seat 0 (bad) is at fault: crashed\n") == 3
    assert told.count("seat 0 (bad) forfeits\n") == 1
    assert "seat 0 (bad) [fallback] passes with 0 and no worm, which is invalid" in told


def test_a_match_that_ends_by_forfeit_is_drawn_to_its_end() -> None:
    class Raises(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise ValueError

    words, _ = frames_of("karteneck", [LoadedBot("bad", Raises), RANDOM], max_faults=1)
    assert words[-1] == "seat 0 (bad) is at fault: crashed\nseat 0 (bad) forfeits\n"


def test_karteneck_in_words() -> None:
    show = show_for("karteneck", ["ann", "bob"])
    state = get_game("karteneck").start(2, get_game("karteneck").options({}), _tape())
    before = state.observe(None)
    cards = tuple(karteneck.Card(card) for card in ("3", "3"))
    after = before._replace(totals=(12, 0))
    assert str(show.move(0, karteneck.Lay(cards), before, after)) == "lays 3 3, total 12"
    valid = before._replace(displays=((karteneck.Card("W4"),), ()), totals=(5, 0))
    assert str(show.move(0, karteneck.PASS, valid, valid)) == "passes with 5"
    assert str(show.event(karteneck.Stole(1, 0, karteneck.Portion(30, 3)))) == "seat 1 steals the 30~~~ from seat 0"
    assert str(show.event(karteneck.Took(0, karteneck.Portion(0, 0), False))) == "seat 0 takes the lowest portion, 0"


def test_bratwurmeck_in_words() -> None:
    show = show_for("bratwurmeck", ["ann", "bob"])
    before = get_game("bratwurmeck").start(2, get_game("bratwurmeck").options({}), _tape()).observe(None)
    before = before._replace(aside=("5", "5"), total=10, roll=("1", "W", "W"))
    assert str(show.move(0, bratwurmeck.Take("W", "stop"), before, before)) == "adds W W to 5 5, total 20, and stops"
    tile = bratwurmeck.Tile
    assert str(show.event(bratwurmeck.Stole(0, 1, tile(30, 3)))) == "seat 0 steals the 30~~~ from seat 1"
    failed = bratwurmeck.Failed(1, "bust", tile(25, 2), tile(36, 4))
    assert str(show.event(failed)) == (
        "seat 1 fails: all faces rolled are set aside already; its 25~~ goes back to the grill, "
        "and the 36~~~~ is turned over"
    )


def test_haecmaec_in_words() -> None:
    show = show_for("haecmaec", ["ann", "bob", "cyn"])
    options = get_game("haecmaec").options({})
    before = get_game("haecmaec").start(3, options, _tape()).observe(None)
    before = before._replace(burger=(Card("onion-1"), Card("onion-2")), laid_by=(0, 1))
    assert str(show.move(2, haecmaec.Play(Card("onion-3")), before, before)) == (
        "lays onion-3, a third of its kind or more"
    )
    assert show.move(1, React(suspect=True), before, before) is None
    reacted = haecmaec.Reacted((React(suspect=True), React(suspect=False, slap="fly"), React()))
    assert str(show.event(reacted)) == "seat 0 suspects; seat 1 slaps with a fly"
    assert str(show.event(haecmaec.Reacted((React(suspect=False), React())))) == "nobody reacts"
    assert str(show.event(haecmaec.Suspected(0, 2, Card("onion-3"), True))) == (
        "seat 0 is right: onion-3 becomes a penalty of seat 2"
    )
    closed = haecmaec.Closed(1, ClosedBurger((Card("onion-1"), Card("patty-4")), "double"))
    assert str(show.event(closed)) == "seat 1 takes onion-1 patty-4 for 10 points"


def _tape() -> Any:
    from roost_games.chance import Tape

    return Tape(seed_of("show"))
