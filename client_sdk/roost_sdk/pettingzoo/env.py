"""The games as PettingZoo environments: agents take turns, and each decides among the actions that its mask allows.

Seat `i` is the agent `player_i`. Where seats decide at once, they are asked one after the other, lowest seat first, and
an answer does not change what the next seat observes.
"""

import secrets
import sys
from collections.abc import Mapping
from time import perf_counter
from typing import Any, Literal, TypedDict

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv  # type: ignore[import-untyped]  # it has no py.typed
from pettingzoo.utils.wrappers import (  # type: ignore[import-untyped]
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from roost_games.chance import Tape, seed_of
from roost_games.errors import UsageError
from roost_games.game import JsonValue, places
from roost_games.playthrough import named_fields, show_value
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_sdk.clock import TimeLeft
from roost_sdk.pettingzoo.coding import Floats, Mask, coding_of

Reward = Literal["place", "score"]
REWARDS = ("place", "score")
RENDER_MODES = (None, "ansi", "human")
ILLEGAL_REWARD = -1.0
"""The same as for the last place."""


class Observation(TypedDict):
    """What an agent is given."""

    observation: Floats
    """The view of its seat, as its game's coding writes it."""
    action_mask: Mask
    """1 for each action that it may choose now."""


def roost_env(
    game: str,
    players: int,
    *,
    options: Mapping[str, JsonValue] | None = None,
    reward: Reward = "place",
    render_mode: str | None = None,
    clock: Clock | None = None,
) -> Any:
    """The environment of a game, in PettingZoo's usual wrappers. Raises `UsageError` for what cannot be played.

    An action outside the mask ends the match there: that agent is rewarded with -1, the others with 0. An action
    outside the action space is an `AssertionError`.
    """
    env = RoostEnv(game, players, options=options, reward=reward, render_mode=render_mode, clock=clock)
    return OrderEnforcingWrapper(
        AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=ILLEGAL_REWARD)),
    )


class RoostEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """A match as an AEC environment, without wrappers: an action that is not in the mask raises `MoveError`."""

    def __init__(
        self,
        game: str,
        players: int,
        *,
        options: Mapping[str, JsonValue] | None = None,
        reward: Reward = "place",
        render_mode: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`options` are the game's, as in replays. With a `clock` the infos say what is left of each agent's time."""
        EzPickle.__init__(self, game, players, options=options, reward=reward, render_mode=render_mode, clock=clock)
        super().__init__()
        if reward not in REWARDS or render_mode not in RENDER_MODES:
            raise UsageError(f"a reward is one of {REWARDS}, a render mode one of {RENDER_MODES}")
        self.coding = coding_of(game, players, options)
        self.reward = reward
        self.clock = clock
        self.render_mode = render_mode
        self.metadata = {"name": f"roost_{game}_v1", "is_parallelizable": False, "render_modes": ["ansi", "human"]}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._game = get_game(game)
        self._options = self._game.options(options or {})
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._run = ""
        self._match = 0
        self._make_spaces()

    def _make_spaces(self) -> None:
        """Each agent has spaces of its own, since a space holds the randomness with which it is sampled."""
        coding = self.coding
        self.action_spaces = {agent: Discrete(coding.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(coding.low, coding.high, dtype=np.float32),
                    "action_mask": Box(0, 1, (coding.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match; `options` are ignored, since a game's options belong to the environment.

        `reset(seed=7)` deals as the first match of `roost play --seed 7`, and each `reset()` after it as the next one.
        Without any seed, the deals are random.
        """
        if seed is not None:
            self._run, self._match = str(seed), 0
        elif self._run:
            self._match += 1
        else:
            self._run = secrets.token_hex()
        chance = Tape(seed_of(self._run, self._match))
        self._state = self._game.start(len(self.possible_agents), self._options, chance)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, float]] = {agent: {} for agent in self.agents}
        self._bank_used = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        """The next agent has to decide, and its clock runs."""
        self.agent_selection = agent = self.possible_agents[self._state.to_move[0]]
        if self.clock is not None:
            time_ms, bank_ms, latency_ms, _ = TimeLeft.of(self.clock, self._bank_used[agent])
            self.infos[agent] = {"time_left_ms": time_ms, "bank_left_ms": bank_ms, "latency_ms": latency_ms}
            self._asked = perf_counter()

    def _charge(self, agent: str, clock: Clock) -> None:
        """Take out of the bank what this decision took too long."""
        over = (perf_counter() - self._asked) * 1000 - clock.decision_ms
        self._bank_used[agent] = min(clock.bank_ms, self._bank_used[agent] + max(0.0, over))

    def observe(self, agent: str) -> Observation:
        seat = self._seats[agent]
        view = self._state.observe(seat)
        mask = self.coding.mask(view, self._state.legal(seat))
        return {"observation": self.coding.encode(view), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if action is None or self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seats[agent]
        if self.clock is not None:
            self._charge(agent, self.clock)
        self._state.apply(seat, self.coding.decode(int(action), self._state.observe(seat)))
        self._cumulative_rewards[agent] = 0.0
        if self._state.to_move:
            self._select()
        else:
            self._finish()

    def _finish(self) -> None:
        merits = self._state.merits()
        for agent, place, (score, *_) in zip(self.agents, places(merits), merits, strict=True):
            self.infos[agent] = {"place": place, "score": score}
        rewards = place_rewards(merits) if self.reward == "place" else [float(score) for score, *_ in merits]
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """What a spectator sees, field by field: returned (`ansi`) or written to stdout (`human`)."""
        if self.render_mode is None:
            raise UsageError('this environment was made without render_mode="ansi" or "human"')
        fields = named_fields(self._state.observe(None)) or {}
        text = "".join(f"{name}: {show_value(value)}\n" for name, value in fields.items() if name != "seat")
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text)
        return None

    def close(self) -> None:
        """There is nothing to release."""


def place_rewards(merits: tuple[tuple[int, ...], ...]) -> list[float]:
    """Per seat, the share of the others behind it less the share ahead of it: 1 to -1, with the sum 0."""
    others = len(merits) - 1
    return [sum((own > other) - (own < other) for other in merits) / others for own in merits]
