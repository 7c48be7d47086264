"""A bot that speaks the protocol by hand, without the SDK: an honest one, to be made worse by its subclasses."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from random import Random
from typing import Any, ClassVar, Self

import grpc

from roost.v1 import play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import Ending

Answers = Iterable[play_pb2.Answer]


class RawBot:
    """One bot at the arena at `address`. Enter it to connect; `playing` is the task that plays on its stream.

    An honest bot: it is ready at once, answers every ping, and plays a legal move at random.
    """

    channel_options: ClassVar[tuple[tuple[str, int], ...]] = (("grpc.use_local_subchannel_pool", 1),)

    def __init__(self, address: str, name: str, version: str = "v1", key: str | None = None, **hello: Any) -> None:
        self.address = address
        self.metadata = Credentials(key).metadata()
        self.hello = play_pb2.Hello(name=name, version=version, **{"wants_legal": True, "max_matches": 2, **hello})
        self.welcome: play_pb2.Welcome
        self.started: dict[int, play_pb2.MatchStarted] = {}
        """By number, the matches of this stream."""
        self.decisions: list[play_pb2.Decision] = []
        """Everything that was asked on this stream."""
        self.events: list[play_pb2.Event] = []
        self.ended: list[tuple[str, play_pb2.MatchEnded]] = []
        """The results told on all streams, and of which matches."""
        self.reveals: list[play_pb2.Reveal] = []
        self.pings = 0
        self.status: grpc.StatusCode | None = None
        """How the stream ended."""
        self.details = ""
        self.rng = Random(name)
        self.playing: asyncio.Task[None]
        self._names: dict[int, str] = {}
        self._sending = asyncio.Lock()
        self._channel: grpc.aio.Channel
        self._call: Any
        self._ending: Ending

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.disconnect()

    async def connect(self, resume_token: str = "") -> None:
        """Say hello, wait for the welcome, and begin to play."""
        await self.open()
        self.hello.resume_token = resume_token
        try:
            await self.send(hello=self.hello)
            first = await self._call.read()
        except (grpc.aio.AioRpcError, ConnectionError):
            await self.note_end()
            raise ConnectionRefusedError(self.status, self.details) from None
        self.welcome = first.welcome
        self.playing = asyncio.create_task(self._play(first))

    async def open(self) -> None:
        """Open a stream, without a word."""
        self._channel = grpc.aio.insecure_channel(self.address, options=self.channel_options)
        self._call = ArenaStub(self._channel).Play(metadata=self.metadata)  # type: ignore[no-untyped-call,call-arg,unused-ignore]
        self._ending = Ending(self._call)
        self.status = None
        self.started, self.decisions = {}, []

    async def disconnect(self) -> None:
        """Drop the connection without a word."""
        self._call.cancel()
        self.playing.cancel()
        await asyncio.wait([self.playing])
        await self._channel.close()

    async def send(self, **fields: Any) -> None:
        """Send a `BotMessage` with these fields. Raises `ConnectionError` if the stream is over."""
        data = play_pb2.BotMessage(**fields).SerializeToString()
        try:
            # A stream of gRPC takes one message at a time.
            async with self._sending:
                await self._write(data)
        except (grpc.aio.AioRpcError, grpc.aio.InternalError):
            raise ConnectionError("the stream is over") from None

    async def _write(self, data: bytes) -> None:
        """What `write` of the call does, but it leaves the status alone if the arena ends the stream meanwhile.

        The call's own `write` replaces it with an internal error (issue 36066 of gRPC), and tests want to see it.
        """
        await self._call._metadata_sent.wait()
        if self._call.done():
            raise ConnectionError("the stream is over")
        await self._call._cython_call.send_serialized_message(data)

    async def _play(self, message: Any) -> None:
        with suppress(grpc.aio.AioRpcError, ConnectionError):
            while message is not grpc.aio.EOF:
                await self.hear(message)
                message = await self._call.read()
        await self.note_end()

    async def note_end(self) -> None:
        """Read to the end of the stream, since gRPC tells the status after the last message, and note why it ended."""
        with suppress(grpc.aio.AioRpcError):
            while await self._call.read() is not grpc.aio.EOF:
                pass
        self.status, details = await self._ending.status()
        self.details = details or ""

    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        """Take a message, and answer it."""
        self.events += message.events
        self.decisions += message.decisions
        self.reveals += message.reveals
        self.pings += message.ping > 0
        self.started.update({started.match: started for started in message.started})
        self._names.update({started.match: started.match_id for started in message.started})
        self.ended += [(self._names[ended.match], ended) for ended in message.ended]
        ready = [number for started in message.started for number in self.ready(started)]
        answers = [answer for decision in message.decisions for answer in self.answers(decision)]
        if ready or answers or message.ping:
            await self.send(ready=ready, answers=answers, pong=message.ping)

    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        """What the bot says about being ready."""
        return (started.match,)

    def answers(self, decision: play_pb2.Decision) -> Answers:
        """What the bot answers."""
        return (self.honest_answer(decision),)

    def honest_answer(self, decision: play_pb2.Decision) -> play_pb2.Answer:
        move = self.rng.choice(decision.legal)
        return play_pb2.Answer(match=decision.match, request=decision.request, move=move)
