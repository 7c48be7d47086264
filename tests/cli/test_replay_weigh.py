"""`roost replay --weigh`: what a decision was worth, by playing on from there."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.workshop.guests import TrustedBot
from roost_ladder.workshop.second_opinion import second_opinion
from roost_ladder.workshop.weighing import play_on, weigh
from roost_sdk import Bot, LoadedBot
from tests.support.commands.roost import Roost
from tests.support.records.matches import recorded

CAREFUL = LoadedBot("careful", SAMPLES["careful"])
ASKED = TrustedBot(CAREFUL)


class First(Bot):
    """In Karteneck it passes at once, without a worm: it gets the worst portion each time."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


FIRST = LoadedBot("first", First)


def share(places: Sequence[int], seat: int) -> float:
    others = [place for other, place in enumerate(places) if other != seat]
    return sum(1.0 if place > places[seat] else 0.5 if place == places[seat] else 0.0 for place in others) / len(others)


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_after_the_last_decision_there_is_only_what_happened(game: str, seed: str) -> None:
    replay = recorded(game, [CAREFUL, CAREFUL, CAREFUL], seed)
    asked = [second_opinion(replay, ASKED, seat) for seat in range(3)]
    last, seat = max((opinions.all[-1].step, opinions.seat) for opinions in asked)
    opinion = asked[seat].all[-1]
    assert opinion.step == last
    found = get_game(game)
    for luck in ("one", "two"):
        came = play_on(found, CAREFUL.bot_class, opinion.view, found.decode_move(dict(opinion.recorded)), luck)
        assert came == pytest.approx(share(replay.result.places, seat))


def test_what_cost_most_comes_first() -> None:
    opinions = second_opinion(recorded("karteneck", [FIRST, CAREFUL]), ASKED, 0)
    done: list[int] = []
    weighed = weigh(opinions, CAREFUL.bot_class, 6, done.append)
    assert len(weighed) == len(opinions.different) == len(done)
    gains = [each.gain.mean for each in weighed]
    assert gains == sorted(gains, reverse=True)
    # In the first round nothing is decided yet, so to give it away costs; by careful's own judgement at least.
    assert gains[0] > 0
    for each in weighed:
        assert each.otherwise.mean - each.as_played.mean == pytest.approx(each.gain.mean)


def test_for_people_and_programs(roost: Roost, tmp_path: Path) -> None:
    record = tmp_path / "lost.jsonl"
    record.write_text(recorded("karteneck", [FIRST, CAREFUL]).to_line() + "\n", encoding="utf-8")
    asked = ["replay", record, "--bot", "careful", "--seat", 0, "--weigh", 3]
    said = json.loads(roost(*asked, "--json").out)
    better = [each for each in said["differences"] if each["gain"]["mean"] > 0]
    shown = roost(*asked).out
    assert shown.count("opponents left behind: ") == len(better) > 0
    assert f"in {len(better)} of {len(said['differences'])}" in shown
    assert all(0 <= each["as_played"] <= 1 >= each["otherwise"] >= 0 for each in said["differences"])


@pytest.mark.parametrize("options", [[], ["--bot", "careful", "--seat", "0", "--show"]])
def test_weighing_needs_a_bot_and_a_seat(roost: Roost, tmp_path: Path, options: list[str]) -> None:
    refused = roost("replay", tmp_path / "none.jsonl", "--weigh", 5, *options)
    assert refused.code != 0
    assert "--weigh needs --bot and --seat" in refused.err
