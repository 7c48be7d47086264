"""The wire contract as files, for authors of bots in other languages."""

from importlib.resources import files
from pathlib import Path

from roost_games.errors import UsageError

PACKAGE = "roost.v1"


def write_contract(folder: Path) -> list[str]:
    """Write the `.proto` files below `folder`, which is then what a compiler looks for them in. Returns their names.

    Files of an earlier version are replaced. Raises `UsageError` if the folder cannot be written.
    """
    sources = sorted(file.name for file in files(PACKAGE).iterdir() if file.name.endswith(".proto"))
    target = folder.joinpath(*PACKAGE.split("."))
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in sources:
            (target / name).write_bytes(files(PACKAGE).joinpath(name).read_bytes())
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    return sources
