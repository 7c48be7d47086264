"""The environments pass PettingZoo's own checks, deal as the tape says, and let nobody see what is not theirs."""

import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test  # type: ignore[import-untyped]
from pettingzoo.test.render_test import render_test  # type: ignore[import-untyped]

from roost_games.chance import Tape, seed_of
from roost_games.errors import IllegalMove, OptionError, UsageError
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_sdk.pettingzoo import RoostEnv, coding_for, roost_env
from roost_sdk.pettingzoo import env as env_module
from roost_sdk.pettingzoo.env import place_rewards
from tests.golden.cases import all_cases

SLAP = {"slap": True}
TABLES = [(case.game.name, case.players, dict(case.options)) for case in all_cases()]
every_table = pytest.mark.parametrize(("game", "players", "options"), TABLES)


# PettingZoo knows by name which of its own environments have a dict with an action mask, and warns about all others.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box:UserWarning"
)
@every_table
def test_pettingzoo_finds_the_api_kept(game: str, players: int, options: dict[str, Any]) -> None:
    api_test(roost_env(game, players, options=options), num_cycles=60)
    api_test(RoostEnv(game, players, options=options, reward="score"), num_cycles=20)


@every_table
def test_pettingzoo_finds_seeds_obeyed(game: str, players: int, options: dict[str, Any]) -> None:
    seed_test(lambda: roost_env(game, players, options=options), num_cycles=60)


def test_pettingzoo_finds_the_text_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: roost_env("haecmaec", 3, options=SLAP, render_mode=render_mode))
    shown = capsys.readouterr().out.splitlines()
    assert {"phase: open", "players: 3", "bottoms: 18"} <= set(shown), "of the first table"
    assert not any(line.startswith("hand:") and line != "hand: -" for line in shown), "a spectator sees no hand"


def test_with_a_clock_the_info_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(env_module, "perf_counter", lambda: now[0])
    env = roost_env("karteneck", 2, clock=Clock(1_000, 600))
    env.reset(seed=7)
    told: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter(6):
        seen, *_, info = env.last()
        assert (info["time_left_ms"], info["latency_ms"]) == (1_000 + info["bank_left_ms"], 0)
        told[agent].append(info["bank_left_ms"])
        now[0] += 1.25
        env.step(np.flatnonzero(seen["action_mask"])[0])
    assert [*told.values()] == [[600, 350, 100]] * 2, "a quarter of a second out of the bank each time"


def finish(env: Any) -> dict[str, tuple[float, dict[str, int]]]:
    """Play at random to the end; what each agent is told last."""
    rng = np.random.default_rng(5)
    told = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        assert not truncated
        if terminated:
            told[agent] = (reward, info)
            env.step(None)
        else:
            assert reward == 0
            env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
    return told


@every_table
def test_rewards_come_at_the_end_and_by_place(game: str, players: int, options: dict[str, Any]) -> None:
    env = roost_env(game, players, options=options)
    env.reset(seed=3)
    told = finish(env)
    assert len(told) == players
    assert sum(reward for reward, _ in told.values()) == pytest.approx(0)
    for reward, info in told.values():
        better = sum(other["place"] < info["place"] for _, other in told.values())
        worse = sum(other["place"] > info["place"] for _, other in told.values())
        assert info["place"] == better + 1
        assert reward == pytest.approx((worse - better) / (players - 1))


def test_rewards_can_be_scores() -> None:
    env = roost_env("karteneck", 3, reward="score")
    env.reset(seed=3)
    told = finish(env)
    assert all(reward == info["score"] for reward, info in told.values())
    assert sum(reward for reward, _ in told.values()) > 30, "the worms on 24 portions"


@pytest.mark.parametrize(
    ("merits", "rewards"),
    [
        (((5,), (3,)), [1, -1]),
        (((4,), (4,)), [0, 0]),
        (((9, 30), (9, 42), (1, 0)), [0, 1, -1]),
        (((9,), (7,), (7,), (7,)), [1, -1 / 3, -1 / 3, -1 / 3]),
        (((2,), (2,), (8,), (8,), (8,)), [-0.75, -0.75, 0.5, 0.5, 0.5]),
    ],
)
def test_place_rewards(merits: tuple[tuple[int, ...], ...], rewards: list[float]) -> None:
    assert place_rewards(merits) == pytest.approx(rewards)


def test_a_seed_deals_what_it_deals_everywhere() -> None:
    env = RoostEnv("karteneck", 3)
    rules = get_game("karteneck")
    for match, seed in enumerate((7, None, None)):
        env.reset(seed=seed)
        dealt = rules.start(3, rules.options({}), Tape(seed_of("7", match)))
        for seat, agent in enumerate(env.agents):
            view = dealt.observe(seat)
            assert (env.observe(agent)["observation"] == coding_for(view).encode(view)).all()


def test_without_a_seed_deals_differ() -> None:
    hands = []
    for _ in range(3):
        env = RoostEnv("karteneck", 3)
        env.reset()
        hands.append(env.observe("player_0")["observation"].tobytes())
    assert len(set(hands)) == 3


def test_the_environment_observes_with_the_coding_that_a_bot_finds() -> None:
    env = roost_env("haecmaec", 4, options={"slap": True, "ingredients": [["egg", 9, 40], ["ham", 1, 45]]})
    rules = get_game("haecmaec")
    options = rules.options({"slap": True, "ingredients": [["egg", 9, 40], ["ham", 1, 45]]})
    assert env.coding is coding_for(rules.start(4, options, Tape(bytes(32))).observe(2))


@pytest.mark.parametrize(("players", "options"), [(3, {}), (4, SLAP), (6, SLAP)])
def test_reactions_are_asked_in_seat_order_and_kept_secret(players: int, options: dict[str, Any]) -> None:
    env = roost_env("haecmaec", players, options=options)
    rounds = 0
    for seed in range(3):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while env.agents and not any(env.terminations.values()):
            first = env.agent_selection
            state = env.unwrapped._state
            asked = [f"player_{seat}" for seat in state.to_move]
            allowed = np.flatnonzero(env.observe(first)["action_mask"]).tolist()
            if len(asked) > 1:
                rounds += 1
                assert first == asked[0]
                seen = [what_others_see(env.unwrapped, first, action) for action in allowed]
                assert all(observed == seen[0] for observed in seen)
            env.step(rng.choice(allowed))
            assert len(asked) == 1 or env.agent_selection == asked[1]
    assert rounds > 30


def what_others_see(env: Any, agent: str, action: int) -> dict[str, tuple[bytes, bytes]]:
    """Everything that the other agents would be told if `agent` chose `action`; the match itself stays where it is."""
    kept = env._state
    env._state = kept.copy()
    seat = int(agent.removeprefix("player_"))
    env._state.apply(seat, env.coding.decode(action, kept.observe(seat)))
    others = [other for other in env.agents if other != agent]
    seen = {other: env.observe(other) for other in others}
    env._state = kept
    return {other: (told["observation"].tobytes(), told["action_mask"].tobytes()) for other, told in seen.items()}


def test_an_action_outside_the_mask_ends_the_match() -> None:
    env = roost_env("karteneck", 3)
    env.reset(seed=1)
    first = env.agent_selection
    assert not env.observe(first)["action_mask"][1], "nothing can be stolen yet"
    env.step(1)
    assert all(env.terminations.values())
    told = {}
    for agent in env.agent_iter():
        told[agent] = env.last()[1]
        env.step(None)
    assert told == {agent: -1.0 if agent == first else 0.0 for agent in env.possible_agents}


def test_wrong_calls_are_refused() -> None:
    env = roost_env("karteneck", 3)
    with pytest.raises(AttributeError, match="before reset"):
        env.agents  # noqa: B018
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(412)
    bare = RoostEnv("karteneck", 3)
    bare.reset(seed=1)
    with pytest.raises(IllegalMove):
        bare.step(1)
    with pytest.raises(UsageError, match="render_mode"):
        bare.render()
    with pytest.raises(UsageError, match="no game 'chess'"):
        roost_env("chess", 2)
    with pytest.raises(UsageError, match="by 2; it is for 3 to 6 players"):
        roost_env("haecmaec", 2, options=SLAP)
    with pytest.raises(OptionError, match="its options are"):
        roost_env("haecmaec", 3, options={"spread": 1})
    with pytest.raises(UsageError, match="a reward is one of"):
        roost_env("haecmaec", 3, reward="fame")  # type: ignore[arg-type]


def test_an_environment_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(RoostEnv("haecmaec", 4, options=SLAP, reward="score")))  # noqa: S301
    kept = RoostEnv("haecmaec", 4, options=SLAP, reward="score")
    for env in (sent, kept):
        env.reset(seed=2)
    assert finish(sent) == finish(kept)
