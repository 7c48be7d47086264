"""`roost watch` without an arena: what a spectator is drawn, from what the arena tells."""

from collections.abc import Sequence
from typing import Any

import pytest
from rich.console import Console

from roost_bots import SAMPLES
from roost_cli.terminal.replays.board import print_frame
from roost_games.chance import seed_of
from roost_games.narrator import Frame, PublicNarrator
from roost_games.referee import Played
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk import LoadedBot, LocalMatch

GREEDY = LoadedBot("greedy", SAMPLES["greedy"])
RANDOM = LoadedBot("random", SAMPLES["random"])


def frames_of(game: str, players: int = 3, every: int = 1) -> list[str]:
    """A whole match as a spectator sees it who gets a view after every `every`-th decision point."""
    frames: list[str] = []
    bots = [GREEDY, *[RANDOM] * (players - 1)]
    spectator = PublicNarrator(game, [bot.name for bot in bots], lambda frame: frames.append(text_of(frame)))
    told: list[Played] = []
    match = LocalMatch(
        get_game(game),
        bots,
        seed_of("watched"),
        listener=lambda notice: told.append(notice) if isinstance(notice, Played) else None,
    )
    referee = match.referee
    spectator.see(referee.view(None))
    points = 0
    chooser = seed_of("choices")
    while referee.waiting:
        for seat in referee.waiting:
            legal = referee.legal(seat)
            referee.answer(seat, legal[chooser[points % 32] % len(legal)])
        points += 1
        while told:
            spectator.hear(told.pop(0))
        if points % every == 0 or referee.over:
            spectator.see(referee.view(None))
    return frames


def text_of(frame: Frame) -> str:
    console = Console(width=150, color_system=None)
    with console.capture() as captured:
        print_frame(console, frame)
    return captured.get()


@pytest.mark.short(3)
@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_spectator_sees_the_table_and_no_hands(game: str, players: int) -> None:
    frames = frames_of(game, players)
    assert len(frames) > 20
    drawn = "".join(frames)
    assert "hand " not in drawn.replace("a hand has no ingredient left", "")
    assert "only you" not in drawn
    if game != "bratwurmeck":
        assert " cards" in frames[0], "how many cards a hand has is public"
    for seat in range(players):
        assert f"seat {seat} ({'greedy' if seat == 0 else 'random'}) " in drawn


def test_each_game_is_told_in_words() -> None:
    assert any(" lays " in frame and ", total " in frame for frame in frames_of("karteneck"))
    dice = frames_of("bratwurmeck")
    assert any(" sets aside " in frame for frame in dice)
    assert any(" rolls " in frame for frame in dice[1:]), "the next roll is public, and nothing else tells it"
    burgers = "".join(frames_of("haecmaec"))
    assert "begins a burger with" in burgers
    assert "nobody reacts" in burgers
    assert " suspects" in burgers


@pytest.mark.parametrize("game", GAME_NAMES)
def test_moves_whose_table_was_not_seen_are_told_in_notation(game: str) -> None:
    """The words for a move need the table before and after it. Where several lie between, they could be wrong."""
    frames = frames_of(game, every=4)
    between = "".join(frames[1:-1])
    keys = {"karteneck": '{"lay": [', "bratwurmeck": '{"take": "', "haecmaec": '{"play": "'}
    assert f" plays {keys.get(game, '{')}" in between
    assert ", total " not in between


def test_a_fallback_is_marked() -> None:
    frames: list[str] = []
    game: Any = get_game("karteneck")
    match = LocalMatch(game, [RANDOM, RANDOM], seed_of("marked"))
    spectator = PublicNarrator("karteneck", ["ann", "bob"], lambda frame: frames.append(text_of(frame)))
    spectator.see(match.referee.view(None))
    (seat,) = match.referee.waiting
    move = game.fallback(match.referee.view(seat))
    match.referee.answer(seat, move)
    spectator.hear(Played(seat, move, fallback=True))
    spectator.see(match.referee.view(None))
    name: Sequence[str] = ["ann", "bob"]
    assert frames[1].startswith(f"seat {seat} ({name[seat]}) [fallback] passes with 0")
