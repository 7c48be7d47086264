"""Competitions on record: created from a file, resumed after a restart, entered by bots, taken from phase to phase.

Once a match has been played, the rules can hardly change."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from roost_games.chance import commitment_of
from roost_games.errors import UsageError
from roost_ladder.blocks import Deals
from roost_ladder.rating.fit import LATEST, Method
from roost_server.accounts.audit import note
from roost_server.accounts.names import NameRules, claim_name
from roost_server.accounts.owners import BotRecord
from roost_server.accounts.rulings import record
from roost_server.clocks import epoch_ms
from roost_server.competition.changes import changes, check_changes
from roost_server.competition.file import (
    CompetitionFile,
    PhaseName,
    check_new,
    parse_competition,
    takes_entries,
)
from roost_server.competition.file_errors import setting_name
from roost_server.competition.finals import Finalist
from roost_server.competition.forecast import unplayable
from roost_server.competition.phases import ANNOUNCED, CLOCK, PLAYED, extended, pins_versions, put_off
from roost_server.competition.qualification import qualifications
from roost_server.errors import DeniedError, UnknownCompetitionError
from roost_server.store import Store
from roost_server.store.measures.holds import Hold, set_holds
from roost_server.store.measures.rulings import Ruling, RulingKind, add_ruling, bots_out, extensions
from roost_server.store.models import (
    BLOCK,
    BOT,
    BOT_VERSION,
    COMPETITION,
    ENTRY,
    EPOCH,
    MATCH,
    OWNER,
    PHASE_CHANGE,
    CompetitionKind,
)
from roost_server.store.store import Reading

IS_COMPETITION = COMPETITION.c.kind == CompetitionKind.COMPETITION
FILE = "file"
"""The actor of changes to a competition's file."""


class Competition(NamedTuple):
    """A competition on record."""

    id: int
    file: CompetitionFile
    seed: bytes
    """The master seed. Nobody may see it before the competition is done."""
    commitment: str
    phase: str
    document: str
    """The file, as the host wrote it."""
    deals: Deals
    """Whether the matches of a block share a deal."""
    method: Method
    """How its matches are weighed."""


class EnteredBot(NamedTuple):
    """A bot that takes part."""

    bot_id: int
    name: str
    owner: str
    pinned_version_id: int | None


class EntryOnRecord(NamedTuple):
    """The entry of a bot."""

    bot_id: int
    bot: str
    owner: str
    entered_ms: int
    withdrawn: bool
    version_ids: tuple[int, ...]
    """The pinned version, or before the freeze all versions of the bot."""


class EnteredVersion(NamedTuple):
    """A version of a bot that takes part, or has taken part."""

    version_id: int
    name: str
    version: str
    owner: str
    pinned: bool
    """Whether this is the version that plays the finals."""
    withdrawn_ms: int = 0
    """When its bot was withdrawn; 0 if it was not."""


class PlayedElsewhere(NamedTuple):
    """A competition as another arena's export tells it."""

    name: str
    document: str
    seed: str
    """The master seed in hex; empty if it is not known yet."""
    commitment: str
    changes: Sequence[tuple[str, int, str]]
    """Every phase that it entered, when, and by whom."""
    phase: str
    versions: Sequence[EnteredVersion]
    """In the order in which their bots entered."""
    epochs: Sequence[tuple[int, str]] = ()
    """The epochs of its records after the first: when each began, and why."""
    rulings: Sequence[tuple[Ruling, Sequence[int]]] = ()
    """The rulings, each with the versions that it is about."""
    ratings: int = Method.EACH_MATCH.value
    """How its matches are weighed."""


def draw_up(store: Store, file: CompetitionFile, text: str, name: str = "competition") -> Competition:
    """The competition that a file describes: the one on record, or a new one with a new master seed.

    Raises `CompetitionFileError` if it was played by other rules; `name` is the name of the file in messages.
    """
    with store.writing() as connection:
        row = connection.execute(select(COMPETITION).where(COMPETITION.c.name == file.name)).one_or_none()
        deals = _deals_played(connection, row.id) if row else None
        if deals is None:
            check_new(file, text, name)
        if row is None:
            _insert(connection, file, text)
        elif row.document != text:
            recorded = parse_competition(row.document)
            if deals is None:
                found = changes(recorded, file)
            else:
                found = changes(recorded.played_with(deals), file.played_with(deals))
                stuck = not takes_entries(row.phase) and _is_stuck(connection, row.id, recorded)
                check_changes(found, file, row.phase, text, name, stuck=stuck)
            connection.execute(update(COMPETITION).where(COMPETITION.c.id == row.id).values(document=text))
            settings = [setting_name(each.path) for each in found]
            note(connection, FILE, "competition file changed", competition=file.name, settings=settings)
        drawn_up = COMPETITION.c.name == file.name
        connection.execute(update(COMPETITION).where(drawn_up).values(hides_names=file.entry.hide_names))
        set_holds(connection, int(_row(connection, file.name).id), _holds_of(file))
    return find(store, file.name)


def _holds_of(file: CompetitionFile) -> list[Hold]:
    """The results that a file holds back."""
    return [Hold(part.phase.value, milliseconds(part.results_until)) for part in file.phases if part.is_held]


def milliseconds(moment: datetime | None) -> int | None:
    """A time as the records have it, since 1970."""
    return None if moment is None else round(moment.timestamp() * 1000)


def _is_stuck(reading: Reading, competition_id: int, file: CompetitionFile) -> bool:
    """Whether the finals cannot be played with the bots that take part."""
    return bool(unplayable(file, owners_let_in(reading, competition_id, file)))


def owners_let_in(reading: Reading, competition_id: int, file: CompetitionFile) -> list[str]:
    """The owners of the bots that take part now and may play the finals, one for each bot."""
    shown = qualifications(reading, competition_id, file)
    entered = _entrants(reading, competition_id)
    return [each.owner for each in entered if each.bot_id not in shown or shown[each.bot_id].qualified]


def _insert(connection: Connection, file: CompetitionFile, text: str) -> None:
    seed = secrets.token_bytes(32)
    connection.execute(
        insert(COMPETITION).values(
            name=file.name,
            document=text,
            seed=seed.hex(),
            commitment=commitment_of(seed),
            phase=ANNOUNCED,
            created_ms=epoch_ms(),
            ratings=LATEST.value,
        )
    )
    note(connection, FILE, "competition drawn up", competition=file.name, commitment=commitment_of(seed))


def take_over(store: Store, played: PlayedElsewhere) -> int:
    """Record a competition that was played elsewhere in an empty store. Versions keep their ids. Returns its number."""
    with store.writing() as connection:
        row = {each: getattr(played, each) for each in ("name", "document", "seed", "commitment", "phase", "ratings")}
        created_ms = min((at_ms for _, at_ms, _ in played.changes), default=0)
        connection.execute(insert(COMPETITION).values(id=1, created_ms=created_ms, **row))
        for number, (phase, at_ms, actor) in enumerate(played.changes):
            change = {"competition_id": 1, "number": number, "phase": phase, "at_ms": at_ms, "actor": actor}
            connection.execute(insert(PHASE_CHANGE).values(**change))
        for began_ms, cause in played.epochs:
            connection.execute(insert(EPOCH).values(began_ms=began_ms, cause=cause, mark=""))
        _take_over_bots(connection, played.versions)
        _take_over_rulings(connection, played.rulings)
    return 1


def _take_over_rulings(connection: Connection, rulings: Iterable[tuple[Ruling, Sequence[int]]]) -> None:
    """As they were made, about the bots and owners of these versions."""
    query = select(BOT_VERSION.c.id, BOT.c.id.label("bot_id"), BOT.c.owner_id).join_from(BOT_VERSION, BOT)
    whose = {row.id: (row.bot_id, row.owner_id) for row in connection.execute(query)}
    for ruling, versions in rulings:
        bot_id, owner_id = whose.get(next(iter(versions), 0), (None, None))
        about = {"competition_id": 1, "bot_id": bot_id, "owner_id": owner_id}
        add_ruling(connection, ruling._replace(**about))


def _take_over_bots(connection: Connection, versions: Sequence[EnteredVersion]) -> None:
    """When they entered is not known. Their numbers keep the order."""
    owners = {name: number for number, name in enumerate(dict.fromkeys(each.owner for each in versions), 1)}
    bots = {name: number for number, name in enumerate(dict.fromkeys(each.name for each in versions), 1)}
    owner_of = {each.name: owners[each.owner] for each in versions}
    pinned = {each.name: each.version_id for each in versions if each.pinned}
    withdrawn = {each.name: each.withdrawn_ms for each in versions if each.withdrawn_ms}
    for name, number in owners.items():
        connection.execute(insert(OWNER).values(id=number, name=name, created_ms=0))
    for name, number in bots.items():
        connection.execute(insert(BOT).values(id=number, name=name, owner_id=owner_of[name], created_ms=0))
    for each in versions:
        row = {"id": each.version_id, "name": each.name, "version": each.version, "bot_id": bots[each.name]}
        connection.execute(insert(BOT_VERSION).values(**row, first_seen_ms=0))
    for name, number in bots.items():
        entry = {"competition_id": 1, "bot_id": number, "entered_ms": 0, "pinned_version_id": pinned.get(name)}
        connection.execute(insert(ENTRY).values(**entry, withdrawn_ms=withdrawn.get(name)))


def _deals_played(reading: Reading, competition_id: int) -> str | None:
    """How the blocks of a competition are dealt; `None` if none has been planned."""
    return reading.scalar(select(BLOCK.c.deals).where(BLOCK.c.competition_id == competition_id).limit(1))


def find(store: Store, name: str) -> Competition:
    """The competition of this name. Raises `UnknownCompetitionError`."""
    with store.reading() as reading:
        return read(reading, name)


def read(reading: Reading, name: str) -> Competition:
    """The same within a reading."""
    row = _row(reading, name)
    file = extended(parse_competition(row.document, name), extensions(reading, row.id))
    deals = Deals(_deals_played(reading, row.id) or file.deals)
    seed, method = bytes.fromhex(row.seed), Method(row.ratings)
    return Competition(row.id, file, seed, row.commitment, row.phase, row.document, deals, method)


def id_of(store: Store, name: str) -> int:
    """The number of the competition of this name. Raises `UnknownCompetitionError`."""
    with store.reading() as reading:
        return int(_row(reading, name).id)


def _row(reading: Reading, name: str) -> Row[tuple[Any, ...]]:
    row = reading.execute(select(COMPETITION).where(COMPETITION.c.name == name, IS_COMPETITION)).one_or_none()
    if row is None:
        raise UnknownCompetitionError(name, reading.scalars(_names()).all())
    return row


def names(store: Store) -> list[str]:
    """The competitions, the oldest first."""
    with store.reading() as reading:
        return list(reading.scalars(_names()))


def _names() -> "Select[Any]":
    return select(COMPETITION.c.name).where(IS_COMPETITION).order_by(COMPETITION.c.id)


def owner_names(reading: Reading, competition_id: int | None) -> set[str]:
    """The owners who have entered a bot in a competition; without one, all."""
    query = select(OWNER.c.name)
    if competition_id is not None:
        entered = ENTRY.c.competition_id == competition_id
        query = query.join_from(ENTRY, BOT).join(OWNER).where(entered)
    return set(reading.scalars(query))


def current(store: Store) -> str:
    """The competition that is being played; of several, the one whose phase began last.

    If none is, it is the one of the newest match on record. It is empty if that match belongs to no competition.
    """
    with store.reading() as reading:
        return _playing(reading) or _played_last(reading) or ""


def _playing(reading: Reading) -> str | None:
    began = select(func.max(PHASE_CHANGE.c.at_ms)).where(PHASE_CHANGE.c.competition_id == COMPETITION.c.id)
    playing = select(COMPETITION.c.name).where(IS_COMPETITION, COMPETITION.c.phase.in_(PLAYED))
    return reading.scalar(playing.order_by(began.scalar_subquery().desc(), COMPETITION.c.id.desc()).limit(1))


def _played_last(reading: Reading) -> str | None:
    newest = select(func.max(MATCH.c.number)).scalar_subquery()
    played = select(COMPETITION.c.name).join_from(MATCH, BLOCK).join(COMPETITION)
    return reading.scalar(played.where(MATCH.c.number == newest, IS_COMPETITION))


def change_phase(store: Store, competition: Competition, phase: PhaseName, actor: str) -> Competition:
    """Take a competition to a phase. In a phase that settles versions they are pinned."""
    with store.writing() as connection:
        number = connection.scalar(
            select(func.count()).select_from(PHASE_CHANGE).where(PHASE_CHANGE.c.competition_id == competition.id)
        )
        change = {"competition_id": competition.id, "number": number, "phase": phase.value}
        connection.execute(insert(PHASE_CHANGE).values(**change, at_ms=epoch_ms(), actor=actor))
        connection.execute(update(COMPETITION).where(COMPETITION.c.id == competition.id).values(phase=phase.value))
        if pins_versions(phase) and not pins_versions(competition.phase):
            _pin(connection, competition.id)
        note(connection, actor, "phase changed", competition=competition.file.name, phase=phase.value)
    return competition._replace(phase=phase.value)


def extend(store: Store, name: str, by_ms: int, reason: str, actor: str) -> list[Ruling]:
    """Postpone every coming phase that has a time. Raises `UsageError` if there is none."""
    with store.writing() as connection:
        competition = read(connection, name)
        return [
            record(
                connection,
                actor,
                RulingKind.EXTEND,
                phase,
                reason,
                competition_id=competition.id,
                before=str(before),
                after=str(after),
            )
            for phase, (before, after) in put_off(competition.file, competition.phase, by_ms).items()
        ]


def _pin(connection: Connection, competition_id: int) -> None:
    """Pin every bot to the version that connected last. A bot without one is out, and so is one that may not play."""
    newest = (
        select(BOT_VERSION.c.id)
        .where(BOT_VERSION.c.bot_id == ENTRY.c.bot_id)
        .order_by(BOT_VERSION.c.last_seen_ms.desc(), BOT_VERSION.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    taking_part = (ENTRY.c.competition_id == competition_id) & ENTRY.c.withdrawn_ms.is_(None)
    taking_part &= ENTRY.c.bot_id.not_in(bots_out(connection, competition_id))
    connection.execute(update(ENTRY).where(taking_part).values(pinned_version_id=newest))


def enter(store: Store, competition: Competition, bot_id: int, owner_id: int, *, again: bool = False) -> None:
    """Enter a bot. It may be called more than once. Raises `UsageError` if its owner has entered too many.

    A withdrawn bot is entered only with `again`.
    """
    with store.writing() as connection:
        _enter_within(connection, competition, bot_id, owner_id, again=again)


def claim(
    store: Store,
    actor: str,
    owner_id: int,
    name: str,
    competitions: Iterable[Competition],
    names: NameRules,
    *,
    bot_id: int | None = None,
) -> tuple[BotRecord, list[int]]:
    """The owner's bot of this name, claimed if that is free, and the ids of those competitions that it takes part in.

    It enters those that take entries. With `bot_id` it must be this bot. Raises `DeniedError` if it is not, or is of
    another owner. Raises `UsageError` if none has the bot, and one would but for the number of its
    owner's bots. It is all one transaction: an owner who is refused has not claimed the name.
    """
    refusals: list[UsageError] = []
    taking: list[int] = []
    with store.writing() as connection:
        bot = claim_name(connection, actor, owner_id, name, names)
        if bot_id not in (None, bot.id):
            raise DeniedError(f"this key is not for {name}; use the name of its bot, or the key of your account")
        for competition in competitions:
            try:
                if _takes_part(connection, competition, bot.id, owner_id):
                    taking.append(competition.id)
            except UsageError as error:
                refusals.append(error)
        if refusals and not taking:
            raise refusals[0]
    return bot, taking


def _takes_part(connection: Connection, competition: Competition, bot_id: int, owner_id: int) -> bool:
    if takes_entries(competition.phase):
        return _enter_within(connection, competition, bot_id, owner_id)
    mine = (ENTRY.c.competition_id == competition.id) & (ENTRY.c.bot_id == bot_id)
    return connection.scalar(select(ENTRY.c.bot_id).where(mine, ENTRY.c.withdrawn_ms.is_(None))) is not None


def _enter_within(
    connection: Connection, competition: Competition, bot_id: int, owner_id: int, *, again: bool = False
) -> bool:
    """The same in the caller's transaction. Returns whether the bot takes part."""
    most = competition.file.entry.bots_per_owner
    entered = (
        select(ENTRY.c.bot_id)
        .join(BOT)
        .where(ENTRY.c.competition_id == competition.id, BOT.c.owner_id == owner_id, ENTRY.c.withdrawn_ms.is_(None))
    )
    mine = set(connection.scalars(entered))
    if bot_id in bots_out(connection, competition.id):
        raise UsageError(f"the host has ruled this bot out of {competition.file.name}")
    if bot_id in mine:
        return True
    if _was_withdrawn(connection, competition.id, bot_id) and not again:
        return False
    if len(mine) >= most:
        raise UsageError(f"{competition.file.name} accepts {most} of your bots and has {len(mine)}; withdraw one first")
    _enter(connection, competition, bot_id)
    return True


def _was_withdrawn(connection: Connection, competition_id: int, bot_id: int) -> bool:
    mine = (ENTRY.c.competition_id == competition_id) & (ENTRY.c.bot_id == bot_id)
    return connection.scalar(select(ENTRY.c.bot_id).where(mine, ENTRY.c.withdrawn_ms.is_not(None))) is not None


def _enter(connection: Connection, competition: Competition, bot_id: int) -> None:
    mine = (ENTRY.c.competition_id == competition.id) & (ENTRY.c.bot_id == bot_id)
    back = update(ENTRY).where(mine).values(withdrawn_ms=None)
    if not connection.execute(back).rowcount:
        new = {"competition_id": competition.id, "bot_id": bot_id, "entered_ms": epoch_ms()}
        connection.execute(insert(ENTRY).values(**new))
    note(connection, CLOCK, "bot entered", competition=competition.file.name, bot=_name_of(connection, bot_id))


def _name_of(connection: Connection, bot_id: int) -> str | None:
    return connection.scalar(select(BOT.c.name).where(BOT.c.id == bot_id))


def withdraw(store: Store, competition: Competition, bot_id: int, actor: str) -> None:
    """Withdraw a bot. Its matches stay. Raises `UsageError` if it does not take part, or the competition is over."""
    mine = (ENTRY.c.competition_id == competition.id) & (ENTRY.c.bot_id == bot_id) & ENTRY.c.withdrawn_ms.is_(None)
    if competition.phase == PhaseName.DONE:
        raise UsageError(f"{competition.file.name} is over; nobody can withdraw from it")
    with store.writing() as connection:
        if not connection.execute(update(ENTRY).where(mine).values(withdrawn_ms=epoch_ms())).rowcount:
            raise UsageError(f"{_name_of(connection, bot_id)} does not take part in {competition.file.name}")
        note(connection, actor, "bot withdrawn", competition=competition.file.name, bot=_name_of(connection, bot_id))


def entrants(store: Store, competition_id: int) -> list[EnteredBot]:
    """The bots that take part now, in the order in which they entered."""
    with store.reading() as reading:
        return _entrants(reading, competition_id)


def _entrants(reading: Reading, competition_id: int) -> list[EnteredBot]:
    query = (
        select(BOT.c.id, BOT.c.name, OWNER.c.name, ENTRY.c.pinned_version_id)
        .join_from(ENTRY, BOT)
        .join(OWNER)
        .where(ENTRY.c.competition_id == competition_id, ENTRY.c.withdrawn_ms.is_(None))
        .order_by(ENTRY.c.entered_ms, BOT.c.id)
    )
    out = bots_out(reading, competition_id)
    return [EnteredBot._make(row) for row in reading.execute(query) if row.id not in out]


def finalists(reading: Reading, competition_id: int) -> list[Finalist]:
    """The pinned versions that play the finals, in the order in which they entered.

    A bot that was withdrawn or ruled out when the field was settled is not among them; one that is later stays.
    """
    settled_ms = field_settled_ms(reading, competition_id)
    query = (
        select(*ENTRY.c["pinned_version_id", "withdrawn_ms"], OWNER.c.name, BOT.c.id)
        .join_from(ENTRY, BOT)
        .join(OWNER)
        .where(ENTRY.c.competition_id == competition_id, ENTRY.c.pinned_version_id.is_not(None))
        .order_by(ENTRY.c.entered_ms, BOT.c.id)
    )
    out = bots_out(reading, competition_id, settled_ms)
    return [
        Finalist(version_id, owner)
        for version_id, withdrawn_ms, owner, bot_id in map(tuple, reading.execute(query))
        if bot_id not in out and not (withdrawn_ms and (settled_ms is None or withdrawn_ms < settled_ms))
    ]


def field_settled_ms(reading: Reading, competition_id: int) -> int | None:
    """When it was settled who plays the finals: when they began, or the competition ended without them.

    In milliseconds since 1970; `None` if neither has happened.
    """
    settles = (PHASE_CHANGE.c.competition_id == competition_id) & PHASE_CHANGE.c.phase.in_(
        [PhaseName.FINALS, PhaseName.DONE]
    )
    query = select(PHASE_CHANGE.c.at_ms).where(settles).order_by(PHASE_CHANGE.c.number).limit(1)
    return reading.scalar(query)


def pinned_out(store: Store, competition_id: int) -> frozenset[int]:
    """The pinned versions of bots that were withdrawn, or may not play: they forfeit."""
    query = select(*ENTRY.c["bot_id", "withdrawn_ms", "pinned_version_id"])
    pinned = (ENTRY.c.competition_id == competition_id) & ENTRY.c.pinned_version_id.is_not(None)
    with store.reading() as reading:
        out = bots_out(reading, competition_id)
        rows = reading.execute(query.where(pinned)).all()
    return frozenset(row.pinned_version_id for row in rows if row.withdrawn_ms or row.bot_id in out)


def entries(reading: Reading, competition_id: int) -> list[EntryOnRecord]:
    """Every entry, withdrawn ones too, in the order in which the bots entered."""
    query = (
        select(BOT.c.id, BOT.c.name, OWNER.c.name, *ENTRY.c["entered_ms", "withdrawn_ms", "pinned_version_id"])
        .join_from(ENTRY, BOT)
        .join(OWNER)
        .where(ENTRY.c.competition_id == competition_id)
        .order_by(ENTRY.c.entered_ms, BOT.c.id)
    )
    versions = (
        select(*BOT_VERSION.c["bot_id", "id"]).where(BOT_VERSION.c.bot_id.is_not(None)).order_by(BOT_VERSION.c.id)
    )
    by_bot: dict[int, list[int]] = {}
    for bot_id, version_id in reading.execute(versions):
        by_bot.setdefault(bot_id, []).append(version_id)
    return [
        EntryOnRecord(
            id, bot, owner, entered_ms, withdrawn_ms is not None, (pinned,) if pinned else (*by_bot.get(id, ()),)
        )
        for id, bot, owner, entered_ms, withdrawn_ms, pinned in reading.execute(query)
    ]


def entered_versions(reading: Reading, competition_id: int) -> list[EnteredVersion]:
    """Every version of every bot that has entered, withdrawn ones too, in the order in which the bots entered."""
    query = (
        select(*BOT_VERSION.c["id", "name", "version"], OWNER.c.name, *ENTRY.c["pinned_version_id", "withdrawn_ms"])
        .join_from(ENTRY, BOT)
        .join(OWNER)
        .join(BOT_VERSION, BOT_VERSION.c.bot_id == BOT.c.id)
        .where(ENTRY.c.competition_id == competition_id)
        .order_by(ENTRY.c.entered_ms, BOT_VERSION.c.id)
    )
    return [
        EnteredVersion._make([*row, pinned == row[0], withdrawn_ms or 0])
        for *row, pinned, withdrawn_ms in reading.execute(query)
    ]


def phase_changes(reading: Reading, competition_id: int) -> list[tuple[str, datetime, str]]:
    """The phases that a competition has entered, when, and by whom."""
    query = select(*PHASE_CHANGE.c["phase", "at_ms", "actor"]).where(PHASE_CHANGE.c.competition_id == competition_id)
    rows = reading.execute(query.order_by(PHASE_CHANGE.c.number)).all()
    return [(phase, datetime.fromtimestamp(at_ms / 1000, UTC), actor) for phase, at_ms, actor in rows]
