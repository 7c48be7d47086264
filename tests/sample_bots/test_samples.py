"""The samples: each plays everything without a fault, and they are as strong as docs/why/measurements.md says."""

from itertools import pairwise
from pathlib import Path

import pytest

import roost_bots
from roost_bots import SAMPLES, playing_on
from roost_bots.patient import PatientBot
from roost_bots.strong import StrongBot
from roost_games.chance import seed_of
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk import Bot, LoadedBot, LocalMatch
from roost_sdk.testing import play_scripted

TABLES = [
    *((game, players, {}) for game in GAME_NAMES for players in (2, 3, 4)),
    ("haecmaec", 4, {"slap": True}),
    ("bratwurmeck", 7, {}),
    ("haecmaec", 6, {}),
]


class Hasty(StrongBot):
    """As `strong`, with little thought, so that a test is soon over."""

    iterations = 25


def hasty(name: str) -> type[Bot]:
    return Hasty if name == "strong" else SAMPLES[name]


@pytest.mark.short(12)
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_no_faults_at_any_table(name: str, game: str, players: int, options: dict[str, bool]) -> None:
    found = get_game(game)
    for deal in range(1 if name == "strong" else 3):
        bots = [LoadedBot(name, hasty(name)), *[LoadedBot("random", SAMPLES["random"])] * (players - 1)]
        match = LocalMatch(found, bots, seed_of("samples", deal), options=found.options(options))
        assert match.play().faults == ()


@pytest.mark.short(7)
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_no_faults_over_the_wire(name: str, game: str) -> None:
    assert play_scripted(hasty(name), game, players=3).result.faults == ()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_patient_one_plays_as_careful_does(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_bots.patient.PAUSE", 0)
    patient, careful = (play_scripted(bot, game, players=3).result for bot in (PatientBot, SAMPLES["careful"]))
    assert patient == careful
    assert patient.faults == ()


def share_won(game: str, stronger: str, weaker: str, deals: int) -> float:
    """Of duels with the same deals from both seats; a tie is half a win."""
    found = get_game(game)
    won = 0.0
    for deal in range(deals):
        for seats in ((stronger, weaker), (weaker, stronger)):
            bots = [LoadedBot(bot, hasty(bot)) for bot in seats]
            places = LocalMatch(found, bots, seed_of("strength", deal)).play().places
            mine = seats.index(stronger)
            won += 1.0 if places[mine] < places[1 - mine] else 0.5 if places == (1, 1) else 0.0
    return won / (2 * deals)


@pytest.mark.parametrize(("weaker", "stronger"), [*pairwise(["random", "timid", "greedy", "careful"])])
def test_each_beats_the_one_before_it_over_all_games(weaker: str, stronger: str) -> None:
    shares = [share_won(game, stronger, weaker, deals=40) for game in GAME_NAMES]
    assert sum(shares) / len(shares) > 0.6, shares


@pytest.mark.parametrize("game", GAME_NAMES)
def test_careful_beats_greedy_in_every_game(game: str) -> None:
    assert share_won(game, "careful", "greedy", deals=60) > 0.55


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "weaker", "deals"),
    [("bratwurmeck", "greedy", 10), ("haecmaec", "careful", 30), ("karteneck", "careful", 10)],
)
def test_strong_beats_others_even_in_haste(game: str, weaker: str, deals: int) -> None:
    """A small version of docs/why/measurements.md. Beating `careful` in Bratwurmeck takes more matches to see."""
    assert share_won(game, "strong", weaker, deals=deals) > 0.6


def test_the_minimal_one_is_the_one_in_the_readme() -> None:
    module = Path(roost_bots.__file__).parent / "minimal.py"
    _, code = module.read_text(encoding="utf-8").split("\n\n", 1)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"```python\n# mybot.py\n{code}```" in readme
    assert len(code.splitlines()) < 20


def test_each_has_an_idea_on_its_first_screen() -> None:
    for bot in SAMPLES.values():
        module = bot.__module__.removeprefix("roost_bots.")
        text = (Path(roost_bots.__file__).parent / f"{module}.py").read_text(encoding="utf-8")
        assert text.startswith('"""The bot ')
        assert len(text.splitlines()) < 240


@pytest.mark.parametrize("game", GAME_NAMES)
def test_careful_plays_on_in_our_games(game: str) -> None:
    assert playing_on(game) == "careful"


def test_random_plays_on_in_a_game_that_careful_does_not_know() -> None:
    assert playing_on("toy") == "random"
