"""The code of bots as it travels to a worker: the files that a fingerprint covers, under the digest of their content.

    travellers = Travellers(specs)
    job = travellers.sent(job)                     # its bots are named by digests
    ...                                            # on the worker:
    missing = missing_files(sent_job, folder)      # what has not come yet
    job = settled(sent_job, folder)                # its bots are files again

A file's content is sent to a worker once. It is compared with its digest before each job, so that a bot that writes
into the folder of another one is noticed.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from roost_games.errors import RoostError, UsageError
from roost_ladder.running.entrants import COMMAND
from roost_ladder.running.fixtures import BotSpec, Job
from roost_sdk.load import STDIO
from roost_sdk.version import source_files

DIGITS = 32
TRAVELS = "travels:"
"""Begins the source of a bot that travels. The digest of its files and the name of its own file follow."""
MOST_BYTES = 8 << 20
"""The most that the code of one bot may have."""


class BotFiles(NamedTuple):
    """The code of a bot."""

    files: tuple[tuple[str, bytes], ...]
    """Paths relative to the folder of the bot's own file, and contents, sorted."""

    @classmethod
    def of(cls, file: Path) -> "BotFiles":
        """The bot's file and the files below its folder that it imports. Raises `UsageError` if that is too much."""
        root = file.resolve().parent
        paths = sorted(source_files(file))
        if sum(path.stat().st_size for path in paths) > MOST_BYTES:
            raise UsageError(
                f"{file} and what it imports beside it have more than {MOST_BYTES >> 20} MiB, which is too much to "
                "send to a cluster; install it on the workers as a package"
            )
        return cls(tuple([(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths]))

    @property
    def digest(self) -> str:
        """Stands for all names and contents."""
        found = sha256()
        for name, content in self.files:
            for part in (name.encode(), content):
                found.update(b"%d:" % len(part) + part)
        return found.hexdigest()[:DIGITS]

    def unpack(self, folder: Path) -> None:
        """Write them into a folder of their own below `folder`, unless they are there."""
        folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder))
        for name, content in self.files:
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        # Another thread may have been faster.
        with suppress(OSError):
            os.rename(new, folder / self.digest)
        shutil.rmtree(new, ignore_errors=True)


class Travellers:
    """The bots of a run that are files. All others are found on the workers."""

    def __init__(self, bots: Iterable[BotSpec]) -> None:
        self._files: dict[str, BotFiles] = {}
        self._sources: dict[str, str] = {}
        for file in dict.fromkeys(Path(bot.source) for bot in bots if _is_file(bot)):
            files = BotFiles.of(file)
            self._files[files.digest] = files
            self._sources[str(file)] = f"{TRAVELS}{files.digest}/{file.name}"

    def sent(self, job: Job) -> Job:
        """The same job for a worker, which knows bots by the digests of their files."""
        return _with_sources(job, self._sources)

    def sent_bot(self, bot: BotSpec) -> BotSpec:
        """The same for one bot."""
        return bot._replace(source=self._sources.get(bot.source, bot.source))

    def sent_text(self, text: str) -> str:
        """The same for what `load_bot` finds a bot by."""
        file = next((file for file in self._sources if text == file or text.startswith(f"{file}:")), "")
        return f"{self._sources[file]}{text.removeprefix(file)}" if file else text

    def files(self, digests: Collection[str]) -> list[BotFiles]:
        """What is sent to a worker that lacks them."""
        return [self._files[digest] for digest in digests]


def missing_files(sources: Iterable[str], folder: Path) -> tuple[str, ...]:
    """The digests of bots that are not below `folder`. Raises `RoostError` if one is there, but was changed."""
    digests = dict.fromkeys(_digest(source) for source in sources if source.startswith(TRAVELS))
    for digest in digests:
        if (folder / digest).exists() and _found(folder / digest) != digest:
            raise RoostError("the files of a bot were changed there, perhaps by another bot; --sandbox prevents that")
    return tuple(digest for digest in digests if not (folder / digest).exists())


def _found(folder: Path) -> str:
    files = sorted(folder.rglob("*.py"))
    return BotFiles(tuple([(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files])).digest


def sources_of(job: Job) -> list[str]:
    """Those of all bots of a job."""
    return list(dict.fromkeys(bot.source for fixture in job.fixtures for bot in fixture.bots))


def settled(job: Job, folder: Path) -> Job:
    """The job with the files that its bots have below `folder`."""
    return _with_sources(job, {source: settled_text(source, folder) for source in sources_of(job)})


def settled_text(text: str, folder: Path) -> str:
    """The same for what `load_bot` finds a bot by."""
    return str(folder / text.removeprefix(TRAVELS)) if text.startswith(TRAVELS) else text


def _is_file(bot: BotSpec) -> bool:
    return bot.source.endswith(".py") and not bot.source.startswith((STDIO, COMMAND))


def _digest(source: str) -> str:
    return source.removeprefix(TRAVELS).partition("/")[0]


def _with_sources(job: Job, sources: Mapping[str, str]) -> Job:
    def moved(bot: BotSpec) -> BotSpec:
        return bot._replace(source=sources.get(bot.source, bot.source))

    fixtures = tuple(fixture._replace(bots=tuple(map(moved, fixture.bots))) for fixture in job.fixtures)
    return job._replace(fixtures=fixtures)
