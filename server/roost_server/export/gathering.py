"""Reads a competition out of a database, for its export.

Everything of one export is read over one connection of `Store.reading`, so that it fits together while an arena plays.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection, select

from roost_games.replay import VOIDED
from roost_ladder.rating.facts import MatchFacts
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.competition.ledger import Competition
from roost_server.export.records import ExportedBlock, ExportedBot, ExportedCompetition
from roost_server.store import BlockState
from roost_server.store.models import BLOCK, BLOCK_MEMBER, BOT_VERSION, MATCH, MATCH_SEAT, REPLAY
from roost_server.store.people import BOT, ENTRY, OWNER
from roost_server.store.records import line_of

CHUNK = 2_000


def competition_of(connection: Connection, competition: Competition) -> ExportedCompetition:
    """The competition as a whole. Its master seed is in it once it is done."""
    changes = ledger.read_phase_changes(connection, competition.id)
    return ExportedCompetition(
        name=competition.file.name,
        phase=competition.phase,
        commitment=competition.commitment,
        seed=competition.seed.hex() if competition.phase == PhaseName.DONE else "",
        phases=tuple((phase, int(at.timestamp() * 1000), actor) for phase, at, actor in changes),
        bots=tuple(_bots(connection, competition.id)),
    )


def _bots(connection: Connection, competition_id: int) -> Iterator[ExportedBot]:
    query = (
        select(BOT_VERSION.c.id, BOT_VERSION.c.name, BOT_VERSION.c.version, OWNER.c.name, ENTRY.c.pinned_version_id)
        .join_from(ENTRY, BOT)
        .join(OWNER)
        .join(BOT_VERSION, BOT_VERSION.c.bot_id == BOT.c.id)
        .where(ENTRY.c.competition_id == competition_id)
        .order_by(ENTRY.c.entered_ms, BOT_VERSION.c.id)
    )
    for version_id, name, version, owner, pinned in connection.execute(query):
        yield ExportedBot(version_id, name, version, owner, pinned == version_id)


def blocks_of(connection: Connection, competition_id: int) -> list[ExportedBlock]:
    """The blocks that are over. What is still being played stays a secret."""
    columns = BLOCK.c["id", "phase", "serial", "game", "options", "rotation", "state", "seed"]
    query = select(*columns).where(BLOCK.c.competition_id == competition_id, BLOCK.c.state != BlockState.OPEN)
    rows = connection.execute(query.order_by(BLOCK.c.phase, BLOCK.c.serial)).all()
    members = _members(connection, competition_id)
    matches = _matches(connection, competition_id)
    return [
        ExportedBlock(
            row.id,
            row.phase,
            row.serial,
            row.game,
            json.loads(row.options),
            row.rotation,
            row.state,
            row.seed,
            members.get(row.id, ()),
            matches.get(row.id, ()),
        )
        for row in rows
    ]


def _members(connection: Connection, competition_id: int) -> dict[str, tuple[int, ...]]:
    query = (
        select(BLOCK_MEMBER.c.block_id, BLOCK_MEMBER.c.version_id)
        .join_from(BLOCK_MEMBER, BLOCK)
        .where(BLOCK.c.competition_id == competition_id)
        .order_by(BLOCK_MEMBER.c.block_id, BLOCK_MEMBER.c.position)
    )
    grouped = groupby(connection.execute(query), attrgetter("block_id"))
    return {block_id: tuple(row.version_id for row in rows) for block_id, rows in grouped}


def _matches(connection: Connection, competition_id: int) -> dict[str, tuple[tuple[str, int], ...]]:
    query = (
        select(MATCH.c.block_id, MATCH.c.id, MATCH.c.rotation)
        .join_from(MATCH, BLOCK)
        .where(BLOCK.c.competition_id == competition_id)
        .order_by(MATCH.c.block_id, MATCH.c.number)
    )
    grouped = groupby(connection.execute(query), attrgetter("block_id"))
    return {block_id: tuple((row.id, row.rotation) for row in rows) for block_id, rows in grouped}


def replay_lines(connection: Connection, competition_id: int) -> Iterator[str]:
    """Every match of the blocks that are over, as a line of `roost-replay/1`, in the order of recording."""
    query = (
        select(REPLAY.c.document)
        .join_from(REPLAY, MATCH)
        .join(BLOCK)
        .where(BLOCK.c.competition_id == competition_id, BLOCK.c.state != BlockState.OPEN)
        .order_by(MATCH.c.number)
        .execution_options(yield_per=CHUNK // 10)
    )
    with connection.execute(query) as rows:
        yield from map(line_of, rows.scalars())


def facts_of(connection: Connection, competition_id: int, phase: str) -> Iterator[MatchFacts]:
    """The matches of a phase that count, in the order of recording."""
    columns = ("version_id", "place", "score", "faults", "forfeited", "decisions", "thinking_ms")
    query = (
        select(MATCH.c.number, MATCH.c.block_id, MATCH.c.game, *MATCH_SEAT.c[columns])
        .join_from(MATCH, BLOCK)
        .join(MATCH_SEAT)
        .where(BLOCK.c.competition_id == competition_id, BLOCK.c.phase == phase)
        .where(BLOCK.c.state == BlockState.DONE, MATCH.c.termination != VOIDED)
        .order_by(MATCH.c.number, MATCH_SEAT.c.seat)
        .execution_options(yield_per=CHUNK)
    )
    with connection.execute(query) as rows:
        for _, seats in groupby(rows, attrgetter("number")):
            by_seat = list(seats)
            version_ids, places, scores, faults, forfeited, decisions, thinking = zip(
                *(seat[3:] for seat in by_seat), strict=True
            )
            yield MatchFacts(
                by_seat[0].block_id,
                by_seat[0].game,
                version_ids,
                places,
                scores,
                faults,
                tuple(map(bool, forfeited)),
                decisions,
                thinking,
            )
