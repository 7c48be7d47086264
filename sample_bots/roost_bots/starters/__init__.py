"""What a new bot begins with: a bot for each game that plays as it is, and the test and README that go with it.

`start_folder` fills a folder from them. Each game has a module here with its name, whose bot is called `MyBot`.
"""

import ast
import inspect
import keyword
import sys
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from string import Template

from roost_games.errors import UsageError
from roost_games.registry import AnyGame, part_of
from roost_sdk.bot import LONGEST_NAME

HIDING = {"test", "tests", "unittest", "roost"}
"""Names that would hide a module that the test or the bot imports."""


def start_folder(name: str, game: AnyGame) -> Path:
    """Make the folder `name` with a bot for `game`, and return it. Raises `UsageError`."""
    check_name(name)
    bot = inspect.getsource(part_of(game.name, package=__name__))
    test = Template(_template("test.txt"))
    words = {"name": name, "class_name": "MyBot", "game": game.name, "title": game.title}
    words["class_name"] = class_name(name, names_in(bot) | names_in(test.substitute(words)))
    return _filled(
        Path(name),
        {
            f"{name}.py": bot.replace("MyBot", words["class_name"]),
            f"test_{name}.py": test.substitute(words),
            "README.md": Template(_template("README.txt")).substitute(words),
        },
    )


def check_name(name: str) -> None:
    """Raise `UsageError` unless a module can be called this."""
    if not (name.isascii() and name.isidentifier() and len(name) <= LONGEST_NAME):
        raise UsageError(f"a bot's name is letters, digits and _, up to {LONGEST_NAME}, such as mybot; not {name!r}")
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name in HIDING or name.startswith("roost"):
        raise UsageError(f"{name!r} is a name that Python or Roost uses itself; choose another, such as my_{name}")


def class_name(name: str, taken: Collection[str]) -> str:
    """The name of the class in the file: `my_bot` has `MyBot`. It is not one of those `taken`."""
    joined = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    # A class whose name begins with an underscore would not be found.
    free = joined.isidentifier() and not keyword.iskeyword(joined) and joined not in taken
    return joined if free else f"My{joined}"


def names_in(source: str) -> set[str]:
    """The names that a module imports or uses, except its own bot's."""
    nodes = list(ast.walk(ast.parse(source)))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    imported = {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    return (used | imported) - {"MyBot"}


def _filled(folder: Path, contents: dict[str, str]) -> Path:
    try:
        folder.mkdir()
        for file, text in contents.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{folder} exists; choose another name, or run this in another folder") from None
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror or error}") from None
    return folder


def _template(file: str) -> str:
    return files(__name__).joinpath(file).read_text(encoding="utf-8")
