"""What is known about every bot version, as messages of `roost.v1`, from a store alone."""

from roost.v1 import arena_pb2
from roost_server.store import Store, queries


def bots(store: Store) -> arena_pb2.ListBotsResponse:
    """Every bot version on record. A running arena adds who is connected."""
    records = queries.bots(store)
    # Read after them: a bot may register in between, and one too many does no harm here.
    known = queries.backgrounds(store)
    return arena_pb2.ListBotsResponse(
        bots=[
            arena_pb2.BotVersion(
                version_id=bot.id,
                name=bot.name,
                version=bot.version,
                matches=bot.matches,
                wins=bot.wins,
                faults=bot.faults,
                first_seen_ms=bot.first_seen_ms,
                **known[bot.id]._asdict(),
            )
            for bot in records
        ]
    )
