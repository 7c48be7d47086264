"""The lobby: which bots are here, each with its session."""

from collections.abc import Callable
from functools import partial

from roost.v1 import play_pb2
from roost_games.registry import GAME_NAMES
from roost_sdk.bot import NAME_FORM, NAME_RULE, VERSION_FORM, VERSION_RULE
from roost_server.accounts.keys import Identity
from roost_server.clocks import Pulse, epoch_ms
from roost_server.errors import AlreadyConnectedError, DeniedError, InvalidError
from roost_server.play.session import Session
from roost_server.settings import Settings


def check_hello(hello: play_pb2.Hello) -> None:
    """Raise `InvalidError` if the name, the version or a game in a hello cannot be."""
    if not NAME_FORM.fullmatch(hello.name):
        raise InvalidError(NAME_RULE)
    if not VERSION_FORM.fullmatch(hello.version):
        raise InvalidError(VERSION_RULE)
    for game in hello.games:
        if game not in GAME_NAMES:
            raise InvalidError(f"there is no game {game!r}; the games are: {', '.join(GAME_NAMES)}")


class Lobby:
    """The sessions of an arena."""

    def __init__(self, settings: Settings, pulse: Pulse) -> None:
        self._settings = settings
        self._pulse = pulse
        self.by_version: dict[int, Session] = {}
        """The sessions, including those of bots that lost their connection."""
        self._to_ping = 0.0
        self._pinged_next: list[int] = []
        """Those that have not been pinged in this turn."""
        self._away_since: dict[Session, float] = {}
        self.left_ms: dict[int, int] = {}
        """By version, when it last lost its connection, in milliseconds since 1970."""
        self.on_gone: Callable[[Session], None] = lambda _: None
        """Told about every bot that is gone for good."""
        self.on_room: Callable[[int], None] = lambda _: None
        """Told which version can be given more matches, because it got ready for one, or waits for others."""

    @property
    def sessions(self) -> list[Session]:
        """All sessions, including those of bots that lost their connection."""
        return list(self.by_version.values())

    def session_of(self, version_id: int) -> Session | None:
        """The session of a bot version, if it is here or away for a moment."""
        return self.by_version.get(version_id)

    def session_named(self, name: str) -> Session | None:
        """The session of the bot of this name that came last, if it is here or away for a moment."""
        named = [session for session in self.sessions if session.name == name]
        return max(named, key=lambda session: session.since, default=None)

    def enter(
        self, hello: play_pb2.Hello, version_id: int, identity: Identity | None = None, bot_id: int | None = None
    ) -> Session:
        """The session for a bot that says hello: its old one if it has the token for it, otherwise a new one.

        A bot that comes back without its token has forgotten its matches, so the old session ends. A second process
        of the same version is refused while the first is connected.
        """
        old = self.by_version.get(version_id)
        if hello.resume_token:
            return self._resume(old, hello, identity)
        if old is not None and old.connected:
            raise AlreadyConnectedError(f"{hello.name} (this very version) is already connected; use another name")
        if old is not None:
            self.remove(old)
        session = Session(hello, version_id, self._settings, self._pulse, identity, bot_id)
        session.places.on_room = partial(self._tell_room, version_id)
        self.by_version[version_id] = session
        return session

    def _tell_room(self, version_id: int) -> None:
        self.on_room(version_id)

    def _resume(self, old: Session | None, hello: play_pb2.Hello, identity: Identity | None) -> Session:
        """The old session, from now on with the key of this hello, which may be a new one."""
        if old is None or old.token != hello.resume_token:
            raise DeniedError("there is no session with this resume token for this bot; connect without one")
        self._away_since.pop(old, None)
        old.renew(identity)
        return old

    def ping(self, share: float) -> None:
        """Measure the latency of some bots again: of this share, in turn. All at once would hold up the arena."""
        self._to_ping += min(1.0, share) * len(self.by_version)
        for _ in range(int(self._to_ping)):
            self._to_ping -= 1
            session = self.by_version.get(self._next_to_ping())
            if session is not None and session.connected:
                session.ping()

    def _next_to_ping(self) -> int:
        if not self._pinged_next:
            self._pinged_next = list(self.by_version)
        return self._pinged_next.pop()

    def away(self, session: Session) -> None:
        """The bot lost its connection."""
        self._away_since[session] = self._pulse.read().time
        self.left_ms[session.version_id] = epoch_ms()

    def remove(self, session: Session) -> None:
        """The bot is gone for good: it forfeits what it was playing."""
        if self._away_since.pop(session, None) is None:
            self.left_ms[session.version_id] = epoch_ms()
        if self.by_version.get(session.version_id) is session:
            del self.by_version[session.version_id]
        session.forfeit_all()
        self.on_gone(session)

    def sweep(self) -> None:
        """Remove the bots that stayed away for too long."""
        too_long_ago = self._pulse.read().time - self._settings.grace_seconds
        for session in [session for session, since in self._away_since.items() if since < too_long_ago]:
            self.remove(session)
