"""A bot that takes many decisions at once gets all that wait, wherever it plays."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.chance import Tape, seed_of
from roost_games.errors import UsageError
from roost_games.referee import STANDARD_CLOCK
from roost_games.registry import get_game
from roost_sdk import Bot, Client, LoadedBot, LocalMatch, OpenDecision, load_bot
from roost_sdk.bot_process.answers import AnswerKind
from roost_sdk.bot_process.process import BotCall, BotLimits, BotProcess
from roost_sdk.seat import NotStarted
from roost_sdk.testing import ScriptedLink, ScriptedMatch, play_scripted

GAME = get_game("karteneck")
HEAD = "from roost_sdk import Bot\nclass Many(Bot):\n    @classmethod\n    def choose_many(cls, asked):\n        "


class Many(Bot):
    """Plays the first legal moves, and notes how many at once."""

    batches: list[int]

    @classmethod
    def choose_many(cls, asked: Sequence[OpenDecision]) -> Sequence[Any]:
        cls.batches.append(len(asked))
        assert {type(each.bot) for each in asked} == {cls}
        return [each.legal[0] for each in asked]


@pytest.fixture(autouse=True)
def _no_batches() -> None:
    Many.batches = []


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(body: str) -> str:
        (tmp_path / "many.py").write_text(HEAD + body)
        return str(tmp_path / "many.py")

    return write


def test_at_an_arena_all_decisions_that_wait_come_together() -> None:
    async def script() -> None:
        link = ScriptedLink()
        matches = {number: ScriptedMatch("karteneck", 2, f"many {number}") for number in range(1, 6)}
        client = Client(Many, name="many", version="v1", max_matches=5)
        running = asyncio.create_task(client.run(link.open))
        await link.heard()
        link.welcome()
        seats = {number: match.referee.waiting[0] for number, match in matches.items()}
        link.say(
            started=[match.started(seats[number], number) for number, match in matches.items()],
            decisions=[match.decision(seats[number], number) for number, match in matches.items()],
        )
        answers: dict[int, Any] = {}
        while len(answers) < 5:
            answers |= {answer.match: answer for answer in (await link.heard()).answers}
        assert [matches[number].take(seats[number], answer) for number, answer in answers.items()] == [None] * 5
        client.stop()
        await running

    asyncio.run(script())
    assert Many.batches == [5]


def test_a_whole_match_is_played_over_the_wire() -> None:
    assert play_scripted(Many, "haecmaec", players=4).result.faults == ()


def test_where_only_one_decision_waits_the_batch_has_one() -> None:
    LocalMatch(GAME, [LoadedBot("many", Many), LoadedBot("random", SAMPLES["random"])], seed_of("many")).play()
    assert set(Many.batches) == {1}


def asked(process: BotProcess, *numbers: int) -> list[Any]:
    """The answers to one decision for each of these seats, asked in one batch."""
    state = GAME.start(2, GAME.options({}), Tape(seed_of("many")))
    view = state.observe(state.to_move[0])
    calls: list[BotCall] = [(number, "start", ("karteneck", 0, 2, "seed", STANDARD_CLOCK)) for number in numbers]
    calls += [(number, "decide", (view,)) for number in numbers]
    process.send(calls)
    answers: list[Any] = []
    while len(answers) < len(calls):
        answers += process.receive()
    assert [call for call, _ in answers] == calls
    return [answer for _, answer in answers[len(numbers) :]]


def test_in_a_process_of_its_own_a_batch_comes_together(write: Any) -> None:
    with closing(BotProcess(write("raise ValueError(len(asked))"), BotLimits())) as process:
        process.load()
        assert [answer.error()[0] for answer in asked(process, 1, 2, 3)] == ["ValueError: 3"] * 3
    with closing(BotProcess(write("return [each.legal[-1] for each in asked]"), BotLimits())) as process:
        process.load()
        answers = asked(process, 1, 2, 3)
        assert [answer.kind for answer in answers] == [AnswerKind.MOVE] * 3
        assert len({answer.ms for answer in answers}) == 1, "each took as long as all"


def test_too_few_moves_are_an_error_of_all(write: Any) -> None:
    with closing(BotProcess(write("return [each.legal[0] for each in asked[1:]]"), BotLimits())) as process:
        process.load()
        told = [answer.error()[0] for answer in asked(process, 1, 2)]
    assert told == ["ValueError: choose_many returned 1 moves for 2 decisions"] * 2


def test_a_bot_that_did_not_start_has_no_moves(write: Any) -> None:
    body = "return [each.legal[0] for each in asked]\n    def start(self):\n        1 / 0\n"
    with closing(BotProcess(write(body), BotLimits())) as process:
        process.load()
        assert [answer.kind for answer in asked(process, 1, 2)] == [AnswerKind.UNSTARTED] * 2
    assert issubclass(NotStarted, Exception)


def test_a_method_of_a_game_comes_first() -> None:
    class Mixed(Many):
        def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[-1]

    assert Mixed.plays("bratwurmeck")
    assert (Mixed.takes_many("karteneck"), Mixed.takes_many("bratwurmeck")) == (False, True)
    assert play_scripted(Mixed, "karteneck").result.faults == ()
    assert Mixed.batches == []


@pytest.mark.parametrize("more", ["    def choose(self, view, legal):\n        return legal[0]\n"])
def test_both_ways_at_once_are_refused(write: Any, more: str) -> None:
    with pytest.raises(UsageError, match="has choose and choose_many"):
        load_bot(write(f"return []\n{more}"), {})
