"""Connecting, being refused, losing the connection and coming back, leaving: on scripted wires."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from roost_sdk import Bot
from roost_sdk.arena import client as client_module
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import Link, LinkLost, Refused
from roost_sdk.testing import ScriptedLink, ScriptedMatch
from tests.support.jumping_time import run_jumping

GAME = "bratwurmeck"


class First(Bot):
    """Plays the first legal move."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


class Counting(First):
    """Counts its instances and what each was asked."""

    made: list["Counting"]

    def start(self) -> None:
        self.asked = 0
        self.made.append(self)

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.asked += 1
        return super().choose(view, legal)


class Arena:
    """Hands out scripted links, one for each connection."""

    def __init__(self, links: int = 1, missing: int = 0) -> None:
        """`missing` attempts fail before the first link is handed out."""
        self.links = [ScriptedLink() for _ in range(links)]
        self.missing = missing
        self.attempts = 0
        self._next = iter(self.links)

    async def open(self) -> Link:
        self.attempts += 1
        if self.attempts <= self.missing:
            raise LinkLost("no arena at nowhere:1 yet")
        return next(self._next)


@pytest.fixture(autouse=True)
def _nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "made", [], raising=False)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "SHORTEST_PAUSE", 0.001)
    monkeypatch.setattr(client_module, "LONGEST_PAUSE", 0.002)


def new_client(bot_class: type[Bot] = First, **settings: Any) -> Client:
    return Client(bot_class, name="tester", version="v1", **settings)


async def start(client: Client, arena: Arena, match: ScriptedMatch) -> "asyncio.Task[None]":
    """Connect and seat the client at who moves first."""
    running = asyncio.create_task(client.run(arena.open))
    link = arena.links[0]
    await link.heard()
    link.welcome("token-1")
    link.say(started=[match.started(match.referee.waiting[0])])
    assert (await link.heard()).ready == [1]
    return running


def run(script: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(120):
            await script

    asyncio.run(bounded())


def test_an_arena_that_is_not_there_yet_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        arena = Arena(missing=5)
        client = new_client()
        running = asyncio.create_task(client.run(arena.open))
        assert (await arena.links[0].heard()).hello.name == "tester"
        assert (arena.attempts, client.stats.connected) == (6, False)
        client.stop()
        await running

    run(script())
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == ["no arena at nowhere:1 yet, trying again ..."], "one line, not one for each attempt"


def test_one_can_give_up_on_an_arena_that_is_not_there() -> None:
    async def script() -> None:
        with pytest.raises(LinkLost, match=r"no arena at nowhere:1 yet; gave up after 20 s"):
            await new_client(connect_timeout=20.0).run(Arena(missing=10**9).open)
        assert asyncio.get_running_loop().time() <= 20.0

    run_jumping(script())


def test_the_time_to_give_up_counts_again_after_each_visit() -> None:
    async def script() -> None:
        arena = Arena()
        client = new_client(connect_timeout=20.0)
        running = asyncio.create_task(client.run(arena.open))
        await arena.links[0].heard()
        arena.links[0].welcome("token")
        await asyncio.sleep(60.0)
        assert client.stats.connected
        arena.missing = 10**9
        arena.links[0].lose()
        with pytest.raises(LinkLost, match="gave up after 20 s"):
            await running
        assert arena.attempts > 2, "it tried again after it had been connected for longer than that"

    run_jumping(script())


@pytest.mark.parametrize("status", ["INVALID_ARGUMENT", "ALREADY_EXISTS", "PERMISSION_DENIED", "UNIMPLEMENTED"])
def test_a_refused_hello_is_final(status: str) -> None:
    async def script() -> None:
        arena = Arena()
        running = asyncio.create_task(new_client().run(arena.open))
        await arena.links[0].heard()
        arena.links[0].refuse("not you", status)
        with pytest.raises(Refused, match="not you") as refused:
            await running
        assert refused.value.status == status
        assert arena.links[0].closed

    run(script())


def test_an_arena_without_a_welcome_is_tried_again() -> None:
    async def script() -> None:
        arena = Arena(links=2)
        client = new_client()
        running = asyncio.create_task(client.run(arena.open))
        await arena.links[0].heard()
        await arena.links[1].heard()
        assert asyncio.get_running_loop().time() >= client_module.WELCOME_SECONDS
        assert arena.links[0].closed
        client.stop()
        await running

    run_jumping(script())


def test_after_the_welcome_an_arena_may_be_silent() -> None:
    async def script() -> None:
        arena = Arena()
        client = new_client()
        running = asyncio.create_task(client.run(arena.open))
        await arena.links[0].heard()
        arena.links[0].welcome("token")
        await asyncio.sleep(2 * client_module.WELCOME_SECONDS)
        arena.links[0].say(ping=1)
        assert (await arena.links[0].heard()).pong == 1
        assert client.stats.connections == 1
        client.stop()
        await running

    run_jumping(script())


def test_after_a_lost_connection_the_same_bot_plays_on() -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena(links=2, missing=0)
        client = new_client(Counting)
        running = await start(client, arena, match)
        old, new = arena.links
        old.say(decisions=[match.decision(seat)])
        await old.heard()
        old.lose()
        assert (await new.heard()).hello.resume_token == "token-1"  # noqa: S105
        assert old.closed
        new.welcome("token-2", resumed=[1])
        new.say(started=[match.started(seat)])
        assert (await new.heard()).ready == [1]
        another = match.decision(seat)
        another.request = 2
        new.say(decisions=[another])
        (answer,) = (await new.heard()).answers
        assert (answer.match, answer.request) == (1, 2)
        assert match.take(seat, answer) is None
        assert [bot.asked for bot in Counting.made] == [2], "one instance, asked twice"
        assert (client.stats.connections, client.stats.dropped) == (2, 0)
        client.stop()
        await running

    run(script())


def test_an_answer_that_got_lost_is_sent_again_without_asking_the_bot_again() -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena(links=2)
        running = await start(client := new_client(Counting), arena, match)
        old, new = arena.links
        old.hold()
        old.say(decisions=[match.decision(seat)])
        while not old.sending:
            await asyncio.sleep(0)
        old.say(ping=9)
        old.lose()
        await new.heard()
        new.welcome("token-2", resumed=[1])
        new.say(started=[match.started(seat)], decisions=[match.decision(seat)])
        message = await new.heard()
        (answer,) = message.answers
        assert message.ready == [1]
        assert message.pong == 0, "the ping was that of another connection"
        assert match.take(seat, answer) is None
        assert [bot.asked for bot in Counting.made] == [1]
        client.stop()
        await running

    run(script())


def test_a_decision_that_is_being_thought_about_outlives_the_connection() -> None:
    async def script() -> None:
        asked: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

        class Thinker(Bot):
            async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
                gate = asyncio.Event()
                asked.append((asyncio.get_running_loop(), gate))
                await gate.wait()
                return legal[0]

        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena(links=2)
        running = await start(client := new_client(Thinker), arena, match)
        old, new = arena.links
        old.say(decisions=[match.decision(seat)])
        while not asked:
            await asyncio.sleep(0.001)
        old.lose()
        await new.heard()
        new.welcome("token-2", resumed=[1])
        new.say(started=[match.started(seat)], decisions=[match.decision(seat)])
        assert (await new.heard()).ready == [1]
        loop, gate = asked[0]
        loop.call_soon_threadsafe(gate.set)
        (answer,) = (await new.heard()).answers
        assert match.take(seat, answer) is None
        assert len(asked) == 1
        client.stop()
        await running

    run(script())


def test_matches_that_do_not_go_on_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena(links=2)
        running = await start(client := new_client(Counting), arena, match)
        old, new = arena.links
        old.lose()
        await new.heard()
        new.welcome("token-2")
        new.say(started=[match.started(seat)])
        assert (await new.heard()).ready == [1]
        assert len(Counting.made) == 2, "the same number names another match now"
        assert (client.stats.dropped, client.stats.playing) == (1, 1)
        client.stop()
        await running

    run(script())
    assert "match scripted-1 (bratwurmeck, seat " in caplog.text
    assert "ended while the connection was lost" in caplog.text


def test_a_forgotten_token_is_given_up_once() -> None:
    async def script() -> None:
        arena = Arena(links=3)
        running = await start(new_client(), arena, ScriptedMatch(GAME, 2))
        first, second, third = arena.links
        first.lose()
        assert (await second.heard()).hello.resume_token == "token-1"  # noqa: S105
        second.refuse("no such session", "PERMISSION_DENIED")
        assert (await third.heard()).hello.resume_token == ""
        third.refuse("nor without", "PERMISSION_DENIED")
        with pytest.raises(Refused, match="nor without"):
            await running

    run(script())


def test_leaving_plays_running_matches_to_the_end() -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena()
        running = await start(client := new_client(), arena, match)
        (link,) = arena.links
        leaving = asyncio.create_task(client.leave())
        assert (await link.heard()).leaving
        link.say(decisions=[match.decision(seat)])
        assert len((await link.heard()).answers) == 1
        assert not running.done()
        match.referee.void("enough")
        link.say(ended=[match.ended()])
        link.end()
        await running
        await leaving
        assert link.closed
        assert (client.stats.connected, client.stats.playing, client.stats.voided) == (False, 0, 1)

    run(script())


def test_leaving_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        arena = Arena()
        running = await start(client := new_client(), arena, ScriptedMatch(GAME, 2))
        await client.leave(patience=0.01)
        await running
        assert arena.links[0].closed

    run(script())
    assert "left with 1 matches unfinished" in caplog.text


def test_leaving_without_an_arena_is_at_once() -> None:
    async def script() -> None:
        client = new_client()
        arena = Arena(missing=10**9)
        running = asyncio.create_task(client.run(arena.open))
        while arena.attempts < 2:
            await asyncio.sleep(0)
        await client.leave(patience=1000)
        await running

    run(script())


def test_who_leaves_while_the_connection_is_lost_comes_back_for_the_running_matches() -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        arena = Arena(links=2)
        running = await start(client := new_client(), arena, match)
        old, new = arena.links
        arena.missing = 10**9
        old.lose()
        while client.stats.connected:
            await asyncio.sleep(0)
        leaving = asyncio.create_task(client.leave())
        while arena.attempts < 4:
            await asyncio.sleep(0)
        arena.missing = 0
        assert (await new.heard()).hello.resume_token == "token-1"  # noqa: S105
        assert (await new.heard()).leaving
        new.welcome("token-2", resumed=[1])
        match.referee.void("enough")
        new.say(ended=[match.ended()])
        new.end()
        await running
        await leaving

    run(script())


def test_to_cancel_run_is_to_cancel_everything() -> None:
    async def script() -> None:
        arena = Arena()
        running = await start(new_client(), arena, ScriptedMatch(GAME, 2))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert arena.links[0].closed
        assert len(asyncio.all_tasks()) == 1

    run(script())


def test_a_bot_whose_new_version_takes_over_plays_its_matches_to_the_end(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        seat = match.referee.waiting[0]
        arena = Arena()
        running = await start(client := new_client(), arena, match)
        (link,) = arena.links
        link.say(replaced_by="v2", decisions=[match.decision(seat)])
        assert len((await link.heard()).answers) == 1
        assert not running.done()
        match.referee.void("enough")
        link.say(ended=[match.ended()])
        link.end()
        await running
        assert (client.stats.playing, client.stats.voided) == (0, 1)

    with caplog.at_level(logging.INFO, "roost_sdk"):
        run(script())
    assert "version v2 of this bot takes over; 1 match to play to the end" in caplog.text


def test_a_client_takes_over_once_and_not_again_when_it_comes_back() -> None:
    async def script() -> None:
        arena = Arena(links=2)
        client = new_client(takes_over=True)
        running = asyncio.create_task(client.run(arena.open))
        assert (await arena.links[0].heard()).hello.takes_over
        arena.links[0].welcome("token")
        arena.links[0].lose()
        assert not (await arena.links[1].heard()).hello.takes_over
        client.stop()
        await running

    run(script())
