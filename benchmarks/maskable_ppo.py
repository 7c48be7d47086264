"""Trains a policy for Karteneck with MaskablePPO, and writes it as arrays that a bot plays with numpy alone.

    python -m pip install torch sb3-contrib
    python -m benchmarks.maskable_ppo [--steps 200000] [--opponent greedy] [--out weights.npz]

It prints the curve that docs/bots/training.md shows: how the policy fares against the opponent that it learns from, and
against `careful`, with 95 % intervals.
"""

import argparse
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

from roost_bots import SAMPLES
from roost_games.chance import Tape, seed_of
from roost_games.registry import get_game
from roost_ladder.rating.estimates import mean_of
from roost_sdk.pettingzoo import coding_of
from roost_sdk.seat import method_for, seat_bot

GAME = "karteneck"
WORMS = 10.0
"""A lead of this many worms is worth a reward of 1."""


class AgainstSample(gymnasium.Env[Any, Any]):
    """A match of two for one agent: a sample plays the other seat. Each match has a deal of its own."""

    def __init__(self, opponent: str, run: str) -> None:
        self._game = get_game(GAME)
        self._coding = coding_of(GAME, 2)
        self._opponent = SAMPLES[opponent]
        self._run = run
        self._match = 0
        self.observation_space = gymnasium.spaces.Box(self._coding.low, self._coding.high, dtype=np.float32)
        self.action_space = gymnasium.spaces.Discrete(self._coding.actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self._match += 1
        self._seat = self._match % 2
        rng = Random(f"{self._run}:{self._match}")
        other = seat_bot(self._opponent, GAME, 1 - self._seat, 2, rng)
        other.start()
        self._decide = method_for(other, GAME)
        self._state = self._game.start(2, self._game.options({}), Tape(seed_of(self._run, self._match)))
        self._let_other_play()
        return self._seen(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._state.apply(self._seat, self._coding.decode(int(action), self._state.observe(self._seat)))
        self._let_other_play()
        if self._state.to_move:
            return self._seen(), 0.0, False, False, {}
        worms = [float(score) for score, *_ in self._state.merits()]
        lead = worms[self._seat] - worms[1 - self._seat]
        return self._seen(), lead / WORMS, True, False, {"won": (lead > 0) + (lead == 0) / 2}

    def action_masks(self) -> Any:
        """What `MaskablePPO` asks for."""
        view = self._state.observe(self._seat)
        return self._coding.mask(view, self._state.legal(self._seat)).astype(bool)

    def _let_other_play(self) -> None:
        other = 1 - self._seat
        while self._state.to_move == (other,):
            view, legal = self._state.observe(other), self._state.legal(other)
            self._state.apply(other, self._decide(view, legal))

    def _seen(self) -> Any:
        return self._coding.encode(self._state.observe(self._seat))


def arrays_of(model: Any) -> dict[str, Any]:
    """The policy as arrays: two layers with tanh, then a score for each action."""
    policy = model.policy
    layers = [*policy.mlp_extractor.policy_net[::2], policy.action_net]
    found = {}
    for number, layer in enumerate(layers):
        found[f"weights{number}"] = layer.weight.detach().numpy()
        found[f"bias{number}"] = layer.bias.detach().numpy()
    return found


def best_action(arrays: dict[str, Any], seen: Any, mask: Any) -> int:
    """What the policy does, by numpy alone, as the bot in docs/bots/training.md computes it."""
    for number in range(2):
        seen = np.tanh(arrays[f"weights{number}"] @ seen + arrays[f"bias{number}"])
    return int(np.where(mask, arrays["weights2"] @ seen + arrays["bias2"], -np.inf).argmax())


def share(arrays: dict[str, Any], opponent: str, matches: int) -> str:
    """The share of matches that the policy wins, with its interval."""
    env = AgainstSample(opponent, "measured")
    won = []
    for _ in range(matches):
        seen, _ = env.reset()
        over = False
        while not over:
            seen, _, over, _, info = env.step(best_action(arrays, seen, env.action_masks()))
        won.append(float(info["won"]))
    found = mean_of(won)
    margin = 0.0 if found.high is None else found.high - found.mean
    return f"{100 * found.mean:.0f} % ±{100 * margin:.0f}"


def main() -> None:
    """Train, print the curve, and write the arrays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=200_000, help="decisions to learn from (200000)")
    parser.add_argument("--points", type=int, default=5, help="points of the curve (5)")
    parser.add_argument("--matches", type=int, default=400, help="matches for each point (400)")
    parser.add_argument("--opponent", default="greedy", help="the sample to learn from (greedy)")
    parser.add_argument("--out", type=Path, default=Path("weights.npz"), help="the file to write (weights.npz)")
    given = parser.parse_args()
    env = AgainstSample(given.opponent, "trained")
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, n_steps=4096, batch_size=512, seed=1)
    print(f"{'decisions':>10}{'against ' + given.opponent:>20}{'against careful':>20}")
    for point in range(given.points + 1):
        if point:
            model.learn(given.steps // given.points, reset_num_timesteps=False)
        arrays = arrays_of(model)
        shares = [share(arrays, opponent, given.matches) for opponent in (given.opponent, "careful")]
        print(f"{model.num_timesteps:>10}{shares[0]:>20}{shares[1]:>20}", flush=True)
    np.savez(given.out, **arrays)


if __name__ == "__main__":
    main()
