"""Bots that misbehave, each in one way. All of them play Heckmeck am Karteneck, and the protocol by hand."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from roost.v1 import bratwurmeck_pb2, karteneck_pb2, play_pb2
from tests.support.arenas.raw_bot import Answers, RawBot


class SilentBot(RawBot):
    """Says nothing when it is asked."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return ()


class SlowBot(RawBot):
    """Gives good answers when the time is up."""

    def __init__(self, *arguments: Any, **hello: Any) -> None:
        super().__init__(*arguments, **hello)
        self.late_answers = 0
        self._thoughts: set[asyncio.Task[None]] = set()

    def answers(self, decision: play_pb2.Decision) -> Answers:
        self._thoughts.add(asyncio.create_task(self._answer_late(decision)))
        return ()

    async def _answer_late(self, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(decision.time_left_ms / 1000 + 0.2)
        self.late_answers += 1
        await self.send(answers=[self.honest_answer(decision)])

    async def disconnect(self) -> None:
        for thought in self._thoughts:
            thought.cancel()
        await asyncio.gather(*self._thoughts, return_exceptions=True)
        await super().disconnect()


class IllegalBot(RawBot):
    """Lays one card more than it has."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        card, count = next(iter(Counter(decision.view.karteneck.hand).items()))
        answer = self.honest_answer(decision)
        answer.move.karteneck.CopyFrom(karteneck_pb2.KarteneckMove(lay=[card] * (count + 1)))
        return (answer,)


class ConfusedBot(RawBot):
    """Answers with a move of another game."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        move = play_pb2.Move(bratwurmeck=bratwurmeck_pb2.BratwurmeckMove(take=1))
        return (play_pb2.Answer(match=decision.match, request=decision.request, move=move),)


class EmptyBot(RawBot):
    """Answers without a move."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (play_pb2.Answer(match=decision.match, request=decision.request),)


class CrashingBot(RawBot):
    """Its code fails, and it says so."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (play_pb2.Answer(match=decision.match, request=decision.request, crashed=True),)


class WrongRequestBot(RawBot):
    """Gives good answers to requests that nobody made: those before and after the one that was."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        for wrong in (decision.request - 1, decision.request + 1, 0, 2**32 - 1):
            answer = self.honest_answer(decision)
            answer.request = wrong
            yield answer


class WrongMatchBot(RawBot):
    """Gives good answers for matches that it does not play."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        answer = self.honest_answer(decision)
        answer.match += 1_000
        return (answer,)


class TwiceBot(RawBot):
    """Answers everything twice, the second time differently."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        first = self.honest_answer(decision)
        return (first, play_pb2.Answer(match=first.match, request=first.request, crashed=True))


class DeserterBot(RawBot):
    """Drops the connection when it is asked for the first time."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        self._call.cancel()
        return ()


class UnreadyBot(RawBot):
    """Never gets ready."""

    def ready(self, started: play_pb2.MatchStarted) -> Iterable[int]:
        return ()


class FloodingBot(RawBot):
    """Says a lot that nobody wants to hear."""

    async def flood_answers(self) -> None:
        await self.send(answers=[play_pb2.Answer(match=match, request=match) for match in range(10_000, 12_000)])

    async def flood_ready(self) -> None:
        await self.send(ready=[1] * 2_000)

    async def flood_for_ever(self) -> None:
        """Until the arena has had enough."""
        with suppress(ConnectionError):
            while not self.playing.done():
                await self.flood_answers()


class HesitantBot(RawBot):
    """Honest, but while it is `holding` it answers nothing in its matches from number `hold_from` on."""

    def __init__(self, *arguments: Any, **hello: Any) -> None:
        super().__init__(*arguments, **hello)
        self.holding = True
        self.hold_from = 1

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return () if self.holding and decision.match >= self.hold_from else super().answers(decision)

    async def go_on(self) -> None:
        """Give the answer that is due, in the one match that waits for it, and hesitate no more."""
        self.holding = False
        await self.send(answers=[self.honest_answer(self.decisions[-1])])


class DeafBot(RawBot):
    """Reads the welcome and nothing else. It says again and again that it is ready for its first matches."""

    channel_options = (*RawBot.channel_options, ("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1))

    def __init__(self, *arguments: Any, **hello: Any) -> None:
        super().__init__(*arguments, **hello)
        self.deaf = True

    async def hear(self, message: play_pb2.ArenaMessage) -> None:
        for _ in range(100):
            if self.deaf:
                await self.send(ready=[1, 2])
                await asyncio.sleep(0.05)
        while self.deaf:
            await asyncio.sleep(0.05)

    async def read_on(self) -> None:
        """Read what there is, to the end."""
        self.deaf = False
        await self.playing
