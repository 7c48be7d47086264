"""An author sees where their own code broke, however it was called."""

import asyncio
import threading
from asyncio import Runner
from pathlib import Path
from random import Random

import pytest

from roost_games.chance import Quick
from roost_games.errors import UsageError
from roost_games.registry import get_game
from roost_sdk import seat
from roost_sdk.load import load_bot
from roost_sdk.seat import BotSeat, SeatedBot, blocking
from roost_sdk.tracebacks import authors_lines, dump_of, where_it_was

BOT = """\
from roost_sdk import Bot

class Mine(Bot):
    def choose(self, view, legal):
        return self.weigh(legal)

    def weigh(self, legal):
        return legal[99]

class Patient(Bot):
    async def choose(self, view, legal):
        return legal[99]
"""


@pytest.mark.parametrize(("name", "lines"), [("Mine", [5, 8]), ("Patient", [12])])
def test_only_the_authors_lines_are_shown(tmp_path: Path, name: str, lines: list[int]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BOT, encoding="utf-8")
    # As a bot in a process of its own is called.
    game = get_game("karteneck")
    view = game.start(2, game.options({}), Quick(Random(1))).observe(0)
    with Runner() as runner:
        bot = SeatedBot(load_bot(f"{file}:{name}", {}).bot_class, BotSeat(game.name, 0, 2, Random(1)), blocking(runner))
        bot.start()
        _, error, _ = bot.decide(view, game.legal(view))
    assert error is not None
    shown = [line for line in authors_lines(error).splitlines() if line.lstrip().startswith("File")]
    assert [line.partition(", in ")[0].strip() for line in shown] == [f'File "{file}", line {at}' for at in lines]


def test_a_syntax_error_shows_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine(:\n    pass\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"class Mine\(:"):
        load_bot(str(file), {})


def dump(*frames: str) -> str:
    lines = (f'  File "{file}", line {line} in {where}\n' for file, line, where in map(str.split, frames))
    return "".join(("Current thread 0x01 (most recent call first):\n", *lines))


def test_of_what_was_dumped_the_last_traceback_counts() -> None:
    """Python names the innermost call first, and calls of libraries and of ours as well."""
    dumped = dump("/home/ann/lib/mine.py 3 once") + dump(
        f"{threading.__file__} 9 wait",
        "/home/ann/venv/lib/python3.12/site-packages/numpy/linalg.py 9 norm",
        "/home/ann/lib/mine.py 8 weigh",
        "/home/ann/lib/mine.py 5 choose",
        f"{seat.__file__} 99 decide",
    )
    there = "/home/ann/lib/mine.py, line 5, in choose\n/home/ann/lib/mine.py, line 8, in weigh"
    assert where_it_was(dumped) == there
    assert where_it_was(dumped + dump(f"{threading.__file__} 7 wait")) == there
    assert where_it_was("") == ""


def test_a_coroutine_is_where_it_waits() -> None:
    async def inner() -> None:
        await asyncio.sleep(0)

    async def outer() -> None:
        await inner()

    waiting = outer()
    waiting.send(None)
    here = inner.__code__.co_firstlineno
    assert where_it_was(dump_of(waiting)) == (
        f"{__file__}, line {here + 4}, in outer\n{__file__}, line {here + 1}, in inner"
    )
    waiting.close()
