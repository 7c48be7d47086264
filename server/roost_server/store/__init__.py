"""The arena's store: what was played, for good.

    with open_store("sqlite:///roost.db") as store:
        writer = GroupWriter(store)
        await writer.save(finished)  # returns when the match is on the disk
        queries.bots(store)

`models` has the tables, `records` what the arena hands in, `queries` what can be asked. docs/formats/database.md
describes the database for those who read it with other programs.
"""

from roost_server.store import queries
from roost_server.store.errors import RecordRefused, StoreError
from roost_server.store.models import BlockState
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
    "RecordRefused",
    "Store",
    "StoreError",
    "open_store",
    "queries",
]
