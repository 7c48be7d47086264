"""The tables, as SQLModel classes. docs/formats/database.md explains them to readers with other programs.

A match is one row of `match`, one of `replay` and one of `match_seat` for each seat, always written together and never
changed. The replay document is the record; the other columns repeat parts of it, so that questions about many matches
can be answered without opening documents. `replay` is a separate table because it holds most of the bytes: if `match`
held the documents, every question about all matches would read them too.

Matches are numbered in the order in which they were committed. Other tables refer to the number: it is small, rising
numbers append to the indexes, and pages are in its order. The id is the name that bots and people use.

Rows about people are never deleted, so that the record of a competition stays whole: keys are revoked, entries
withdrawn. Of a key or an invitation only the SHA-256 is stored, which is enough to recognise it. They are 256 random
bits that nobody can guess, so a slow password hash would add nothing.

The database's schema has a number, `SCHEMA`. A change here needs a migration and a new number
(docs/formats/database.md).
"""

from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, Index, MetaData, Table, UniqueConstraint, false, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

SCHEMA = 15
"""The number of the schema that these classes describe, and of the newest migration."""

NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}
"""The names of constraints. Migrations need names to change them."""

CLUSTERED = {"sqlite_with_rowid": False}
"""SQLite: the rows are stored in the primary key's tree instead of a separate one."""


NUMBERED_BY_US = {"autoincrement": False}
"""The store assigns the numbers, so that they have no gaps and follow the order of the commits."""


class BlockState(StrEnum):
    """The state of a block."""

    OPEN = "open"
    """Its matches are being played."""
    DONE = "done"
    """All its matches are recorded."""
    VOIDED = "voided"
    """Neither the block nor any of its matches counts."""


class Purpose(StrEnum):
    """Why a block is played. Only rated blocks count for ratings and results (`store.results`)."""

    RATED = "rated"
    QUALIFICATION = "qualification"
    """A bot shows that it may take part in a phase of a competition."""
    CHALLENGE = "challenge"
    """An owner has asked for it."""


class CompetitionKind(StrEnum):
    """What a row of `competition` is about."""

    COMPETITION = "competition"
    LADDER = "ladder"
    """A run of a local ladder. Its document is JSON."""


class BaseRow(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMES))):
    """The base of the tables. Its own registry keeps them apart from the SQLModel tables of an embedding program."""


class BotVersionRow(BaseRow, table=True):
    """A version of a bot. It never changes: changed code is another version."""

    __tablename__ = "bot_version"
    __table_args__ = (UniqueConstraint("name", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str
    version: str
    first_seen_ms: int = Field(sa_type=BigInteger)
    bot_id: int | None = Field(default=None, foreign_key="bot.id", index=True)
    """The bot that it is a version of; null where bots play without accounts."""
    last_seen_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When it last connected; null for versions from before this was recorded."""


class CompetitionRow(BaseRow, table=True):
    """What is played under one set of rules from one master seed: a competition, or a run of a local ladder.

    Blocks without a competition were played in an arena without competitions.
    """

    __tablename__ = "competition"
    __table_args__ = (
        CheckConstraint("kind IN ('competition', 'ladder')", "kind"),
        CheckConstraint("ratings > 0", "ratings"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    document: str
    """Its rules as text: a competition file, or the terms of a local run as JSON."""
    seed: str
    """The master seed in hex, from which the seeds of its blocks derive. Secret until the competition is over."""
    commitment: str
    """The commitment to the master seed, published at the beginning."""
    phase: str
    created_ms: int = Field(sa_type=BigInteger)
    kind: str = Field(default=CompetitionKind.COMPETITION, sa_column_kwargs={"server_default": "competition"})
    ratings: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    """How its matches are weighed: a value of `roost_ladder.rating.fit.Method`. It never changes."""
    hides_names: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether bots are not told who their opponents are. Then matches are told when their block is over."""


class PhaseChangeRow(BaseRow, table=True):
    """A competition entered a phase. `number` counts its changes from 0."""

    __tablename__ = "phase_change"
    __table_args__ = (CLUSTERED,)

    competition_id: int = Field(primary_key=True, foreign_key="competition.id")
    number: int = Field(primary_key=True)
    phase: str
    at_ms: int = Field(sa_type=BigInteger)
    actor: str
    """Who did it: an admin's key, or `clock`."""


class EpochRow(BaseRow, table=True):
    """A part of the arena's history without a break. Another one begins when a copy of the records takes their place.

    The one with the greatest `began_ms` is the present one. See `store.copies.epochs`.
    """

    __tablename__ = "epoch"

    began_ms: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=NUMBERED_BY_US)
    """0 for the first epoch."""
    mark: str
    """What is also noted outside the tables, to recognise a copy. It is empty in a copy."""
    cause: str
    """Why it began, in a few words."""


class BlockRow(BaseRow, table=True):
    """One group of bots that play each other under several rotations of the seats."""

    __tablename__ = "block"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'done', 'voided')", "state"),
        CheckConstraint("deals IN ('own', 'duplicate')", "deals"),
        CheckConstraint("purpose IN ('rated', 'qualification', 'challenge')", "purpose"),
        UniqueConstraint("competition_id", "phase", "serial"),
        # Finds the blocks that do not count, which are few.
        Index(
            "ix_block_unrated",
            "purpose",
            sqlite_where=text("purpose <> 'rated'"),
            postgresql_where=text("purpose <> 'rated'"),
        ),
        CLUSTERED,
    )

    id: str = Field(primary_key=True)
    game: str
    options: str
    players: int
    seed: str
    rotation: str
    created_ms: int = Field(sa_type=BigInteger)
    state: str = Field(index=True)
    competition_id: int | None = Field(default=None, foreign_key="competition.id")
    phase: str | None = None
    """The phase of the competition in which it was planned."""
    serial: int | None = None
    """The number of the block within the phase, from 0."""
    deals: str = Field(default="duplicate", sa_column_kwargs={"server_default": "duplicate"})
    """Whether its matches share a deal: a value of `roost_ladder.blocks.Deals`. Until schema 4 they always did."""
    resumed: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often an arena resumed it after a stop. Its matches are then dealt other cards than before."""
    epoch: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """The epoch from which its seed derives, in a competition."""
    purpose: str = Field(default=Purpose.RATED, sa_column_kwargs={"server_default": "rated"})


class BlockMemberRow(BaseRow, table=True):
    """A bot of a block. `position` is its seat in rotation 0."""

    __tablename__ = "block_member"
    __table_args__ = (CLUSTERED,)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    position: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="bot_version.id")


class MatchRow(BaseRow, table=True):
    """A match that is over."""

    __tablename__ = "match"
    __table_args__ = (
        Index(None, "game", "number"),
        Index(None, "players", "number"),
        Index(None, "ended_ms", "number"),
        # A rotation counts once. A voided one may be played again in the same block.
        Index(
            "uq_match_counted_rotation",
            "block_id",
            "rotation",
            unique=True,
            sqlite_where=text("termination <> 'voided'"),
            postgresql_where=text("termination <> 'voided'"),
        ),
    )

    number: int = Field(primary_key=True, sa_column_kwargs=NUMBERED_BY_US)
    id: str = Field(unique=True)
    block_id: str = Field(foreign_key="block.id", index=True)
    rotation: int
    game: str
    options: str
    players: int
    seed: str
    started_ms: int = Field(sa_type=BigInteger)
    ended_ms: int = Field(sa_type=BigInteger)
    termination: str


class MatchSeatRow(BaseRow, table=True):
    """A seat of a match: the bot and its result. `place` and `score` are null if the match was voided."""

    __tablename__ = "match_seat"
    __table_args__ = (
        # Finds a bot's matches, newest first, and has all columns that counting them needs.
        Index(None, "version_id", "match_number", "place", "faults"),
        # Finds matches with faults, which are few.
        Index(
            "ix_match_seat_with_faults",
            "match_number",
            sqlite_where=text("faults > 0"),
            postgresql_where=text("faults > 0"),
        ),
        CLUSTERED,
    )

    match_number: int = Field(primary_key=True, foreign_key="match.number")
    seat: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="bot_version.id")
    place: int | None
    score: int | None
    forfeited: bool
    faults: int
    decisions: int
    thinking_ms: float


class VoidSeatRow(BaseRow, table=True):
    """A seat that was being asked when its match was voided."""

    __tablename__ = "void_seat"
    __table_args__ = (CLUSTERED,)

    match_number: int = Field(primary_key=True, foreign_key="match.number")
    seat: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="bot_version.id")


class ReplayRow(BaseRow, table=True):
    """A match's whole `roost-replay/1` document: JSON in UTF-8, compressed with zlib."""

    __tablename__ = "replay"

    match_number: int = Field(primary_key=True, foreign_key="match.number", sa_column_kwargs=NUMBERED_BY_US)
    document: bytes


class SumsProgressRow(BaseRow, table=True):
    """How far the kept sums go. One row."""

    __tablename__ = "sums_progress"

    id: int = Field(primary_key=True)
    through: int
    """All matches up to this number are in the sums, but for those of voided blocks and of `sums_open_block`."""
    saves: int
    """How often the sums have been saved, so that a writer notices that another one has."""
    resets: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often they were dropped because a match in them was voided, so that a reader loads them again."""


class SumsOpenBlockRow(BaseRow, table=True):
    """A block with matches on record that was open when the sums were saved, and is not in them."""

    __tablename__ = "sums_open_block"
    __table_args__ = (CLUSTERED,)

    block_id: str = Field(primary_key=True, foreign_key="block.id")


class BlockSumsRow(BaseRow, table=True):
    """The sums over all blocks that are done of one group of bots, in one game, competition and phase.

    They can be computed again from the matches at any time.
    """

    __tablename__ = "block_sums"
    __table_args__ = (CheckConstraint("forfeits IN ('none', 'counted', 'ignored')", "forfeits"),)

    id: int = Field(primary_key=True, sa_column_kwargs=NUMBERED_BY_US)
    competition_id: int | None = Field(default=None, foreign_key="competition.id")
    phase: str | None = None
    game: str
    players: int
    forfeits: str
    """Blocks without a forfeited match; with some, which are in the sums; the same blocks without these matches."""
    bots: str
    """The bot versions, ascending, with commas."""
    vector: bytes
    """Numbers of 64 bits, little-endian, as docs/formats/database.md lists them."""


class RatingMomentRow(BaseRow, table=True):
    """Ratings were kept, for the history: of all matches, or of one game, table size, competition and phase."""

    __tablename__ = "rating_moment"
    __table_args__ = (Index(None, "competition_id", "phase", "game", "players", "at_ms"),)

    id: int | None = Field(default=None, primary_key=True)
    competition_id: int | None = Field(default=None, foreign_key="competition.id")
    phase: str | None = None
    game: str | None = None
    players: int | None = None
    at_ms: int = Field(sa_type=BigInteger)
    """When the last match ended that counted then."""
    matches: int
    """How many counted."""


class RatingThenRow(BaseRow, table=True):
    """The rating of a bot version at a moment, and its 95 % interval."""

    __tablename__ = "rating_then"
    __table_args__ = (CLUSTERED,)

    moment_id: int = Field(primary_key=True, foreign_key="rating_moment.id")
    version_id: int = Field(primary_key=True, foreign_key="bot_version.id")
    rating: float
    low: float
    high: float


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
    revoked_ms: int | None = Field(default=None, sa_type=BigInteger)


class AddressKeyRow(BaseRow, table=True):
    """The key of the marks of one day, counted from 1970. There is one row: it is deleted when the next day begins."""

    __tablename__ = "address_key"

    day: int = Field(primary_key=True, sa_column_kwargs=NUMBERED_BY_US)
    key: str
    """In hex."""


class AddressMarkRow(BaseRow, table=True):
    """A bot of an owner has connected on a day from the address with this mark."""

    __tablename__ = "address_mark"
    __table_args__ = (CLUSTERED,)

    day: int = Field(primary_key=True)
    mark: str = Field(primary_key=True)
    """The first characters of the HMAC-SHA256 of the address, in hex."""
    owner_id: int = Field(primary_key=True, foreign_key="owner.id")


class QuarantineRow(BaseRow, table=True):
    """A version that may not play because of its faults, until `ended_ms`; null while it lasts."""

    __tablename__ = "quarantine"
    __table_args__ = (UniqueConstraint("version_id", "since_ms"),)

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="bot_version.id")
    since_ms: int = Field(sa_type=BigInteger)
    reason: str
    ended_ms: int | None = Field(default=None, sa_type=BigInteger)


class ArchiveRow(BaseRow, table=True):
    """A file into which the replays of a phase were moved."""

    __tablename__ = "archive"
    __table_args__ = (UniqueConstraint("competition_id", "phase"),)

    id: int = Field(primary_key=True, sa_column_kwargs=NUMBERED_BY_US)
    competition_id: int = Field(foreign_key="competition.id")
    phase: str
    file: str
    """Its path, from the folder of a SQLite database."""
    sha256: str
    """Of the file, in hex."""
    made_ms: int = Field(sa_type=BigInteger)


class ArchivePartRow(BaseRow, table=True):
    """A part of an archive, compressed by itself, with the matches of the phase between two numbers."""

    __tablename__ = "archive_part"
    __table_args__ = (CLUSTERED,)

    archive_id: int = Field(primary_key=True, foreign_key="archive.id")
    first_number: int = Field(primary_key=True)
    last_number: int
    offset: int = Field(sa_type=BigInteger)
    """Where it begins in the file."""
    bytes: int


class RulingRow(BaseRow, table=True):
    """A decision of the host that affects results, or how they read. Fields that do not apply are null or empty."""

    __tablename__ = "ruling"
    __table_args__ = (
        CheckConstraint(
            "kind IN ('ban', 'unban', 'disqualify', 'reinstate', 'rename', 'move', 'void', 'extend')", "kind"
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    at_ms: int = Field(sa_type=BigInteger)
    actor: str
    """As in the audit log."""
    kind: str
    subject: str
    """The owner, bot, match or phase that it is about, as it was called then."""
    reason: str
    competition_id: int | None = Field(default=None, foreign_key="competition.id")
    owner_id: int | None = Field(default=None, foreign_key="owner.id")
    bot_id: int | None = Field(default=None, foreign_key="bot.id")
    match_id: str | None = None
    """A match that was running then may not be on record yet."""
    before: str
    """The former name, owner or time."""
    after: str


class HoldRow(BaseRow, table=True):
    """The results of a phase are held back. See `store.measures.holds`."""

    __tablename__ = "hold"
    __table_args__ = (CLUSTERED,)

    competition_id: int = Field(primary_key=True, foreign_key="competition.id")
    phase: str = Field(primary_key=True)
    until_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When the clock releases them; null if only the host does."""


class ReleaseRow(BaseRow, table=True):
    """Results that were held back were released. `number` counts the releases of a competition from 0."""

    __tablename__ = "result_release"
    __table_args__ = (CLUSTERED,)

    competition_id: int = Field(primary_key=True, foreign_key="competition.id")
    number: int = Field(primary_key=True)
    phase: str
    before_serial: int | None
    """Those of the blocks with smaller serials were; null: all of the phase."""
    at_ms: int = Field(sa_type=BigInteger)
    actor: str
    """Who did it: an admin's key, or `clock`."""


class SealRow(BaseRow, table=True):
    """A commitment to results that are held back, published while nobody sees them. `number` counts from 0."""

    __tablename__ = "seal"
    __table_args__ = (CLUSTERED,)

    competition_id: int = Field(primary_key=True, foreign_key="competition.id")
    phase: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    at_ms: int = Field(sa_type=BigInteger)
    epoch: int = Field(sa_type=BigInteger)
    digest: str


class SealedBlockRow(BaseRow, table=True):
    """A block whose results are under a seal of its phase."""

    __tablename__ = "sealed_block"
    __table_args__ = (CLUSTERED,)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    seal: int
    """The number of the seal."""
    digest: str


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


def table_of(name: str) -> Table:
    """The table of this name."""
    return BaseRow.metadata.tables[name]


# Statements use the tables directly: plain SQLAlchemy Core, without a session.
BOT_VERSION = table_of("bot_version")
COMPETITION = table_of("competition")
PHASE_CHANGE = table_of("phase_change")
EPOCH = table_of("epoch")
BLOCK = table_of("block")
BLOCK_MEMBER = table_of("block_member")
MATCH = table_of("match")
MATCH_SEAT = table_of("match_seat")
REPLAY = table_of("replay")
ARCHIVE = table_of("archive")
ARCHIVE_PART = table_of("archive_part")
VOID_SEAT = table_of("void_seat")
SUMS_PROGRESS = table_of("sums_progress")
SUMS_OPEN_BLOCK = table_of("sums_open_block")
BLOCK_SUMS = table_of("block_sums")
RATING_MOMENT = table_of("rating_moment")
RATING_THEN = table_of("rating_then")
OWNER = table_of("owner")
BOT = table_of("bot")
ENTRY = table_of("entry")
ACCESS_KEY = table_of("access_key")
INVITATION = table_of("invitation")
ADDRESS_KEY = table_of("address_key")
ADDRESS_MARK = table_of("address_mark")
QUARANTINE = table_of("quarantine")
AUDIT = table_of("audit")
RULING = table_of("ruling")
HOLD = table_of("hold")
RELEASE = table_of("result_release")
SEAL = table_of("seal")
SEALED_BLOCK = table_of("sealed_block")
