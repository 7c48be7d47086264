"""What has to be the same on every machine of a cluster: Python, Dask, the code of Roost, and programs that play.

The scheduler and the workers compare what they have with what the command has, before the first match and again before
each job, since a worker may join at any time. A difference is a sentence that can follow the machine's name.
"""

import platform
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import RoostError
from roost_ladder.running.entrants import COMMAND
from roost_ladder.running.fixtures import BotSpec
from roost_sdk.bot_process.sandbox import check_sandbox
from roost_sdk.load import STDIO

ALWAYS = ("roost_games", "roost_sdk", "roost_ladder")
"""The packages that play. Those of the sample bots in a run count, too."""
SHOWN = 8
Digest = tuple[str, str]
"""A name, and the digest of its content."""


class Installation(NamedTuple):
    """What a machine has. It is made of plain values, so that another version of Roost can compare itself with it."""

    python: str
    dask: str
    roost: str
    packages: tuple[Digest, ...]
    programs: tuple[Digest, ...] = ()
    """Files that are named in the commands of bots."""
    commands: tuple[str, ...] = ()
    """Programs that are found by their names."""
    sandbox: bool = False
    """Whether bots are to play in a sandbox."""

    @classmethod
    def here(cls, bots: Iterable[BotSpec], *, sandbox: bool = False) -> "Installation":
        """What a run of these bots needs, as this machine has it."""
        bots = list(bots)
        packages = sorted({*ALWAYS, *(_package(bot) for bot in bots if _package(bot))})
        words = [word for bot in bots for word in _command(bot)[1:] if Path(word).is_file()]
        first = [_command(bot)[0] for bot in bots if _command(bot)]
        files = sorted({*words, *(word for word in first if Path(word).is_file())})
        return cls(
            _python(),
            version("distributed"),
            version("roost"),
            tuple([(package, code_of(package)) for package in packages]),
            tuple([(file, _content(file)) for file in files]),
            tuple(sorted({word for word in first if not Path(word).is_file()})),
            sandbox,
        )

    def difference(self) -> str:
        """What is different where this is called, for a sentence such as `the worker has ...`; empty if nothing is."""
        return next(filter(None, self._differences()), "")

    def _differences(self) -> Iterable[str]:
        for name, wanted, found in (
            ("Python", self.python, _python()),
            ("Dask", self.dask, version("distributed")),
            ("Roost", self.roost, version("roost")),
        ):
            yield "" if wanted == found else f"has {name} {found}, and this machine {wanted}"
        for package, wanted in self.packages:
            found = code_of(package)
            yield (
                ""
                if found == wanted
                else f"has another version of {package} ({found[:SHOWN] or 'none'}, and this machine {wanted[:SHOWN]})"
            )
        yield from map(_difference_of_file, self.programs)
        for command in self.commands:
            yield "" if shutil.which(command) else f"has no program {command!r}"
        yield _sandbox_trouble() if self.sandbox else ""


def _python() -> str:
    """The version without its last part, which changes no result."""
    return f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"


@lru_cache
def code_of(package: str) -> str:
    """The digest of a package's Python files; empty if there is none here."""
    spec = find_spec(package)
    if spec is None:
        return ""
    found = sha256()
    for root in sorted(map(Path, spec.submodule_search_locations or ())):
        for file in sorted(root.rglob("*.py")):
            for part in (file.relative_to(root).as_posix().encode(), file.read_bytes().replace(b"\r\n", b"\n")):
                found.update(b"%d:" % len(part) + part)
    return found.hexdigest()


def _package(bot: BotSpec) -> str:
    """The package of a bot that is an importable module, such as a sample; empty for all others."""
    return "" if _command(bot) or bot.file else bot.source.partition(".")[0]


def _command(bot: BotSpec) -> Sequence[str]:
    """The words of a bot that is a program; empty for all others."""
    prefix = next((prefix for prefix in (STDIO, COMMAND) if bot.source.startswith(prefix)), None)
    return shlex.split(bot.source.removeprefix(prefix)) if prefix else ()


def _content(file: str) -> str:
    return sha256(Path(file).read_bytes()).hexdigest()


def _difference_of_file(program: Digest) -> str:
    file, wanted = program
    if not Path(file).is_file():
        return f"has no {file} (in {Path.cwd()}), which plays for a bot; copy it there, or start the worker beside it"
    return "" if _content(file) == wanted else f"has another version of {file}"


def _sandbox_trouble() -> str:
    try:
        check_sandbox()
    except RoostError as error:
        return f"has no sandbox: {error}"
    return ""
