"""Finds the bots that a person names, in a form that every process can load.

Each file is imported in a process of its own, never here, so nothing it does on import can harm others.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_ladder.running.fixtures import BotSpec
from roost_sdk.bot import Bot
from roost_sdk.bot_process.answers import BotDescription
from roost_sdk.bot_process.process import BotLimits, BotLost, BotProcess
from roost_sdk.bot_process.sandbox import check_sandbox, sandbox_for
from roost_sdk.load import STDIO, did_you_mean, load_bot
from roost_sdk.version import fingerprint, source_files

SAME_MODULES = "note: bots import different modules of the same name, so each has a process of its own, trusted or not"
"""The remark if bots cannot share a process."""
COMMAND = "cmd:"
"""What is typed before the command that starts a program which connects to an arena by itself."""


class Entrant(NamedTuple):
    """A bot that takes part."""

    spec: BotSpec
    games: frozenset[str]
    """The games that it can play."""
    player_counts: tuple[int, ...] = ()
    """The table sizes at which it plays; empty for all that a game allows."""

    @property
    def is_command(self) -> bool:
        """Whether it is a program that connects to an arena by itself."""
        return self.spec.source.startswith(COMMAND)

    def plays(self, game: str, players: int) -> bool:
        """Whether it can be seated at such a table."""
        return game in self.games and (not self.player_counts or players in self.player_counts)


class Entrants(NamedTuple):
    """The bots that were found, by name, and the files that had to be left out."""

    bots: list[Entrant]
    left_out: list[str]
    """For each, a line or more: the file, and what is wrong with it."""


def find_entrants(
    texts: Sequence[str], samples: Mapping[str, type[Bot]], *, trusted: bool = False, sandbox: bool = False
) -> Entrants:
    """The bots that a person named, sorted by name. A folder means the bots in its files and its folders' files.

    With `trusted` all may share a process with the referee, otherwise only samples. With `sandbox` files are imported
    in one. Raises `UsageError` if something named is not a bot. A file of a folder that cannot be imported is left out.
    """
    _check_ways(trusted, sandbox)
    reader = _Reader(samples, trusted, sandbox)
    found = [entrant for text in texts for entrant in reader.read(text)]
    return Entrants(sorted(_told_apart(found), key=lambda entrant: entrant.spec.name), reader.left_out)


def find_seated(
    texts: Sequence[str], samples: Mapping[str, type[Bot]], *, trusted: bool = False, sandbox: bool = False
) -> list[Entrant]:
    """The bot of each seat, as a person named them, perhaps the same for several. Trusted bots are imported here.

    Raises `UsageError`.
    """
    _check_ways(trusted, sandbox)
    found: dict[str, Entrant] = {}
    for text in dict.fromkeys(texts):
        if text in samples:
            found[text] = _sample(text, samples[text])
        elif trusted:
            found[text] = _entrant(BotDescription.of(load_bot(text, samples)), _source(text), trusted)
        else:
            (bot,) = described(text, tuple(samples), sandbox=sandbox)
            found[text] = _entrant(bot, _source(text), trusted)
    return [found[text] for text in texts]


def _check_ways(trusted: bool, sandbox: bool) -> None:
    if sandbox and trusted:
        raise UsageError("--sandbox is for bots of others and --trusted for your own; choose one")
    if sandbox:
        check_sandbox()


class _Reader:
    """Reads what is named."""

    def __init__(self, samples: Mapping[str, type[Bot]], trusted: bool, sandbox: bool) -> None:
        self._samples = samples
        self._trusted = trusted
        self._sandbox = sandbox
        self.left_out: list[str] = []

    def read(self, text: str) -> Iterable[Entrant]:
        if text in self._samples:
            return [_sample(text, self._samples[text])]
        if text.startswith(COMMAND):
            return [_command(text)]
        if Path(text).is_dir():
            return self._folder(Path(text))
        if not text.startswith(STDIO) and not _names_file(text):
            raise UsageError(
                f"there is no bot {text!r}; a bot is one of the samples ({', '.join(self._samples)}), a file such as "
                "mybot.py, mybot.py:MyBot, a folder of bots, or a program such as stdio:./mybot, in a ladder also "
                f"cmd:./mybot{did_you_mean(text, self._samples)}"
            )
        return self._import(text)

    def _folder(self, folder: Path) -> list[Entrant]:
        entrants: list[Entrant] = []
        for file in _files_in(folder):
            try:
                entrants += self._import(str(file), whole_file=True)
            except UsageError as error:
                self.left_out.append(str(error))
        if not entrants and not self.left_out:
            raise UsageError(
                f"there is no bot in {folder}: no file in it, or in a folder in it, has a subclass of roost_sdk.Bot"
            )
        return entrants

    def _import(self, text: str, *, whole_file: bool = False) -> list[Entrant]:
        """The bot that `text` stands for, or every bot in the file `text`."""
        bots = described(text, tuple(self._samples), whole_file=whole_file, sandbox=self._sandbox)
        return [_entrant(bot, _source(text), self._trusted) for bot in bots]


def described(
    text: str, samples: Sequence[str], *, whole_file: bool = False, sandbox: bool = False
) -> list[BotDescription]:
    """The bot that `text` stands for, as a process of its own tells it, or every bot in the file `text`.

    Raises `UsageError`, which names `samples` if need be.
    """
    process = BotProcess(text, BotLimits(prints=True), sandbox_for(text) if sandbox else list)
    try:
        return process.describe(whole_file, samples)
    except BotLost as lost:
        raise UsageError(f"{text} cannot be imported: that {lost}") from None
    finally:
        process.stop()


def _files_in(folder: Path) -> Iterator[Path]:
    """The files that may hold bots: those in the folder, and those one level down. A package is what bots import."""
    yield from sorted(folder.glob("*.py"))
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and not inner.name.startswith((".", "_")) and not (inner / "__init__.py").exists():
            yield from sorted(inner.glob("*.py"))


def _names_file(text: str) -> bool:
    return _file(text).endswith(".py") or Path(text).exists() or len(Path(text).parts) > 1


def _source(text: str) -> str:
    """What a `BotSpec` has as its source."""
    if text.startswith(STDIO):
        return text
    return str(Path(_file(text)).resolve()) if _file(text).endswith(".py") else text.rpartition(":")[0]


def _file(text: str) -> str:
    return text if text.endswith(".py") else text.rpartition(":")[0]


def _sample(name: str, sample: type[Bot]) -> Entrant:
    spec = BotSpec(name, fingerprint(sample), sample.__module__, sample.__name__, trusted=True)
    games = frozenset(game for game in GAME_NAMES if sample.plays(game))
    return Entrant(spec, games, tuple(sample.player_counts))


def _entrant(bot: BotDescription, source: str, trusted: bool) -> Entrant:
    class_name = "" if source.startswith(STDIO) else bot.class_name
    spec = BotSpec(bot.name, bot.version, source, class_name, trusted)
    return Entrant(spec, frozenset(bot.games), bot.player_counts)


def _command(text: str) -> Entrant:
    """`cmd:COMMAND`, or `cmd:NAME=COMMAND` with a name of your choice. The program tells the arena the rest."""
    name, equals, command = text.removeprefix(COMMAND).partition("=")
    if not equals or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        name, command = "", text.removeprefix(COMMAND)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"cannot split {command!r} into words: {error}") from None
    if not words:
        raise UsageError("name the program that plays, such as 'cmd:node bot.js --server {server} --name {name}'")
    file = next((word for word in words[1:] if Path(word).is_file()), words[0])
    return Entrant(BotSpec(name or Path(file).stem, "", f"{COMMAND}{command}", ""), frozenset(GAME_NAMES))


def _told_apart(entrants: list[Entrant]) -> Iterator[Entrant]:
    """Add the folder to the names of files with equal names. Raises `UsageError` if a bot is named twice."""
    names = Counter(entrant.spec.name for entrant in entrants)
    renamed = [_with_folder(entrant) if names[entrant.spec.name] > 1 else entrant for entrant in entrants]
    known: set[object] = set()
    for entrant in renamed:
        spec = entrant.spec
        code = (spec.source, spec.class_name) if spec.class_name else spec.name
        if spec.name in known or code in known:
            raise UsageError(f"{spec.name} takes part twice; a bot does not play against itself, so name it once")
        known |= {spec.name, code}
        yield entrant


def _with_folder(entrant: Entrant) -> Entrant:
    spec = entrant.spec
    return (
        entrant
        if spec.file is None
        else entrant._replace(spec=spec._replace(name=f"{spec.file.parent.name}/{spec.name}"))
    )


def apart_if_need_be(bots: Sequence[Entrant], remark: Callable[[str], None]) -> Sequence[Entrant]:
    """The same bots. Trusted ones that cannot share a process get one each, and a remark says so."""
    trusted = [bot.spec for bot in bots if bot.spec.trusted and bot.spec.file is not None]
    if not cannot_share_process(trusted):
        return bots
    remark(SAME_MODULES)
    return [bot._replace(spec=bot.spec._replace(trusted=bot.spec.file is None)) for bot in bots]


def cannot_share_process(bots: Iterable[BotSpec]) -> bool:
    """Whether different modules of the same name lie beside two of the bots, such as two versions of a helper.

    In one process only one of them could be imported, and the other bot would play with the wrong one.
    """
    found: dict[Path, bytes] = {}
    for file in {bot.file for bot in bots if bot.file is not None}:
        for path in source_files(file) - {file.resolve()}:
            code = path.read_bytes()
            if found.setdefault(path.relative_to(file.resolve().parent), code) != code:
                return True
    return False
