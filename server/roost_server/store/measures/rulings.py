"""Rulings on record: what a host decided about owners, bots and matches, in the order in which it was decided.

Two kinds of rulings strike matches, so that these do not count: a match that was voided, and in a competition all
matches of a bot that is disqualified there. Plans of finals are made with what was known at the time, so every question
here can be asked as of a moment.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, CompoundSelect, Connection, and_, false, insert, or_, select, update

from roost_server.store.models import (
    BLOCK,
    BLOCK_SUMS,
    BOT,
    BOT_VERSION,
    ENTRY,
    MATCH,
    MATCH_SEAT,
    RULING,
    SUMS_OPEN_BLOCK,
    SUMS_PROGRESS,
)
from roost_server.store.store import Reading

T = TypeVar("T")


class RulingKind(StrEnum):
    """What was decided."""

    BAN = "ban"
    UNBAN = "unban"
    DISQUALIFY = "disqualify"
    REINSTATE = "reinstate"
    RENAME = "rename"
    MOVE = "move"
    VOID = "void"
    EXTEND = "extend"


class Ruling(NamedTuple):
    """A ruling. Fields that do not apply to it are `None` or empty."""

    at_ms: int
    actor: str
    kind: RulingKind
    subject: str
    """The owner, bot, match or phase that it is about, as it was called then."""
    reason: str
    competition_id: int | None = None
    owner_id: int | None = None
    bot_id: int | None = None
    match_id: str | None = None
    before: str = ""
    """The former name, owner or time."""
    after: str = ""


OPPOSITES = {
    RulingKind.DISQUALIFY: True,
    RulingKind.REINSTATE: False,
    RulingKind.BAN: True,
    RulingKind.UNBAN: False,
}
"""Whether somebody is out after such a ruling."""


def add_ruling(connection: Connection, ruling: Ruling) -> None:
    """Record a ruling. A recorded match that it voids is taken out of the kept sums, which are added up again."""
    connection.execute(insert(RULING).values(**ruling._asdict()))
    if ruling.kind is RulingKind.VOID and _is_recorded(connection, ruling.match_id):
        connection.execute(BLOCK_SUMS.delete())
        connection.execute(SUMS_OPEN_BLOCK.delete())
        again = {"through": 0, "saves": SUMS_PROGRESS.c.saves + 1, "resets": SUMS_PROGRESS.c.resets + 1}
        connection.execute(update(SUMS_PROGRESS).values(**again))


def _is_recorded(connection: Connection, match_id: str | None) -> bool:
    return connection.scalar(select(MATCH.c.number).where(MATCH.c.id == match_id)) is not None


def rulings(reading: Reading, *conditions: ColumnElement[bool], before_ms: int | None = None) -> list[Ruling]:
    """The rulings, the oldest first; with `before_ms` only those made earlier."""
    query = select(*RULING.c[Ruling._fields]).where(*conditions).order_by(RULING.c.id)
    if before_ms is not None:
        query = query.where(RULING.c.at_ms < before_ms)
    return [Ruling._make(row)._replace(kind=RulingKind(row.kind)) for row in reading.execute(query)]


def rulings_about(reading: Reading, competition_id: int) -> list[tuple[Ruling, tuple[int, ...]]]:
    """The rulings that concern a competition or those who have entered it, each with the versions that it is about."""
    query = select(BOT.c.id, BOT.c.owner_id, BOT_VERSION.c.id.label("version_id")).join_from(ENTRY, BOT)
    query = query.join(BOT_VERSION, BOT_VERSION.c.bot_id == BOT.c.id).where(ENTRY.c.competition_id == competition_id)
    entered = reading.execute(query.order_by(BOT_VERSION.c.id)).all()
    found = []
    for ruling in rulings(reading):
        of_owner = ruling.kind in (RulingKind.BAN, RulingKind.UNBAN)
        whom = ruling.owner_id if of_owner else ruling.bot_id
        versions = [each for each in entered if (each.owner_id if of_owner else each.id) == whom]
        here = ruling.competition_id == competition_id
        if (versions and (here or ruling.competition_id is None)) or (here and whom is None):
            found.append((ruling, tuple(each.version_id for each in versions)))
    return found


def disqualified(reading: Reading, before_ms: int | None = None) -> set[tuple[int, int]]:
    """The bots that are disqualified, each as a competition and a bot."""
    kinds = RULING.c.kind.in_([RulingKind.DISQUALIFY, RulingKind.REINSTATE])
    return _out(
        ((each.competition_id or 0, each.bot_id or 0), each) for each in rulings(reading, kinds, before_ms=before_ms)
    )


def banned(reading: Reading, before_ms: int | None = None) -> set[int]:
    """The owners who are banned."""
    kinds = RULING.c.kind.in_([RulingKind.BAN, RulingKind.UNBAN])
    return _out((each.owner_id or 0, each) for each in rulings(reading, kinds, before_ms=before_ms))


def _out(made: Iterable[tuple[T, Ruling]]) -> set[T]:
    latest = {whom: OPPOSITES[ruling.kind] for whom, ruling in made}
    return {whom for whom, out in latest.items() if out}


def bots_out(reading: Reading, competition_id: int, before_ms: int | None = None) -> set[int]:
    """The bots that may not play in a competition: disqualified there, or of a banned owner."""
    of_banned = reading.scalars(select(BOT.c.id).where(BOT.c.owner_id.in_(banned(reading, before_ms))))
    return {bot for competition, bot in disqualified(reading, before_ms) if competition == competition_id}.union(
        of_banned
    )


def extensions(reading: Reading, competition_id: int) -> dict[str, int]:
    """By phase of a competition, when it begins by the last ruling about that, in milliseconds since 1970."""
    made = rulings(reading, RULING.c.kind == RulingKind.EXTEND, RULING.c.competition_id == competition_id)
    return {each.subject: int(each.after) for each in made}


def struck_versions(reading: Reading) -> dict[int, set[int]]:
    """By competition, the versions of the bots that are disqualified there."""
    found: dict[int, set[int]] = {}
    for competition_id, bot_id in disqualified(reading):
        versions = reading.scalars(select(BOT_VERSION.c.id).where(BOT_VERSION.c.bot_id == bot_id))
        found.setdefault(competition_id, set()).update(versions)
    return found


def voided_by_ruling() -> ColumnElement[bool]:
    """Whether a host has voided the match, in SQL."""
    return MATCH.c.id.in_(select(RULING.c.match_id).where(RULING.c.kind == RulingKind.VOID))


def struck_matches(reading: Reading, before_ms: int | None = None) -> "CompoundSelect[Any] | None":
    """The numbers of the matches that do not count because of a ruling, as a query; `None` if all matches count."""
    voids = [each.match_id for each in rulings(reading, RULING.c.kind == RulingKind.VOID, before_ms=before_ms)]
    out = disqualified(reading, before_ms)
    if not voids and not out:
        return None
    of_bots = [and_(BLOCK.c.competition_id == competition, BOT_VERSION.c.bot_id == bot) for competition, bot in out]
    seats = select(MATCH_SEAT.c.match_number).join_from(MATCH_SEAT, MATCH).join(BLOCK).join(BOT_VERSION)
    return select(MATCH.c.number).where(MATCH.c.id.in_(voids)).union(seats.where(or_(false(), *of_bots)))
