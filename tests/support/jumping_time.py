"""An event loop in which nobody waits: whenever there is nothing to do, its time jumps to the next timer."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.SelectSelector):
    """Instead of waiting, notes how long the wait would have been."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left that could ever happen")
        self.now += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run_jumping(script: Coroutine[Any, Any, None]) -> None:
    """Run `script`: what takes an hour takes no time. Not for what happens in other threads, on wires or in files."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        runner.run(script)
