"""Bots: all of them, and one with its versions, its record, its opponents and its faults."""

from collections.abc import Iterable
from itertools import groupby

from pydantic import BaseModel, Field

from roost.v1 import arena_pb2, records_pb2
from roost_sdk.arena.presence import Presence, presence_of, since_ms
from roost_web.client import ArenaClient
from roost_web.errors import NotThereError
from roost_web.rows.faults import ShownFault, shown_fault
from roost_web.rows.filters import Filter, MatchSearch
from roost_web.rows.matches import ShownMatch, matches
from roost_web.rows.standings import CrossTable, ShownStanding, Standings, cross_table, standings

LATEST_MATCHES = 10
LISTED_FAULTS = 20
MOST_COMPARED = 200
ENOUGH_MATCHES = 4
"""A best or worst opponent has been met this often."""


CURRENT = (Presence.PLAYING, Presence.WAITING, Presence.NO_MATCHES, Presence.QUARANTINED, Presence.NOT_CONNECTED)
"""The states of a bot's current version, the liveliest first."""


class ShownVersion(BaseModel):
    """One version of a bot."""

    version_id: int
    bot: str
    version: str
    owner: str
    presence: Presence
    presence_words: str
    presence_since_ms: int | None
    quarantine_reason: str
    playing: int = Field(description="Matches running now.")
    matches: int
    wins: int
    faults: int
    first_seen_ms: int | None
    last_seen_ms: int | None
    latency_us: int | None
    standing: ShownStanding | None

    @property
    def idle(self) -> bool:
        """Whether there is something to explain."""
        return self.presence not in (Presence.UNKNOWN, Presence.PLAYING)


class ShownBot(BaseModel):
    """A bot in the list: its current version, and how many there are."""

    bot: str
    owner: str
    current: ShownVersion
    versions: int
    matches: int


class Bots(BaseModel):
    """Every bot, the strongest first."""

    rows: list[ShownBot]


async def bots(client: ArenaClient) -> Bots:
    """Every bot."""
    rated = await standings(client, Filter.model_validate({}))
    rows = [_shown_bot(versions) for versions in (await _versions(client, rated)).values()]
    return Bots(rows=sorted(rows, key=_strength))


def _strength(row: ShownBot) -> tuple[float, str]:
    standing = row.current.standing
    return (-standing.rating if standing else 0.0, row.bot)


async def _versions(client: ArenaClient, rated: Standings) -> dict[str, list[ShownVersion]]:
    """By bot, the current version first."""
    by_id = {row.version_id: row for row in rated.rows}
    listed = [_shown_version(each, by_id.get(each.version_id)) for each in (await client.bots()).bots]
    listed.sort(key=lambda row: row.bot)
    return {name: sorted(found, key=_age) for name, found in groupby(listed, key=lambda row: row.bot)}


def _age(row: ShownVersion) -> tuple[int, int]:
    state = CURRENT.index(row.presence) if row.presence in CURRENT else len(CURRENT)
    return state, -(row.first_seen_ms or row.version_id)


def _shown_version(each: arena_pb2.BotVersion, standing: ShownStanding | None) -> ShownVersion:
    presence = presence_of(each)
    return ShownVersion(
        version_id=each.version_id,
        bot=each.name,
        version=each.version,
        owner=each.owner,
        presence=presence,
        presence_words=presence.in_words,
        presence_since_ms=since_ms(each),
        quarantine_reason=each.quarantine_reason,
        playing=each.playing,
        matches=each.matches,
        wins=each.wins,
        faults=each.faults,
        first_seen_ms=each.first_seen_ms or None,
        last_seen_ms=each.last_seen_ms or None,
        latency_us=each.latency_us or None,
        standing=standing,
    )


def _shown_bot(versions: list[ShownVersion]) -> ShownBot:
    return ShownBot(
        bot=versions[0].bot,
        owner=next((row.owner for row in versions if row.owner), ""),
        current=versions[0],
        versions=len(versions),
        matches=sum(row.matches for row in versions),
    )


class SeatRecord(BaseModel):
    """What a bot did in one seat of one kind of table."""

    game: str
    players: int
    seat: int = Field(description="From 0.")
    matches: int
    places: list[int] = Field(description="How often it took each place, from the first.")
    mean_place: float
    mean_score: float
    faults: int
    forfeits: int
    ms_per_decision: float | None


class TableRecord(BaseModel):
    """What a bot did at one kind of table, over all seats."""

    game: str
    players: int
    matches: int
    places: list[int]
    mean_place: float
    mean_score: float
    faults: int
    forfeits: int
    ms_per_decision: float | None
    seats: list[SeatRecord]


class ShownOpponent(BaseModel):
    """A bot against another one, all versions together."""

    bot: str
    matches: int
    share: float = Field(description="The share of matches in which it finished ahead; a tie is half.")
    share_low: float
    share_high: float


class ShownSurprise(BaseModel):
    """An opponent against whom the bot's current version defies the ladder."""

    bot: str
    version: str
    share: float = Field(description="The share of matches in which it finished ahead; a tie is half.")
    expected: float = Field(description="The share that the ratings expect.")


class BotDetails(BaseModel):
    """One bot."""

    bot: str
    owner: str
    versions: list[ShownVersion] = Field(description="The current one first.")
    filter: Filter
    tables: list[TableRecord]
    opponents: list[ShownOpponent] = Field(description="The most matches first.")
    surprises: list[ShownSurprise] = Field(
        description="Where its results differ from the ratings by more than chance explains, all pairs considered."
    )
    faults: list[ShownFault]
    matches: list[ShownMatch] = Field(description="The latest ones.")

    @property
    def current(self) -> ShownVersion:
        """The version that plays now, or played last."""
        return self.versions[0]

    @property
    def met_often(self) -> list[ShownOpponent]:
        """Opponents with enough matches to say something, the best result first."""
        known = [row for row in self.opponents if row.matches >= ENOUGH_MATCHES]
        return sorted(known, key=lambda row: -row.share)


async def bot_details(client: ArenaClient, name: str, wanted: Filter) -> BotDetails:
    """One bot. Raises `NotThereError`."""
    rated = await standings(client, wanted)
    versions = (await _versions(client, rated)).get(name)
    if not versions:
        raise NotThereError(f"There is no bot {name} here.")
    record = await client.bot(records_pb2.GetBotRequest(bot=name, filter=wanted.record()))
    latest = await matches(client, MatchSearch(bot=name, **wanted.model_dump()), LATEST_MATCHES)
    faults = await client.faults(records_pb2.ListFaultsRequest(bot=name, limit=LISTED_FAULTS))
    return BotDetails(
        bot=name,
        owner=next((row.owner for row in versions if row.owner), ""),
        versions=versions,
        filter=wanted,
        tables=_tables(record.seats),
        opponents=[_opponent(each) for each in record.opponents],
        surprises=_surprises(await _table_of(client, wanted, rated, versions[0].version_id), versions[0].version_id),
        faults=[shown_fault(each) for each in faults.faults],
        matches=latest.rows,
    )


async def _table_of(client: ArenaClient, wanted: Filter, rated: Standings, version_id: int) -> CrossTable:
    """The pairs of a version; in a very large field none, because an arena looks at all pairs for them."""
    if len(rated.rows) > MOST_COMPARED:
        return CrossTable(standings=rated, pairs=[])
    return await cross_table(client, wanted, version_id)


def _surprises(table: CrossTable, version_id: int) -> list[ShownSurprise]:
    rows = {row.version_id: row for row in table.standings.rows}
    seen = [pair if pair.version_id == version_id else pair.turned() for pair in table.surprises()]
    return [
        ShownSurprise(bot=other.bot, version=other.version, share=pair.share, expected=pair.expected)
        for pair in seen
        if pair.version_id == version_id and (other := rows.get(pair.opponent_version_id)) is not None
    ]


def _tables(seats: Iterable[records_pb2.SeatRecord]) -> list[TableRecord]:
    ordered = sorted(seats, key=lambda each: (each.game, each.players, each.seat))
    return [_table(list(group)) for _, group in groupby(ordered, key=lambda each: (each.game, each.players))]


def _table(seats: list[records_pb2.SeatRecord]) -> TableRecord:
    total = records_pb2.SeatRecord(game=seats[0].game, players=seats[0].players)
    total.places.extend(map(sum, zip(*(each.places for each in seats), strict=True)))
    for each in seats:
        total.matches += each.matches
        total.score_sum += each.score_sum
        total.faults += each.faults
        total.forfeits += each.forfeits
        total.decisions += each.decisions
        total.thinking_ms += each.thinking_ms
    whole = _seat_record(total).model_dump(exclude={"seat"})
    return TableRecord(**whole, seats=[_seat_record(each) for each in seats])


def _seat_record(each: records_pb2.SeatRecord) -> SeatRecord:
    taken = sum(each.places)
    return SeatRecord(
        game=each.game,
        players=each.players,
        seat=each.seat,
        matches=each.matches,
        places=list(each.places),
        mean_place=sum(place * count for place, count in enumerate(each.places, start=1)) / max(taken, 1),
        mean_score=each.score_sum / max(each.matches, 1),
        faults=each.faults,
        forfeits=each.forfeits,
        ms_per_decision=each.thinking_ms / each.decisions if each.decisions else None,
    )


def _opponent(each: records_pb2.OpponentRecord) -> ShownOpponent:
    return ShownOpponent(
        bot=each.bot,
        matches=each.matches,
        share=each.share,
        share_low=each.share_low,
        share_high=each.share_high,
    )
