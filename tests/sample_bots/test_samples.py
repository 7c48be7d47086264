"""The samples: each plays everything without a fault, and they are as strong as the list says, weakest first."""

from itertools import pairwise
from pathlib import Path

import pytest

import roost_bots
from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk import LoadedBot, LocalMatch
from roost_sdk.testing import play_scripted

DEALS = 40
TABLES = [
    *((game, players, {}) for game in GAME_NAMES for players in (2, 3, 4)),
    ("haecmaec", 4, {"slap": True}),
    ("bratwurmeck", 7, {}),
    ("haecmaec", 6, {}),
]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_no_faults_at_any_table(name: str, game: str, players: int, options: dict[str, bool]) -> None:
    found = get_game(game)
    for deal in range(3):
        bots = [LoadedBot(name, SAMPLES[name]), *[LoadedBot("random", SAMPLES["random"])] * (players - 1)]
        match = LocalMatch(found, bots, seed_of("samples", deal), options=found.options(options))
        assert match.play().faults == ()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_no_faults_over_the_wire(name: str, game: str) -> None:
    assert play_scripted(SAMPLES[name], game, players=3).result.faults == ()


def share_won(game: str, name: str, other: str) -> float:
    """Of duels with the same deals from both seats; a tie is half a win."""
    found = get_game(game)
    won = 0.0
    for deal in range(DEALS):
        for seats in ((name, other), (other, name)):
            bots = [LoadedBot(bot, SAMPLES[bot]) for bot in seats]
            places = LocalMatch(found, bots, seed_of("strength", deal)).play().places
            mine = seats.index(name)
            won += 1.0 if places[mine] < places[1 - mine] else 0.5 if places == (1, 1) else 0.0
    return won / (2 * DEALS)


@pytest.mark.parametrize(("weaker", "stronger"), [*pairwise(SAMPLES)])
def test_each_beats_the_one_before_it_over_all_games(weaker: str, stronger: str) -> None:
    shares = [share_won(game, stronger, weaker) for game in GAME_NAMES]
    assert sum(shares) / len(shares) > 0.6, shares


def test_each_has_an_idea_on_its_first_screen() -> None:
    for bot in SAMPLES.values():
        module = bot.__module__.removeprefix("roost_bots.")
        text = (Path(roost_bots.__file__).parent / f"{module}.py").read_text(encoding="utf-8")
        assert text.startswith('"""The bot ')
        assert len(text.splitlines()) < 80
