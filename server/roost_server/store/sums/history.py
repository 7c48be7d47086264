"""Ratings of the past: what the standings were at several moments, kept as time goes by."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from roost_server.store.models import RATING_MOMENT, RATING_THEN
from roost_server.store.results import MatchFilter
from roost_server.store.store import Reading

MOST_MOMENTS = 120
"""How many are kept of each history."""
DAY_MS = 24 * 3_600_000
RECENT_MS = DAY_MS + 2 * 3_600_000
"""Moments of this time are thinned out only if they are most: the change in a day is read from them."""
SCOPE = ("game", "players", "competition_id", "phase")
"""The columns by which histories differ, in the order of `MatchFilter`."""


class RatingThen(NamedTuple):
    """A bot's rating at some moment, and its 95 % interval."""

    version_id: int
    rating: float
    low: float
    high: float


class RatedMoment(NamedTuple):
    """The ratings at some moment."""

    at_ms: int
    """When the last match ended that counted then."""
    matches: int
    """How many counted."""
    ratings: tuple[RatingThen, ...]


def latest(reading: Reading) -> dict[MatchFilter, tuple[int, int]]:
    """By history: when its last moment was, and how many matches counted then."""
    columns = RATING_MOMENT.c[(*SCOPE, "at_ms", "matches")]
    query = select(*columns).order_by(*RATING_MOMENT.c["at_ms", "id"])
    return {MatchFilter(*scope): (at_ms, matches) for *scope, at_ms, matches in reading.execute(query)}


def moments(reading: Reading, scope: MatchFilter) -> list[RatedMoment]:
    """The kept moments, the oldest first."""
    return _moments(reading, _of(scope))


def moment_at(reading: Reading, scope: MatchFilter, at_ms: int) -> RatedMoment | None:
    """The last moment that was kept until then; `None` if there is none."""
    last = select(func.max(RATING_MOMENT.c.at_ms)).where(*_of(scope), RATING_MOMENT.c.at_ms <= at_ms)
    found = _moments(reading, [*_of(scope), RATING_MOMENT.c.at_ms == last.scalar_subquery()])
    return found[-1] if found else None


def _of(scope: MatchFilter) -> list[ColumnElement[bool]]:
    return [RATING_MOMENT.c[name].is_not_distinct_from(value) for name, value in zip(SCOPE, scope, strict=False)]


def _moments(reading: Reading, conditions: Iterable[ColumnElement[bool]]) -> list[RatedMoment]:
    columns = (*RATING_MOMENT.c["id", "at_ms", "matches"], *RATING_THEN.c["version_id", "rating", "low", "high"])
    query = select(*columns).join_from(RATING_MOMENT, RATING_THEN).where(*conditions)
    rows = reading.execute(query.order_by(*RATING_MOMENT.c["at_ms", "id"], RATING_THEN.c.version_id))
    return [
        RatedMoment(at_ms, matches, tuple(RatingThen._make(row[3:]) for row in of_moment))
        for (_, at_ms, matches), of_moment in groupby(rows, lambda row: tuple(row[:3]))
    ]


def add(connection: Connection, scope: MatchFilter, moment: RatedMoment) -> None:
    """Keep one more moment of a history. If there are too many, the one that says least goes."""
    values: dict[str, Any] = dict(zip(SCOPE, scope, strict=False))
    new = insert(RATING_MOMENT).values(at_ms=moment.at_ms, matches=moment.matches, **values)
    (moment_id,) = connection.execute(new.returning(RATING_MOMENT.c.id)).one()
    rows = [{"moment_id": moment_id, **each._asdict()} for each in moment.ratings]
    connection.execute(insert(RATING_THEN), rows)
    times = connection.execute(
        select(*RATING_MOMENT.c["id", "at_ms"]).where(*_of(scope)).order_by(*RATING_MOMENT.c["at_ms", "id"])
    ).all()
    if len(times) > MOST_MOMENTS:
        _drop(connection, times[superfluous([at_ms for _, at_ms in times])].id)


def superfluous(times: list[int]) -> int:
    """Which of these moments to drop, by index: one whose neighbours are closest. The first and the last stay."""
    older = sum(at_ms < times[-1] - RECENT_MS for at_ms in times)
    end = older if older > MOST_MOMENTS // 2 else len(times) - 1
    return min(range(1, end), key=lambda index: times[index + 1] - times[index - 1])


def _drop(connection: Connection, moment_id: int) -> None:
    connection.execute(delete(RATING_THEN).where(RATING_THEN.c.moment_id == moment_id))
    connection.execute(delete(RATING_MOMENT).where(RATING_MOMENT.c.id == moment_id))
