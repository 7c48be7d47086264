"""What `benchmarks/arena.py` compares the arena with: bare gRPC, HTTP per move, JSON lines over a pipe.

All of them move the same thing: a view of Karteneck in the middle of a match there, a move back.
"""

import asyncio
import http.client
import http.server
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from functools import cache
from multiprocessing.connection import Connection
from threading import Thread
from time import perf_counter
from typing import Any

import grpc

from roost.v1 import play_pb2
from roost_games.chance import Tape, seed_of
from roost_games.karteneck import GAME, View
from roost_sdk.wire import codec_for

WORM = 10
PLAY = "/roost.v1.Arena/Play"
OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
BATCHES, READY_MADE = "/echo/Batches", "/echo/ReadyMade"


@cache
def middle() -> View:
    """A view from the middle of a match in which everybody plays the first legal move."""
    state = GAME.start(2, GAME.options({}), Tape(seed_of("benchmark")))
    for _ in range(25):
        seat = state.to_move[0]
        state.apply(seat, state.legal(seat)[-1])
    return state.observe(state.to_move[0])


@cache
def example() -> play_pb2.Decision:
    """That view as the arena sends it."""
    decision = play_pb2.Decision(match=7, request=26, time_left_ms=11_000, bank_left_ms=10_000, latency_us=400)
    codec_for("karteneck").for_match(GAME.options({})).view_to_wire(middle(), decision.view)
    return decision


def build(match: int, request: int, fields: list[tuple[str, Any]], message: play_pb2.Decision) -> None:
    """A message of the same shape, built field by field, as a server does that makes a new one for every decision."""
    message.match = match
    message.request = request
    message.time_left_ms = 11_000
    message.bank_left_ms = 10_000
    message.latency_us = 400
    message.view.seat = 0
    message.view.players = 2
    message.view.to_move.append(0)
    view = message.view.karteneck
    for name, value in fields:
        if isinstance(value, list):
            getattr(view, name).extend(value)
        else:
            setattr(view, name, value)


def example_fields() -> list[tuple[str, Any]]:
    """The fields of the example's view that are set, with values as Python keeps them."""
    view = example().view.karteneck
    return [(field.name, list(value) if field.is_repeated else value) for field, value in view.ListFields()]


async def _answer_batches(requests: AsyncIterator[play_pb2.BotMessage], context: Any) -> None:
    fields = example_fields()
    async for message in requests:
        reply = play_pb2.ArenaMessage()
        for answer in message.answers:
            build(answer.match, answer.request + 1, fields, reply.decisions.add())
        await context.write(reply)


async def _answer_ready_made(requests: AsyncIterator[bytes], context: Any) -> None:
    reply = play_pb2.ArenaMessage(decisions=[example()]).SerializeToString()
    async for _ in requests:
        await context.write(reply)


def serve_echo(pipe: Connection) -> None:
    """Be a bare gRPC server until told to stop."""
    asyncio.run(_serve_echo(pipe))


async def _serve_echo(pipe: Connection) -> None:
    server = grpc.aio.server()
    stream = grpc.stream_stream_rpc_method_handler
    parse, write = play_pb2.BotMessage.FromString, play_pb2.ArenaMessage.SerializeToString
    handlers = {"Batches": stream(_answer_batches, parse, write), "ReadyMade": stream(_answer_ready_made)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    pipe.send(f"127.0.0.1:{port}")
    await asyncio.to_thread(pipe.recv)
    await server.stop(0)


async def echo_batches(address: str, streams: int, at_once: int, seconds: float) -> float:
    """Messages a second on a number of streams, in batches of as many as are under way on each."""
    batch = max(1, at_once // streams)
    end = perf_counter() + seconds

    async def one(channel: grpc.aio.Channel) -> int:
        call = channel.stream_stream(BATCHES, play_pb2.BotMessage.SerializeToString, play_pb2.ArenaMessage.FromString)()
        done = 0
        message = play_pb2.BotMessage(answers=[play_pb2.Answer(match=n, request=1) for n in range(batch)])
        while perf_counter() < end:
            await call.write(message)
            reply: Any = await call.read()
            message = play_pb2.BotMessage()
            for decision in reply.decisions:
                answer = message.answers.add(match=decision.match, request=decision.request)
                answer.move.karteneck.lay.append(first_card(decision.view))
            done += batch
        await call.done_writing()
        return done

    async with grpc.aio.insecure_channel(address) as channel:
        started = perf_counter()
        # With one match at once only one message is under way, whatever the number of streams.
        counts = await asyncio.gather(*[one(channel) for _ in range(min(streams, at_once))])
        return sum(counts) / (perf_counter() - started)


async def echo_streams(address: str, streams: int, seconds: float) -> float:
    """Round trips a second with one ready-made message on each of a number of streams."""
    sent = play_pb2.BotMessage(answers=[play_pb2.Answer(match=7, request=26)]).SerializeToString()
    end = perf_counter() + seconds

    async def one(channel: grpc.aio.Channel) -> int:
        call: Any = channel.stream_stream(READY_MADE)()
        done = 0
        while perf_counter() < end:
            await call.write(sent)
            await call.read()
            done += 1
        await call.done_writing()
        return done

    async with grpc.aio.insecure_channel(address) as channel:
        started = perf_counter()
        return sum(await asyncio.gather(*[one(channel) for _ in range(streams)])) / (perf_counter() - started)


class RawBot:
    """A bot for Karteneck without the SDK: it looks at its hand and display, and lays the first card that it may."""

    def __init__(self, name: str, matches: int) -> None:
        self.decisions = self.matches = 0
        self.connected = False
        self._hello = play_pb2.Hello(
            name=name, version="1", max_matches=matches, games=["karteneck"], player_counts=[2]
        )

    async def play(self, address: str) -> None:
        """Play until cancelled."""
        async with grpc.aio.insecure_channel(address, options=OWN_CONNECTION) as channel:
            call: Any = channel.stream_stream(
                PLAY, play_pb2.BotMessage.SerializeToString, play_pb2.ArenaMessage.FromString
            )()
            await call.write(play_pb2.BotMessage(hello=self._hello))
            async for message in call:
                self.connected = True
                await call.write(self._reply(message))

    def _reply(self, message: play_pb2.ArenaMessage) -> play_pb2.BotMessage:
        reply = play_pb2.BotMessage(ready=[started.match for started in message.started], pong=message.ping)
        for decision in message.decisions:
            answer = reply.answers.add(match=decision.match, request=decision.request)
            card = first_card(decision.view)
            if card:
                answer.move.karteneck.lay.append(card)
            else:
                answer.move.karteneck.steal = False
        self.decisions += len(message.decisions)
        self.matches += len(message.ended)
        return reply


def first_card(message: play_pb2.View) -> int:
    """The first card in the hand of a kind that is not in the own display; 0 if there is none."""
    view = message.karteneck
    before = sum(view.display_sizes[: message.seat])
    display = view.displays[before : before + view.display_sizes[message.seat]]
    laid = {min(card, WORM) for card in display}
    return next((card for card in view.hand if min(card, WORM) not in laid), 0)


def view_as_json() -> str:
    """The view as a JSON interface would send it."""
    return json.dumps({**middle()._asdict(), "options": {}})


class _Bot(http.server.BaseHTTPRequestHandler):
    """A bot behind a web server, the way tournaments over HTTP have it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer with a move."""
        view = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"lay": [view["hand"][0]]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def serve_http(pipe: Connection) -> None:
    """Be a bot behind a web server until told to stop."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Bot)
    Thread(target=server.serve_forever, daemon=True).start()
    pipe.send(f"127.0.0.1:{server.server_address[1]}")
    pipe.recv()
    server.shutdown()


async def http_per_move(address: str, seconds: float) -> float:
    """Moves a second over one connection that is kept open."""
    return await asyncio.to_thread(_http_per_move, address, seconds)


def _http_per_move(address: str, seconds: float) -> float:
    host, _, port = address.partition(":")
    connection = http.client.HTTPConnection(host, int(port))
    done, started = 0, perf_counter()
    while perf_counter() - started < seconds:
        connection.request("POST", "/move", view_as_json(), {"Content-Type": "application/json"})
        json.loads(connection.getresponse().read())
        done += 1
    rate = done / (perf_counter() - started)
    connection.close()
    return rate


PIPE_BOT = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"lay": [json.loads(line)["hand"][0]]}), flush=True)
"""


def json_lines(seconds: float) -> float:
    """Moves a second of a bot that reads views from its standard input."""
    command = [sys.executable, "-c", PIPE_BOT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as bot:
        assert bot.stdin is not None and bot.stdout is not None  # noqa: S101, PT018  both are pipes
        done, started = 0, perf_counter()
        while perf_counter() - started < seconds:
            bot.stdin.write(view_as_json() + "\n")
            json.loads(bot.stdout.readline())
            done += 1
        rate = done / (perf_counter() - started)
        bot.stdin.close()
    return rate
