"""What `roost submit` asks an arena about the rating of its bot, and that nobody has to read how gRPC does it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from roost.v1 import arena_pb2
from roost_cli.terminal.submit import shown_standing
from roost_sdk.arena.reader import RatingWatch
from tests.support.commands.roost import Roost, arena, roost_process, until
from tests.support.grpc_servers import answering

IDLE_MS = 100
IDLE_COMMAND = """
import time
from roost.v1 import arena_pb2
from roost_cli import main

def ask_and_wait(arguments):
    from roost_sdk.arena.reader import open_arena

    with open_arena(arguments[0]) as arena:
        print(len(arena.standings(arena_pb2.GetStandingsRequest()).standings))
        time.sleep(1)

main.run = ask_and_wait
main.main()
"""
"""The command `roost` with something in it that keeps a connection for longer than the arena does."""


class Oracle(grpc.GenericRpcHandler):
    """A server that answers any question with the same message, and notes from which connections they come."""

    def __init__(self, answer: Message) -> None:
        self.peers: list[str] = []
        self.address = ""
        self._answer = answer

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, Message]":
        return grpc.unary_unary_rpc_method_handler(self._tell, response_serializer=type(self._answer).SerializeToString)

    def _tell(self, request: bytes, context: grpc.ServicerContext) -> Message:
        self.peers.append(context.peer())
        return self._answer


@contextmanager
def oracle(answer: Message) -> Iterator[Oracle]:
    there = Oracle(answer)
    idle = (("grpc.max_connection_idle_ms", IDLE_MS),)
    with answering(lambda server: server.add_generic_rpc_handlers([there]), options=idle) as there.address:
        yield there


STANDINGS = arena_pb2.GetStandingsResponse(
    standings=[
        arena_pb2.Standing(version_id=7, rating=1534, rating_low=1494, rating_high=1574, rank_low=1, rank_high=2),
        arena_pb2.Standing(version_id=8, rating=1466, rating_low=1426, rating_high=1506, rank_low=1, rank_high=2),
    ]
)


def test_each_question_has_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is kept would be closed by the arena before the next question."""
    monkeypatch.setattr(RatingWatch, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(RatingWatch, "SECONDS", 0.0)
    with oracle(STANDINGS) as there, RatingWatch(there.address) as rating:
        rating.follow(7)
        until(lambda: len(there.peers) >= 3)
        assert shown_standing(rating.standing, rating.bots) == "rating 1534 ±40, rank 1-2 of 2"
    assert len(set(there.peers)) == len(there.peers)


def test_an_arena_that_is_gone_says_nothing_about_a_rating() -> None:
    with oracle(STANDINGS) as there, RatingWatch(there.address) as rating:
        assert rating.final() is None, "it was never there"
        rating.follow(7)
        assert shown_standing(rating.final(), rating.bots) == "rating 1534 ±40, rank 1-2 of 2"
    assert rating.final() is None


@pytest.mark.long
def test_the_last_line_has_the_rating_of_the_end(tmp_path: Path, roost: Roost) -> None:
    def greedy() -> dict[str, Any]:
        rows = json.loads(roost("standings", "--db", tmp_path / "roost.db", "--json").out)["standings"]
        return next((row for row in rows if row["name"] == "greedy"), {"matches": 0})

    with (
        arena(tmp_path, "--players", "2") as (_, address),
        roost_process("submit", "random", "--server", address, folder=tmp_path),
        roost_process("submit", "greedy", "--server", address, folder=tmp_path) as leaving,
    ):
        until(lambda: greedy()["matches"] >= 10)
        leaving.send(signal.SIGINT)
        assert leaving.end() == 0
        # Nobody is left to play with, so this no longer changes.
        row = greedy()
    half = (row["rating_high"] - row["rating_low"]) / 2
    assert f" | rating {row['rating']:.0f} ±{half:.0f}, rank " in leaving.out.lines[-1]


def test_grpc_keeps_its_own_words_to_itself() -> None:
    """When an arena closes a connection that a command has left idle, gRPC would say so on stderr."""
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"}
    with oracle(STANDINGS) as there:
        command = [sys.executable, "-c", IDLE_COMMAND, there.address]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")
