"""What older versions of Roost wrote, and a bot of the last one. None of it is ever changed: it must keep working.

| file | what it is |
|---|---|
| `schema1.sql` | The first schema: two bots, a finished block (one match forfeited) and an open one. |
| `schema2_arena.sql` | A database of an arena: a competition that is over, accounts, a quarantine, blocks outside it. |
| `schema2_ladder.sql` | A database of `roost ladder` with two sample bots. |
| `export/` | `roost export` of the competition in `schema2_arena.sql`. |
| `replays.jsonl` | `roost play --replay`: every game, one with `slap`, one in which a bot forfeits. |
| `bot-0.1.0.zip` | The SDK of the last version, with the games and the wire contract of that day. |

The `.sql` files are what `iterdump` of Python's sqlite3 writes.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).parent
DATABASES = ("schema1", "schema2_arena", "schema2_ladder")
EXPORT = FOLDER / "export"
REPLAYS = FOLDER / "replays.jsonl"
LAST_SDK = FOLDER / "bot-0.1.0.zip"


def restore(name: str, path: Path) -> Path:
    """Make the old database `name` at `path`."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    return path
