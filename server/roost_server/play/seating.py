"""Seats bots at tables, and knows the matches that are being played."""

import asyncio
import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from roost_games.replay import Result, Seat
from roost_server.accounts.rulings import void_match, void_running_match
from roost_server.clocks import Instant, Pulse
from roost_server.errors import DealInPlayError, NotFoundError
from roost_server.play.block import OpenBlock
from roost_server.play.lobby import Lobby
from roost_server.play.pacing.load import Load
from roost_server.play.pacing.places import Places
from roost_server.play.pacing.width import Width
from roost_server.play.session import Session
from roost_server.play.table import Chair, News, Place, Question, Table
from roost_server.settings import Rules, Settings
from roost_server.store import Store, queries
from roost_server.store.measures.rulings import Ruling


class StandIn:
    """A player without a bot behind it. It does nothing, whatever it hears."""

    connected = False
    allowance_ms = 0.0

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def chair(self) -> Chair:
        """Its seat in a match."""
        return Chair(self, self._seat, Places(Width(sys.maxsize)))

    def ask(self, question: Question) -> None:
        """Give no answer."""

    def tell(self, place: Place, news: News) -> None:
        """Ignore it."""


class Absent(StandIn):
    """The player in the seat of a bot that is not here. It forfeits at once."""


@dataclass(slots=True, eq=False)
class RunningMatch:
    """A match of a block that is being played, or recorded."""

    table: Table
    block: OpenBlock
    rotation: int
    end: "asyncio.Future[Result]"


class TableSeating:
    """The matches of an arena. `on_over` is told of every match of a block that is over and has to be recorded."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.pulse = Pulse()
        self.lobby = Lobby(settings, self.pulse)
        self.on_over: Callable[[RunningMatch], None] = lambda _: None
        self._store = store
        self._table = partial(Table, pulse=self.pulse)
        self._loop = asyncio.get_running_loop()
        self._running: dict[str, RunningMatch] = {}
        self.unrecorded: set[Table] = set()
        """Matches that belong to no block: for practice, or on request."""
        self._secret: set[str] = set()
        self.load = Load(settings.most_late)
        self.playing = 0
        """How many matches of blocks are being played. Those that are only being recorded do not count."""
        self._held_up = 0
        """How many of them wait for a bot to get ready, as of the last look."""

    def has_room(self) -> bool:
        """Whether the arena can serve another match."""
        return self.serving < self.load.limit

    @property
    def serving(self) -> int:
        """How many matches the arena has to serve: those that are played, and do not wait for somebody."""
        return self.playing - self._held_up

    @property
    def tables(self) -> list[Table]:
        """Where matches of blocks are being played or recorded."""
        return [running.table for running in self._running.values()]

    def find(self, match_id: str) -> RunningMatch | None:
        """A running match; `None` if it is not running."""
        return self._running.get(match_id)

    def running(self, match_id: str) -> RunningMatch:
        """A running match. Raises `NotFoundError`."""
        found = self.find(match_id)
        if found is None:
            raise NotFoundError(f"no match {match_id} is running")
        return found

    def seat(self, block: OpenBlock, rotation: int) -> None:
        """Start a match of a block. Bots that are not here forfeit it."""
        players = [self._player(version_id, block) for version_id in block.block.seating(rotation)]
        chairs = [player.chair() for player in players]
        table = self._table(
            block.rules,
            chairs,
            match_id=secrets.token_hex(10),
            seed=block.seed_of(rotation),
            settings=block.settings,
            on_end=self._over,
            voidable=block.voidable,
        )
        self._running[table.match_id] = RunningMatch(table, block, rotation, self._loop.create_future())
        self._secret.add(table.match_id)
        self.playing += 1
        _start(table)

    def _player(self, version_id: int, block: OpenBlock) -> Session | Absent:
        """Who takes a seat. A bot that is missing may be in quarantine, and connected; one that is out may be here."""
        session = self.lobby.session_of(version_id)
        missing = version_id in block.missing and session is not None and not session.plays_on
        if session is None or missing or version_id in block.out:
            return Absent(Seat(*queries.name_of(self._store, version_id)))
        return session

    def play_unrecorded(
        self,
        rules: Rules,
        chairs: Sequence[Chair],
        settings: Settings,
        on_end: Callable[[Table], None],
        *,
        match_id: str = "",
        seed: bytes = b"",
    ) -> Table:
        """Start a match that belongs to no block: `on_end` does with it as it likes."""

        def over(table: Table) -> None:
            self.unrecorded.discard(table)
            make_room(table)
            table.tell_ended()
            on_end(table)

        table = self._table(
            rules,
            chairs,
            match_id=match_id or secrets.token_hex(10),
            seed=seed or secrets.token_bytes(32),
            settings=settings,
            on_end=over,
            voidable=False,
        )
        self.unrecorded.add(table)
        _start(table)
        return table

    def _over(self, table: Table) -> None:
        self.playing -= 1
        self.on_over(self._running[table.match_id])

    def remove(self, match: RunningMatch, result: Result) -> None:
        """A match is recorded: everybody may know how it ended."""
        match.table.tell_ended()
        del self._running[match.table.match_id]
        match.end.set_result(result)

    def sweep(self, now: Instant) -> None:
        """Look for seats whose time is up."""
        tables = self.tables
        for table in (*tables, *self.unrecorded):
            table.sweep(now)
        self._held_up = sum(table.gathering.is_held_up for table in tables)

    def void_all(self, reason: str) -> None:
        """End every match; none of them counts."""
        for table in (*self.tables, *self.unrecorded):
            table.void(reason)

    def keep_secret(self, match_ids: Iterable[str]) -> None:
        """The deal of these matches is still being played."""
        self._secret.update(match_ids)

    async def void_by_host(self, match_id: str, reason: str, actor: str) -> Ruling:
        """Have a match not count. One that is running is played again. Raises `UsageError`."""
        running = self.find(match_id)
        if running is None:
            return await asyncio.to_thread(void_match, self._store, match_id, reason, actor)
        plan = running.block.plan
        competition_id = plan.competition_id if plan else None
        ruling = await asyncio.to_thread(void_running_match, self._store, match_id, competition_id, reason, actor)
        running.table.void(f"by the host: {reason}" if reason else "by the host", by_host=True)
        return ruling

    def reveal(self, match_ids: Iterable[str]) -> None:
        """The deal of these matches is no longer secret."""
        self._secret.difference_update(match_ids)

    def check_revealed(self, match_id: str) -> None:
        """Raise `DealInPlayError` if the deal of a match is still being played by others."""
        if match_id in self._secret:
            raise DealInPlayError(match_id)


class RequestedMatch(NamedTuple):
    """A match that somebody wants to have played, outside of all contests."""

    rules: Rules
    bots: tuple[str, ...]
    """By seat, the names under which the bots have come in."""
    seats: tuple[Seat, ...]
    """The same for the record."""
    match_id: str
    seed: bytes


class Requests:
    """Plays matches on request, each as soon as all of its bots have room for it. Nothing of them is recorded here."""

    def __init__(self, seating: TableSeating, settings: Settings) -> None:
        self._seating = seating
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._waiting: list[tuple[RequestedMatch, asyncio.Future[Table]]] = []

    async def play(self, match: RequestedMatch) -> Table:
        """The table of the match, which is over. Bots that are gone forfeit it."""
        over: asyncio.Future[Table] = self._loop.create_future()
        self._waiting.append((match, over))
        self.start_waiting()
        return await over

    def start_waiting(self) -> None:
        """Start every match for which there is room, the oldest first."""
        for waiting in list(self._waiting):
            match, over = waiting
            players = [self._seating.lobby.session_named(name) for name in match.bots]
            if all(player is None or player.places.is_free for player in players):
                self._waiting.remove(waiting)
                self._start(match, players, over)

    def _start(self, match: RequestedMatch, players: Sequence[Session | None], over: "asyncio.Future[Table]") -> None:
        def on_end(table: Table) -> None:
            if not over.done():
                over.set_result(table)
            self._loop.call_soon(self.start_waiting)

        chairs = [
            (player or Absent(seat)).chair()._replace(seat=seat)
            for player, seat in zip(players, match.seats, strict=True)
        ]
        self._seating.play_unrecorded(
            match.rules, chairs, self._settings, on_end, match_id=match.match_id, seed=match.seed
        )


def make_room(table: Table) -> None:
    """A match is over: its bots have room for another one, before they hear how it ended."""
    for player in table.players:
        if isinstance(player, Session):
            player.note_over()


def _start(table: Table) -> None:
    table.start()
    for seat, player in enumerate(table.players):
        if isinstance(player, Absent):
            table.forfeit(seat)
