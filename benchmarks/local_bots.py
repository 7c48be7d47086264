"""Bots that think for some processor time, for `benchmarks.local`."""

from collections.abc import Sequence
from time import thread_time
from typing import Any

from roost_sdk import Bot


class Thinker(Bot):
    """Plays at random, after 5 ms."""

    seconds = 0.005

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        until = thread_time() + self.seconds
        while thread_time() < until:
            pass
        return self.rng.choice(legal)


class OtherThinker(Thinker):
    """The same once more: a bot does not play against itself."""


class Brief(Thinker):
    """Thinks for 0.1 ms."""

    seconds = 0.0001


class OtherBrief(Brief):
    """The same once more."""


class ThirdBrief(Brief):
    """The same once more."""


class FourthBrief(Brief):
    """The same once more."""
