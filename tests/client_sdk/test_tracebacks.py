"""An author sees where their own code broke, however it was called."""

from functools import partial
from pathlib import Path

import pytest

from roost_games.errors import UsageError
from roost_ladder.running import seat
from roost_sdk.load import load_bot

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
    bot = load_bot(f"{file}:{name}", {}).bot_class()
    # As a bot in a process of its own is called.
    crash = seat._call(partial(bot.choose, None, ()))
    assert isinstance(crash, seat.Crash)
    shown = [line for line in crash.details.splitlines() if line.lstrip().startswith("File")]
    assert [line.partition(", in ")[0].strip() for line in shown] == [f'File "{file}", line {at}' for at in lines]


def test_a_syntax_error_shows_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine(:\n    pass\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"class Mine\(:"):
        load_bot(str(file), {})
