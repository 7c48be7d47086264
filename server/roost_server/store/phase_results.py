"""What was played in a phase of a competition, and how far it has come."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from roost_games.replay import VOIDED
from roost_ladder.rating.results import MatchResult
from roost_server.store.competition_results import results_where
from roost_server.store.models import BLOCK, MATCH, MATCH_SEAT, BlockState
from roost_server.store.people import ENTRY
from roost_server.store.store import Store


class Played(NamedTuple):
    """What of a competition is asked for."""

    competition_id: int
    phase: str
    game: str | None = None
    """`None`: all of them."""
    players: int | None = None

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        """Those matches of it that count: of blocks that are done."""
        yield BLOCK.c.competition_id == self.competition_id
        yield BLOCK.c.phase == self.phase
        yield BLOCK.c.state == BlockState.DONE
        yield MATCH.c.termination != VOIDED
        if self.game is not None:
            yield MATCH.c.game == self.game
        if self.players is not None:
            yield MATCH.c.players == self.players


class Progress(NamedTuple):
    """How far a competition has come in a phase."""

    entries: int
    blocks_done: int
    blocks_open: int


def results_of(connection: Connection, played: Played) -> Iterator[MatchResult]:
    """The matches that count, in the order in which they were recorded."""
    return results_where(connection, played.conditions())


def blocks_of(connection: Connection, played: Played) -> Iterator[list[MatchResult]]:
    """The same, block by block, in the order in which these were drawn up."""
    results = results_where(connection, played.conditions(), BLOCK.c.serial)
    for _, of_block in groupby(results, attrgetter("block_id")):
        yield list(of_block)


def faults_of(connection: Connection, played: Played) -> dict[int, int]:
    """By version, its faults in the matches that count."""
    query = (
        select(MATCH_SEAT.c.version_id, func.sum(MATCH_SEAT.c.faults))
        .join_from(MATCH, BLOCK)
        .join(MATCH_SEAT)
        .where(*played.conditions())
        .group_by(MATCH_SEAT.c.version_id)
    )
    return {version_id: int(faults) for version_id, faults in connection.execute(query)}


def progress(store: Store, competition_id: int, phase: str) -> Progress:
    """How far this phase has come."""
    blocks = select(BLOCK.c.state, func.count()).where(BLOCK.c.competition_id == competition_id)
    entered = (ENTRY.c.competition_id == competition_id) & ENTRY.c.withdrawn_ms.is_(None)
    with store.reading() as connection:
        rows = connection.execute(blocks.where(BLOCK.c.phase == phase).group_by(BLOCK.c.state)).all()
        entries = connection.scalar(select(func.count()).select_from(ENTRY).where(entered))
    counts: dict[str, int] = {state: count for state, count in rows}  # noqa: C416  a row is no pair for mypy
    return Progress(entries or 0, counts.get(BlockState.DONE, 0), counts.get(BlockState.OPEN, 0))
