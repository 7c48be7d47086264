"""The way in: which bot it is that says hello, and whether it may play here."""

import asyncio
from collections.abc import Iterable, Sequence

import structlog

from roost.v1 import play_pb2
from roost_games.errors import UsageError
from roost_server.accounts.keys import Identity
from roost_server.accounts.requests import own_bot
from roost_server.errors import DeniedError, TooMuchError, UnauthenticatedError
from roost_server.play.director import Director
from roost_server.play.lobby import Lobby, check_hello
from roost_server.play.quarantine import Infirmary
from roost_server.play.session import Session
from roost_server.settings import Settings
from roost_server.store import Store

log = structlog.get_logger()


class Entrance:
    """Lets bots into the lobby, and sees them out when their keys end."""

    def __init__(
        self, store: Store, settings: Settings, lobby: Lobby, infirmary: Infirmary, directors: Sequence[Director]
    ) -> None:
        self._store = store
        self._settings = settings
        self._lobby = lobby
        self._infirmary = infirmary
        self._directors = directors
        self._ended_keys: set[int] = set()

    async def enter(self, hello: play_pb2.Hello, identity: Identity | None) -> Session:
        """A bot says hello. Raises `ArenaError` if it cannot come in."""
        check_hello(hello)
        self._check_guest(hello, identity)
        bot_id = await self._bot_of(hello, identity)
        version_id = await asyncio.to_thread(self._store.register_version, hello.name, hello.version, bot_id=bot_id)
        # Once more: others may have come meanwhile.
        self._check_guest(hello, identity)
        session = self._lobby.enter(hello, version_id, identity, bot_id)
        session.quarantined = version_id in self._infirmary
        log.info("bot connected", bot=session.name, version=session.version, resumed=bool(hello.resume_token))
        return session

    def expel(self, key_ids: Iterable[int]) -> None:
        """Keys have been ended: whoever plays with one of them has to go."""
        ended = set(key_ids)
        self._ended_keys |= ended
        for session in self._lobby.sessions:
            if session.identity is not None and session.identity.key_id in ended:
                session.expelled = True
                session.outbox.wake.set()

    async def _bot_of(self, hello: play_pb2.Hello, identity: Identity | None) -> int | None:
        """The bot as which a key plays. It enters the competitions that take bots now."""
        if identity is None or identity.owner_id is None:
            return None
        if identity.bot is not None and identity.bot != hello.name:
            raise DeniedError(f"this key plays as {identity.bot}, not as {hello.name}")
        bot_id, entered = await asyncio.to_thread(self._claim, identity.actor, identity.owner_id, hello.name)
        for director in entered:
            await director.welcome()
        return bot_id

    def _claim(self, actor: str, owner_id: int, name: str) -> tuple[int, list[Director]]:
        """The owner's bot of this name, and the competitions that have it now and did not before.

        Raises `UsageError` if none has the bot, and one would but for the number of its owner's bots. All in one
        transaction: who is refused has not claimed the name.
        """
        refusals: list[UsageError] = []
        taking: list[Director] = []
        with self._store.writing() as connection:
            bot = own_bot(connection, actor, owner_id, name)
            for director in self._directors:
                try:
                    if director.enter_within(connection, bot.id, owner_id):
                        taking.append(director)
                except UsageError as error:
                    refusals.append(error)
            if refusals and not taking:
                raise refusals[0]
        return bot.id, [director for director in taking if bot.id not in director.roster]

    def _check_guest(self, hello: play_pb2.Hello, identity: Identity | None) -> None:
        """Raise `ArenaError` if the key was ended meanwhile, or its owner has enough bots here."""
        if identity is None:
            return
        if identity.key_id in self._ended_keys:
            raise UnauthenticatedError("this key has been ended; ask for another one")
        most = max([self._settings.bots_per_owner, *(2 * each.file.entry.bots_per_owner for each in self._directors)])
        if sum(self._is_another(each, hello, identity) for each in self._lobby.sessions) >= most:
            raise TooMuchError(f"{most} bots of yours are connected already; end one of them first")

    @staticmethod
    def _is_another(session: Session, hello: play_pb2.Hello, identity: Identity) -> bool:
        """Whether it is a bot of the same owner that is here besides the one that says hello."""
        same_owner = session.identity is not None and session.identity.owner_id == identity.owner_id
        return session.connected and same_owner and (session.name, session.version) != (hello.name, hello.version)
