"""The link over gRPC and the program made of a file, against a small arena on loopback."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from roost.v1.play_pb2 import ArenaMessage, BotMessage, Welcome
from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_games.verify import verify
from roost_sdk import Bot
from roost_sdk.arena.client import Client
from roost_sdk.arena.connection import check_address
from roost_sdk.arena.link import GrpcLink, LinkLost, Refused, grpc_links
from roost_sdk.program import main, name_of
from roost_sdk.testing import ScriptedMatch

Requests = AsyncIterator[BotMessage]
Context = Any
Handler = Callable[[Requests, Context], Awaitable[None]]


class First(Bot):
    """Plays the first legal move."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


@asynccontextmanager
async def arena(handler: Handler | None) -> AsyncIterator[tuple[str, grpc.aio.Server]]:
    """A server whose `Arena.Play` is `handler`; without one, a server that is no arena."""
    server = grpc.aio.server()
    if handler is not None:
        play = grpc.stream_stream_rpc_method_handler(
            handler,
            request_deserializer=BotMessage.FromString,
            response_serializer=ArenaMessage.SerializeToString,
        )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("roost.v1.Arena", {"Play": play}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}", server
    finally:
        await server.stop(None)


async def welcome(requests: Requests, context: Context) -> None:
    hello = (await anext(requests)).hello
    await context.write(ArenaMessage(welcome=Welcome(resume_token=f"for {hello.name}", version_id=12)))


async def idle(requests: Requests, context: Context) -> None:
    """Welcome the bot, and let it go when it leaves."""
    await welcome(requests, context)
    async for message in requests:
        if message.leaving:
            return


def bounded(script: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(120):
            await script()

    asyncio.run(run())


@pytest.mark.parametrize("game", ["karteneck", "haecmaec"])
def test_a_whole_match_over_sockets(game: str) -> None:
    match = ScriptedMatch(game, 3)

    async def host(requests: Requests, context: Context) -> None:
        await welcome(requests, context)
        await context.write(ArenaMessage(started=[match.started(seat, seat + 1) for seat in range(3)]))
        ready = 0
        while ready < 3:
            ready += len((await anext(requests)).ready)
        while asked := match.referee.waiting:
            await context.write(ArenaMessage(decisions=[match.decision(seat, seat + 1) for seat in asked]))
            answers = 0
            while answers < len(asked):
                for answer in (await anext(requests)).answers:
                    assert match.take(answer.match - 1, answer) is None
                    answers += 1
        await context.write(ArenaMessage(ended=[match.ended(seat + 1) for seat in range(3)]))
        async for message in requests:
            if message.leaving:
                return

    async def script() -> None:
        async with arena(host) as (address, _):
            client = Client(SAMPLES["random"], name="random")
            running = asyncio.create_task(client.run(grpc_links(address)))
            while client.stats.matches < 3:
                await asyncio.sleep(0.001)
            await client.leave()
            await running
            assert client.welcome is not None
            assert client.welcome.version_id == 12

    bounded(script)
    assert verify(match.referee.replay()) is None
    assert match.referee.faults == []


async def listen(address: str) -> list[ArenaMessage]:
    """Say hello and listen to the end."""
    link = GrpcLink(address)
    try:
        await link.send(BotMessage(hello={"name": "x"}))  # type: ignore[arg-type]
        return [message async for message in link]
    finally:
        await link.close()


def test_no_arena_is_a_lost_link() -> None:
    async def script() -> None:
        async with arena(idle) as (address, _):
            pass
        with pytest.raises(LinkLost, match=f"no arena at {address} yet"):
            await listen(address)

    bounded(script)


def test_what_is_not_an_arena_refuses() -> None:
    async def script() -> None:
        async with arena(None) as (address, _):
            with pytest.raises(Refused, match=f"what listens at {address} is not an arena") as refused:
                await listen(address)
            assert refused.value.status == "UNIMPLEMENTED"

    bounded(script)


@pytest.mark.parametrize(
    "status", ["INVALID_ARGUMENT", "ALREADY_EXISTS", "PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"]
)
def test_a_refusal_carries_what_the_arena_says(status: str) -> None:
    async def refuse(requests: Requests, context: Context) -> None:
        await context.abort(grpc.StatusCode[status], "use another name")

    async def script() -> None:
        async with arena(refuse) as (address, _):
            with pytest.raises(Refused, match=f"the arena at {address} refused: use another name") as refused:
                await listen(address)
            assert refused.value.status == status

    bounded(script)


def test_a_refusal_is_heard_while_something_is_being_written() -> None:
    """What gRPC does when a write fails as the arena ends the stream, done to it by hand."""

    async def refuse(requests: Requests, context: Context) -> None:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this needs a key")

    async def script() -> None:
        async with arena(refuse) as (address, _):
            link = GrpcLink(address)
            call: Any = link._call
            assert await call.code() is grpc.StatusCode.UNAUTHENTICATED
            call._cython_call.set_internal_error("a write failed")
            assert await call.code() is grpc.StatusCode.INTERNAL
            with pytest.raises(Refused, match="this needs a key"):
                await link.send(BotMessage(hello={"name": "x"}))  # type: ignore[arg-type]
            with pytest.raises(Refused, match="this needs a key"):
                await anext(aiter(link))
            await link.close()

    bounded(script)


@pytest.mark.parametrize("status", ["UNAVAILABLE", "INTERNAL", "UNKNOWN"])
def test_an_arena_in_trouble_is_worth_another_try(status: str) -> None:
    async def fail(requests: Requests, context: Context) -> None:
        await welcome(requests, context)
        await context.abort(grpc.StatusCode[status], "we shut down")

    async def script() -> None:
        async with arena(fail) as (address, _):
            with pytest.raises(LinkLost, match=f"the connection to {address} was lost"):
                await listen(address)

    bounded(script)


def test_a_stream_that_ends_in_good_order_just_ends() -> None:
    async def script() -> None:
        async with arena(welcome) as (address, _):
            (message,) = await listen(address)
            assert message.welcome.resume_token == "for x"  # noqa: S105

    bounded(script)


def test_an_arena_that_vanishes_loses_the_link_in_both_directions() -> None:
    async def script() -> None:
        async with arena(idle) as (address, server):
            link = GrpcLink(address)
            await link.send(BotMessage(hello={"name": "x"}))  # type: ignore[arg-type]
            messages = aiter(link)
            await anext(messages)
            await server.stop(None)
            with pytest.raises(LinkLost, match="was lost"):
                await anext(messages)
            with pytest.raises(LinkLost, match="was lost"):
                await link.send(BotMessage(pong=1))
            await link.close()
            await link.close()

    bounded(script)


def test_a_client_comes_back_to_an_arena_that_was_restarted() -> None:
    async def script() -> None:
        client = Client(First, name="x", version="v")
        async with arena(idle) as (address, _):
            running = asyncio.create_task(client.run(grpc_links(address)))
            while not client.stats.connected:
                await asyncio.sleep(0.001)
        while client.stats.connected:
            await asyncio.sleep(0.001)
        server = grpc.aio.server()
        tokens: list[str] = []

        async def remember(requests: Requests, context: Context) -> None:
            tokens.append((await anext(requests)).hello.resume_token)
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "enough")

        play = grpc.stream_stream_rpc_method_handler(
            remember,
            request_deserializer=BotMessage.FromString,
        )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("roost.v1.Arena", {"Play": play}),))
        server.add_insecure_port(address)
        await server.start()
        with pytest.raises(Refused, match="enough"):
            await running
        await server.stop(None)
        assert tokens == ["for x"]

    bounded(script)


@pytest.mark.parametrize(
    "address", ["", "localhost", "localhost:", ":50051", "localhost:http", "localhost:99999", "h:-1"]
)
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        check_address(address)


@pytest.mark.parametrize("address", ["localhost:50051", "127.0.0.1:1", "[::1]:65535", "arena.example.org:443"])
def test_addresses(address: str) -> None:
    assert check_address(address) == address


def test_a_bot_is_called_like_its_file(tmp_path: Path) -> None:
    from roost_sdk import load_bot

    file = tmp_path / "my bot (2).py"
    file.write_text("from roost_sdk import Bot\nclass MyBot(Bot): ...\n")
    assert name_of(load_bot(str(file), {}).bot_class) == "my-bot-2-"
    assert name_of(First) == "test_client_grpc"


@pytest.fixture
def _unchanged_logger() -> Any:
    level = logging.getLogger("roost_sdk").level
    yield
    logging.getLogger("roost_sdk").setLevel(level)


@pytest.mark.usefixtures("_unchanged_logger")
def test_a_program_that_finds_no_arena_says_so_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--server", "127.0.0.1:1", "--connect-timeout", "0"], First) == 1
    assert "no arena at 127.0.0.1:1 yet; gave up after 0 s" in (told := capsys.readouterr().err)
    assert "Traceback" not in told


@pytest.mark.usefixtures("_unchanged_logger")
def test_a_program_with_wrong_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--server", "nowhere"], First) == 2
    assert "HOST:PORT" in capsys.readouterr().err
    assert main([], Bot) == 2
    assert "plays no game" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["--matches-at-once", "0"], First)
    assert stopped.value.code == 2


@pytest.mark.usefixtures("_unchanged_logger")
def test_a_bot_is_named_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = ["--server", "127.0.0.1:1", "--connect-timeout", "0"]
    (tmp_path / "mine.py").write_text(PROGRAM, encoding="utf-8")
    for bot in (str(tmp_path / "mine.py"), "roost_bots.greedy:GreedyBot"):
        assert main([bot, "--games", "karteneck", *nowhere]) == 1
        assert "no arena at 127.0.0.1:1 yet" in capsys.readouterr().err
    assert main(["greedy", *nowhere]) == 2
    assert "python -m roost_sdk: there is no bot 'greedy'; a bot is a file such as" in capsys.readouterr().err
    assert main(["roost_bots.greedy:GreedyBot", "--games", "chess", *nowhere]) == 2
    assert "there is no game 'chess'" in capsys.readouterr().err


GREEDY = "roost_bots.greedy:GreedyBot"
PROGRAM = """
from roost_sdk import Bot, program, run

program.STOP_SECONDS = 0.2  # So that a bot that cannot be stopped does not keep a core busy for longer.

class MyBot(Bot):
    def choose(self, view, legal):
        while True:
            pass

if __name__ == "__main__":
    run(MyBot)
"""


@asynccontextmanager
async def program(tmp_path: Path, address: str, text: str = PROGRAM) -> AsyncIterator["asyncio.subprocess.Process"]:
    file = tmp_path / "mybot.py"
    file.write_text(text)
    async with started(str(file), "--server", address) as process:
        yield process


@asynccontextmanager
async def started(*arguments: str) -> AsyncIterator["asyncio.subprocess.Process"]:
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stderr=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_the_sdk_is_a_program_that_plays_a_bot() -> None:
    async def script() -> None:
        async with arena(idle) as (address, _), started("-m", "roost_sdk", GREEDY, "--server", address) as process:
            assert process.stderr is not None
            assert "greedy-GreedyBot, version " in (await process.stderr.readline()).decode()
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0

    bounded(script)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_program_leaves_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    async def script() -> None:
        async with arena(idle) as (address, _), program(tmp_path, address) as process:
            assert process.stderr is not None
            first = (await process.stderr.readline()).decode()
            assert "mybot, version " in first
            assert f"(number 12), plays at {address}; see how it does: roost standings --server {address}" in first
            process.send_signal(number)
            rest = (await process.stderr.read()).decode()
            assert "leaving after 0 running matches" in rest
            assert await process.wait() == 0

    bounded(script)


THINKERS = {
    "plain": "    def choose(self, view, legal):\n        while True:\n            pass\n",
    "coroutine": "    async def choose(self, view, legal):\n        while True:\n            pass\n",
    "sleeper": "    def choose(self, view, legal):\n        import time\n        time.sleep(1000)\n",
    # Outside of Python: no handler written in Python runs before it returns.
    "native": """    def choose(self, view, legal):
        import hashlib
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
""",
    "deaf": """    def choose(self, view, legal):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
""",
}


TIDY = """
import sys, time
from roost_sdk import Bot, program, run

program.STOP_SECONDS, program.INTERRUPTIONS = 60.0, 600

class MyBot(Bot):
    def choose(self, view, legal):
        try:
            print("thinking", file=sys.stderr)
            time.sleep(1000)
        finally:
            time.sleep(5 * program.STOP_SECONDS / program.INTERRUPTIONS)
            print("tidy", file=sys.stderr)

if __name__ == "__main__":
    run(MyBot)
"""


def thinker(how: str) -> str:
    """The program of a bot that never finishes a decision."""
    return PROGRAM.replace(THINKERS["plain"], THINKERS[how])


@asynccontextmanager
async def thinking(tmp_path: Path, text: str) -> AsyncIterator["tuple[asyncio.subprocess.Process, asyncio.Queue[int]]"]:
    """A program that never finishes its first decision, and the pongs that it sends meanwhile."""
    match = ScriptedMatch("bratwurmeck", 2)
    pongs: asyncio.Queue[int] = asyncio.Queue()

    async def ask(requests: Requests, context: Context) -> None:
        await welcome(requests, context)
        seat = match.referee.waiting[0]
        await context.write(ArenaMessage(started=[match.started(seat)]))
        assert (await anext(requests)).ready == [1]
        await context.write(ArenaMessage(decisions=[match.decision(seat)]))
        for number in range(1, 4):
            await context.write(ArenaMessage(ping=number))
            pongs.put_nowait((await anext(requests)).pong)
        async for message in requests:
            pongs.put_nowait(-1 if message.leaving else 0)

    async with arena(ask) as (address, _), program(tmp_path, address, text) as process:
        yield process, pongs


@pytest.mark.parametrize("how", THINKERS)
def test_a_second_signal_stops_a_bot_that_thinks_for_ever(tmp_path: Path, how: str) -> None:
    async def script() -> None:
        async with thinking(tmp_path, thinker(how)) as (process, pongs):
            assert process.stderr is not None
            assert [await pongs.get() for _ in range(3)] == [1, 2, 3]
            process.send_signal(signal.SIGINT)
            assert await pongs.get() == -1, "it says that it is leaving, though the bot thinks"
            process.send_signal(signal.SIGINT)
            told = (await process.stderr.read()).decode()
            assert await process.wait() == 130
            assert "leaving after 1 running match;" in told
            assert told.endswith("mybot.py: stopped\n"), told
            assert "Traceback" not in told

    bounded(script)


def test_a_bot_that_cleans_up_is_not_interrupted_again(tmp_path: Path) -> None:
    async def script() -> None:
        async with thinking(tmp_path, TIDY) as (process, pongs):
            assert process.stderr is not None
            assert [await pongs.get() for _ in range(3)] == [1, 2, 3]
            await process.stderr.readuntil(b"thinking\n")  # the connection is answered before the bot is called
            process.send_signal(signal.SIGINT)
            assert await pongs.get() == -1
            process.send_signal(signal.SIGINT)
            told = (await process.stderr.read()).decode()
            assert await process.wait() == 130
            assert told.endswith("tidy\nmybot.py: stopped\n"), told

    bounded(script)


@pytest.mark.parametrize("how", ["plain", "coroutine", "native", "deaf"])
def test_a_program_ends_though_its_bot_thinks_for_ever(tmp_path: Path, how: str) -> None:
    match = ScriptedMatch("bratwurmeck", 2)

    async def ask_and_refuse(requests: Requests, context: Context) -> None:
        await welcome(requests, context)
        seat = match.referee.waiting[0]
        await context.write(ArenaMessage(started=[match.started(seat)]))
        assert (await anext(requests)).ready == [1]
        await context.write(ArenaMessage(decisions=[match.decision(seat)], ping=1))
        assert (await anext(requests)).pong == 1
        await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "mybot was banned")

    async def script() -> None:
        async with arena(ask_and_refuse) as (address, _), program(tmp_path, address, thinker(how)) as process:
            assert process.stderr is not None
            told = (await process.stderr.read()).decode()
            assert await process.wait() == 1
            assert "mybot.py: the arena at" in told
            assert "refused: mybot was banned" in told
            assert "Traceback" not in told

    bounded(script)


def test_a_program_that_is_refused_says_why(tmp_path: Path) -> None:
    async def refuse(requests: Requests, context: Context) -> None:
        await anext(requests)
        await context.abort(grpc.StatusCode.ALREADY_EXISTS, "mybot is already connected")

    async def script() -> None:
        async with arena(refuse) as (address, _), program(tmp_path, address) as process:
            assert process.stderr is not None
            told = (await process.stderr.read()).decode()
            assert await process.wait() == 1
            assert told == f"mybot.py: the arena at {address} refused: mybot is already connected\n"

    bounded(script)
