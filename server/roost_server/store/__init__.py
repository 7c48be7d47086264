"""The arena's permanent records. All SQL about matches and blocks is here; nothing here knows who is connected.

    with open_store("sqlite:///roost.db") as store:
        writer = GroupWriter(store)
        await writer.save(finished)  # returns when the match is on the disk
        queries.versions(store)

`models` has the tables, `records` what the arena writes, and `results` finished matches and what counts. `sums` has
what ratings are made of, `lookups` pages of matches and one bot's record, and `queries` everything else.
docs/formats/database.md describes the database for readers with other programs.
"""

from roost_server.store import queries
from roost_server.store.errors import RecordRefused, StoreError
from roost_server.store.models import BlockState, Purpose
from roost_server.store.records import BlockClosed, Change, FinishedMatch, NewBlock, Planned
from roost_server.store.store import Store, open_store
from roost_server.store.writer import GroupWriter

__all__ = [
    "BlockClosed",
    "BlockState",
    "Change",
    "FinishedMatch",
    "GroupWriter",
    "NewBlock",
    "Planned",
    "Purpose",
    "RecordRefused",
    "Store",
    "StoreError",
    "open_store",
    "queries",
]
