"""Runs a ladder in which programs of any kind take part: an arena on loopback, and every bot a process of its own."""

import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import roost_sdk
from roost_bots import SAMPLES
from roost_cli.terminal.console import remarks
from roost_games.errors import RoostError
from roost_games.registry import GAME_NAMES
from roost_ladder.running.entrants import COMMAND, Entrant
from roost_ladder.running.fixtures import Limits
from roost_sdk.bot import wire_name
from roost_sdk.load import spelled_out
from roost_sdk.processes import GuardedProcess, Processes, Restart, Stoppage, Supervisor, python_words, stop
from roost_server.serving.private_arena import PrivateArena

CONNECT_SECONDS = 30.0
"""How long programs may take to connect."""
POLICY = Restart(first_pause=0.1, most_starts=4)
"""A program that ends is started again, but not for ever."""
MATCHES_AT_ONCE = "8"
SECONDS_TO_END = 5.0


class Program:
    """A bot's process, started again when it ends."""

    def __init__(self, entrant: Entrant, server: str, processes: Processes) -> None:
        self.name = entrant.spec.name
        words = [_filled(word, server, wire_name(self.name)) for word in command_of(entrant)]
        environment = {**os.environ, "ROOST_SERVER": server, "ROOST_NAME": wire_name(self.name)}
        self._supervisor = Supervisor(lambda: processes.start(self.name, words, environment), POLICY, self._remark)
        self.look()

    def look(self) -> None:
        """Start it again if it has ended."""
        self._supervisor.look()

    def _remark(self, stoppage: Stoppage) -> None:
        if stoppage.pause is not None:
            remarks().print(f"{self.name} ended and is started again: {stoppage.last_words}", soft_wrap=True)


def command_of(entrant: Entrant) -> list[str]:
    """The words of the command that plays a bot at an arena, with `{server}` and `{name}` to be filled in."""
    spec = entrant.spec
    if entrant.is_command:
        return shlex.split(spec.source.removeprefix(COMMAND))
    written = f"{spec.source}:{spec.class_name}" if spec.class_name else spec.source
    bot = spelled_out(SAMPLES[spec.name]) if spec.name in SAMPLES else written
    options = ["--server", "{server}", "--name", "{name}", "--matches-at-once", MATCHES_AT_ONCE]
    return python_words(roost_sdk, bot, *options)


def _filled(word: str, server: str, name: str) -> str:
    return word.replace("{server}", server).replace("{name}", name)


class Hall(NamedTuple):
    """An arena with everybody there."""

    arena: PrivateArena
    entrants: list[Entrant]
    """With the versions, games and player counts that programs told about themselves."""
    mind: Callable[[], None]
    """To be called now and then: starts programs again that have ended."""


@contextmanager
def hall(entrants: Sequence[Entrant], limits: Limits) -> Iterator[Hall]:
    """Start everybody. Raises `RoostError` if a program does not connect."""
    with (
        PrivateArena([wire_name(entrant.spec.name) for entrant in entrants], limits) as arena,
        Processes() as processes,
    ):
        programs = [Program(entrant, arena.address, processes) for entrant in entrants]
        _await(arena, processes.running)
        try:
            yield Hall(arena, [_introduced(entrant, arena) for entrant in entrants], lambda: _mind(programs))
        finally:
            stop(processes.running, SECONDS_TO_END)


def _await(arena: PrivateArena, processes: Sequence[GuardedProcess]) -> None:
    waiting = {wire_name(process.name): process for process in processes}
    moment = time.monotonic() + CONNECT_SECONDS
    while waiting and time.monotonic() < moment:
        waiting = {name: waiting[name] for name in arena.await_programs(list(waiting), seconds=1.0)}
        for process in waiting.values():
            if process.ended:
                raise RoostError(f"{process.name} does not start: {process.last_words()}")
    for process in waiting.values():
        process.kill()
        raise RoostError(
            f"{process.name} did not connect within {CONNECT_SECONDS:.0f} s; does its command use {{server}} and "
            f"{{name}}, or ROOST_SERVER and ROOST_NAME? It says: {process.last_words()}"
        )


def _introduced(entrant: Entrant, arena: PrivateArena) -> Entrant:
    name = wire_name(entrant.spec.name)
    games = frozenset(game for game in GAME_NAMES if arena.plays(name, game))
    return Entrant(entrant.spec._replace(version=arena.version_of(name)), games, arena.player_counts_of(name))


def _mind(programs: Sequence[Program]) -> None:
    for program in programs:
        program.look()
