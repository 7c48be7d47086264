"""A seated bot takes calls, alone or in batches, and nothing that it does gets out but an outcome."""

from asyncio import Runner
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from roost_games.chance import Tape, seed_of
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_sdk import Bot
from roost_sdk.bot import OutOfTime
from roost_sdk.seat import BotSeat, Call, NotStarted, Reply, SeatedBot, blocking, replies

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
def test_a_batch_of_calls_is_made_in_order(bot_class: type[Bot]) -> None:
    calls = [Call("start"), Call("seen", (1, LEGAL[0])), Call("decide", (VIEW, LEGAL)), Call("end", (END,))]
    with Runner() as runner:
        outcomes = list(SeatedBot(bot_class, place(), blocking(runner)).take(calls))
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


def test_replies_have_moves_in_replay_notation() -> None:
    bot = SeatedBot(Noting, place())
    started, told, decided, ended = replies(
        bot, [Call("start"), Call("seen", (1, LEGAL[0])), Call("decide", (VIEW,)), Call("end", (END,))]
    )
    assert decided.move == GAME.encode_move(LEGAL[0])
    for reply in (started, told, ended):
        assert reply == Reply(reply.ms)
    assert heard[0][1] == len(LEGAL)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: "a card", {"refused": "a card"}),
        (lambda: [][0], {"error": "IndexError: list index out of range"}),
        (lambda: exit(3), {"error": "SystemExit: 3"}),
    ],
)
def test_replies_say_what_is_wrong(answer: Any, expected: dict[str, Any]) -> None:
    class Wrong(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return answer()

    _, reply = replies(SeatedBot(Wrong, place()), [Call("start"), Call("decide", (VIEW,))])
    assert reply == Reply(reply.ms, details=reply.details, **expected)
    assert bool(reply.details) == ("error" in expected)


def test_a_bot_can_say_that_it_is_late() -> None:
    class Late(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise OutOfTime("no line came")

    _, reply = replies(SeatedBot(Late, place()), [Call("start"), Call("decide", (VIEW,))])
    assert reply.late
    assert reply.error == "OutOfTime: no line came"


def test_what_a_bot_that_did_not_start_would_answer_is_told_apart() -> None:
    started, reply = replies(SeatedBot(Unmakeable, place()), [Call("start"), Call("decide", (VIEW,))])
    assert started.error == "ValueError: not today"
    assert reply == Reply(reply.ms, started=False)


class Unmakeable(Bot):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ValueError("not today")


def test_a_bot_without_memory_ends_its_process() -> None:
    class Greedy(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            raise MemoryError

    with pytest.raises(MemoryError):
        list(replies(SeatedBot(Greedy, place()), [Call("start"), Call("decide", (VIEW,))]))


def test_a_move_in_replay_notation_leaves_the_process_as_it_is() -> None:
    class Notes(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return GAME.encode_move(legal[-1])

    _, reply = replies(SeatedBot(Notes, place()), [Call("start"), Call("decide", (VIEW,))])
    assert (reply.move, reply.refused) == (GAME.encode_move(LEGAL[-1]), "")
