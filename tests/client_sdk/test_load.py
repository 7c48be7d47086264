"""A bot is found from what a person types, and what is wrong with it is said."""

from pathlib import Path

import pytest

from roost_bots.greedy import GreedyBot
from roost_games.errors import UsageError
from roost_sdk import Bot, load_bot
from roost_sdk.load import spelled_out

ONE = "from roost_sdk import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
TWO = ONE + "class Other(Mine):\n    pass\nclass _Hidden(Mine):\n    pass\n"


class Sample(Bot):
    """A bot that is known by name."""


SAMPLES = {"sample": Sample}


def written(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        load_bot(text, SAMPLES)
    return str(caught.value)


def test_a_sample_is_found_by_name() -> None:
    assert load_bot("sample", SAMPLES) == ("sample", Sample)


def test_the_only_bot_of_a_file_needs_no_name(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path, "clever.py", ONE), SAMPLES)
    assert bot.name == "clever"
    assert bot.bot_class.__name__ == "Mine"


def test_a_bot_can_be_named_by_its_class(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path, "clever.py", TWO) + ":Other", SAMPLES)
    assert bot.name == "clever:Other"
    assert bot.bot_class.__name__ == "Other"


def test_a_bot_of_a_module_can_be_spelled_out() -> None:
    text = spelled_out(GreedyBot)
    assert text == "roost_bots.greedy:GreedyBot"
    assert load_bot(text, {}) == ("greedy:GreedyBot", GreedyBot)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no_such_module.at_all:Mine", "there is no module 'no_such_module'"),
        (
            "roost_bots.greedy:Missing",
            "there is no class 'Missing' in roost_bots.greedy; its bots are: ",
        ),
        ("roost_sdk.load:LoadedBot", "LoadedBot in roost_sdk.load is not a subclass of roost_sdk.Bot"),
    ],
)
def test_a_spelled_out_bot_that_is_not_there(text: str, told: str) -> None:
    assert refusal(text).startswith(told)


def test_an_imported_bot_counts_only_if_there_is_no_other(tmp_path: Path) -> None:
    written(tmp_path, "base_of_bots.py", ONE)
    own = written(tmp_path, "own.py", "from base_of_bots import Mine\nclass Own(Mine):\n    pass\n")
    borrowed = written(tmp_path, "borrowed.py", "from base_of_bots import Mine\n")
    assert load_bot(own, SAMPLES).bot_class.__name__ == "Own"
    assert load_bot(borrowed, SAMPLES).bot_class.__name__ == "Mine"


def test_a_file_is_imported_once(tmp_path: Path) -> None:
    file = written(tmp_path, "once.py", ONE)
    assert load_bot(file, SAMPLES).bot_class is load_bot(f"{file}:Mine", SAMPLES).bot_class


def test_a_file_may_be_called_like_a_module(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path, "random.py", "import random\n" + ONE + "    rolled = random.random()\n"), SAMPLES)
    assert 0 <= vars(bot.bot_class)["rolled"] < 1


def test_a_dataclass_in_a_bots_file_works(tmp_path: Path) -> None:
    text = ONE + "from dataclasses import dataclass\n@dataclass\nclass Note:\n    card: 'str'\n"
    assert load_bot(written(tmp_path, "noted.py", text), SAMPLES).name == "noted"


def test_unknown_names_get_a_suggestion() -> None:
    message = refusal("sampel")
    assert "there is no bot 'sampel'" in message
    assert "mybot.py:MyBot" in message
    assert message.endswith("Did you mean 'sample'?")
    assert "Did you mean" not in refusal("zzz")


def test_a_missing_file_gets_a_suggestion(tmp_path: Path) -> None:
    written(tmp_path, "clever.py", ONE)
    assert refusal(str(tmp_path / "clevr.py")).endswith(f"Did you mean {tmp_path / 'clever.py'}?")
    assert refusal("nowhere/clever.py") == "there is no file nowhere/clever.py"


def test_what_is_no_bots_file_is_named(tmp_path: Path) -> None:
    assert "is a folder" in refusal(str(tmp_path))
    assert "ends in .py" in refusal(written(tmp_path, "bot.txt", ONE))
    assert "there is no bot in" in refusal(written(tmp_path, "empty.py", ""))


def test_several_bots_must_be_told_apart(tmp_path: Path) -> None:
    file = written(tmp_path, "two.py", TWO)
    assert refusal(file).endswith(f"name one: {file}:Mine, {file}:Other")
    assert refusal(f"{file}:Nobody").endswith(f"its bots are: {file}:Mine, {file}:Other")


def test_a_class_that_is_no_bot_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, "thing.py", "class Thing:\n    pass\n")
    assert "not a subclass of roost_sdk.Bot" in refusal(f"{file}:Thing")


def test_a_bot_that_needs_arguments_is_refused(tmp_path: Path) -> None:
    needs = ONE + "    def __init__(self, depth):\n        pass\n"
    assert "needs 'depth'" in refusal(written(tmp_path, "deep.py", needs))
    optional = ONE + "    def __init__(self, depth=3, *rest, **named):\n        pass\n"
    assert load_bot(written(tmp_path, "shallow.py", optional), SAMPLES).name == "shallow"


def test_a_syntax_error_is_shown_where_it_is(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, "broken.py", "x = 1\ndef f(:\n"))
    first, *rest = message.splitlines()
    assert "broken.py cannot be imported: SyntaxError" in first
    assert any("broken.py" in line and "line 2" in line for line in rest)


@pytest.mark.parametrize("breaks", ["raise ValueError('no luck')", "raise SystemExit('no luck')"])
def test_an_error_on_import_shows_the_authors_lines_only(tmp_path: Path, breaks: str) -> None:
    file = written(tmp_path, "breaks.py", f"def setup():\n    {breaks}\nsetup()\n")
    message = refusal(file)
    assert "no luck" in message.splitlines()[0]
    assert "line 3, in <module>" in message
    assert "line 2, in setup" in message
    assert "load.py" not in message
    assert "importlib" not in message
    assert "Traceback" not in message
    assert refusal(file) == message, "a file that failed once is not taken for loaded"


@pytest.mark.parametrize("counts", ["2", "('2', '3')"])
def test_player_counts_are_numbers(tmp_path: Path, counts: str) -> None:
    wrong = ONE + f"    player_counts = {counts}\n"
    assert f"is {counts}; write numbers, such as (2,)" in refusal(written(tmp_path, "wrong.py", wrong))
