"""Options that several commands around the arena share, and how their values are written."""

from typing import Annotated

import typer

from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER

DEFAULT_DATABASE = "sqlite:///roost.db"

ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help=f"Ask this arena; by default {DEFAULT_SERVER}.")
]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="Read this database of an arena instead, running or not."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def database_url(text: str) -> str:
    """What a person gave as a database, as a URL: a plain file name is one too."""
    return text if "://" in text else f"sqlite:///{text}"


def split_list(text: str, what: str) -> list[str]:
    """`a,b,c` as a list. Raises `UsageError` if a part is empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"{what} are separated by single commas, not {text!r}")
    return list(dict.fromkeys(parts))


def parse_games(text: str | None) -> tuple[str, ...]:
    """The games that a person listed; none for `None`. Raises `UsageError`."""
    from roost_cli.lookup import find_game

    return tuple(find_game(name).name for name in split_list(text, "games")) if text is not None else ()


def parse_counts(text: str) -> tuple[int, ...]:
    """The player counts that a person listed, ascending. Raises `UsageError`."""
    counts = split_list(text, "player counts")
    if not all(count.isascii() and count.isdecimal() for count in counts):
        raise UsageError(f"player counts are numbers such as 2,3,4, not {text!r}")
    return tuple(sorted(set(map(int, counts))))
