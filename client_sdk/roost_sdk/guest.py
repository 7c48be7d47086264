"""A bot that is asked about a match which others play: what would it do here, and how long does it think?

The bot sits at a seat and is told everything that it would be told as a player. But what is played does not follow from
its answers, as if the referee had chosen in its place every time.
"""

from asyncio import Runner
from collections.abc import Callable, Sequence
from inspect import iscoroutinefunction
from random import Random
from types import TracebackType
from typing import Any, Self

from roost_games.replay import Result
from roost_sdk.bot import Bot, method_for, seat_bot
from roost_sdk.calls import Outcome, attempt


class Guest:
    """A seated bot. To be used in a `with` block, which must not run inside an event loop."""

    def __init__(self, bot_class: type[Bot], game: str, seat: int, players: int, rng: Random) -> None:
        self._runner = Runner()
        self._bot: Bot | None = None
        self._wants_moves = bot_class.wants_moves()
        self._game = game
        self.start = attempt(lambda: self._begin(bot_class, seat, players, rng))
        """What came of making the bot and calling its `start`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.close()

    def ask(self, view: Any, legal: Sequence[Any]) -> Outcome:
        """What it would do. If it never started, the outcome is that of the start."""
        if self._bot is None:
            return self.start
        return self._call(method_for(self._bot, self._game), view, legal)

    def tell(self, seat: int, move: Any) -> Outcome | None:
        """`seat` has played `move`."""
        return self._call(self._bot.seen, seat, move) if self._bot is not None and self._wants_moves else None

    def end(self, result: Result) -> Outcome | None:
        """The match is over."""
        return self._call(self._bot.end, result) if self._bot is not None else None

    def _begin(self, bot_class: type[Bot], seat: int, players: int, rng: Random) -> None:
        bot = seat_bot(bot_class, self._game, seat, players, rng)
        self._run(bot.start)
        self._bot = bot

    def _call(self, method: Callable[..., object], *given: object) -> Outcome:
        return attempt(lambda: self._run(method, *given))

    def _run(self, method: Callable[..., Any], *given: object) -> object:
        return self._runner.run(method(*given)) if iscoroutinefunction(method) else method(*given)
