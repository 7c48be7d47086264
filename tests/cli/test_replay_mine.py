"""`roost replay --mine`: one's own bot is put back into a match, and what cost most is measured."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_ladder.workshop.guests import TrustedBot
from roost_ladder.workshop.review import Advice, Judged, costliest, judge, own_bot
from roost_ladder.workshop.second_opinion import second_opinion
from roost_sdk import Bot, LoadedBot
from tests.support.commands.roost import Roost
from tests.support.records.matches import recorded

CAREFUL = SAMPLES["careful"]
RANDOM_FILE = """
from roost_sdk import Bot

class Mine(Bot):
    def choose(self, view, legal):
        return self.rng.choice(legal)
"""


class First(Bot):
    """In Karteneck it passes at once, without a worm: it gets the worst portion each time."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


def judged(game: str, seat: int, *bots: type[Bot]) -> tuple[Advice, list[Judged]]:
    """A match of these bots, and what `careful` says to the bot in this seat."""
    replay = recorded(game, [LoadedBot(bot.__name__, bot) for bot in bots])
    own, better = TrustedBot(LoadedBot("own", bots[seat])), TrustedBot(LoadedBot("careful", CAREFUL))
    asked = Advice(second_opinion(replay, own, seat), second_opinion(replay, better, seat))
    return asked, costliest(asked, CAREFUL, 8)


@pytest.mark.parametrize("game", ["karteneck", "bratwurmeck"])
def test_the_last_decision_is_worth_what_happened(game: str) -> None:
    """Nothing is left to chance after it. (In Häc Mäc hands count, which differ from world to world.)"""
    replay = recorded(game, [LoadedBot("careful", CAREFUL)] * 3)
    for seat in range(3):
        opinions = second_opinion(replay, TrustedBot(LoadedBot("careful", CAREFUL)), seat)
        last = max(opinion.step for opinion in opinions.all)
        if last == len(replay.steps) - 1:
            found = judge(Advice(opinions, opinions), last, CAREFUL, 3)
            assert found.cost.mean == 0
            tied = replay.result.places.count(replay.result.places[seat])
            assert found.as_played.mean == replay.result.places[seat] + (tied - 1) / 2


@pytest.mark.long
def test_what_cost_most_comes_first() -> None:
    asked, found = judged("karteneck", 0, First, CAREFUL)
    assert 0 < len(found) <= 3
    costs = [each.cost.mean for each in found]
    assert costs == sorted(costs, reverse=True)
    # Passing at once in the first rounds costs, by careful's own judgement at least; and it would do so again.
    assert costs[0] > 0
    assert all(each.cost_now == each.cost for each in found)
    assert asked.own.different == []


def test_a_bot_that_cannot_answer_has_no_place_today() -> None:
    class Broken(First):
        def start(self) -> None:
            raise KeyError("no book")

    replay = recorded("karteneck", [LoadedBot("first", First), LoadedBot("careful", CAREFUL)])
    own, better = TrustedBot(LoadedBot("broken", Broken)), TrustedBot(LoadedBot("careful", CAREFUL))
    asked = Advice(second_opinion(replay, own, 0), second_opinion(replay, better, 0))
    found = judge(asked, asked.better.different[0].step, CAREFUL, 3)
    assert (found.now, found.cost_now) == (None, None)
    assert found.own.trouble == "crash: KeyError: 'no book'"


NAMES = ["mybot", "careful", "other"]


@pytest.mark.parametrize(
    ("files", "bot", "seat", "own"),
    [
        (["mybot.py"], None, None, ("mybot.py", 0)),
        (["other/other.py"], None, None, ("other/other.py", 2)),
        (["mybot.py", "other.py"], None, 2, ("other.py", 2)),
        ([], "other.py:Better", None, ("other.py:Better", 2)),
        ([], "elsewhere/changed.py", 1, ("elsewhere/changed.py", 1)),
        ([], "careful", None, ("careful", 1)),
    ],
)
def test_whose_bot_it_is(
    files: list[str], bot: str | None, seat: int | None, own: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in files:
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).touch()
    assert own_bot(NAMES, bot, seat) == own


@pytest.mark.parametrize(
    ("files", "bot", "told"),
    [
        ([], None, "none of its bots is a file here"),
        (["mybot.py", "other.py"], None, "2 of its bots are files here"),
        ([], "changed.py", "add --seat N"),
    ],
)
def test_when_it_cannot_be_told(
    files: list[str], bot: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in files:
        Path(file).touch()
    with pytest.raises(UsageError, match=told):
        own_bot(NAMES, bot, None)


@pytest.mark.long
def test_for_people_and_programs(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that plays by its luck agrees with itself, since it has the same luck again."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(RANDOM_FILE)
    assert roost("play", "karteneck", "careful", "mine.py", "--seed", "lost", "--replay", "lost.jsonl").code == 0
    asked = ("replay", "lost.jsonl", "--mine", "--weigh", 2)
    said = json.loads(roost(*asked, "--json").out)
    assert (said["bot"], said["seat"], said["differences"], said["better_bot"]) == ("mine", 1, [], "strong")
    shown = roost(*asked).out
    assert shown.count("gave away") == shown.count("mine would now") == len(said["costliest"]) > 0
    step = said["costliest"][0]["step"]
    (one,) = json.loads(roost(*asked, "--at", step, "--json").out)["costliest"]
    assert one | {"ms": 0} == said["costliest"][0] | {"ms": 0}
    refused = roost(*asked, "--at", 0, "--seat", 1)
    assert (refused.code, "seat 1 does not decide at step 0" in refused.err) == (2, True)


def test_a_bot_that_ends_its_process_is_named(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(RANDOM_FILE.replace("return", "import os; os._exit(3)\n        return"))
    Path("r.jsonl").write_text(
        recorded("karteneck", [LoadedBot("mine", First), LoadedBot("careful", CAREFUL)]).to_line()
    )
    ran = roost("replay", "r.jsonl", "--mine")
    assert (ran.code, ran.out) == (1, "")
    assert "mine ended its process (exit code 3)" in ran.err
