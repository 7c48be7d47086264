"""What `roost new` does: fill a new folder from the files in `starter`."""

import keyword
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

from roost_cli.terminal.console import results
from roost_games.errors import UsageError
from roost_games.registry import AnyGame
from roost_sdk.bot import LONGEST_NAME

TAKEN = {"Bot", "View", "Move", "Lay", "Take", "Play", "Close", "React", "Sequence", "True", "False", "None"}
"""Names that mean something else in the files."""
HIDING = {"test", "tests", "unittest", "roost"}
"""Words that would hide something which the test or the bot imports."""


def begin(name: str, game: AnyGame) -> Path:
    """Make the folder `name` with a bot for `game`, and return it. Raises `UsageError`."""
    check_name(name)
    folder = Path(name)
    words = {"name": name, "class_name": class_name(name), "game": game.name, "title": game.title}
    bot = _starter(f"{game.name}.py").replace("MyBot", words["class_name"])
    contents = {
        f"{name}.py": bot,
        f"test_{name}.py": Template(_starter("test.txt")).substitute(words),
        "README.md": Template(_starter("README.txt")).substitute(words),
    }
    try:
        folder.mkdir()
        for file, text in contents.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"there is a {name} here already; choose another name, or another folder") from None
    except OSError as error:
        raise UsageError(f"cannot make the folder {name}: {error.strerror or error}") from None
    return folder


def check_name(name: str) -> None:
    """Raise `UsageError` unless a module can be called this."""
    if not (name.isascii() and name.isidentifier() and len(name) <= LONGEST_NAME):
        raise UsageError(f"a bot's name is letters, digits and _, up to {LONGEST_NAME}, such as mybot; not {name!r}")
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name in HIDING or name.startswith("roost"):
        raise UsageError(f"{name!r} is a name that Python or Roost uses itself; choose another, such as my_{name}")


def class_name(name: str) -> str:
    """What the class in the file is called: `my_bot` has `MyBot`."""
    joined = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    # A class beginning with an underscore would not be found, nor would one called like what it imports.
    return joined if joined.isidentifier() and joined not in TAKEN else f"My{joined}"


def _starter(file: str) -> str:
    return files("roost_bots.starters").joinpath(file).read_text(encoding="utf-8")


def print_next(folder: Path) -> None:
    """Say what is there and what to do."""
    name = folder.name
    results().print(
        f"{folder}/ has {name}.py, a bot that plays already, and test_{name}.py, which plays it.\n"
        f"Next: cd {folder}, then see README.md",
        soft_wrap=True,
    )
