"""A match as its referee noted it reads the same in every way: as steps, as text, read back, and in another process."""

import json
import pickle
from dataclasses import replace
from random import Random

import pytest

from roost_games.chance import Outcome, seed_of
from roost_games.referee import Fault, Referee, Seat
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Replay


def played(game: str, players: int = 3) -> Replay:
    """A match of random moves that take all kinds of times, with two faults of seat 0."""
    referee = Referee(get_game(game), [Seat(f"b{seat}") for seat in range(players)], seed_of(game), match="m")
    rng = Random(game)
    times = [0.0, 0.0004, 0.0006, 1.5, 2.0, 12.3456789, 999.9999]
    while not referee.over:
        seat = rng.choice(referee.waiting)
        if len(referee.faults) < 2 and seat == 0:
            referee.fault(seat, Fault.CRASHED, 7.25)
        else:
            referee.answer(seat, rng.choice(referee.legal(seat)), rng.choice(times))
    return referee.replay()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_line_says_what_the_steps_say(game: str) -> None:
    replay = played(game)
    steps = list(replay.steps)
    shown = json.loads(replay.to_line())["steps"]
    assert len(replay.steps) == len(steps) == len(shown)
    for step, data in zip(steps, shown, strict=True):
        if isinstance(step, Outcome):
            outcome = list(step.value) if isinstance(step.value, tuple) else step.value
            assert data == {"chance": step.name, "outcome": outcome}
        else:
            by = {"by": "fallback"} if step.fallback else {}
            took = {} if step.ms is None else {"ms": step.ms}
            assert data == {"seat": step.seat, "move": step.move, **by, **took}


@pytest.mark.parametrize("game", GAME_NAMES)
def test_what_is_written_is_read_back_and_sent_elsewhere(game: str) -> None:
    replay = played(game)
    read = Replay.from_line(replay.to_line())
    assert read == replay
    assert read.to_line() == replay.to_line()
    assert pickle.loads(pickle.dumps(replay)) == replay  # noqa: S301  our own
    assert replay.steps[:2] == read.steps[:2]
    assert replay.steps != read.steps[1:]


def test_times_are_kept_to_thousandths() -> None:
    decisions = [step for step in played("karteneck").steps if isinstance(step, Decision)]
    assert {step.ms for step in decisions} <= {None, 0.0, 0.001, 1.5, 2.0, 12.346, 1_000.0, 7.25}
    assert {step.ms for step in decisions if step.fallback} == {7.25}


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_time_of_each_decision_that_a_bot_made(game: str) -> None:
    replay = played(game)
    own = [step for step in replay.steps if isinstance(step, Decision) and not step.fallback]
    assert replay.own_times() == [(step.seat, step.ms or 0.0) for step in own]
    assert Replay.from_line(replay.to_line()).own_times() == replay.own_times()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_line_is_what_an_encoder_of_json_writes(game: str) -> None:
    replay = played(game)
    unusual = replace(
        replay, options={"b": [1, {}]}, match='m"\u00e4', seats=(Seat("\u00df", "2", "o"),), max_faults=None
    )
    for each in (replay, unusual, replace(unusual, seed=None, commitment=None)):
        assert each.to_line() == json.dumps(each.to_json(), separators=(",", ":"))
