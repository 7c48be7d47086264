"""Where a new key goes: it is shown once, so it must not get lost."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from roost_cli.terminal.console import remarks
from roost_games.errors import UsageError

SHOWN_ONCE = "It is shown this once only"


@contextmanager
def keeping(path: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that keeps a key: in a new file that only its owner can read, or alone on standard output.

    The file is made before the key is, and removed again if no key was made. Raises `UsageError` if it cannot be.
    """
    if path is None:
        yield _show
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; name a new file") from None
    with os.fdopen(handle, "w") as file:
        try:
            yield lambda key: _write(file.write, path, key)
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def _show(key: str) -> None:
    typer.echo(key)
    remarks().print(f"{SHOWN_ONCE}. Keep it in a file for --key-file, or in ROOST_KEY.", soft_wrap=True)


def _write(write: Callable[[str], object], path: Path, key: str) -> None:
    write(f"{key}\n")
    typer.echo(f"wrote the key into {path}")
