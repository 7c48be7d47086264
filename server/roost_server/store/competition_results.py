"""What was played to the end, as results for statistics: of the whole database, or of one competition."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from roost_games.errors import UsageError
from roost_games.replay import VOIDED
from roost_ladder.rating.results import MatchResult
from roost_server.store.models import BLOCK, COMPETITION, MATCH, MATCH_SEAT, BlockState
from roost_server.store.store import Store

CHUNK = 5_000
"""How many rows a stream fetches at a time."""


def finished_results(
    store: Store, *, competition: str | None = None, phase: str | None = None, game: str | None = None
) -> list[MatchResult]:
    """The matches of all blocks that are done, in the order in which they were recorded. Bots are bot versions.

    `competition` and `game` are names, `phase` is that of the competition in which a block was drawn up. Raises
    `UsageError` if there is no such competition.
    """
    with store.reading() as connection:
        conditions = [] if competition is None else [BLOCK.c.competition_id == _id_of(connection, competition)]
        filters = ((BLOCK.c.phase, phase), (BLOCK.c.game, game))
        conditions += [column == wanted for column, wanted in filters if wanted is not None]
        return list(results_where(connection, conditions))


def _id_of(connection: Connection, competition: str) -> int:
    found: int | None = connection.scalar(select(COMPETITION.c.id).where(COMPETITION.c.name == competition))
    if found is None:
        known = ", ".join(connection.scalars(select(COMPETITION.c.name).order_by(COMPETITION.c.id)))
        raise UsageError(f"there is no competition {competition!r}; there are: {known or 'none'}")
    return found


def results_where(
    connection: Connection, conditions: Iterable[ColumnElement[bool]], *order: ColumnElement[Any]
) -> Iterator[MatchResult]:
    """The matches of blocks that are done, as far as they meet conditions on `match` and `block`.

    They come in this order, and those that are alike in it as they were recorded.
    """
    query = (
        select(*MATCH.c["number", "block_id", "game"], *MATCH_SEAT.c["version_id", "place", "forfeited"])
        .join_from(MATCH, BLOCK)
        .join(MATCH_SEAT)
        .where(BLOCK.c.state == BlockState.DONE, MATCH.c.termination != VOIDED, *conditions)
        .order_by(*order, MATCH.c.number, MATCH_SEAT.c.seat)
    )
    with connection.execution_options(yield_per=CHUNK).execute(query) as rows:
        for (_, block_id, game), seats in groupby(rows, itemgetter(0, 1, 2)):
            version_ids, places, forfeited = zip(*(seat[3:] for seat in seats), strict=True)
            yield MatchResult(block_id, game, version_ids, places, any(forfeited))
