"""Runs the coroutines of a bot, and notes where one waits that takes long. An alarm would find only our event loop."""

from asyncio import Runner
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import Any

from roost_sdk.tracebacks import dump_of
from roost_sdk.troubles.hangs import HANG_SECONDS, LOOK_SECONDS


class WatchedRunner:
    """A `Runner` whose coroutines are watched."""

    def __init__(self, note: Callable[[str], object]) -> None:
        """`note` gets the dumps."""
        self._note = note
        self._runner = Runner()
        self._current: Coroutine[Any, Any, Any] | None = None
        self._began = 0.0

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """What the coroutine returns or raises."""
        if self._current is None:
            self._look_later()
        self._current, self._began = coroutine, perf_counter()
        return self._runner.run(coroutine)

    def _look_later(self) -> None:
        # A timer stays in the event loop from one coroutine to the next.
        self._runner.get_loop().call_later(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if perf_counter() > self._began + HANG_SECONDS:
            self._note(dump_of(self._current))
        self._look_later()
