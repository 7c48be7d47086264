"""The version of a bot: a fingerprint of its code, so that changed code has a record of its own at an arena.

It covers the bot's file and every module below the same folder that the file imports, directly or through others. For a
bot inside a package it covers the modules of that package. It does not cover installed packages, the standard library,
data files, or a module whose name is computed at run time. A bot that plays differently for such a reason says so in
its attribute `version`, which is part of the fingerprint.

The imports are read from the source, so a fingerprint depends neither on what else the process has loaded nor on where
the files lie.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from roost_games.errors import UsageError
from roost_sdk.bot import Bot

DIGITS = 16


def fingerprint(bot_class: type[Bot]) -> str:
    """16 hex digits that stand for the code of `bot_class`. Raises `UsageError` if there is no file with its code."""
    file, package = _origin(bot_class)
    digest = hashlib.sha256()
    # Each part is preceded by its length, so that no two lists of parts give the same bytes.
    for part in (bot_class.__qualname__.encode(), bot_class.version.encode(), *_sources(file, package)):
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()[:DIGITS]


def is_fingerprint(version: str) -> bool:
    """Whether this may be the fingerprint of some code, and not a version that somebody chose."""
    return len(version) == DIGITS and set(version) <= set("0123456789abcdef")


def source_files(file: Path) -> set[Path]:
    """The file of a bot that is in no package, and the files beside it and below that it imports."""
    file = file.resolve()
    return _with_imports(file, file.parent, "")


def _origin(bot_class: type[Bot]) -> tuple[Path, str]:
    """The file of a bot, and the package that it belongs to; empty if to none."""
    module = sys.modules.get(bot_class.__module__)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():
        raise UsageError(f"there is no file with the code of {bot_class.__name__}, so give it a version")
    package = getattr(module, "__package__", None) or ""
    # A file that was loaded by its path has a made-up name.
    return Path(file).resolve(), package if package in sys.modules else ""


def _sources(file: Path, package: str) -> Iterator[bytes]:
    """Names and contents of all files that count, sorted by name."""
    depth = package.count(".") + 1 if package else 0
    root = file.parents[depth]
    for path in sorted(_with_imports(file, root, package.partition(".")[0]), key=lambda path: path.relative_to(root)):
        yield path.relative_to(root).as_posix().encode()
        yield _read(path)


def _read(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")


def _with_imports(file: Path, root: Path, package: str) -> set[Path]:
    found = {file}
    to_read = [file]
    while to_read:
        for name in _imported_names(to_read.pop(), root):
            top = name.partition(".")[0]
            if top == package if package else top not in sys.stdlib_module_names:
                new = set(_files_of(name, root, file)) - found
                found |= new
                to_read += new
    return found


def _imported_names(path: Path, root: Path) -> Iterator[str]:
    """The absolute names of what a file imports: modules, and things in modules."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Leading dots go up from the importer.
            above = path.relative_to(root).parts[: -node.level] if node.level else ()
            yield from (".".join(filter(None, (*above, node.module, alias.name))) for alias in node.names)


def _files_of(name: str, root: Path, bot_file: Path) -> list[Path]:
    """The files below `root` that importing `name` runs: its module, and the packages around that.

    The packages around the bot itself do not count unless something in them is imported: otherwise a list of bots there
    would give every bot a new version whenever it grows.
    """
    parts = name.split(".")
    modules = [_module(root.joinpath(*parts[:length])) for length in range(1, len(parts) + 1)]
    files = [file for file in modules if file is not None]
    return [file for file in files if file is files[-1] or file.parent not in bot_file.parents]


def _module(path: Path) -> Path | None:
    """The file of the module or package at `path`, if there is one."""
    for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if file.is_file():
            return file
    return None
