"""From where owners' bots connect, recorded so that shared addresses are seen, and addresses are not.

What is recorded is a keyed hash, the *mark* of an address: equal for equal addresses on one day, and different on the
next. The key of a day is deleted when the next one begins. From then on nobody can find out which address a mark stands
for, not even by trying all of them.
"""

import hmac
import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from itertools import combinations, groupby
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from roost_server.clocks import epoch_ms
from roost_server.store import Store
from roost_server.store.models import ADDRESS_KEY, ADDRESS_MARK, OWNER
from roost_server.store.store import Reading

DAY_MS = 86_400_000
KEPT_DAYS = 90
MARK_LENGTH = 16
MANY = 5
"""An address that more owners than this share in a day is that of a school or a proxy, and connects nobody."""


class SharedAddress(NamedTuple):
    """Two owners whose bots have connected from one address."""

    owners: tuple[str, str]
    days: int
    """On how many days."""


class SharedAddresses(NamedTuple):
    """What is known about the addresses of owners."""

    pairs: list[SharedAddress]
    """Those with the most days first."""
    crowded: int
    """How many marks were left out because more than `MANY` owners have them."""
    on_record: bool
    """Whether anything is on record about addresses."""


def note_address(store: Store, owner_id: int, address: str, now_ms: int | None = None) -> None:
    """A bot of an owner has connected from an address."""
    day = (epoch_ms() if now_ms is None else now_ms) // DAY_MS
    with store.reading() as reading:
        if _is_noted(reading, day, owner_id, address):
            return
    with store.writing() as connection:
        if _key_of(connection, day) is None:
            _begin_day(connection, day)
        if not _is_noted(connection, day, owner_id, address):
            mark = _mark_of(_key_of(connection, day) or "", address)
            connection.execute(insert(ADDRESS_MARK).values(day=day, mark=mark, owner_id=owner_id))


def _is_noted(reading: Reading, day: int, owner_id: int, address: str) -> bool:
    key = _key_of(reading, day)
    if key is None:
        return False
    seen = {"day": day, "mark": _mark_of(key, address), "owner_id": owner_id}
    query = select(ADDRESS_MARK.c.day).where(*(ADDRESS_MARK.c[name] == value for name, value in seen.items()))
    return reading.scalar(query) is not None


def _mark_of(key: str, address: str) -> str:
    return hmac.digest(bytes.fromhex(key), address.encode(), "sha256").hex()[:MARK_LENGTH]


def _key_of(reading: Reading, day: int) -> str | None:
    return reading.scalar(select(ADDRESS_KEY.c.key).where(ADDRESS_KEY.c.day == day))


def _begin_day(connection: Connection, day: int) -> None:
    """Make the key of a day. Those of other days are deleted, and marks that are too old."""
    connection.execute(delete(ADDRESS_KEY))
    connection.execute(delete(ADDRESS_MARK).where(ADDRESS_MARK.c.day <= day - KEPT_DAYS))
    connection.execute(insert(ADDRESS_KEY).values(day=day, key=secrets.token_hex(32)))


def shared_addresses(reading: Reading, owners: Collection[str]) -> SharedAddresses:
    """Which of these owners have shared an address, on days that are not too long ago."""
    by_mark = _owners_by_mark(reading)
    days: Counter[tuple[str, str]] = Counter()
    for _, same_day in groupby(sorted(by_mark.items()), lambda each: each[0][0]):
        paired = [combinations(names, 2) for _, names in same_day if len(names) <= MANY]
        days.update({pair for of_mark in paired for pair in of_mark if set(pair) <= set(owners)})
    most_days_first = sorted(days.items(), key=lambda each: (-each[1], each[0]))
    crowded = sum(len(names) > MANY for names in by_mark.values())
    return SharedAddresses([SharedAddress(*each) for each in most_days_first], crowded, bool(by_mark))


def _owners_by_mark(reading: Reading) -> Mapping[tuple[int, str], list[str]]:
    """By day and mark, who connected from there, in the order of their names."""
    query = select(*ADDRESS_MARK.c["day", "mark"], OWNER.c.name).join_from(ADDRESS_MARK, OWNER)
    found: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for row in reading.execute(query.order_by(OWNER.c.name)):
        found[row.day, row.mark].append(row.name)
    return found
