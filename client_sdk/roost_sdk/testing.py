"""A wire without sockets, to test a bot or the SDK itself.

The quick way is a whole match in which your bot has every seat. Everything passes through the messages that an arena
would send and get:

    replay = play_scripted(MyBot, "karteneck", players=3)
    assert not replay.result.faults

For anything finer, be the arena yourself: a `ScriptedLink` takes what you `say` to the client and gives you what you
`heard` from it, and a `ScriptedMatch` makes the messages of a real match.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

from roost.v1 import play_pb2
from roost_games.chance import seed_of
from roost_games.errors import MalformedMove, RoostError
from roost_games.referee import STANDARD_CLOCK, Clock, Fault, Played, Referee, Seat
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import LinkLost, Refused
from roost_sdk.bot import Bot
from roost_sdk.clock import TimeLeft
from roost_sdk.wire import codec_for, result_to_wire

PATIENCE = 60.0
"""How many seconds a test waits for a bot to say something."""
UNTIMED = Clock(decision_ms=float("inf"), bank_ms=0.0)


class ScriptedLink:
    """A `Link` whose other end is a test. `open` is what `Client.run` wants.

    `hold` stops what the client sends halfway, as a slow network does, until `release`.
    """

    def __init__(self) -> None:
        self.closed = False
        self.sending = False
        """Whether the client is in the middle of sending a message."""
        self._to_client: asyncio.Queue[play_pb2.ArenaMessage | RoostError | None] = asyncio.Queue()
        self._from_client: asyncio.Queue[play_pb2.BotMessage] = asyncio.Queue()
        self._free = asyncio.Event()
        self._free.set()
        self._broken: RoostError | None = None

    async def open(self) -> "ScriptedLink":
        """The link itself."""
        return self

    async def send(self, message: play_pb2.BotMessage) -> None:
        self.sending = True
        await self._free.wait()
        self.sending = False
        if self._broken is not None:
            raise self._broken
        self._from_client.put_nowait(message)

    async def __aiter__(self) -> AsyncIterator[play_pb2.ArenaMessage]:
        while (item := await self._to_client.get()) is not None:
            if isinstance(item, RoostError):
                raise item
            yield item

    async def close(self) -> None:
        self.closed = True

    def say(self, **fields: Any) -> None:
        """Send an `ArenaMessage` with these fields to the client: `say(ping=1)`, `say(decisions=[...])`."""
        self._to_client.put_nowait(play_pb2.ArenaMessage(**fields))

    def welcome(self, token: str = "", resumed: Iterable[int] = ()) -> None:
        """Say welcome, with a token to come back with; `resumed` are the numbers of the matches that go on."""
        self.say(welcome=play_pb2.Welcome(resume_token=token, resumed=resumed))

    async def heard(self) -> play_pb2.BotMessage:
        """The next message of the client. Raises `TimeoutError` if none comes for a minute."""
        async with asyncio.timeout(PATIENCE):
            return await self._from_client.get()

    def heard_nothing_else(self) -> bool:
        """Whether every message of the client was looked at."""
        return self._from_client.empty()

    def hold(self) -> None:
        """Let nothing through that the client sends."""
        self._free.clear()

    def release(self) -> None:
        """Let everything through again."""
        self._free.set()

    def end(self) -> None:
        """End the stream normally, as an arena does after a bot has left."""
        self._to_client.put_nowait(None)

    def lose(self) -> None:
        """Let the connection break."""
        self._fail(LinkLost("the scripted connection broke"))

    def refuse(self, message: str, status: str = "INVALID_ARGUMENT") -> None:
        """End the stream with this gRPC status, as an arena does that does not want the bot."""
        self._fail(Refused(message, status))

    def _fail(self, error: RoostError) -> None:
        self._broken = error
        self._to_client.put_nowait(error)


class ScriptedMatch:
    """A real match, for the arena's side of a test: makes its messages, and takes answers.

    `match` is always the number of the match on the link. Time is not measured: every decision has the usual clock.
    """

    def __init__(self, game: str, players: int, seed: str = "scripted", options: Any = None) -> None:
        """The seed may be any text; `options` are those of the game, by default the usual ones."""
        self.game = get_game(game)
        self.options = self.game.options({}) if options is None else options
        self.players = players
        self.seed = seed_of(seed)
        self.played: list[Played] = []
        """Every move so far."""
        self._codec = codec_for(game).for_match(self.options)
        seats = [Seat(f"bot{seat}") for seat in range(players)]
        self.referee: Referee[Any, Any] = Referee(
            self.game, seats, self.seed, options=self.options, clock=UNTIMED, match="scripted", listener=self._hear
        )

    def _hear(self, notice: object) -> None:
        if isinstance(notice, Played):
            self.played.append(notice)

    def started(self, seat: int, match: int = 1) -> play_pb2.MatchStarted:
        """What the bot at `seat` is told first."""
        message = play_pb2.MatchStarted(
            match=match,
            match_id=f"scripted-{match}",
            game=self.game.name,
            players=self.players,
            seat=seat,
            bots=[f"bot{seat}" for seat in range(self.players)],
            commitment=hashlib.sha256(self.seed).digest(),
            max_faults=3,
        )
        codec_for(self.game.name).options_to_wire(self.options, message.options)
        return message

    def decision(self, seat: int, match: int = 1) -> play_pb2.Decision:
        """What the bot at `seat` is asked now; `seat` is one of `referee.waiting`."""
        time_ms, bank_ms = map(int, TimeLeft.of(STANDARD_CLOCK)[:2])
        request = self.referee.decision + 1
        message = play_pb2.Decision(match=match, request=request, time_left_ms=time_ms, bank_left_ms=bank_ms)
        self._codec.view_to_wire(self.referee.view(seat), message.view)
        return message

    def take(self, seat: int, answer: play_pb2.Answer) -> Fault | None:
        """Play what the bot at `seat` answered. Returns what was wrong with it, if anything was."""
        if answer.crashed:
            self.referee.fault(seat, Fault.CRASHED)
            return Fault.CRASHED
        try:
            move = self._codec.move_from_wire(answer.move)
        except MalformedMove:
            self.referee.fault(seat, Fault.MALFORMED)
            return Fault.MALFORMED
        return self.referee.answer(seat, move)

    def event(self, played: Played, match: int = 1) -> play_pb2.Event:
        """What a bot that wants to see every move is told about one."""
        message = play_pb2.Event(match=match, seat=played.seat, fallback=played.fallback)
        self._codec.move_to_wire(played.move, message.move)
        return message

    def ended(self, match: int = 1) -> play_pb2.MatchEnded:
        """What is told at the end; the match must be over."""
        message = play_pb2.MatchEnded(match=match)
        result_to_wire(self.referee.replay().result, message.result)
        return message


def play_scripted(
    bot_class: type[Bot], game: str, players: int = 2, seed: str = "scripted", options: Any = None
) -> Replay:
    """Play a match in which `bot_class` has every seat, over the wire but without sockets, and return its record.

    `replay.result` has the places, the scores, and the faults. The deal follows from the seed; `Bot.rng` does not.
    """
    return asyncio.run(_play_scripted(bot_class, ScriptedMatch(game, players, seed, options)))


async def _play_scripted(bot_class: type[Bot], match: ScriptedMatch) -> Replay:
    link = ScriptedLink()
    client = Client(bot_class, name="scripted", version="scripted", max_matches=match.players)
    ends = {asyncio.create_task(client.run(link.open)), asyncio.create_task(_host(client, link, match))}
    done, unfinished = await asyncio.wait(ends, return_when=asyncio.FIRST_EXCEPTION)
    for task in unfinished:
        task.cancel()
    for task in done:
        task.result()
    return match.referee.replay()


async def _host(client: Client, link: ScriptedLink, match: ScriptedMatch) -> None:
    """Be the arena for one match. The number of the match at a seat is one more than the seat."""
    seats = range(match.players)
    wants_events = (await link.heard()).hello.wants_events
    link.welcome()
    link.say(started=[match.started(seat, seat + 1) for seat in seats])
    ready: set[int] = set()
    while len(ready) < match.players:
        ready.update((await link.heard()).ready)
    while asked := match.referee.waiting:
        link.say(decisions=[match.decision(seat, seat + 1) for seat in asked])
        news = len(match.played)
        await _take_answers(link, match, set(asked))
        if wants_events:
            link.say(events=[match.event(played, seat + 1) for played in match.played[news:] for seat in seats])
    link.say(ended=[match.ended(seat + 1) for seat in seats])
    leaving = asyncio.create_task(client.leave())
    while not (await link.heard()).leaving:
        pass
    link.end()
    await leaving


async def _take_answers(link: ScriptedLink, match: ScriptedMatch, waiting: set[int]) -> None:
    while waiting and not match.referee.over:
        for answer in (await link.heard()).answers:
            match.take(answer.match - 1, answer)
            waiting.discard(answer.match - 1)
