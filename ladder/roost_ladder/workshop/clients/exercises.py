"""What the examination puts a client through, one exercise after the other.

An exercise returns what to say if nothing was wrong. It raises `Stuck` if the client does not do what it must, and
`ClientLost` if it hangs up.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import monotonic
from typing import NamedTuple

import grpc

from roost.v1 import play_pb2
from roost_games.wording import counted
from roost_ladder.workshop.clients import requirements as must
from roost_ladder.workshop.clients.examinee import MOST_MATCHES, ClientLost, Examinee, Stuck
from roost_ladder.workshop.clients.hosted import HostedMatch
from roost_ladder.workshop.clients.requirements import Requirement
from roost_ladder.workshop.doctor import Effort
from roost_ladder.workshop.tables import MatchKind

CLOSED_SECONDS = 1.0
MOST_ATTEMPTS = 20
"""A client that tries to connect more often than this while the arena is closed does not pause."""
GOODBYE_SECONDS = 2.0
"""How long a client that has left is watched."""
TOGETHER = 8
"""This many whole matches are played at once, or as many as the client takes."""
TERMINATION = KIND = 3 << 3
"""The keys of two enumerations: how a match ended, and what a fault was."""
NEXT_YEARS = 77
"""A value that neither of them has."""


class Exercise(NamedTuple):
    """One part of the examination."""

    name: str
    doing: str
    """What happens in it."""
    run: Callable[[], Awaitable[str]]
    on_stop: Requirement | None = None
    """What a client fails to do that hangs up in it, or falls silent; `None` if that says enough."""


class NotSeen(Exception):
    """What was to be examined did not happen in time."""


class Exercises:
    """All exercises for one client."""

    def __init__(
        self, client: Examinee, tables: Sequence[MatchKind], effort: Effort, prompt: Callable[[str], None]
    ) -> None:
        """`prompt` is told what the client's author has to do."""
        self._client = client
        self._tables = tables
        self._effort = effort
        self._prompt = prompt

    def in_order(self) -> tuple[Exercise, ...]:
        """The exercises, the gentle ones first."""
        return (
            Exercise("matches", "matches from beginning to end", self._play_matches),
            Exercise("voided", "matches that end early", self._end_early, must.VOID_REFUSED),
            Exercise("overtaken", "a decision whose time is up", self._overtake, must.OVERTAKEN),
            Exercise("unknown", "what it does not know", self._send_unknown, must.UNKNOWN_REFUSED),
            Exercise("batches", "many decisions in one message", self._send_batches),
            Exercise("resume", "a connection that is cut", self._cut),
            Exercise("restart", "an arena that was restarted", self._restart),
            Exercise("leaving", "leaving", self._leave),
        )

    def _matches(self, most: int) -> list[HostedMatch]:
        """New matches at different tables: as many as the client takes at once, but not more than `most`."""
        number = min(most, self._client.at_once)
        return [self._client.new_match(self._tables[index % len(self._tables)]) for index in range(number)]

    async def _play(self, matches: Sequence[HostedMatch], rounds: int = -1, until: float = math.inf) -> None:
        """Play matches that have begun: this many decisions of each, to the end, or until a moment."""
        client = self._client
        while rounds and (asked := [match for match in matches if match.advance()]):
            await client.tell_events(matches)
            await client.ask(asked, ping=rounds > 0)
            await client.await_answers()
            client.play_answers()
            rounds -= 1
            if monotonic() > until:
                break
        await client.tell_events(matches)
        await client.end(matches)
        await client.check_alive()

    async def _play_matches(self) -> str:
        client, until = self._client, monotonic() + self._effort.seconds / 2
        waiting = [table for _ in range(self._effort.matches) for table in self._tables]
        together, played = min(TOGETHER, client.at_once), 0
        while waiting and (not played or monotonic() < until):
            matches = [client.new_match(table) for table in waiting[:together]]
            await client.start(matches)
            await self._play(matches, until=until)
            waiting = waiting[together:]
            played += len(matches)
        asked = sum(map(len, client.answered_ms.values()))
        hurried = " (there was no time for more)" if monotonic() > until else ""
        return f"{counted(asked, 'decision')} in {counted(played, 'match')}, all answered legally{hurried}"

    async def _end_early(self) -> str:
        client = self._client
        (unready,) = self._matches(1)
        await client.say(started=[unready.started()])
        await client.end([unready])
        (undecided,) = matches = self._matches(1)
        await client.start(matches)
        undecided.advance()
        await client.ask(matches)
        await client.end(matches)
        following = self._matches(1)
        await client.start(following)
        await self._play(following, rounds=1)
        return "goes on after matches that end before it is ready, or before it has decided"

    async def _overtake(self) -> str:
        client = self._client
        (match,) = matches = self._matches(1)
        await client.start(matches)
        match.advance()
        await client.ask(matches)
        match.run_out()
        match.advance()
        await client.ask(matches)
        await client.await_answers(must.OVERTAKEN)
        await self._play(matches, rounds=1)
        return "forgets a decision whose time is up, and answers the next one"

    async def _send_unknown(self) -> str:
        client = self._client
        client.strange = True
        matches = self._matches(2)
        await client.say()
        await client.start(matches)
        await client.say()
        await client.ask([match for match in matches if match.advance()])
        await client.await_answers()
        await client.say(ended=[_ended_next_year(match) for match in matches])
        await client.check_alive()
        client.strange = False
        return "skips fields, messages and values that it does not know"

    async def _send_batches(self) -> str:
        matches = self._matches(self._largest_batch())
        await self._client.start(matches)
        await self._play(matches, rounds=2)
        return f"answers {counted(len(matches), 'decision')} in one message"

    def _largest_batch(self) -> int:
        """As many as the client can answer one after the other in a quarter of its time."""
        typical = median([ms for each in self._client.answered_ms.values() for ms in each] or [1.0])
        return max(2, min(MOST_MATCHES, int(self._effort.patience * 1000 / 4 / typical * TOGETHER)))

    async def _cut(self) -> str:
        """With up to three matches: in one a decision is open, one has not begun, one ends while the client is away."""
        client = self._client
        matches = self._matches(3)
        await client.start(matches)
        asked, unbegun = matches[:1], matches[1:2]
        asked[0].advance()
        await client.ask(asked)
        await client.await_answers()
        await self._be_away()
        if not client.check_token(await self._next_hello(must.NOT_BACK)):
            await client.welcome()
            return ""
        await self._go_on(asked, unbegun)
        await client.await_answers(must.REPEAT_UNANSWERED)
        await client.await_ready(unbegun, must.READY_NOT_REPEATED)
        client.play_answers()
        await self._play([*asked, *unbegun], rounds=2)
        return "comes back after a lost connection, and goes on with its matches"

    async def _be_away(self) -> None:
        relay = self._client.door.relay
        relay.cut()
        await asyncio.sleep(CLOSED_SECONDS)
        relay.open()
        if relay.attempts > MOST_ATTEMPTS:
            self._client.blame(must.HAMMERING, f"{relay.attempts} times in {CLOSED_SECONDS:g} s")

    async def _next_hello(self, otherwise: Requirement) -> play_pb2.Hello:
        """The hello of a client that has to come back. If it does not, that is its failure; raises `ClientLost`."""
        try:
            return await self._client.return_()
        except TimeoutError:
            self._client.blame(otherwise)
            raise ClientLost from None

    async def _go_on(self, asked: Sequence[HostedMatch], unbegun: Sequence[HostedMatch]) -> None:
        """Continue as if nothing had arrived that the client sent before the connection broke."""
        for match in unbegun:
            match.ready = False
        continued = [*asked, *unbegun]
        await self._client.welcome(continued, started=[match.started() for match in continued])
        await self._client.ask(asked, again=True)

    async def _restart(self) -> str:
        client = self._client
        client.end_stream(grpc.StatusCode.UNAVAILABLE, "the arena is shutting down")
        if client.check_token(await self._next_hello(must.NOT_BACK)):
            client.end_stream(grpc.StatusCode.PERMISSION_DENIED, "there is no session with this resume token")
            if (await self._next_hello(must.TOKEN_KEPT)).resume_token:
                client.blame(must.TOKEN_KEPT)
        client.forget()
        await client.welcome()
        matches = self._matches(1)
        await client.start(matches)
        await self._play(matches, rounds=3)
        return "connects afresh to an arena that does not know its token"

    async def _leave(self) -> str:
        client = self._client
        running = self._matches(1)
        await client.start(running)
        self._prompt("now stop your bot as you usually do, with Ctrl-C")
        try:
            await client.hear_leaving(self._effort.seconds)
        except ClientLost:
            client.blame(must.LEFT_SILENTLY)
            return ""
        except TimeoutError:
            raise NotSeen from None
        try:
            await self._play(running, rounds=3)
            of_its_block = self._matches(1)
            await client.start(of_its_block)
            await self._play(of_its_block, rounds=3)
        except (ClientLost, Stuck):
            client.blame(must.LEFT_MATCHES)
            return ""
        client.end_stream()
        if await client.comes_back(GOODBYE_SECONDS):
            client.blame(must.CAME_BACK)
        return "leaves when its matches are over, those that start meanwhile too"


def _ended_next_year(match: HostedMatch) -> play_pb2.MatchEnded:
    """How a match may end one day: in a way, and with a kind of fault, that nobody knows yet."""
    ended = match.ended()
    ended.result.MergeFromString(bytes((TERMINATION, NEXT_YEARS)))
    ended.result.faults.add().MergeFromString(bytes((KIND, NEXT_YEARS)))
    return ended
