"""An honest bot in its own thread: it goes on while the event loop of the arena is blocked."""

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any, Self

import grpc

from roost.v1 import play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub


class ThreadBot:
    """Plays until it is left. The first decision is special: it is `asked` then, and answers once it `may_answer`."""

    def __init__(self, address: str, name: str) -> None:
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self.answered = threading.Event()
        self.ended: list[play_pb2.MatchEnded] = []
        self._channel = grpc.insecure_channel(address)
        self._outbox: SimpleQueue[play_pb2.BotMessage | None] = SimpleQueue()
        self._outbox.put(play_pb2.BotMessage(hello={"name": name, "version": "v1", "wants_legal": True}))  # type: ignore[arg-type]
        self._thread = threading.Thread(target=self._play, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.may_answer.set()
        self._outbox.put(None)
        self._channel.close()
        self._thread.join(10.0)

    def _play(self) -> None:
        channel: Any = self._channel  # the stub's types know only channels of grpc.aio
        messages: Any = ArenaStub(channel).Play(self._said())
        try:
            for message in messages:
                self._hear(message)
        except (grpc.RpcError, ValueError):
            pass  # the channel was closed

    def _said(self) -> Iterator[play_pb2.BotMessage]:
        while (message := self._outbox.get()) is not None:
            yield message

    def _hear(self, message: play_pb2.ArenaMessage) -> None:
        self.ended += message.ended
        if message.decisions:
            self.asked.set()
            self.may_answer.wait(60.0)
        answers = [
            play_pb2.Answer(match=decision.match, request=decision.request, move=decision.legal[0])
            for decision in message.decisions
        ]
        ready = [started.match for started in message.started]
        self._outbox.put(play_pb2.BotMessage(ready=ready, answers=answers, pong=message.ping))
        if answers:
            self.answered.set()
