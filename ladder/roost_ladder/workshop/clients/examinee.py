"""The client under examination: what it was told, what it says, and what it does wrong."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from time import monotonic
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import DecodeError

from roost.v1 import play_pb2
from roost_games.referee import Fault
from roost_games.registry import GAME_NAMES
from roost_ladder.workshop.clients import requirements as must
from roost_ladder.workshop.clients.hosted import HostedMatch
from roost_ladder.workshop.clients.requirements import Requirement
from roost_ladder.workshop.clients.wire import ClientStream, Door, Loss
from roost_ladder.workshop.findings import Finding
from roost_ladder.workshop.tables import MatchKind
from roost_sdk.bot import NAME_FORM, NAME_RULE, VERSION_FORM, VERSION_RULE
from roost_sdk.wire.fields import bytes_field, number_field

SHORTEST_RETURN = 30.0
"""A client may pause longer and longer before it comes back: it is waited for that many seconds at least."""
LARGEST_MOVE = 4 << 10
LARGEST_MESSAGE = 2 << 10
"""Far less than an arena takes, so that a batch of answers has to be split."""
GRACE_MS = 20_000
MOST_MATCHES = 500
MANY = 100
"""A batch of this size is large: deciding all of it takes longer than anything else."""
UNKNOWN = bytes_field(9001 << 3 | 2, b"from next year") + number_field(9002 << 3, 7)
"""Two fields that no message has."""
OF_FAULTS = {Fault.ILLEGAL: must.MOVE_ILLEGAL, Fault.MALFORMED: must.MOVE_MALFORMED, Fault.CRASHED: must.CRASHED}


class ClientLost(Exception):
    """The client has ended its stream, and the arena has not."""


class Stuck(Exception):
    """The client does not do what it must. That is on record; what is being examined cannot go on."""


class Failure(NamedTuple):
    """When a client first failed to do something, and how often it did."""

    when: str
    more: str
    times: int


class Examinee:
    """A client: the script of the examination talks to it, and everything that it says is checked."""

    def __init__(self, door: Door, patience: float, seed: str) -> None:
        self.door = door
        self.patience = patience
        self.hello = play_pb2.Hello()
        self.failures: dict[Requirement, Failure] = {}
        self.doing = "hello"
        """What is being examined, for its author."""
        self.strange = False
        """Whether everything that it is told has fields that it does not know."""
        self.leaving = False
        self.answered_ms: dict[str, list[float]] = {}
        """By game, how long its answers took, but for those in large batches."""
        self.matches: dict[int, HostedMatch] = {}
        self._seed = seed
        self._stream: ClientStream
        self._token = ""
        self._tokens = count(1)
        self._ids = count(1)
        self._numbers = count(1)
        self._pings = count(1)
        self._pinged: dict[int, float] = {}
        self._dropped: set[int] = set()
        self._batch: Sequence[HostedMatch] = ()
        self._batch_ping = 0
        """The ping that came with it."""
        self._asked_at = 0.0
        self._latency_us = 0

    # What it did wrong.

    def blame(self, requirement: Requirement, more: str = "") -> None:
        """Put on record that it failed to do something."""
        known = self.failures.get(requirement) or Failure(self.doing, more, 0)
        self.failures[requirement] = known._replace(times=known.times + 1)

    def findings(self) -> list[Finding]:
        """Everything that it did wrong."""
        return [requirement.finding(*failure) for requirement, failure in self.failures.items()]

    # Streams.

    @property
    def at_once(self) -> int:
        """How many matches it can be in."""
        return min(self.hello.max_matches or 1, MOST_MATCHES)

    async def arrive(self, seconds: float | None = None) -> play_pb2.Hello:
        """Wait for its next stream, and its hello there. Raises `TimeoutError`, or `ClientLost` before the hello."""
        self._stream = await asyncio.wait_for(self.door.arrivals.get(), seconds)
        if self._stream.has_deadline:
            self.blame(must.DEADLINE)
        async with asyncio.timeout(self.patience):
            message = self._parsed(await self._next())
        self._pinged.clear()
        self._check_hello(message)
        return message.hello

    async def return_(self) -> play_pb2.Hello:
        """Wait until it comes back after its stream has ended. Raises `TimeoutError` or `ClientLost`."""
        return await self.arrive(max(SHORTEST_RETURN, self.patience))

    async def welcome(self, resumed: Sequence[HostedMatch] = (), **more: Any) -> None:
        """Accept it. All matches but those that are resumed are over."""
        self._token = f"token-{next(self._tokens)}"
        self._dropped = {number for number in self.matches if number not in [match.number for match in resumed]}
        self.matches = {match.number: match for match in resumed}
        welcome = play_pb2.Welcome(
            resume_token=self._token,
            grace_ms=GRACE_MS,
            version_id=1,
            max_matches=self.at_once,
            arena="roost try",
            resumed=list(self.matches),
            max_move_bytes=LARGEST_MOVE,
            max_message_bytes=LARGEST_MESSAGE,
        )
        await self.say(welcome=welcome, ping=self._ping(), **more)

    def check_token(self, hello: play_pb2.Hello) -> bool:
        """Whether it came back with its token."""
        if hello.resume_token == self._token:
            return True
        self.blame(must.TOKEN_OLD if hello.resume_token else must.TOKEN_MISSING)
        return False

    def refuse_others(self) -> None:
        """Turn away streams that were opened while its own was open."""
        while not self.door.arrivals.empty() and not self._stream.over.is_set():
            self.door.arrivals.get_nowait().end(
                grpc.StatusCode.ALREADY_EXISTS, "this very version is connected already"
            )
            self.blame(must.SECOND_STREAM)

    async def hear_leaving(self, seconds: float) -> None:
        """Wait until it says that it leaves. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds):
            while not self.leaving:
                self._take(await self._next())

    async def comes_back(self, seconds: float) -> bool:
        """Whether it connects again."""
        try:
            await self.arrive(seconds)
        except (ClientLost, TimeoutError):
            return False
        return True

    def forget(self) -> None:
        """Be an arena that was restarted: no match is known, and numbers begin again."""
        self.matches, self._numbers = {}, count(1)

    def end_stream(self, status: grpc.StatusCode = grpc.StatusCode.OK, text: str = "") -> None:
        """End its stream."""
        self._stream.end(status, text)

    async def say(self, **fields: Any) -> None:
        """Send it an `ArenaMessage` with these fields."""
        message = play_pb2.ArenaMessage(**fields)
        if self.strange:
            add_unknown(message)
        try:
            await asyncio.wait_for(self._stream.send(message.SerializeToString()), self.patience)
        except TimeoutError:
            self.blame(must.UNREAD)
            raise Stuck from None

    async def until(self, done: Callable[[], bool], otherwise: Requirement, more: Callable[[], str] = str) -> None:
        """Hear it until something is done. If it never is, that is its failure; raises `Stuck`."""
        try:
            async with asyncio.timeout(self.patience):
                while not done():
                    self._take(await self._next())
        except TimeoutError:
            self.blame(otherwise, more())
            raise Stuck from None

    # Matches.

    def new_match(self, table: MatchKind) -> HostedMatch:
        """A match for it, which it does not know yet."""
        number, serial = next(self._numbers), next(self._ids)
        match = HostedMatch(number, f"try-{serial}", table, f"{self._seed}:{serial}", self.patience)
        self.matches[number] = match
        return match

    async def start(self, matches: Sequence[HostedMatch]) -> None:
        """Announce matches, all in one message, and wait until it is ready for them."""
        await self.say(started=[match.started() for match in matches])
        await self.await_ready(matches, must.READY_MISSING)

    async def await_ready(self, matches: Sequence[HostedMatch], otherwise: Requirement) -> None:
        """Wait until it is ready."""
        await self.until(lambda: all(match.ready for match in matches), otherwise)

    async def ask(self, matches: Sequence[HostedMatch], *, again: bool = False, ping: bool = False) -> None:
        """Send the decisions of these matches in one message."""
        self._batch = matches
        decisions = [match.ask(self._latency_us, again=again) for match in matches]
        self._asked_at, self._batch_ping = monotonic(), self._ping() if ping else 0
        await self.say(decisions=decisions, ping=self._batch_ping)

    async def await_answers(self, otherwise: Requirement = must.ANSWER_MISSING) -> None:
        """Wait for the answers to what was asked last."""
        await self.until(
            lambda: all(match.answer for match in self._batch),
            otherwise,
            lambda: f"{sum(match.answer is None for match in self._batch)} of {len(self._batch)} in one message",
        )

    def play_answers(self) -> None:
        """Play what it answered."""
        for match in self._batch:
            fault = match.play_answer()
            if fault is not None and match.answer is not None:
                self.blame(_requirement_of(fault, match.answer), f"in {match}: {shown_answer(match.answer)}")

    async def tell_events(self, matches: Sequence[HostedMatch]) -> None:
        """Tell it what was played, if it wants that."""
        if self.hello.wants_events:
            await self.say(events=[event for match in matches for event in match.events()])

    async def end(self, matches: Sequence[HostedMatch]) -> None:
        """Tell it how matches ended; those that are not over are voided."""
        await self.say(ended=[match.ended() for match in matches])

    async def check_alive(self) -> None:
        """Ping it, and wait for the pong."""
        if must.PONG_MISSING not in self.failures:
            await self.say(ping=self._ping())
            await self.until(lambda: not self._pinged, must.PONG_MISSING)

    # What it says.

    def _ping(self) -> int:
        number = next(self._pings)
        self._pinged[number] = monotonic()
        return number

    async def _next(self) -> bytes:
        said = await self._stream.said.get()
        if not isinstance(said, Loss):
            return said
        if said is Loss.HALF_CLOSED:
            self.blame(must.HALF_CLOSED)
            self.end_stream()
        raise ClientLost

    def _parsed(self, data: bytes) -> play_pb2.BotMessage:
        try:
            return play_pb2.BotMessage.FromString(data)
        except DecodeError:
            self.blame(must.NOT_A_MESSAGE)
            return play_pb2.BotMessage()

    def _check_hello(self, message: play_pb2.BotMessage) -> None:
        hello = message.hello
        if not message.HasField("hello"):
            self.blame(must.HELLO_MISSING)
        elif message.ready or message.answers or message.pong or message.leaving:
            self.blame(must.HELLO_NOT_ALONE)
        if wrong := _wrong_in(hello):
            self.blame(must.HELLO_REFUSED, wrong)
        if not hello.games:
            self.blame(must.GAMES_UNNAMED)
        if self.hello.name and (hello.name, hello.version) != (self.hello.name, self.hello.version):
            self.blame(must.HELLO_CHANGED, f"{self.hello.name} {self.hello.version}, then {hello.name} {hello.version}")
        self.hello = hello

    def _take(self, data: bytes) -> None:
        if len(data) > LARGEST_MESSAGE:
            self.blame(must.MESSAGE_TOO_LARGE, f"{len(data)} bytes; at most {LARGEST_MESSAGE} were allowed")
        message = self._parsed(data)
        if message.HasField("hello"):
            self.blame(must.HELLO_AGAIN)
        for number in message.ready:
            self._take_ready(number)
        for answer in message.answers:
            self._take_answer(answer)
        if message.pong:
            self._take_pong(message.pong)
        self.leaving |= message.leaving

    def _take_pong(self, number: int) -> None:
        pinged = self._pinged.pop(number, None)
        if pinged is None:
            self.blame(must.PONG_WRONG, f"pong {number}")
            return
        self._latency_us = round((monotonic() - pinged) * 1e6)
        if number == self._batch_ping and len(self._batch) >= MANY and all(match.answer for match in self._batch):
            self.blame(must.PONG_LATE)

    def _take_ready(self, number: int) -> None:
        if number in self.matches:
            self.matches[number].ready = True
        else:
            self.blame(must.NOT_FORGOTTEN if number in self._dropped else must.READY_UNKNOWN, f"match {number}")

    def _take_answer(self, answer: play_pb2.Answer) -> None:
        match = self.matches.get(answer.match)
        if match is None:
            self.blame(must.NOT_FORGOTTEN if answer.match in self._dropped else must.ANSWER_UNKNOWN)
        elif answer.request not in match.asked:
            self.blame(must.REQUEST_WRONG, f"request {answer.request}; {match.request} was asked")
        elif answer.request == match.request and not match.over:
            self._take_valid(match, answer)

    def _take_valid(self, match: HostedMatch, answer: play_pb2.Answer) -> None:
        if match.answer is not None:
            self.blame(must.ANSWERED_TWICE)
            return
        if (size := answer.move.ByteSize()) > LARGEST_MOVE:
            self.blame(must.MOVE_TOO_LARGE, f"{size} bytes")
        match.answer = answer
        if len(self._batch) < MANY:
            self.answered_ms.setdefault(match.table.game, []).append((monotonic() - self._asked_at) * 1000)


def add_unknown(message: play_pb2.ArenaMessage) -> None:
    """Put fields that nobody knows into a message, and into everything in it."""
    parts: list[Any] = [message, *message.started, *message.decisions, *message.ended, *message.events]
    parts += [started.options for started in message.started] + [started.clock for started in message.started]
    parts += [decision.view for decision in message.decisions] + [ended.result for ended in message.ended]
    if message.HasField("welcome"):
        parts.append(message.welcome)
    for part in parts:
        part.MergeFromString(UNKNOWN)


def shown_answer(answer: play_pb2.Answer) -> str:
    """An answer in one line, as protobuf shows it."""
    return " ".join(str(answer.move).split())[:200] or "no move"


def _wrong_in(hello: play_pb2.Hello) -> str:
    """What every arena would refuse in a hello."""
    if not NAME_FORM.fullmatch(hello.name):
        return f"{NAME_RULE}, unlike {hello.name!r}"
    if not VERSION_FORM.fullmatch(hello.version):
        return f"{VERSION_RULE}, unlike {hello.version!r}"
    unknown = [game for game in hello.games if game not in GAME_NAMES]
    return f"there is no game {unknown[0]!r}; the games are: {', '.join(GAME_NAMES)}" if unknown else ""


def _requirement_of(fault: Fault, answer: play_pb2.Answer) -> Requirement:
    if fault is Fault.MALFORMED and answer.move.WhichOneof("move") is None:
        return must.MOVE_MISSING
    return OF_FAULTS[fault]
