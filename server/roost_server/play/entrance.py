"""The entrance: which bot says hello, whether it may play here, and what happens when its stream breaks."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence

import structlog

from roost.v1 import play_pb2
from roost_server.accounts.addresses import note_address
from roost_server.accounts.keys import BANNED, Identity
from roost_server.accounts.names import NameRules
from roost_server.accounts.owners import BotRecord, OwnedBots, check_new_version, owners_of_bots
from roost_server.competition import ledger
from roost_server.errors import AlreadyConnectedError, ClosingError, InvalidError, TooMuchError, UnauthenticatedError
from roost_server.play.director import Director
from roost_server.play.lobby import Lobby, check_hello
from roost_server.play.quarantine import Quarantine
from roost_server.play.roster import PinnedRoster
from roost_server.play.session import Session
from roost_server.settings import Settings
from roost_server.store import Store

MOVED = "this bot was given to another owner"
log = structlog.get_logger()


class Entrance:
    """Lets bots into the lobby, and sends them away when their key is revoked."""

    def __init__(
        self, store: Store, settings: Settings, lobby: Lobby, quarantine: Quarantine, directors: Sequence[Director]
    ) -> None:
        self.closed = False
        """Whether the arena lets no more bots in."""
        self.on_attached: Callable[[Session], None] = lambda _: None
        """Called when a session got its stream."""
        self._store = store
        self._settings = settings
        self._lobby = lobby
        self._quarantine = quarantine
        self._directors = directors
        self._revoked: set[int] = set()
        self._replaced: dict[int, Session] = {}
        """By version, the session that has taken over from it."""
        self._owned = OwnedBots({}, {}, frozenset())

    def check_open(self) -> None:
        """Raise `ClosingError` if the arena is shutting down."""
        if self.closed:
            raise ClosingError("the arena is shutting down")

    async def enter(
        self, hello: play_pb2.Hello, identity: Identity | None = None, address: str | None = None
    ) -> Session:
        """A bot says hello, from an address if that is known. Raises `ArenaError` if it cannot come in."""
        self.check_open()
        check_hello(hello)
        if self._settings.bots and hello.name not in self._settings.bots:
            raise InvalidError(f"no bot called {hello.name} is expected here; use the name that the arena gave it")
        self._check_guest(hello, identity)
        bot = await self._bot_of(hello, identity)
        if bot is not None:
            hello.name = bot.name  # a bot that was renamed may use its former name
            await asyncio.to_thread(check_new_version, self._store, bot, hello.version, self._versions_per_hour)
        bot_id = None if bot is None else bot.id
        version_id = await asyncio.to_thread(self._store.register_version, hello.name, hello.version, bot_id=bot_id)
        if bot is not None and address is not None:
            await asyncio.to_thread(note_address, self._store, bot.owner_id, address)
        # Again: others may have come meanwhile, and the host may have ruled.
        self._check_guest(hello, identity)
        if reason := self._unwelcome(bot_id, identity):
            raise UnauthenticatedError(reason)
        self._check_not_replaced(hello, version_id)
        session = self._lobby.enter(hello, version_id, identity, bot_id)
        session.address = address
        if hello.takes_over and not hello.resume_token:
            self._take_over(session)
        session.quarantined = session.name in self._quarantine
        log.info("bot connected", bot=session.name, version=session.version, resumed=bool(hello.resume_token))
        return session

    def _check_not_replaced(self, hello: play_pb2.Hello, version_id: int) -> None:
        """Raise `ArenaError` if another version has taken over from this one, and is here."""
        newer = self._replaced.get(version_id)
        if newer is None or hello.resume_token:
            return
        if hello.takes_over or not newer.connected:
            del self._replaced[version_id]
        else:
            raise AlreadyConnectedError(f"version {newer.version} of {hello.name} has taken over; this one may leave")

    def _take_over(self, session: Session) -> None:
        """Have the other versions of a bot leave, without a lost match."""
        for other in self._lobby.sessions:
            if other is not session and _is_same_bot(other, session) and not self._is_pinned(other):
                log.info("bot replaced", bot=other.name, version=other.version, by=session.version)
                other.be_replaced(session.version)
                self._replaced[other.version_id] = session

    def _is_pinned(self, session: Session) -> bool:
        """Whether finals wait for this very version."""
        rosters = [director.contest.roster for director in self._directors if director.contest is not None]
        return any(isinstance(roster, PinnedRoster) and roster.entitled([session]) for roster in rosters)

    def attach(self, session: Session) -> int:
        """A session got a stream. Returns its number."""
        stream = session.attach()
        self.on_attached(session)
        return stream

    def lost(self, session: Session) -> None:
        """The stream of a session is gone."""
        session.detach()
        if self._lobby.session_of(session.version_id) is not session:
            return  # it was removed at once
        log.info("bot disconnected", bot=session.name, playing=session.playing)
        if session.has_left:
            self._lobby.remove(session)
        else:
            self._lobby.away(session)

    def expel(self, key_ids: Iterable[int]) -> None:
        """Keys were revoked: bots that play with one of them have to go."""
        revoked = set(key_ids)
        self._revoked |= revoked
        for session in self._lobby.sessions:
            if session.identity is not None and session.identity.key_id in revoked:
                session.expel("the key that this bot plays with was revoked")

    async def follow_rulings(self) -> None:
        """The host has ruled. Bots of banned owners and bots that were moved go at once, and forfeit what they play."""
        self._owned = owned = await asyncio.to_thread(owners_of_bots, self._store)
        for session in self._lobby.sessions:
            reason = self._unwelcome(session.bot_id, session.identity)
            if reason:
                session.expel(reason)
                self._lobby.remove(session)
            elif session.bot_id in owned.names:
                session.name = owned.names[session.bot_id]

    def _unwelcome(self, bot_id: int | None, identity: Identity | None) -> str:
        """Why a bot may not play here with this key; empty if it may."""
        if identity is None or identity.owner_id is None:
            return ""
        if identity.owner_id in self._owned.banned:
            return BANNED
        return MOVED if self._owned.owners.get(bot_id, identity.owner_id) != identity.owner_id else ""

    @property
    def _versions_per_hour(self) -> int:
        return max((director.file.entry.versions_per_hour for director in self._directors), default=sys.maxsize)

    @property
    def name_rules(self) -> NameRules:
        """How many names an owner may claim, and which are in use."""
        entries = [director.file.entry for director in self._directors]
        most = max((max(entry.names_per_owner, entry.bots_per_owner) for entry in entries), default=0)
        parts = [director.file.qualification for director in self._directors]
        reserved = frozenset(name for part in parts if part is not None for name in part.opponent)
        return NameRules(most, frozenset(session.name for session in self._lobby.sessions), reserved)

    async def _bot_of(self, hello: play_pb2.Hello, identity: Identity | None) -> BotRecord | None:
        """The bot that a key plays as. It enters the competitions that take entries."""
        if identity is None or identity.owner_id is None:
            return None
        bot, taking = await asyncio.to_thread(
            ledger.claim,
            self._store,
            identity.actor,
            identity.owner_id,
            hello.name,
            [director.competition for director in self._directors],
            self.name_rules,
            bot_id=identity.bot_id,
        )
        for director in self._directors:
            if director.competition.id in taking and bot.id not in director.roster:
                await director.review()
        return bot

    def _check_guest(self, hello: play_pb2.Hello, identity: Identity | None) -> None:
        """Raise `ArenaError` if the key was revoked meanwhile, or its owner has too many bots here."""
        if identity is None:
            return
        if identity.key_id in self._revoked:
            raise UnauthenticatedError("this key was revoked; ask for another one")
        most = max([self._settings.bots_per_owner, *(2 * each.file.entry.bots_per_owner for each in self._directors)])
        if sum(self._is_another(each, hello, identity) for each in self._lobby.sessions) >= most:
            raise TooMuchError(f"{most} of your bots are already connected; disconnect one of them first")

    @staticmethod
    def _is_another(session: Session, hello: play_pb2.Hello, identity: Identity) -> bool:
        """Whether a session is another bot of the same owner."""
        same_owner = session.identity is not None and session.identity.owner_id == identity.owner_id
        return session.connected and same_owner and (session.name, session.version) != (hello.name, hello.version)


def _is_same_bot(one: Session, other: Session) -> bool:
    """Whether two sessions are versions of one bot; without accounts, if they come from the same address."""
    if one.bot_id is not None or other.bot_id is not None:
        return one.bot_id == other.bot_id
    return one.name == other.name and one.address is not None and one.address == other.address
