"""Clients that dial in by themselves: an honest one, and others that each do one thing wrong."""

import asyncio
from collections.abc import Iterable
from typing import Any, ClassVar

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from roost.v1 import play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from tests.support.arenas.raw_bot import Answers, RawBot

PAUSE = 0.1


class DiallingClient(RawBot):
    """Comes back after a lost connection, and leaves when it is asked to."""

    hello_fields: ClassVar[dict[str, Any]] = {}

    def __init__(self, address: str) -> None:
        super().__init__(address, **{"name": "dialling", "games": ["bratwurmeck"], **self.hello_fields})
        self.token = ""
        self.leaving = False

    async def run(self) -> None:
        """Play until the arena has ended the stream after `leave`."""
        while True:
            try:
                await self.connect(self.token)
            except ConnectionRefusedError:
                self.refused()
            else:
                self.token = self.next_token(self.welcome.resume_token)
                await asyncio.wait([self.playing])
            await self._channel.close()
            if self.is_done():
                return
            await self.pause()

    async def leave(self) -> None:
        """Say that it leaves."""
        self.leaving = True
        await self.send(leaving=True)

    def next_token(self, token: str) -> str:
        """What to come back with."""
        return token

    def refused(self) -> None:
        """The arena does not want it."""
        if self.status is grpc.StatusCode.PERMISSION_DENIED:
            self.token = ""

    def is_done(self) -> bool:
        """Whether there is nothing more to do."""
        return self.leaving

    async def pause(self) -> None:
        """Wait before another attempt."""
        await asyncio.sleep(PAUSE)

    async def hang_up(self) -> None:
        """Drop the connection."""
        self._call.cancel()


class SendsOtherwise(DiallingClient):
    """Changes what it sends."""

    async def send(self, **fields: Any) -> None:
        changed = self.changed(fields)
        if any(changed.values()):
            await super().send(**changed)

    def changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What it sends instead."""
        return fields


class SaysReadyWithHello(SendsOtherwise):
    def changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "ready": [1]} if "hello" in fields else fields


class SaysNoHello(SendsOtherwise):
    def changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {"pong": 1} if "hello" in fields else fields


class HasNoName(DiallingClient):
    hello_fields: ClassVar[dict[str, Any]] = {"name": "two words"}


class NamesNoGames(DiallingClient):
    hello_fields: ClassVar[dict[str, Any]] = {"games": []}


class SetsADeadline(DiallingClient):
    async def open(self) -> None:
        await super().open()
        self._call.cancel()
        self._call = ArenaStub(self._channel).Play(timeout=3600.0)  # type: ignore[no-untyped-call,call-arg,unused-ignore]


class SaysHelloAgain(DiallingClient):
    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        await super().hear(message)
        await self.send(hello=self.hello)


class ReturnsNoPing(SendsOtherwise):
    def changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "pong": 0}


class CountsItsPongs(SendsOtherwise):
    def changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "pong": 1000 + fields["pong"]} if fields.get("pong") else fields


class IsNeverReady(DiallingClient):
    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        return ()


class ConfusesSeatAndMatch(DiallingClient):
    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        return (started.match, 100 + started.seat)


class AnswersOnlyTheFirst(DiallingClient):
    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        del message.decisions[1:]
        await super().hear(message)


class Answering(DiallingClient):
    """Changes its answers."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        answer = self.honest_answer(decision)
        self.spoil(answer, decision)
        return (answer,)

    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        """Make an answer worse."""


class CountsItsRequests(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        answer.request = 1_000_000


class ConfusesMatches(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        answer.match = 1_000_000


class SendsNoMove(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        answer.ClearField("move")


class TakesAFaceThatIsNone(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        answer.move.bratwurmeck.take = 9


class TakesAFaceThatIsNotThere(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        missing = {1, 2, 3, 4, 5, 6} - set(decision.view.bratwurmeck.roll)
        answer.move.bratwurmeck.take = min(missing, default=answer.move.bratwurmeck.take)


class Crashes(Answering):
    def spoil(self, answer: play_pb2.Answer, decision: play_pb2.Decision) -> None:
        answer.ClearField("move")
        answer.crashed = True


class AnswersTwice(DiallingClient):
    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (self.honest_answer(decision), self.honest_answer(decision))


class SendsWhateverItHas(DiallingClient):
    """All of a batch in one message, and the pong with it."""

    hello_fields: ClassVar[dict[str, Any]] = {"max_matches": 300}


class FearsTheUnknown(DiallingClient):
    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        if len(UnknownFieldSet(message)):
            await self.hang_up()
        else:
            await super().hear(message)


class ExpectsPlaces(DiallingClient):
    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        if any(not ended.result.places for ended in message.ended):
            await self.hang_up()
        else:
            await super().hear(message)


class NeverComesBack(DiallingClient):
    def is_done(self) -> bool:
        return True


class ForgetsItsToken(DiallingClient):
    def next_token(self, token: str) -> str:
        return ""


class KeepsItsFirstToken(DiallingClient):
    def next_token(self, token: str) -> str:
        return self.token or token


class InsistsOnItsToken(DiallingClient):
    def refused(self) -> None:
        pass


class NeverPauses(DiallingClient):
    async def pause(self) -> None:
        host, _, port = self.address.rpartition(":")
        for _ in range(50):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()


class HasAnsweredThatAlready(DiallingClient):
    def answers(self, decision: play_pb2.Decision) -> Answers:
        about = (decision.match, decision.request)
        if about in self.known:
            return ()
        self.known.add(about)
        return super().answers(decision)

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.known: set[tuple[int, int]] = set()


class WasReadyAlready(DiallingClient):
    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.known: set[str] = set()

    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        news = started.match_id not in self.known
        self.known.add(started.match_id)
        return (started.match,) if news else ()


class ForgetsNothing(DiallingClient):
    """Is ready for everything that it ever heard of, whenever something starts."""

    hello_fields: ClassVar[dict[str, Any]] = {"max_matches": 3}

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.known: set[int] = set()

    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        self.known.add(started.match)
        return self.known


class EndsItsSide(DiallingClient):
    async def leave(self) -> None:
        self.leaving = True
        await self._call.done_writing()


class HangsUp(DiallingClient):
    async def leave(self) -> None:
        self.leaving = True
        await self.hang_up()


class StopsPlaying(DiallingClient):
    def answers(self, decision: play_pb2.Decision) -> Answers:
        return () if self.leaving else super().answers(decision)


class NeverGoes(DiallingClient):
    def is_done(self) -> bool:
        return False
