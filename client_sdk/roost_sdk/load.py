"""Finds the bot that a text names: a sample, `file.py`, `file.py:Class`, `module:Class` or `stdio:PROGRAM`."""

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import Parameter, iscoroutinefunction, signature
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_sdk.bot import Bot
from roost_sdk.tracebacks import authors_lines, headline

STDIO = "stdio:"
"""What is typed before the command that starts a program."""
MODULE_AND_CLASS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class LoadedBot(NamedTuple):
    """A bot that can be seated."""

    name: str
    """What tables and replays call it: the sample's name, the file's name without `.py` (or whatever its program's file
    ends in), or `file:Class`."""
    bot_class: type[Bot]


def load_bot(text: str, samples: Mapping[str, type[Bot]]) -> LoadedBot:
    """The bot that `text` names. Raises `UsageError`, which names the remedy.

    A file is imported once, however often it is named. Its folder is added to the end of `sys.path`, so that a bot can
    import modules that lie beside it.
    """
    if text in samples:
        return LoadedBot(text, samples[text])
    if text.startswith(STDIO):
        # Few bots need it, and it takes a while to import.
        from roost_sdk.stdio import stdio_bot

        return LoadedBot(*stdio_bot(text.removeprefix(STDIO)))
    file, class_name = _split(text)
    if file is None and MODULE_AND_CLASS.fullmatch(text):
        return _load_from_module(*text.split(":"))
    if file is None:
        named = f"one of the samples ({', '.join(samples)}), " if samples else ""
        raise UsageError(
            f"there is no bot {text!r}; a bot is {named}a file such as mybot.py, mybot.py:MyBot, "
            f"or a program such as stdio:./mybot{did_you_mean(text, samples)}"
        )
    module = _import_file(file)
    bot_class = _named(module, class_name, file) if class_name else _only_one(module, file)
    _check_class(bot_class, file)
    return LoadedBot(f"{file.stem}:{class_name}" if class_name else file.stem, bot_class)


def short_name(text: str) -> str:
    """The name of a bot that is not loaded: `mybot` for `bots/mybot.py:Mine`; samples and programs as they are."""
    return text if text.startswith(STDIO) else text.rpartition("/")[2].partition(":")[0].removesuffix(".py")


def load_all(file: Path) -> list[LoadedBot]:
    """The bots that a file has itself, not those it imports; perhaps none. Raises `UsageError`."""
    module = _import_file(file)
    own = {name: bot for name, bot in _bots_in(module).items() if bot.__module__ == module.__name__}
    for bot in own.values():
        _check_class(bot, file)
    return [LoadedBot(f"{file.stem}:{name}" if len(own) > 1 else file.stem, bot) for name, bot in own.items()]


def spelled_out(bot_class: type[Bot]) -> str:
    """`module:Class`, with which `load_bot` finds a bot of an importable module in any process."""
    return f"{bot_class.__module__}:{bot_class.__qualname__}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of an error message: `. Did you mean 'random'?` if one of `known` is close to `name`, else nothing."""
    close = get_close_matches(name.lower().translate(UMLAUTS), list(known), n=1)
    return f". Did you mean {close[0]!r}?" if close else ""


def _split(text: str) -> tuple[Path | None, str]:
    """The file and the class that `text` names. The file is `None` if it names none."""
    file, colon, class_name = text.rpartition(":")
    if colon and file.endswith(".py"):
        return Path(file), class_name
    path = Path(text)
    if text.endswith(".py") or path.exists() or len(path.parts) > 1:
        return path, ""
    return None, ""


def _load_from_module(name: str, class_name: str) -> LoadedBot:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"there is no module {error.name!r}; for a file, write file.py:{class_name}") from None
    except (Exception, SystemExit) as error:
        raise _not_imported(name, error) from None
    bot_class = _named(module, class_name, name)
    _check_class(bot_class, name)
    return LoadedBot(f"{name.rpartition('.')[2]}:{class_name}", bot_class)


def _not_imported(what: Path | str, error: BaseException) -> UsageError:
    return UsageError(f"{what} cannot be imported: {headline(error)}\n{authors_lines(error)}")


def _import_file(file: Path) -> ModuleType:
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name a file in it, such as {file / 'mybot.py'}")
    if not file.exists():
        raise UsageError(f"there is no file {file}{_other_file(file)}")
    if file.suffix != ".py":
        raise UsageError(f"{file} is not a Python file; the file of a bot ends in .py, and a program is stdio:{file}")
    path = file.resolve()
    # No module that is imported by name can be called this, so a bot in random.py hides nothing.
    name = f"bot file {path}"
    return sys.modules.get(name) or _execute(name, path, file)


def _other_file(file: Path) -> str:
    close = get_close_matches(file.stem, [other.stem for other in file.parent.glob("*.py")], n=1)
    return f". Did you mean {file.with_name(f'{close[0]}.py')}?" if close else ""


def _execute(name: str, path: Path, shown: Path) -> ModuleType:
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{shown} is not a Python file that can be imported")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _not_imported(shown, error) from None
    return module


def _bots_in(module: ModuleType) -> dict[str, type[Bot]]:
    """The bots that a module knows, imported ones included."""
    values = vars(module).items()
    return {
        name: value
        for name, value in values
        if isinstance(value, type) and issubclass(value, Bot) and value is not Bot and not name.startswith("_")
    }


def _named(module: ModuleType, class_name: str, origin: Path | str) -> type[Bot]:
    bots = _bots_in(module)
    if class_name in bots:
        return bots[class_name]
    if hasattr(module, class_name):
        raise UsageError(f"{class_name} in {origin} is not a subclass of roost_sdk.Bot{_list(origin, bots)}")
    raise UsageError(f"there is no class {class_name!r} in {origin}{_list(origin, bots)}")


def _only_one(module: ModuleType, file: Path) -> type[Bot]:
    known = _bots_in(module)
    own = {name: bot for name, bot in known.items() if bot.__module__ == module.__name__} or known
    if not own:
        raise UsageError(f"there is no bot in {file}; write a class in it that is a subclass of roost_sdk.Bot")
    if len(own) > 1:
        raise UsageError(f"there are several bots in {file}; name one: {_spellings(file, own)}")
    return next(iter(own.values()))


def _list(origin: Path | str, bots: Iterable[str]) -> str:
    spellings = _spellings(origin, bots)
    return f"; its bots are: {spellings}" if spellings else "; it has no bots"


def _spellings(origin: Path | str, bots: Iterable[str]) -> str:
    return ", ".join(f"{origin}:{name}" for name in bots)


def _check_class(bot_class: type[Bot], origin: Path | str) -> None:
    """Raise `UsageError` for what would break every match in the same way: no bot can be made, or no table found."""
    counts = bot_class.player_counts
    if not isinstance(counts, Collection) or not all(isinstance(count, int) for count in counts):
        name = bot_class.__name__
        raise UsageError(f"player_counts of {name} in {origin} is {counts!r}; write numbers, such as (2,)")
    if bot_class.takes_many() and (bot_class.choose is not Bot.choose or iscoroutinefunction(bot_class.choose_many)):
        name = bot_class.__name__
        raise UsageError(
            f"{name} in {origin} has choose and choose_many, or an async choose_many; write one plain method"
        )
    for parameter in signature(bot_class).parameters.values():
        optional = parameter.default is not Parameter.empty
        if not optional and parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            raise UsageError(
                f"{bot_class.__name__} in {origin} needs {parameter.name!r}; "
                "bots are created without arguments, so give it a default"
            )
