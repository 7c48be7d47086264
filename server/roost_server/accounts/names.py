"""Names of bots: how many an owner may claim, and when a name is free again.

A name is idle if its bot has never played a match, is not pinned in a competition, and has neither been added nor
connected for `IDLE_DAYS`. An idle name does not count for its owner, and another owner may claim it.
"""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, select, update

from roost_games.errors import UsageError
from roost_server.accounts.audit import note
from roost_server.accounts.looks import alike
from roost_server.accounts.owners import BotRecord, bot_numbered, bot_once_named, find_bot, insert_bot
from roost_server.clocks import epoch_ms
from roost_server.errors import DeniedError
from roost_server.store.models import ACCESS_KEY, BOT, BOT_VERSION, ENTRY, MATCH_SEAT

DAY_MS = 86_400_000
IDLE_DAYS = 7


class NameRules(NamedTuple):
    """What an arena allows with names."""

    per_owner: int
    """How many names an owner may claim."""
    in_use: frozenset[str] = frozenset()
    """The names of the bots that are connected. They are not idle."""
    reserved: frozenset[str] = frozenset()
    """Names that only the host gives away: those of opponents in a qualification."""


def claim_name(connection: Connection, actor: str, owner_id: int, name: str, rules: NameRules) -> BotRecord:
    """The owner's bot of this name, or that had it before it was renamed; claimed if the name is free.

    Raises `DeniedError` if it has another owner or is reserved, and `UsageError` if this owner has claimed too many.
    """
    found = find_bot(connection, name) or bot_once_named(connection, name)
    if found is not None and not _is_idle(connection, found, rules):
        if found.owner_id != owner_id:
            raise DeniedError(f"the bot {name} belongs to another owner; choose another name")
        return found
    if alike(name, rules.reserved) is not None:
        raise DeniedError(f"the name {name} is reserved for the opponent in a qualification; choose another name")
    _check_room(connection, owner_id, rules)
    if found is None:
        return insert_bot(connection, owner_id, name, actor)
    if found.owner_id != owner_id:
        _set_free(connection, found, actor)
    connection.execute(update(BOT).where(BOT.c.id == found.id).values(owner_id=owner_id, created_ms=epoch_ms()))
    return bot_numbered(connection, found.id)


def _check_room(connection: Connection, owner_id: int, rules: NameRules) -> None:
    counts = ~_idle() | BOT.c.name.in_(rules.in_use)
    claimed = connection.scalar(select(func.count()).select_from(BOT).where(BOT.c.owner_id == owner_id, counts)) or 0
    if claimed >= rules.per_owner:
        raise UsageError(
            f"you have claimed {claimed} bot names, and this arena allows {rules.per_owner}; "
            "use one of yours, `roost account` lists them"
        )


def _is_idle(connection: Connection, bot: BotRecord, rules: NameRules) -> bool:
    if bot.name in rules.in_use:
        return False
    return connection.scalar(select(BOT.c.id).where(BOT.c.id == bot.id, _idle())) is not None


def _idle() -> ColumnElement[bool]:
    """Whether a name is idle, apart from a bot that has been connected all the time."""
    since = epoch_ms() - IDLE_DAYS * DAY_MS
    own = BOT_VERSION.c.bot_id == BOT.c.id
    return and_(
        BOT.c.created_ms < since,
        ~exists().where(own, func.coalesce(BOT_VERSION.c.last_seen_ms, BOT_VERSION.c.first_seen_ms) >= since),
        ~exists().where(own, MATCH_SEAT.c.version_id == BOT_VERSION.c.id),
        ~exists().where(ENTRY.c.bot_id == BOT.c.id, ENTRY.c.pinned_version_id.is_not(None)),
    )


def _set_free(connection: Connection, bot: BotRecord, actor: str) -> None:
    """Part an idle name from its owner: its keys end, its entries go, and what connected under it is forgotten."""
    of_bot = (ACCESS_KEY.c.bot_id == bot.id) & ACCESS_KEY.c.revoked_ms.is_(None)
    connection.execute(update(ACCESS_KEY).where(of_bot).values(revoked_ms=epoch_ms()))
    connection.execute(delete(ENTRY).where(ENTRY.c.bot_id == bot.id))
    connection.execute(update(BOT_VERSION).where(BOT_VERSION.c.bot_id == bot.id).values(bot_id=None))
    note(connection, actor, "idle name freed", bot=bot.name, owner=bot.owner)
