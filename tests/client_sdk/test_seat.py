"""A seated bot takes calls, and nothing that it does gets out but an outcome."""

from asyncio import Runner
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from roost_games.chance import Tape, seed_of
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_sdk import Bot
from roost_sdk.seat import BotSeat, Call, NotStarted, SeatedBot, blocking

GAME = get_game("karteneck")
STATE = GAME.start(2, GAME.options({}), Tape(seed_of("seat")))
(SEAT,) = STATE.to_move
VIEW, LEGAL = STATE.observe(SEAT), STATE.legal(SEAT)
END = Result((1, 2), (3, 4), "finished")


def place() -> BotSeat:
    return BotSeat("karteneck", SEAT, 2, Random(1))


class Noting(Bot):
    """Plays the first legal move, and notes what it hears."""

    def start(self) -> None:
        self.heard: list[object] = []
        heard.append(self.heard)

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.heard.append(len(legal))
        return legal[0]

    def seen(self, seat: int, move: Any) -> None:
        self.heard.append((seat, move))

    def end(self, result: Result) -> None:
        self.heard.append(result.places)


class Slow(Noting):
    """The same with coroutines."""

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return super().choose(view, legal)


heard: list[list[object]] = []


@pytest.fixture(autouse=True)
def _nothing_heard() -> None:
    heard.clear()


@pytest.mark.parametrize("bot_class", [Noting, Slow])
def test_every_call_has_an_outcome(bot_class: type[Bot]) -> None:
    with Runner() as runner:
        bot = SeatedBot(bot_class, place(), blocking(runner))
        outcomes = [bot.start(), bot.seen(1, LEGAL[0]), bot.decide(VIEW, LEGAL), bot.end(END)]
    assert [value for value, _, _ in outcomes] == [None, None, LEGAL[0], None]
    assert not any(error for _, error, _ in outcomes)
    assert heard == [[(1, LEGAL[0]), len(LEGAL), (1, 2)]]


def test_a_bot_that_did_not_start_has_no_answers_and_hears_nothing() -> None:
    class Broken(Noting):
        def start(self) -> None:
            super().start()
            raise ValueError("no table")

    bot = SeatedBot(Broken, place())
    assert str(bot.start()[1]) == "no table"
    assert isinstance(bot.decide(VIEW, LEGAL)[1], NotStarted)
    assert bot.seen(0, LEGAL[0])[1] is bot.end(END)[1] is None
    assert heard == [[]]


def test_a_coroutine_that_fails_at_the_start_is_no_start() -> None:
    class Broken(Noting):
        async def start(self) -> None:  # type: ignore[override]
            raise ValueError("no table")

    async def script() -> None:
        bot = SeatedBot(Broken, place())
        _, error, _ = await bot.wait(Call("start"))
        assert str(error) == "no table"
        _, error, _ = await bot.wait(Call("decide", (VIEW, LEGAL)))
        assert isinstance(error, NotStarted)

    with Runner() as runner:
        runner.run(script())
