"""Owners and their bots."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import Connection, Select, func, insert, select
from sqlalchemy.exc import IntegrityError

from roost_games.errors import UsageError
from roost_sdk.bot import NAME_FORM, NAME_RULE
from roost_server.accounts.audit import note
from roost_server.accounts.looks import INVISIBLE, alike
from roost_server.clocks import epoch_ms
from roost_server.errors import TooMuchError
from roost_server.store import Store
from roost_server.store.measures.rulings import RulingKind, banned
from roost_server.store.models import BOT, BOT_VERSION, OWNER, RULING

HOUR_MS = 3_600_000
OWNER_FORM = re.compile(r"(?=.{1,60}$)[^\W_][\w.@+-]*( [\w.@+-]+)*")
"""Letters of any script: people have real names."""
OWNER_RULE = (
    "an owner's name has 1 to 60 letters, digits and . _ @ + -, begins with a letter or digit, "
    "and has single spaces between words only"
)


class OwnerRecord(NamedTuple):
    """An owner as lists show it."""

    id: int
    name: str
    created_ms: int
    bots: int
    banned: bool


class BotRecord(NamedTuple):
    """A bot under its name, whatever its versions."""

    id: int
    name: str
    owner_id: int
    owner: str
    created_ms: int


class OwnedBots(NamedTuple):
    """Which bots belong to which owner, by the latest rulings of the host."""

    names: dict[int, str]
    """By bot."""
    owners: dict[int | None, int]
    """By bot."""
    banned: frozenset[int]
    """The owners who may not play."""


def owners_of_bots(store: Store) -> OwnedBots:
    """Which bots now belong to which owner, and who is banned."""
    with store.reading() as connection:
        rows = connection.execute(select(*BOT.c["id", "name", "owner_id"])).all()
        out = frozenset(banned(connection))
    return OwnedBots({row.id: row.name for row in rows}, {row.id: row.owner_id for row in rows}, out)


def add_owner(store: Store, name: str, actor: str) -> int:
    """A new owner. Raises `UsageError` if the name is invalid, or looks like that of another owner."""
    with store.writing() as connection:
        return insert_owner(connection, name, actor)


def insert_owner(connection: Connection, name: str, actor: str) -> int:
    """A new owner, in the caller's transaction."""
    usual = normalize("NFKC", name)
    if not OWNER_FORM.fullmatch(usual) or not INVISIBLE.isdisjoint(usual):
        raise UsageError(OWNER_RULE)
    if name != usual:
        raise UsageError(f"the name {name!r} has characters in an unusual form; write {usual!r}")
    if (taken := alike(name, connection.scalars(select(OWNER.c.name)))) is not None:
        raise UsageError(_taken("owner", name, taken))
    connection.execute(insert(OWNER).values(name=name, created_ms=epoch_ms()))
    note(connection, actor, "owner added", owner=name)
    return owner_named(connection, name)


def add_bot(store: Store, owner: str, name: str, actor: str) -> BotRecord:
    """A new bot of an owner. Raises `UsageError` if there is no such owner, or the bot cannot have the name."""
    with store.writing() as connection:
        return insert_bot(connection, owner_named(connection, owner), name, actor)


def insert_bot(connection: Connection, owner_id: int, name: str, actor: str) -> BotRecord:
    """A new bot, in the caller's transaction."""
    check_bot_name(connection, owner_id, name)
    if (renamed := bot_once_named(connection, name)) is not None:
        raise UsageError(f"{name!r} is the former name of {renamed.name}; choose another name")
    try:
        with connection.begin_nested():
            connection.execute(insert(BOT).values(name=name, owner_id=owner_id, created_ms=epoch_ms()))
    except IntegrityError:
        raise UsageError(_taken("bot", name, name)) from None
    note(connection, actor, "bot added", bot=name)
    return bot_named(connection, name)


def check_bot_name(connection: Connection, owner_id: int, name: str) -> None:
    """Raise `UsageError` if a name is invalid, or looks like that of another owner's bot."""
    if not NAME_FORM.fullmatch(name):
        raise UsageError(NAME_RULE)
    others = select(BOT.c.name).where(BOT.c.owner_id != owner_id, BOT.c.name != name)
    if (taken := alike(name, connection.scalars(others))) is not None:
        raise UsageError(_taken("bot", name, taken))


def _taken(what: str, name: str, taken: str) -> str:
    """`taken` is the name that is the same, or looks like it."""
    said = "already exists" if name == taken else f"looks like {taken!r}"
    return f"the {what} {name!r} {said}; choose another name"


def owner_named(connection: Connection, name: str) -> int:
    """The id of an owner. Raises `UsageError` if there is none of this name."""
    found = connection.scalar(select(OWNER.c.id).where(OWNER.c.name == name))
    if found is None:
        raise UsageError(f"there is no owner {name!r}; `roost admin owner list` shows them")
    return int(found)


def bot_named(connection: Connection, name: str) -> BotRecord:
    """A bot. Raises `UsageError` if there is none of this name."""
    found = find_bot(connection, name)
    if found is None:
        raise UsageError(f"there is no bot {name!r}; `roost admin bot list` shows them")
    return found


def find_bot(connection: Connection, name: str) -> BotRecord | None:
    """A bot; `None` if there is none of this name."""
    found = connection.execute(_bots().where(BOT.c.name == name)).one_or_none()
    return None if found is None else BotRecord._make(found)


def bot_numbered(connection: Connection, bot_id: int) -> BotRecord:
    """The bot with this id."""
    return BotRecord._make(connection.execute(_bots().where(BOT.c.id == bot_id)).one())


def bot_once_named(connection: Connection, name: str) -> BotRecord | None:
    """The bot that was renamed from this name, if any."""
    renamed = select(RULING.c.bot_id).where(RULING.c.kind == RulingKind.RENAME, RULING.c.before == name)
    bot_id = connection.scalar(renamed.order_by(RULING.c.id.desc()).limit(1))
    return None if bot_id is None else bot_numbered(connection, bot_id)


def check_new_version(store: Store, bot: BotRecord, version: str, most: int) -> None:
    """Raise `TooMuchError` if a version of a bot is new, and one too many in this hour."""
    of_bot = BOT_VERSION.c.bot_id == bot.id
    new = select(func.count()).where(of_bot, BOT_VERSION.c.first_seen_ms > epoch_ms() - HOUR_MS).scalar_subquery()
    known = select(func.count()).where(of_bot, BOT_VERSION.c.version == version).scalar_subquery()
    with store.reading() as connection:
        is_known, newer = connection.execute(select(known, new)).one()
    if not is_known and newer >= most:
        raise TooMuchError(
            f"{newer} new versions of {bot.name} have connected in the last hour; wait, or connect one of them"
        )


def owners(store: Store) -> Sequence[OwnerRecord]:
    """All owners, in the order in which they were added."""
    count = select(func.count()).select_from(BOT).where(BOT.c.owner_id == OWNER.c.id).scalar_subquery()
    with store.reading() as connection:
        query = select(*OWNER.c["id", "name", "created_ms"], count).order_by(OWNER.c.id)
        out = banned(connection)
        return [OwnerRecord._make([*row, row.id in out]) for row in connection.execute(query)]


def bots(store: Store, *, owner_id: int | None = None) -> Sequence[BotRecord]:
    """All bots, or an owner's, in the order in which they were added."""
    query = _bots().order_by(BOT.c.id)
    if owner_id is not None:
        query = query.where(BOT.c.owner_id == owner_id)
    with store.reading() as connection:
        return [BotRecord._make(row) for row in connection.execute(query)]


def _bots() -> "Select[tuple[Any, ...]]":
    return select(*BOT.c["id", "name", "owner_id"], OWNER.c.name, BOT.c.created_ms).join_from(BOT, OWNER)
