"""The tables of accounts: owners, bots, keys, invitations, entries, quarantine and the audit log.

Rows about people are never deleted, so that the record of a competition stays whole: keys are revoked, entries
withdrawn. Of a key or an invitation only the SHA-256 is stored, which is enough to recognise it. They are 256 random
bits that nobody can guess, so a slow password hash would add nothing.
"""

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from roost_server.store.models import CLUSTERED, BaseRow, table_of

__all__ = ["ACCESS_KEY", "AUDIT", "BOT", "ENTRY", "INVITATION", "OWNER", "QUARANTINE", "BaseRow"]


class OwnerRow(BaseRow, table=True):
    """An owner of bots."""

    __tablename__ = "owner"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    created_ms: int = Field(sa_type=BigInteger)


class BotRow(BaseRow, table=True):
    """A bot under its name, whatever its versions."""

    __tablename__ = "bot"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    owner_id: int = Field(foreign_key="owner.id", index=True)
    created_ms: int = Field(sa_type=BigInteger)


class EntryRow(BaseRow, table=True):
    """A bot's entry in a competition."""

    __tablename__ = "entry"
    __table_args__ = (CLUSTERED,)

    competition_id: int = Field(primary_key=True, foreign_key="competition.id")
    bot_id: int = Field(primary_key=True, foreign_key="bot.id")
    entered_ms: int = Field(sa_type=BigInteger)
    withdrawn_ms: int | None = Field(default=None, sa_type=BigInteger)
    pinned_version_id: int | None = Field(default=None, foreign_key="bot_version.id")
    """The version that plays since the freeze; null before it."""


class AccessKeyRow(BaseRow, table=True):
    """A key: for one bot, for all bots of an owner, or for an admin."""

    __tablename__ = "access_key"
    __table_args__ = (
        CheckConstraint("scope IN ('bot', 'owner', 'admin')", "scope"),
        CheckConstraint("(scope = 'bot') = (bot_id IS NOT NULL)", "bot"),
        CheckConstraint("(scope = 'admin') = (owner_id IS NULL)", "owner"),
    )

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """SHA-256 of the key, in hex."""
    prefix: str
    """The first characters of the key, to identify it in lists."""
    scope: str
    owner_id: int | None = Field(default=None, foreign_key="owner.id", index=True)
    bot_id: int | None = Field(default=None, foreign_key="bot.id")
    label: str
    created_ms: int = Field(sa_type=BigInteger)
    expires_ms: int | None = Field(default=None, sa_type=BigInteger)
    revoked_ms: int | None = Field(default=None, sa_type=BigInteger)


class InvitationRow(BaseRow, table=True):
    """Lets people register as owners, `uses_left` more times."""

    __tablename__ = "invitation"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    prefix: str
    label: str
    uses_left: int
    created_ms: int = Field(sa_type=BigInteger)
    expires_ms: int | None = Field(default=None, sa_type=BigInteger)


class QuarantineRow(BaseRow, table=True):
    """A version that may not play because of its faults, until `ended_ms`; null while it lasts."""

    __tablename__ = "quarantine"
    __table_args__ = (UniqueConstraint("version_id", "since_ms"),)

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="bot_version.id")
    since_ms: int = Field(sa_type=BigInteger)
    reason: str
    ended_ms: int | None = Field(default=None, sa_type=BigInteger)


class AuditRow(BaseRow, table=True):
    """A change to accounts or competitions, made with a key or by the arena itself."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "at_ms"),)

    id: int | None = Field(default=None, primary_key=True)
    at_ms: int = Field(sa_type=BigInteger)
    actor: str
    """The key's prefix and label; `clock`; `file` for a competition's file; `command` for a command with `--db`."""
    act: str
    """What, in a word or two: `key revoked`."""
    details: str
    """JSON. No secrets."""


OWNER = table_of("owner")
BOT = table_of("bot")
ENTRY = table_of("entry")
ACCESS_KEY = table_of("access_key")
INVITATION = table_of("invitation")
QUARANTINE = table_of("quarantine")
AUDIT = table_of("audit")
