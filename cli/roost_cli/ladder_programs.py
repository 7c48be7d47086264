"""Runs a ladder in which programs of any kind take part: an arena on loopback, and every bot a process of its own."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple

from roost_bots import SAMPLES
from roost_cli.terminal.console import remarks
from roost_games.errors import RoostError
from roost_games.registry import GAME_NAMES
from roost_ladder.running.entrants import COMMAND, Entrant
from roost_ladder.running.fixtures import Limits
from roost_sdk.bot import wire_name
from roost_server.serving.private_arena import PrivateArena

CONNECT_SECONDS = 30.0
"""How long programs may take to connect."""
MOST_STARTS = 4
"""A program that ends is started again, but not for ever."""
MATCHES_AT_ONCE = "8"
SECONDS_TO_END = 5.0


class Program:
    """A bot's process, started again when it ends."""

    def __init__(self, entrant: Entrant, server: str) -> None:
        self.name = entrant.spec.name
        self.starts = 0
        self._log: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed by `end`
        self._words = [_filled(word, server, wire_name(self.name)) for word in command_of(entrant)]
        self._environment = {**os.environ, "ROOST_SERVER": server, "ROOST_NAME": wire_name(self.name)}
        self.start()

    def start(self) -> None:
        """Start it, once more."""
        if self.starts:
            self.let_go()
        self.starts += 1
        self._process = subprocess.Popen(  # noqa: S603  to run what the author names is the purpose
            [sys.executable, "-P", "-m", "roost_cli.leash", *self._words],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            env=self._environment,
            start_new_session=True,
        )

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self._process.poll() is not None

    def last_words(self) -> str:
        """The last line that it wrote."""
        self._log.seek(0)
        lines = [line for line in self._log.read().splitlines() if line.strip()]
        return lines[-1] if lines else "it says nothing"

    def let_go(self) -> None:
        """Let it end."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def end(self) -> None:
        """Make sure that it is over."""
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


def command_of(entrant: Entrant) -> list[str]:
    """The words of the command that plays a bot at an arena, with `{server}` and `{name}` to be filled in."""
    spec = entrant.spec
    if entrant.is_command:
        return shlex.split(spec.source.removeprefix(COMMAND))
    bot = spec.name if spec.name in SAMPLES else f"{spec.source}:{spec.class_name}" if spec.class_name else spec.source
    options = ["--server", "{server}", "--name", "{name}", "--matches-at-once", MATCHES_AT_ONCE]
    return [sys.executable, "-P", "-m", "roost_cli", "submit", bot, *options]


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
    with PrivateArena([wire_name(entrant.spec.name) for entrant in entrants], limits) as arena:
        programs = [Program(entrant, arena.address) for entrant in entrants]
        try:
            _await(arena, programs)
            yield Hall(arena, [_introduced(entrant, arena) for entrant in entrants], lambda: _mind(programs))
        finally:
            for program in programs:
                program.let_go()
            for program in programs:
                program.end()


def _await(arena: PrivateArena, programs: Sequence[Program]) -> None:
    waiting = {wire_name(program.name): program for program in programs}
    seconds = 0.0
    while waiting and seconds < CONNECT_SECONDS:
        seconds += 1.0
        waiting = {name: waiting[name] for name in arena.await_programs(list(waiting), seconds=1.0)}
        for program in waiting.values():
            if program.ended:
                raise RoostError(f"{program.name} does not start: {program.last_words()}")
    for program in waiting.values():
        raise RoostError(
            f"{program.name} did not connect within {CONNECT_SECONDS:.0f} s; does its command use {{server}} and "
            f"{{name}}, or ROOST_SERVER and ROOST_NAME? It says: {program.last_words()}"
        )


def _introduced(entrant: Entrant, arena: PrivateArena) -> Entrant:
    name = wire_name(entrant.spec.name)
    games = frozenset(game for game in GAME_NAMES if arena.plays(name, game))
    return Entrant(entrant.spec._replace(version=arena.version_of(name)), games, arena.player_counts_of(name))


def _mind(programs: Sequence[Program]) -> None:
    for program in programs:
        if program.ended and program.starts < MOST_STARTS:
            remarks().print(f"{program.name} ended and is started again: {program.last_words()}", soft_wrap=True)
            program.start()
