"""A bot in a process of its own: what its parent learns, whatever the process writes."""

import json
import struct
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from roost_games.chance import Tape, seed_of
from roost_games.errors import MalformedMove, UsageError
from roost_games.referee import STANDARD_CLOCK, Fault
from roost_games.registry import get_game
from roost_sdk.bot_process.answers import (
    LONGEST_ANSWER,
    Answer,
    AnswerKind,
    NotAnAnswer,
    move_answer,
    read_descriptions,
    read_move,
    take_answers,
)
from roost_sdk.bot_process.process import BotCall, BotLimits, BotLost, BotProcess

GAME = get_game("karteneck")
STATE = GAME.start(2, GAME.options({}), Tape(seed_of("process")))
(SEAT,) = STATE.to_move
VIEW, LEGAL = STATE.observe(SEAT), STATE.legal(SEAT)
START: BotCall = (1, "start", ("karteneck", SEAT, 2, "any seed", STANDARD_CLOCK))
DECIDE: BotCall = (1, "decide", (VIEW,))
LIMITS = BotLimits()
HEAD = "import os, sys, time\nfrom roost_sdk import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(body: str) -> str:
        file = tmp_path / "mine.py"
        file.write_text(HEAD + "".join(f"        {line}\n" for line in body.splitlines()))
        return str(file)

    return write


def answers(process: BotProcess, *calls: BotCall) -> list[Answer]:
    """What comes of a batch of calls."""
    process.send(calls)
    found: list[Answer] = []
    while len(found) < len(calls):
        found += [answer for _, answer in process.receive()]
    return found


def decide(text: str, *, calls: Sequence[BotCall] = (START, DECIDE), limits: BotLimits = LIMITS) -> Answer:
    """The last answer of a bot in a process of its own."""
    with closing(BotProcess(text, limits)) as process:
        process.load()
        return answers(process, *calls)[-1]


def test_a_move_comes_back_in_replay_notation(write: Any) -> None:
    answer = decide(write("return legal[-1]"))
    assert answer.kind is AnswerKind.MOVE
    assert json.loads(answer.data) == GAME.encode_move(LEGAL[-1])
    assert read_move("karteneck", answer.data) == LEGAL[-1]
    assert answer.ms > 0


def test_an_error_comes_back_as_text(write: Any) -> None:
    answer = decide(write("raise ValueError('no\\x1b idea')"))
    headline, details, late = answer.error()
    assert headline == r"ValueError: no\x1b idea", "nothing that controls a terminal"
    assert "line 5, in choose" in details
    assert not late


def test_a_bot_can_say_that_it_is_late(write: Any) -> None:
    answer = decide(write("from roost_sdk.bot import OutOfTime\nraise OutOfTime('no line came')"))
    assert answer.error()[::2] == ("OutOfTime: no line came", True)


def test_there_is_no_debugger(write: Any) -> None:
    assert "breakpoint() needs roost play --trusted" in decide(write("breakpoint()")).error()[0]


def test_a_bot_that_did_not_start_has_no_answer(write: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("from roost_sdk import Bot\nclass Broken(Bot):\n    choose = print\n    def start(self): 1 / 0\n")
    with closing(BotProcess(str(file), BotLimits())) as process:
        assert process.load() is False
        started, decided = answers(process, START, DECIDE)
    assert started.error()[0] == "ZeroDivisionError: division by zero"
    assert decided.kind is AnswerKind.UNSTARTED


@pytest.mark.parametrize("move", [None, "a card", object(), [1], {1: object()}, {"lay": ["x"] * 5000}])
def test_what_is_no_move_is_refused_in_words(move: object) -> None:
    answer = move_answer("karteneck", move, 1.0)
    assert answer.kind is AnswerKind.REFUSED
    assert 0 < len(answer.data) < 1000


def test_a_move_in_replay_notation_is_one() -> None:
    assert read_move("karteneck", move_answer("karteneck", GAME.encode_move(LEGAL[0]), 1.0).data) == LEGAL[0]


@pytest.mark.parametrize("data", [b"", b"[" * 4000, b"NaN", b"1" * 5000, b"\xff", b'{"lay": [1]}'])
def test_bytes_that_are_no_move_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedMove):
        read_move("karteneck", data)


def test_answers_are_taken_as_they_come() -> None:
    sent = [Answer(AnswerKind.MOVE, 1.5, b"{}"), Answer(AnswerKind.DONE, 0.0), Answer(AnswerKind.REFUSED, 2.0, b"1")]
    data, found = bytearray(), []
    for byte in b"".join(answer.to_bytes() for answer in sent):
        data.append(byte)
        found += take_answers(data)
    assert found == sent
    assert not data


@pytest.mark.parametrize(
    "head", [(200, 0.0, 0), (1, float("nan"), 0), (1, float("inf"), 0), (1, -1.0, 0), (1, 0.0, LONGEST_ANSWER + 1)]
)
def test_bytes_that_are_no_answer_are_refused(head: tuple[int, float, int]) -> None:
    with pytest.raises(NotAnAnswer):
        take_answers(bytearray(struct.pack("<BdI", *head)))


@pytest.mark.parametrize(
    "told",
    [None, 3, [3], [["a", "B", "v", ["chess"], []]], [["a\x1b", "B", "v", [], []]], [["a", "B", "v", [], ["2"]]]],
)
def test_a_description_of_no_bot_is_refused(told: Any) -> None:
    with pytest.raises(NotAnAnswer):
        read_descriptions(told)


@pytest.fixture
def lost() -> Any:
    """What is lost when a bot is asked."""
    limits = BotLimits(patience=0.5, memory_mb=100, processes=10)

    def lost(text: str) -> BotLost:
        with pytest.raises(BotLost) as caught:
            decide(text, limits=limits)
        return caught.value

    return lost


def test_an_end_of_the_process_is_told(write: Any, lost: Any) -> None:
    error = lost(write("os._exit(3)"))
    assert (str(error), error.fault, error.number) == ("ended its process (exit code 3)", Fault.GONE, 1)


def test_where_a_bot_hangs_is_told(write: Any) -> None:
    """Its process notes that at an alarm; here the bot rings it itself, so that the test need not wait."""
    text = write("import signal\nsignal.raise_signal(signal.SIGALRM)\nos.write(2, b'noted\\n')\ntime.sleep(600)")
    said: Queue[str] = Queue()
    with closing(BotProcess(text, LIMITS, log=said.put)) as process:
        process.load()
        process.send([START, DECIDE])
        assert said.get() == "noted\n"
        process.note_wait(LIMITS.patience + LIMITS.margin + 1)
        with pytest.raises(BotLost, match="did not answer for 11 s and was stopped") as caught:
            process.check_patience()
    assert caught.value.where == f"{text}, line 6, in choose"


def test_who_describes_two_bots_instead_of_one_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(
        "import __main__ as host\nfrom roost_sdk import Bot\nclass Mine(Bot):\n    choose = print\n"
        "host._answer = lambda kind, told, answer=host._answer: answer(kind, told * 2)\n"
    )
    with closing(BotProcess(str(file), LIMITS)) as process, pytest.raises(BotLost, match="is not one bot"):
        process.describe(whole_file=False)


def test_an_import_that_fails_is_a_usage_error(write: Any) -> None:
    with closing(BotProcess(write("pass") + "x", BotLimits())) as process, pytest.raises(UsageError, match="no file"):
        process.load()
    with closing(BotProcess(write("return ("), BotLimits())) as process, pytest.raises(UsageError, match="SyntaxError"):
        process.describe(whole_file=True)


def test_a_time_that_cannot_be_true_is_corrected(write: Any) -> None:
    """The bot's process says that no time has passed; we have waited for ten seconds."""
    with closing(BotProcess(write("return legal[0]"), BotLimits())) as process:
        process.load()
        answers(process, START)
        process.send([DECIDE])
        process.note_wait(10.0)
        answered: list[Any] = []
        while not answered:
            answered = process.receive()
    assert answered[0][1].ms == pytest.approx(9000, rel=0.01)
