"""A session: a bot process at the arena. It lives on when a stream breaks and the bot connects again."""

import asyncio
import secrets
from collections.abc import Iterable, Iterator

from roost.v1 import play_pb2
from roost_games.replay import Seat
from roost_sdk.wire.fields import bytes_field, key_of
from roost_server.accounts.keys import Identity
from roost_server.clocks import Latency, Pulse
from roost_server.errors import TooMuchError
from roost_server.play.pacing.places import Places
from roost_server.play.pacing.width import Width
from roost_server.play.table import Chair, News, Place, Question
from roost_server.settings import Settings

MOST_DECISIONS_PER_MESSAGE = 512
MOST_WITH_LEGAL_MOVES = 16
"""Messages stay far below the 4 MiB that clients accept by default, even with 1000 legal moves for each decision."""
DECISIONS = key_of(play_pb2.ArenaMessage, "decisions")
OLD_NEWS_SECONDS = 0.005
"""How long a result waits for a decision to share a message with, if the bot plays on: a message of its own would delay
the matches that are being played."""
ANSWERS_AT_ONCE = 32
"""After this many answers of a message, what they led to can be written. Other bots decide while we take the rest."""
FREE_STRIKES = 1000
"""How many useless messages are tolerated. Some are normal: a deadline and an answer may cross on the way."""


class Outgoing:
    """What waits to be written to a bot. While one message is being written, the next one gathers here."""

    def __init__(self) -> None:
        self.news = play_pb2.ArenaMessage()
        """Everything except the questions."""
        self.questions: list[Question] = []
        """Each is encoded when the message is written, with the view of that moment."""
        self.wake = asyncio.Event()

    def what_lasts(self) -> "Outgoing":
        """What must survive a broken stream because it is told only once: how matches ended."""
        lasting = Outgoing()
        lasting.news.ended.extend(self.news.ended)
        lasting.news.reveals.extend(self.news.reveals)
        return lasting


class Session:
    """A bot that plays here. Tables talk to it as their `Player`."""

    def __init__(
        self,
        hello: play_pb2.Hello,
        version_id: int,
        settings: Settings,
        pulse: Pulse,
        identity: Identity | None = None,
        bot_id: int | None = None,
    ) -> None:
        self.name = hello.name
        self.version = hello.version
        self.version_id = version_id
        self.identity = identity
        """Whose key the bot plays with; `None` in an arena without accounts."""
        self.bot_id = bot_id
        self.owner = (identity.owner or "") if identity else ""
        self.since = pulse.read().time
        """When it came, by the event loop's clock."""
        self.quarantined = False
        """Whether it may not play because of its faults."""
        self.expelled = ""
        """Why it has to go, if it has."""
        self.cut_off: set[str] = set()
        """The ids of the matches that it was playing when it had to go. What it misses in them is not its fault."""
        self.replaced_by = ""
        """The version of the same bot that has taken over."""
        self.address: str | None = None
        """From where it has connected, if that is known."""
        self.dismissed = False
        """Whether its stream ends as soon as it has been told everything, because the arena stops."""
        self.no_challenges = hello.no_challenges
        """Whether its author wants it to play no challenges."""
        self.games = frozenset(hello.games)
        self.player_counts = frozenset(hello.player_counts)
        most = min(max(1, hello.max_matches), settings.max_matches_per_bot)
        self.places = Places(Width(most, settings.matches_at_once), self._unended)
        self.wants_legal = hello.wants_legal
        self.wants_events = hello.wants_events
        self.token = secrets.token_urlsafe(18)
        self.connected = False
        self.leaving = False
        self.promised = 0
        """How many matches it still has to play in blocks that have begun."""
        self.outgoing = Outgoing()
        self.stream = 0
        """The number of its newest stream, the only one that counts."""
        self._latency = Latency(settings.latency_cap_ms)
        self.allowance_ms = 0.0
        """The part of its answers' time that is the network's."""
        self.latency_ms = 0.0
        """The round-trip time as last measured."""
        self._pulse = pulse
        self._settings = settings
        self._matches: dict[int, Place] = {}
        """Where it plays, by the number of the match on its stream."""
        self._last_number = 0
        self._over = 0
        """How many of its matches are over and wait for the disk."""
        self.waits = True
        """Whether it has answered since it was last asked, so that it may have nothing to do."""
        self._strikes = 0
        self._useful = 0

    @property
    def playing(self) -> int:
        """How many matches it plays."""
        return self.places.playing

    def _unended(self) -> int:
        """In how many matches it is. A match that is over does not count, even if it is not on record yet.

        But if the disk is slow, at most as many are left out as the bot plays at once.
        """
        return len(self._matches) - min(self._over, self.places.at_once)

    @property
    def plays_on(self) -> bool:
        """Whether it is here and may be given more matches."""
        return self.connected and not (self.leaving or self.quarantined or self.expelled)

    @property
    def has_left(self) -> bool:
        """Whether the bot wants no more matches and has none, neither running nor promised."""
        return self.leaving and not self._matches and not self.promised

    def end_if_left(self) -> None:
        """Let the stream notice that the bot has left."""
        if self.has_left:
            self.outgoing.wake.set()

    def be_replaced(self, version: str) -> None:
        """Another version of the bot takes over. This one plays what it has begun, and is told."""
        self.leaving = True
        self.replaced_by = self.outgoing.news.replaced_by = version
        self.outgoing.wake.set()

    def expel(self, reason: str) -> None:
        """Have its stream end, and say why."""
        self.expelled = reason
        self.cut_off.update(place.table.match_id for place in self._matches.values())
        self.outgoing.wake.set()

    def dismiss(self) -> None:
        """The arena stops: have its stream end when everything is written."""
        self.dismissed = True
        self.outgoing.wake.set()

    def renew(self, identity: Identity | None) -> None:
        """The bot has come back, perhaps with another key."""
        self.identity = identity
        self.expelled = ""

    def plays(self, game: str, players: int) -> bool:
        """Whether it takes seats at such tables."""
        return (not self.games or game in self.games) and (not self.player_counts or players in self.player_counts)

    def attach(self) -> int:
        """The session gets a stream, whose number is returned. Everything that the bot must know is told again."""
        resumed = self.stream > 0
        self.stream += 1
        self.connected = True
        # The writer of the old stream wakes up, and sees that it is over.
        self.outgoing.wake.set()
        self.outgoing = self.outgoing.what_lasts()
        self.outgoing.news.welcome.MergeFrom(
            play_pb2.Welcome(
                resume_token=self.token,
                grace_ms=int(self._settings.grace_seconds * 1000),
                version_id=self.version_id,
                max_matches=self.places.width.most,
                arena="roost",
                max_move_bytes=self._settings.max_move_bytes,
                max_message_bytes=self._settings.max_message_bytes,
                resumed=list(self._matches) if resumed else (),
            )
        )
        self.outgoing.news.replaced_by = self.replaced_by
        for place in self._matches.values():
            self.outgoing.news.started.append(place.start_message())
            question = place.question
            if question is not None:
                self.ask(question)
        self.ping()
        return self.stream

    def detach(self) -> None:
        """The stream is gone."""
        self.connected = False
        self.outgoing = self.outgoing.what_lasts()
        for place in list(self._matches.values()):
            place.lost()

    def ping(self) -> None:
        """Measure the latency again."""
        self.outgoing.news.ping = self._latency.ping(self._pulse.read().time)
        self.outgoing.wake.set()

    def receive(self, message: play_pb2.BotMessage) -> Iterator[None]:
        """Take what the bot sent, pausing after every few answers. Raises `TooMuchError` if too much is useless."""
        now = self._pulse.read()
        if message.pong:
            self._latency.pong(message.pong, now.time)
            self.allowance_ms, self.latency_ms = self._latency.allowance_ms, self._latency.last_ms
        if message.leaving and not self.leaving:
            self.leaving = True
            self.outgoing.wake.set()
        # Slices: iterating over a list of protobuf takes twice the time.
        for number in message.ready[:]:
            place = self._matches.get(number)
            if place is not None and place.ready():
                self._useful += 1
            else:
                self._strike()
        answers = message.answers[:]
        for first in range(0, len(answers), ANSWERS_AT_ONCE):
            for answer in answers[first : first + ANSWERS_AT_ONCE]:
                place = self._matches.get(answer.match)
                if place is not None and place.answer(answer, now):
                    self._useful += 1
                    self.waits = True
                else:
                    self._strike()
            yield

    def _strike(self) -> None:
        """Count something useless. If it is too much, reading on would delay all other bots."""
        self._strikes += 1
        if self._strikes > FREE_STRIKES + self._useful:
            raise TooMuchError("too many answers that nobody asked for")

    def chair(self) -> Chair:
        """A seat for this bot in a new match."""
        self._last_number += 1
        return Chair(self, Seat(self.name, self.version, self.owner), self.places, self._last_number, self.wants_events)

    def ask(self, question: Question) -> None:
        """The bot has to decide."""
        outgoing = self.outgoing
        outgoing.questions.append(question)
        outgoing.wake.set()

    def tell(self, place: Place, news: News) -> None:
        """Something happened in one of its matches. A match that has ended is on record."""
        if isinstance(news, play_pb2.MatchEnded):
            self._forget(news)
        elif isinstance(news, play_pb2.MatchStarted):
            self._matches[news.match] = place
            self.outgoing.news.started.append(news)
            self.outgoing.wake.set()
        else:
            self.outgoing.news.events.append(news)
            self.outgoing.wake.set()

    def note_over(self) -> None:
        """One of its matches is over, so it has room for another. It is told when the match is on record."""
        self._over += 1

    def _forget(self, ended: play_pb2.MatchEnded) -> None:
        if self._matches.pop(ended.match, None) is not None:
            self._over = max(0, self._over - 1)
            self.outgoing.news.ended.append(ended)
            self._write_soon()

    def tell_reveals(self, reveals: Iterable[play_pb2.Reveal]) -> None:
        """Nobody plays the deals of these matches now; these were the deals."""
        self.outgoing.news.reveals.extend(reveals)
        self._write_soon()

    def _write_soon(self) -> None:
        """Have results written: at once, or in a moment if the bot plays on."""
        if self.playing:
            asyncio.get_running_loop().call_later(OLD_NEWS_SECONDS, self.outgoing.wake.set)
        else:
            self.outgoing.wake.set()

    def forfeit_all(self) -> None:
        """The bot will not come back."""
        for place in list(self._matches.values()):
            place.forfeit()

    def next_message(self) -> bytes:
        """Everything that waits, as the bytes of one `roost.v1.ArenaMessage`, to be written at once."""
        outgoing = self.outgoing
        outgoing.wake.clear()
        parts = [outgoing.news.SerializeToString()]
        outgoing.news = play_pb2.ArenaMessage()
        most = MOST_WITH_LEGAL_MOVES if self.wants_legal else MOST_DECISIONS_PER_MESSAGE
        asked, outgoing.questions = outgoing.questions[:most], outgoing.questions[most:]
        if outgoing.questions:
            outgoing.wake.set()
        for question in asked:
            if question.is_open:
                encoded = question.encode(self.latency_ms, with_legal=self.wants_legal)
                parts.append(bytes_field(DECISIONS, encoded))
        self.waits = self.waits and not asked
        now = self._pulse.read()
        for question in asked:
            question.start_clock(now)
        return b"".join(parts)
