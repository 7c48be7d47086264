"""The client on a scripted wire: what it answers to an arena, and where the bot's code runs."""

import asyncio
import hashlib
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from roost.v1 import karteneck_pb2, play_pb2
from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_games.referee import Fault
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Replay, Result
from roost_games.verify import verify
from roost_sdk import Bot
from roost_sdk.arena import drivers
from roost_sdk.arena.client import Client
from roost_sdk.arena.matches import COMMITMENTS_REMEMBERED
from roost_sdk.testing import ScriptedLink, ScriptedMatch, play_scripted

GAME = "bratwurmeck"


class First(Bot):
    """Plays the first legal move."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


@pytest.fixture
def patient_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine any batch can take longer than the network likes to wait for it."""
    monkeypatch.setattr(drivers, "COLLECT_SECONDS", 60.0)


@asynccontextmanager
async def connected(bot_class: type[Bot], **settings: Any) -> AsyncIterator[tuple[ScriptedLink, Client]]:
    """A client that was welcomed, and the link on which the test is its arena."""
    link = ScriptedLink()
    client = Client(bot_class, name="tester", version="v1", **settings)
    running = asyncio.create_task(client.run(link.open))
    assert (await link.heard()).HasField("hello")
    link.welcome("token")
    try:
        yield link, client
    finally:
        client.stop()
        await running


async def seat(link: ScriptedLink, *matches: ScriptedMatch) -> None:
    """Seat the client at who moves first in each match; they are numbered from 1."""
    started = [match.started(match.referee.waiting[0], number) for number, match in enumerate(matches, 1)]
    link.say(started=started)
    ready: list[int] = []
    while len(ready) < len(matches):
        ready += (await link.heard()).ready
    assert sorted(ready) == list(range(1, len(matches) + 1))


def question(match: ScriptedMatch, number: int = 1, request: int = 1) -> play_pb2.Decision:
    decision = match.decision(match.referee.waiting[0], number)
    decision.request = request
    return decision


def replayed_decisions(replay: Replay) -> list[Decision]:
    return [step for step in replay.steps if isinstance(step, Decision)]


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_matches_over_the_wire(game: str, players: int) -> None:
    replay = play_scripted(SAMPLES["random"], game, players, seed=f"{game} {players}")
    assert verify(replay) is None
    assert len(replay.result.places) == players
    assert replay.result.faults == ()
    assert not any(step.fallback for step in replayed_decisions(replay))


def test_a_bot_that_plays_nothing_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="plays no game"):
        Client(Bot, name="idle")


@pytest.mark.parametrize("name", ["", "two words", "x" * 41, "größe", "line\n"])
def test_a_name_that_no_arena_takes_is_refused_at_once(name: str) -> None:
    with pytest.raises(UsageError, match="a bot's name has 1 to 40 letters"):
        Client(SAMPLES["random"], name=name)


def test_hello_says_with_how_many_the_class_plays() -> None:
    class Duellist(Bot):
        player_counts = range(2, 4)

        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[0]

    assert Client(Duellist, name="d", version="v")._hello().player_counts == [2, 3]
    assert Client(Duellist, name="d", version="v", player_counts=[2])._hello().player_counts == [2]


def test_hello_says_what_the_bot_is() -> None:
    class Karteneck(Bot):
        def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[0]

        def seen(self, seat: int, move: Any) -> None:
            pass

    async def script() -> play_pb2.BotMessage:
        link = ScriptedLink()
        client = Client(Karteneck, name="k", version="v7", player_counts=[2, 4], max_matches=9)
        running = asyncio.create_task(client.run(link.open))
        message = await link.heard()
        client.stop()
        await running
        return message

    message = asyncio.run(script())
    hello = message.hello
    assert (hello.name, hello.version, list(hello.games)) == ("k", "v7", ["karteneck"])
    assert (list(hello.player_counts), hello.max_matches) == ([2, 4], 9)
    assert (hello.wants_events, hello.wants_legal, hello.resume_token) == (True, False, "")
    assert hello.client.startswith("roost-sdk ")
    message.ClearField("hello")
    assert message == play_pb2.BotMessage(), "the first message carries a hello and nothing else"


def test_a_bot_knows_the_clock_of_its_match() -> None:
    """The one that the arena tells; if it tells none, the usual one: a second, and ten in the bank."""
    known = []

    class Punctual(First):
        def start(self) -> None:
            known.append(self.clock)

    async def script() -> None:
        match = ScriptedMatch(GAME, 2, "clock")
        async with connected(Punctual) as (link, _):
            timed = match.started(0, 1)
            timed.clock.decision_ms, timed.clock.bank_ms = 250, 0
            link.say(started=[timed, match.started(1, 2)])
            while len(known) < 2:
                await link.heard()

    asyncio.run(script())
    assert sorted(known) == [(250, 0), (1_000, 10_000)]


@pytest.mark.usefixtures("patient_network")
def test_decisions_that_come_together_are_answered_together() -> None:
    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, seed) for seed in ("a", "b", "c")]
        async with connected(First) as (link, client):
            await seat(link, *matches)
            link.say(decisions=[question(match, number) for number, match in enumerate(matches, 1)])
            message = await link.heard()
            assert [(answer.match, answer.request) for answer in message.answers] == [(1, 1), (2, 1), (3, 1)]
            for answer, match in zip(message.answers, matches, strict=True):
                assert match.take(match.referee.waiting[0], answer) is None
            assert client.stats.decisions == 3

    asyncio.run(script())


def test_answers_gather_while_a_message_is_being_sent() -> None:
    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, seed) for seed in ("a", "b", "c")]
        async with connected(First) as (link, client):
            await seat(link, *matches)
            link.hold()
            link.say(decisions=[question(matches[0], 1)])
            while not link.sending:
                await asyncio.sleep(0)
            link.say(decisions=[question(matches[1], 2)])
            link.say(decisions=[question(matches[2], 3)])
            while client.stats.decisions < 3:
                await asyncio.sleep(0)
            link.release()
            first, second = await link.heard(), await link.heard()
            assert [[answer.match for answer in message.answers] for message in (first, second)] == [[1], [2, 3]]
            assert link.heard_nothing_else()

    asyncio.run(script())


@pytest.mark.parametrize(
    ("max_bytes", "messages"), [(1, [[1], [2], [3]]), (70, [[1], [2], [3]]), (150, [[1, 2], [3]]), (0, [[1, 2, 3]])]
)
def test_a_batch_is_split_as_the_arena_wants_it(max_bytes: int, messages: list[list[int]]) -> None:
    """Each of these answers has 64 bytes. An arena of the last version does not say what it takes: `max_bytes` is 0."""

    async def script() -> None:
        async with connected(First) as (link, client):
            link.say(welcome=play_pb2.Welcome(max_message_bytes=max_bytes))
            while client.welcome is None or client.welcome.max_message_bytes != max_bytes:
                await asyncio.sleep(0)
            for match in (1, 2, 3):
                move = play_pb2.Move(karteneck=karteneck_pb2.KarteneckMove(lay=[1] * 54))
                answer = play_pb2.Answer(match=match, request=1, move=move)
                assert answer.ByteSize() == 64
                client._unsent.add_answer(answer)
            heard = [await link.heard() for _ in messages]
            assert [[answer.match for answer in message.answers] for message in heard] == messages
            assert link.heard_nothing_else()

    asyncio.run(script())


class Gated(First):
    """Thinks until a test lets it go. `asked` are the threads in which it does so."""

    gate: threading.Event
    asked: list[int]

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.asked.append(threading.get_ident())
        assert self.gate.wait(30)
        return legal[0]


def gated(bot_class: type[Gated] = Gated) -> type[Gated]:
    """A class of bots with a gate of its own."""
    return type(bot_class.__name__, (bot_class,), {"gate": threading.Event(), "asked": []})


def test_pongs_leave_while_the_first_decision_blocks() -> None:
    bot = gated()

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(bot) as (link, _):
            await seat(link, match)
            link.say(ping=77, decisions=[question(match)])
            first = await link.heard()
            assert (first.pong, len(first.answers)) == (77, 0)
            link.say(ping=78)
            assert (await link.heard()).pong == 78
            bot.gate.set()
            assert len((await link.heard()).answers) == 1

    asyncio.run(script())


def test_answers_leave_while_another_decision_of_their_message_blocks() -> None:
    class Uneven(Gated):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            if len(self.asked) == 2:
                return super().choose(view, legal)
            self.asked.append(threading.get_ident())
            return legal[0]

    bot = gated(Uneven)

    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, str(number)) for number in range(4)]
        async with connected(bot) as (link, _):
            await seat(link, *matches)
            link.say(decisions=[question(match, number) for number, match in enumerate(matches, 1)])
            answers = [answer.match for answer in (await link.heard()).answers]
            while len(answers) < 2:
                answers += [answer.match for answer in (await link.heard()).answers]
            assert answers == [1, 2]
            bot.gate.set()
            while len(answers) < 4:
                answers += [answer.match for answer in (await link.heard()).answers]
            assert answers == [1, 2, 3, 4]

    asyncio.run(script())


def test_a_crash_is_told_to_the_author_and_the_arena_and_the_process_plays_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Fragile(Bot):
        asked = 0

        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            self.asked += 1
            if self.asked == 1:
                raise ZeroDivisionError("by worms")
            return legal[0]

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(Fragile) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            (crashed,) = (await link.heard()).answers
            assert crashed.crashed
            assert not crashed.HasField("move")
            link.say(decisions=[question(match, request=2)])
            (answer,) = (await link.heard()).answers
            assert match.take(match.referee.waiting[0], answer) is None

    asyncio.run(script())
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    told = record.getMessage()
    assert "the bot crashed: ZeroDivisionError: by worms" in told
    assert 'raise ZeroDivisionError("by worms")' in told
    assert "roost_sdk" not in told, "nothing of ours in the author's traceback"


def test_a_bot_that_does_not_start_is_ready_and_answers_crashed(caplog: pytest.LogCaptureFixture) -> None:
    class Stillborn(First):
        def start(self) -> None:
            raise OSError("no weights")

    replay = play_scripted(Stillborn, GAME)
    assert [fault.kind for fault in replay.result.faults] == [Fault.CRASHED] * 3
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert [line.partition("\n")[0].partition(": ")[2] for line in told] == [
        "the bot did not start: OSError: no weights",
        "faults of the bot: crashed at step 2, crashed at step 4, crashed at step 6",
        "OSError: no weights ×2, in 2 matches",
    ], "once in full, and not once more for each decision"


def test_an_async_bot_that_does_not_start_answers_crashed(caplog: pytest.LogCaptureFixture) -> None:
    class Stillborn(First):
        async def start(self) -> None:
            await asyncio.sleep(0)
            raise OSError("no weights")

    replay = play_scripted(Stillborn, GAME)
    assert [fault.kind for fault in replay.result.faults] == [Fault.CRASHED] * 3
    assert caplog.text.count("did not start: OSError: no weights") == 2


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("nonsense", [None, 17, "pass", ("1", "stop"), Unprintable()])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_nonsense_is_sent_as_an_empty_move(game: str, nonsense: object, caplog: pytest.LogCaptureFixture) -> None:
    class Nonsense(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return nonsense

    async def script() -> None:
        match = ScriptedMatch(game, 2)
        async with connected(Nonsense) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            (answer,) = (await link.heard()).answers
            assert answer.HasField("move")
            assert answer.move == play_pb2.Move()
            assert not answer.crashed
            assert match.take(match.referee.waiting[0], answer) is Fault.MALFORMED

    asyncio.run(script())
    assert "the bot's answer is not a move" in caplog.text


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_move_in_replay_notation_is_sent_as_the_move(game: str) -> None:
    class Notes(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return get_game(game).encode_move(legal[-1])

    async def script() -> None:
        match = ScriptedMatch(game, 2)
        async with connected(Notes) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            (answer,) = (await link.heard()).answers
            assert match.take(match.referee.waiting[0], answer) is None

    asyncio.run(script())


def test_a_bot_thinks_in_one_thread_that_is_not_the_connections() -> None:
    bot = gated()

    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, seed) for seed in ("a", "b")]
        async with connected(bot) as (link, _):
            await seat(link, *matches)
            link.say(decisions=[question(matches[0]), question(matches[1], 2)])
            link.say(ping=5)
            message = await link.heard()
            assert (message.pong, len(message.answers)) == (5, 0)
            bot.gate.set()
            answers = [*(await link.heard()).answers]
            while len(answers) < 2:
                answers += (await link.heard()).answers
            assert [(answer.match, answer.request) for answer in answers] == [(1, 1), (2, 1)]

    asyncio.run(script())
    assert bot.asked[0] == bot.asked[1] != threading.get_ident(), "one thread for everything"


@pytest.mark.usefixtures("patient_network")
def test_a_large_batch_is_handed_over_and_back_as_one() -> None:
    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, str(number)) for number in range(200)]
        async with connected(First) as (link, _):
            await seat(link, *matches)
            link.say(decisions=[question(match, number) for number, match in enumerate(matches, 1)])
            assert [answer.match for answer in (await link.heard()).answers] == list(range(1, 201))

    asyncio.run(script())


def test_a_slow_bot_is_not_asked_what_nobody_wants_to_know_any_more() -> None:
    go = threading.Event()
    asked: list[str] = []

    class Slow(First):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            asked.append("asked")
            assert len(asked) == 1 or go.wait(30)
            asked.append("decided")
            return legal[0]

        def end(self, result: Result) -> None:
            asked.append(f"end {result.termination}")

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(Slow) as (link, client):
            await seat(link, match)
            link.say(decisions=[question(match)])
            await link.heard()
            link.say(decisions=[question(match, request=2)])
            while len(asked) < 3:
                await asyncio.sleep(0.001)
            link.say(decisions=[question(match, request=3)])
            link.say(decisions=[question(match, request=4)])
            match.referee.void("test")
            link.say(ended=[match.ended()])
            while client.stats.playing:
                await asyncio.sleep(0)
            go.set()
            while "end voided" not in asked:
                await asyncio.sleep(0.001)
            assert link.heard_nothing_else()
            assert client.stats.voided == 1

    asyncio.run(script())
    assert asked == ["asked", "decided", "asked", "decided", "end voided"]


class Coroutines(Bot):
    """Everything of it is asynchronous."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    async def start(self) -> None:
        await asyncio.sleep(0)
        self.happened.append("start")

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        await asyncio.sleep(0)
        self.happened.append("choose")
        return legal[-1]

    async def end(self, result: Result) -> None:
        await asyncio.sleep(0.01)
        ended.append(self.happened)


ended: list[list[str]] = []


@pytest.mark.parametrize("game", GAME_NAMES)
def test_an_async_bot_plays_whole_matches(game: str) -> None:
    ended.clear()
    replay = play_scripted(Coroutines, game, 3)
    assert verify(replay) is None
    assert replay.result.faults == ()
    assert len(ended) == 3, "every bot hears of the end before the client is through"
    assert all(happened[0] == "start" and set(happened[1:]) == {"choose"} for happened in ended)
    assert sum(len(happened) - 1 for happened in ended) == len(replayed_decisions(replay))


def test_async_bots_think_at_the_same_time_in_a_loop_of_their_own() -> None:
    thinking: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    class Waiting(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            gate = asyncio.Event()
            thinking.append((asyncio.get_running_loop(), gate))
            await gate.wait()
            return legal[0]

    async def script() -> None:
        matches = [ScriptedMatch(GAME, 2, seed) for seed in ("a", "b")]
        async with connected(Waiting) as (link, _):
            await seat(link, *matches)
            link.say(decisions=[question(match, number) for number, match in enumerate(matches, 1)], ping=3)
            assert (await link.heard()).pong == 3
            while len(thinking) < 2:
                await asyncio.sleep(0.001)
            assert asyncio.get_running_loop() is not thinking[0][0] is thinking[1][0]
            for loop, gate in thinking:
                loop.call_soon_threadsafe(gate.set)
            answers = [answer.match for answer in (await link.heard()).answers]
            while len(answers) < 2:
                answers += [answer.match for answer in (await link.heard()).answers]
            assert sorted(answers) == [1, 2]

    asyncio.run(script())


def test_pongs_leave_while_a_coroutine_blocks() -> None:
    class Blocking(Gated):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return super().choose(view, legal)

    bot = gated(Blocking)

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(bot) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            while not bot.asked:
                await asyncio.sleep(0.001)
            link.say(ping=4)
            message = await link.heard()
            assert (message.pong, len(message.answers)) == (4, 0)
            bot.gate.set()
            assert len((await link.heard()).answers) == 1

    asyncio.run(script())


def test_a_bot_that_holds_the_interpreter_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    class Holding(First):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            # One step for the interpreter, in which no other thread can run. It takes a second, give or take.
            sum(range(60_000_000))
            return legal[0]

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(Holding) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            assert len((await link.heard()).answers) == 1

    asyncio.run(script())
    (told,) = [record.getMessage() for record in caplog.records if "held the interpreter" in record.getMessage()]
    assert re.search(r"match scripted-1 .*: the bot held the interpreter for [\d.]+ s in a decision", told)


def test_a_bot_that_thinks_in_plain_python_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    class Thinking(First):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            began = time.perf_counter()
            while time.perf_counter() - began < 0.5:
                pass
            return legal[0]

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(Thinking) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            assert len((await link.heard()).answers) == 1

    asyncio.run(script())
    assert "held the interpreter" not in caplog.text


def test_an_async_bot_whose_time_is_up_is_cancelled() -> None:
    happened: list[str] = []

    class Dreamer(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            if not happened:
                happened.append("asked")
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    happened.append("cancelled")
                    raise
            return legal[0]

    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(Dreamer) as (link, _):
            await seat(link, match)
            link.say(decisions=[question(match)])
            while not happened:
                await asyncio.sleep(0.001)
            link.say(decisions=[question(match, request=2)])
            (answer,) = (await link.heard()).answers
            assert (answer.request, answer.crashed) == (2, False)

    asyncio.run(script())
    assert happened == ["asked", "cancelled"]


def test_an_async_bot_that_crashes_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    class Fragile(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            await asyncio.sleep(0)
            raise KeyError("nothing")

    replay = play_scripted(Fragile, GAME)
    assert {fault.kind for fault in replay.result.faults} == {Fault.CRASHED}
    assert "the bot crashed: KeyError: 'nothing'" in caplog.text


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_bot_that_wants_to_sees_every_move(game: str) -> None:
    seen: dict[int, list[tuple[int, object]]] = {}

    class Watcher(First):
        def seen(self, seat: int, move: Any) -> None:
            seen.setdefault(self.seat, []).append((seat, move))

    replay = play_scripted(Watcher, game, 3)
    wanted = [(step.seat, step.move) for step in replayed_decisions(replay)]
    assert set(seen) == {0, 1, 2}
    for moves in seen.values():
        encoded = ScriptedMatch(game, 3).game.encode_move
        assert [(seat, encoded(move)) for seat, move in moves] == wanted


def test_stats_follow_what_happens() -> None:
    changes: list[tuple[bool, int, int]] = []

    async def script() -> None:
        async with connected(First, on_change=lambda stats: changes.append(snapshot(stats))) as (link, client):
            match = ScriptedMatch(GAME, 2)
            await seat(link, match)
            asked = question(match)
            asked.latency_us = 1500
            link.say(decisions=[asked])
            await link.heard()
            wire = play_pb2.Result(places=[1, 1], scores=[3, 3], termination=play_pb2.TERMINATION_FINISHED)
            wire.faults.add(step=4, seat=match.referee.waiting[0], kind=play_pb2.FAULT_KIND_LATE)
            wire.faults.add(step=5, seat=1 - match.referee.waiting[0], kind=play_pb2.FAULT_KIND_ILLEGAL)
            link.say(ended=[play_pb2.MatchEnded(match=1, result=wire)], ping=1)
            await link.heard()
            stats = client.stats
            assert (stats.matches, stats.wins, stats.places, stats.faults) == (1, 1, {1: 1}, {Fault.LATE: 1})
            assert (stats.decisions, stats.latency_ms) == (1, 1.5)
            assert stats.thinking_ms == stats.recent_ms[0] > 0
            assert str(stats).startswith("1 match, 1 won, 0 at once, ")
            assert str(stats).endswith(" ms a decision, faults: 1 late, latency 1.5 ms")

    def snapshot(stats: Any) -> tuple[bool, int, int]:
        return stats.connected, stats.playing, stats.matches

    asyncio.run(script())
    assert changes[:3] == [(True, 0, 0), (True, 1, 0), (True, 0, 1)]
    assert changes[-1] == (False, 0, 1)


def test_faults_in_a_voided_match_are_told_but_the_match_does_not_count(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        async with connected(First) as (link, client):
            match = ScriptedMatch(GAME, 2)
            await seat(link, match)
            wire = play_pb2.Result(termination=play_pb2.TERMINATION_VOIDED)
            wire.faults.add(step=4, seat=match.referee.waiting[0], kind=play_pb2.FAULT_KIND_ILLEGAL)
            link.say(ended=[play_pb2.MatchEnded(match=1, result=wire)])
            while client.stats.playing:
                await asyncio.sleep(0)
            assert (client.stats.matches, client.stats.voided, client.stats.faults) == (0, 1, {Fault.ILLEGAL: 1})

    asyncio.run(script())
    assert "faults of the bot: illegal at step 4" in caplog.text


def test_decisions_are_logged_for_the_author(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "roost_sdk")
    replay = play_scripted(First, GAME)
    lines = [record.getMessage() for record in caplog.records]
    assert sum(" ms, latency " in line for line in lines) == len(replayed_decisions(replay))


@pytest.mark.parametrize(("seed", "honest"), [(b"the seed", True), (b"another seed", False)])
def test_a_revealed_seed_must_fit_the_commitment(seed: bytes, honest: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        started = match.started(0)
        started.commitment = hashlib.sha256(b"the seed").digest()
        async with connected(First) as (link, _):
            link.say(started=[started])
            link.say(reveals=[play_pb2.Reveal(match_id=started.match_id, seed=seed)], ping=1)
            while not (await link.heard()).pong:
                pass

    asyncio.run(script())
    assert ("committed to" not in caplog.text) is honest


def test_the_memory_for_commitments_is_bounded() -> None:
    async def script() -> int:
        async with connected(First) as (link, client):
            match = ScriptedMatch(GAME, 2)
            playing = client._matches
            for number in range(COMMITMENTS_REMEMBERED + 5):
                playing._remember(f"m{number}", b"")
            await seat(link, match)
            return len(playing._commitments)

    assert asyncio.run(script()) == COMMITMENTS_REMEMBERED


def test_what_the_arena_may_not_send_ends_no_process(caplog: pytest.LogCaptureFixture) -> None:
    async def script() -> None:
        match = ScriptedMatch(GAME, 2)
        async with connected(First) as (link, client):
            await seat(link, match)
            garbled = question(match)
            garbled.view.Clear()
            unknown = question(match, number=99)
            link.say(decisions=[unknown, garbled])
            (answer,) = (await link.heard()).answers
            assert (answer.match, answer.crashed) == (1, True)
            link.say(ended=[play_pb2.MatchEnded(match=1, result=play_pb2.Result(places=[1]))], ping=1)
            await link.heard()
            assert (client.stats.matches, client.stats.voided) == (0, 1)
            link.say(started=[play_pb2.MatchStarted(match=2, match_id="m", game="chess", players=2)])
            assert (await link.heard()).ready == [2]

    asyncio.run(script())
    assert "does not understand" in caplog.text
