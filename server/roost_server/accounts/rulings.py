"""What a host decides about owners, bots and matches. Each decision is on record as a ruling, and in the audit log.

docs/hosting/operations.md has a table of what each does to ratings and finals. Nothing that was played is deleted:
rulings say what does not count, or who is called what.
"""

from typing import Any

from sqlalchemy import Connection, select, update

from roost_games.errors import UsageError
from roost_games.replay import VOIDED
from roost_server.accounts.audit import note
from roost_server.accounts.owners import BotRecord, bot_named, bot_once_named, check_bot_name, find_bot, owner_named
from roost_server.clocks import epoch_ms
from roost_server.errors import UnknownCompetitionError
from roost_server.store import Store
from roost_server.store.measures.rulings import Ruling, RulingKind, add_ruling, banned, disqualified, rulings
from roost_server.store.models import (
    ACCESS_KEY,
    BLOCK,
    BOT,
    BOT_VERSION,
    COMPETITION,
    ENTRY,
    MATCH,
    RULING,
    CompetitionKind,
)

WORDS = {
    RulingKind.BAN: "owner banned",
    RulingKind.UNBAN: "owner unbanned",
    RulingKind.DISQUALIFY: "bot disqualified",
    RulingKind.REINSTATE: "bot reinstated",
    RulingKind.RENAME: "bot renamed",
    RulingKind.MOVE: "bot moved",
    RulingKind.VOID: "match voided",
    RulingKind.EXTEND: "phase extended",
}
"""What the audit log calls them."""


def record(connection: Connection, actor: str, kind: RulingKind, subject: str, reason: str, **about: Any) -> Ruling:
    """Put a ruling on record."""
    ruling = Ruling(epoch_ms(), actor, kind, subject, reason, **about)
    add_ruling(connection, ruling)
    told = {"subject": subject, "before": ruling.before, "after": ruling.after, "reason": reason}
    if ruling.competition_id is not None:
        named = select(COMPETITION.c.name).where(COMPETITION.c.id == ruling.competition_id)
        told["competition"] = connection.execute(named).scalar_one()
    note(connection, actor, WORDS[kind], **{name: value for name, value in told.items() if value})
    return ruling


def ban_owner(store: Store, owner: str, reason: str, actor: str) -> Ruling:
    """Let nobody in with a key of this owner. Raises `UsageError` if there is no such owner, or they are banned."""
    with store.writing() as connection:
        owner_id = owner_named(connection, owner)
        if owner_id in banned(connection):
            raise UsageError(f"the owner {owner!r} is already banned")
        return record(connection, actor, RulingKind.BAN, owner, reason, owner_id=owner_id)


def unban_owner(store: Store, owner: str, reason: str, actor: str) -> Ruling:
    """Let the owner's keys work again, unless they were revoked or have expired. Raises `UsageError`."""
    with store.writing() as connection:
        owner_id = owner_named(connection, owner)
        if owner_id not in banned(connection):
            raise UsageError(f"the owner {owner!r} is not banned")
        return record(connection, actor, RulingKind.UNBAN, owner, reason, owner_id=owner_id)


def disqualify_bot(store: Store, competition: str, bot: str, reason: str, actor: str) -> Ruling:
    """Strike all matches of a bot in a competition, past and future. Raises `UsageError`."""
    with store.writing() as connection:
        about = _entry_of(connection, competition, bot)
        if (about["competition_id"], about["bot_id"]) in disqualified(connection):
            raise UsageError(f"{bot} is already disqualified in {competition}")
        return record(connection, actor, RulingKind.DISQUALIFY, bot, reason, **about)


def reinstate_bot(store: Store, competition: str, bot: str, reason: str, actor: str) -> Ruling:
    """Undo a disqualification: all matches of the bot count again. Raises `UsageError`."""
    with store.writing() as connection:
        about = _entry_of(connection, competition, bot)
        if (about["competition_id"], about["bot_id"]) not in disqualified(connection):
            raise UsageError(f"{bot} is not disqualified in {competition}")
        return record(connection, actor, RulingKind.REINSTATE, bot, reason, **about)


def _entry_of(connection: Connection, competition: str, bot: str) -> dict[str, int]:
    bot_id = bot_named(connection, bot).id
    entered = (
        select(ENTRY.c.competition_id)
        .join_from(ENTRY, COMPETITION)
        .where(COMPETITION.c.name == competition, COMPETITION.c.kind == CompetitionKind.COMPETITION)
        .where(ENTRY.c.bot_id == bot_id)
    )
    competition_id = connection.scalar(entered)
    if competition_id is None:
        known = connection.scalars(select(COMPETITION.c.name).where(COMPETITION.c.kind == CompetitionKind.COMPETITION))
        if competition not in (names := known.all()):
            raise UnknownCompetitionError(competition, names)
        raise UsageError(f"{bot} has not entered {competition}; `roost competition list` shows the others")
    return {"competition_id": competition_id, "bot_id": bot_id}


def rename_bot(store: Store, bot: str, name: str, reason: str, actor: str) -> Ruling:
    """Give a bot another name, in everything that was and will be played. Nobody else can have the former one.

    Replays are not changed: they keep the former name. Raises `UsageError` if the new name is not available.
    """
    with store.writing() as connection:
        found = bot_named(connection, bot)
        _check_free(connection, found, name)
        connection.execute(update(BOT).where(BOT.c.id == found.id).values(name=name))
        connection.execute(update(BOT_VERSION).where(BOT_VERSION.c.bot_id == found.id).values(name=name))
        about = {"bot_id": found.id, "before": bot, "after": name}
        return record(connection, actor, RulingKind.RENAME, bot, reason, **about)


def _check_free(connection: Connection, bot: BotRecord, name: str) -> None:
    check_bot_name(connection, bot.owner_id, name)
    once = bot_once_named(connection, name)
    others = select(BOT_VERSION.c.id).where(BOT_VERSION.c.name == name, BOT_VERSION.c.bot_id.is_distinct_from(bot.id))
    taken = find_bot(connection, name) is not None or (once is not None and once.id != bot.id)
    if taken or connection.scalar(others.limit(1)) is not None:
        raise UsageError(f"the name {name!r} is or was that of a bot; choose another name")


def move_bot(store: Store, bot: str, owner: str, reason: str, actor: str) -> Ruling:
    """Give a bot to another owner, whatever the number of theirs. The keys for this bot end.

    Raises `UsageError` if the bot is or was frozen for finals: ownership decides who meets there, for good.
    """
    with store.writing() as connection:
        found, owner_id = bot_named(connection, bot), owner_named(connection, owner)
        if found.owner_id == owner_id:
            raise UsageError(f"{bot} already belongs to {owner}")
        if frozen := connection.scalar(_frozen(found.id)):
            raise UsageError(f"{bot} was frozen for {frozen} as a bot of {found.owner}, and stays theirs")
        connection.execute(update(BOT).where(BOT.c.id == found.id).values(owner_id=owner_id))
        of_bot = (ACCESS_KEY.c.bot_id == found.id) & ACCESS_KEY.c.revoked_ms.is_(None)
        connection.execute(update(ACCESS_KEY).where(of_bot).values(revoked_ms=epoch_ms()))
        about = {"bot_id": found.id, "owner_id": owner_id, "before": found.owner, "after": owner}
        return record(connection, actor, RulingKind.MOVE, bot, reason, **about)


def _frozen(bot_id: int) -> Any:
    pinned = (ENTRY.c.bot_id == bot_id) & ENTRY.c.pinned_version_id.is_not(None)
    return select(COMPETITION.c.name).join_from(ENTRY, COMPETITION).where(pinned).limit(1)


def void_match(store: Store, match_id: str, reason: str, actor: str) -> Ruling:
    """Void a match on record. Raises `UsageError` if there is none, or it does not count anyway."""
    with store.writing() as connection:
        row = _match(connection, match_id)
        if row is None:
            raise UsageError(f"there is no match {match_id!r} on record")
        if row.termination == VOIDED:
            raise UsageError(f"the match {match_id} is already void")
        return _void(connection, match_id, row.competition_id, reason, actor)


def void_running_match(store: Store, match_id: str, competition_id: int | None, reason: str, actor: str) -> Ruling:
    """Void a match that was running a moment ago, and may be on record by now. Raises `UsageError`."""
    with store.writing() as connection:
        return _void(connection, match_id, competition_id, reason, actor)


def _void(connection: Connection, match_id: str, competition_id: int | None, reason: str, actor: str) -> Ruling:
    if rulings(connection, RULING.c.kind == RulingKind.VOID, RULING.c.match_id == match_id):
        raise UsageError(f"the match {match_id} is already void")
    about = {"match_id": match_id, "competition_id": competition_id}
    return record(connection, actor, RulingKind.VOID, match_id, reason, **about)


def _match(connection: Connection, match_id: str) -> Any:
    query = select(MATCH.c.termination, BLOCK.c.competition_id).join_from(MATCH, BLOCK).where(MATCH.c.id == match_id)
    return connection.execute(query).one_or_none()
