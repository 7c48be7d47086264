"""The `roost` command with its caches cut short: `python -m benchmarks.soak.small_caches serve competition.toml ...`.

An arena keeps some lists and moves in translation, up to a limit, and SQLite keeps pages, at most 2 MB for
each connection. At their usual size these caches fill for tens of thousands of matches, by some tens of megabytes, and
would hide what keeps growing. Made small, they are full within minutes; everything else is as always.
"""

import functools
import runpy
import sqlite3
from collections.abc import Callable
from typing import Any

MOST_ENTRIES = 64
PAGES_KB = 100
usual_cache: Callable[..., Any] = functools.lru_cache
usual_connect: Callable[..., sqlite3.Connection] = sqlite3.dbapi2.connect


def small_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """As `functools.lru_cache`, with less room. A cache without a limit stays one, and shows if it grows."""
    limited = min(maxsize, MOST_ENTRIES) if isinstance(maxsize, int) else maxsize
    return usual_cache(limited, typed)


def small_connect(*arguments: Any, **named: Any) -> sqlite3.Connection:
    """As `sqlite3.connect`, with room for few pages."""
    connection = usual_connect(*arguments, **named)
    connection.execute(f"PRAGMA cache_size = -{PAGES_KB}")
    return connection


def cut_short() -> None:
    """To be done before anything of ours is imported."""
    functools.lru_cache = small_cache
    sqlite3.dbapi2.connect = small_connect  # type: ignore[assignment]  # it has many forms; ours takes all


if __name__ == "__main__":
    cut_short()
    runpy.run_module("roost_cli", run_name="__main__", alter_sys=True)
