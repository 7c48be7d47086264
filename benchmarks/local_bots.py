"""Bots that think for 5 ms of processor time, for `benchmarks.local`."""

from collections.abc import Sequence
from time import thread_time
from typing import Any

from roost_sdk import Bot

SECONDS = 0.005


class Thinker(Bot):
    """Plays at random, after a while."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        until = thread_time() + SECONDS
        while thread_time() < until:
            pass
        return self.rng.choice(legal)


class OtherThinker(Thinker):
    """The same once more: a bot does not play against itself."""
