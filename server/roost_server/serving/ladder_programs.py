"""The programs of a local ladder: every bot a process of its own, connected to an arena on loopback.

On a cluster each worker has such an arena. The programs are started here first, to learn what they play and in which
version, and on a worker with its first job.
"""

import os
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import roost_sdk
from roost_games.errors import RoostError
from roost_games.registry import GAME_NAMES
from roost_ladder.cluster.bot_files import Travellers, settled, settled_text
from roost_ladder.cluster.connection import ClusterAddress
from roost_ladder.cluster.executor import cluster_executor
from roost_ladder.cluster.worker import JobPlayer
from roost_ladder.running.entrants import COMMAND, Entrant
from roost_ladder.running.fixtures import Job, MatchLimits, PlayedMatch
from roost_ladder.running.local_ladder import LadderTeam
from roost_ladder.running.process import WORKER_PROCESSES
from roost_sdk.bot import Bot, wire_name
from roost_sdk.load import spelled_out
from roost_sdk.processes import GuardedProcess, Processes, Restart, Stoppage, Supervisor, python_words, stop
from roost_server.serving.ladder_arena import LadderArena
from roost_server.serving.logs import warnings_only

CONNECT_SECONDS = 30.0
"""How long programs may take to connect."""
POLICY = Restart(first_pause=0.1, most_starts=4)
"""A program that exits is restarted, but only a few times."""
SECONDS_TO_END = 5.0
LOOK_SECONDS = 0.1
"""How often programs are looked after while a worker plays."""
Samples = Mapping[str, type[Bot]]
"""Sample bots by name."""


class LadderPrograms(NamedTuple):
    """An arena to which all programs of a ladder are connected."""

    arena: LadderArena
    entrants: list[Entrant]
    """With the versions, games and player counts that programs told about themselves."""
    look_after: Callable[[], None]
    """Restart programs that have ended. Must be called now and then."""


@contextmanager
def ladder_programs(
    entrants: Sequence[Entrant], limits: MatchLimits, samples: Samples, tell: Callable[[str], None]
) -> Iterator[LadderPrograms]:
    """Start all programs. Raises `RoostError` if one does not connect. `tell` hears about those that end."""
    names = [wire_name(entrant.spec.name) for entrant in entrants]
    with warnings_only(), LadderArena(names, limits) as arena, Processes() as processes:
        started = [_supervised(entrant, arena.address, samples, processes, tell) for entrant in entrants]

        def look_after() -> None:
            for supervisor in started:
                supervisor.look()

        look_after()
        _await(arena, processes.running)
        try:
            yield LadderPrograms(arena, [_introduced(entrant, arena) for entrant in entrants], look_after)
        finally:
            stop(processes.running, SECONDS_TO_END)


def _supervised(
    entrant: Entrant, server: str, samples: Samples, processes: Processes, tell: Callable[[str], None]
) -> Supervisor:
    """Keeps a bot's process running."""
    title = entrant.spec.name
    name = wire_name(title)
    words = [word.replace("{server}", server).replace("{name}", name) for word in command_of(entrant, samples)]
    environment = {**os.environ, "ROOST_SERVER": server, "ROOST_NAME": name}

    def remark(stoppage: Stoppage) -> None:
        if stoppage.pause is not None:
            tell(f"{title} ended and is started again: {stoppage.last_words}")

    return Supervisor(lambda: processes.start(title, words, environment), POLICY, remark)


def command_of(entrant: Entrant, samples: Samples) -> list[str]:
    """The words of the command that plays a bot at an arena, with `{server}` and `{name}` to be filled in."""
    spec = entrant.spec
    if entrant.is_command:
        return shlex.split(spec.source.removeprefix(COMMAND))
    written = f"{spec.source}:{spec.class_name}" if spec.class_name else spec.source
    bot = spelled_out(samples[spec.name]) if spec.name in samples else written
    return python_words(roost_sdk, bot, "--server", "{server}", "--name", "{name}")


def _await(arena: LadderArena, processes: Sequence[GuardedProcess]) -> None:
    waiting = {wire_name(process.name): process for process in processes}
    give_up = time.monotonic() + CONNECT_SECONDS
    while waiting and time.monotonic() < give_up:
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


def _introduced(entrant: Entrant, arena: LadderArena) -> Entrant:
    program = arena.program(wire_name(entrant.spec.name))
    games = frozenset(program.games or GAME_NAMES)
    return Entrant(entrant.spec._replace(version=program.version), games, tuple(sorted(program.player_counts)))


class RunningPrograms(NamedTuple):
    """The programs on a worker, and what ends them."""

    programs: LadderPrograms
    resources: ExitStack


_turn = threading.Lock()
_running: dict[tuple[tuple[Entrant, ...], MatchLimits], RunningPrograms] = {}


@contextmanager
def cluster_programs(
    address: ClusterAddress,
    entrants: Sequence[Entrant],
    limits: MatchLimits,
    samples: Samples,
    tell: Callable[[str], None],
) -> Iterator[LadderTeam]:
    """Programs that play on the workers of a cluster. Raises `RoostError` if one does not connect, here or there."""
    with ladder_programs(entrants, limits, samples, tell) as here:
        introduced = here.entrants
    bots = [entrant.spec for entrant in introduced]
    travellers = Travellers(bots)
    sent = tuple(
        [entrant._replace(spec=spec) for entrant, spec in zip(introduced, map(travellers.sent_bot, bots), strict=True)]
    )
    sources = tuple(entrant.spec.source for entrant in sent)
    player = JobPlayer(partial(play_programs, sent, limits), partial(end_programs, sent, limits), sources)
    with cluster_executor(address, bots, limits, tell, player) as executor:
        yield LadderTeam(introduced, executor)


def play_programs(entrants: tuple[Entrant, ...], limits: MatchLimits, folder: Path, job: Job) -> list[PlayedMatch]:
    """On a worker: play a job at its arena, which is started for the first one."""
    with _turn:
        if (entrants, limits) not in _running:
            _running[entrants, limits] = _started(entrants, limits, folder)
        programs = _running[entrants, limits].programs
    future = programs.arena.submit(settled(job, folder))
    while not wait([future], LOOK_SECONDS).done:
        with _turn:
            programs.look_after()
    return future.result()


def end_programs(entrants: tuple[Entrant, ...], limits: MatchLimits) -> None:
    """On a worker: end the arena and its programs."""
    with _turn:
        running = _running.pop((entrants, limits), None)
        if running is not None:
            running.resources.close()


def _started(entrants: tuple[Entrant, ...], limits: MatchLimits, folder: Path) -> RunningPrograms:
    there = [
        entrant._replace(spec=entrant.spec._replace(source=settled_text(entrant.spec.source, folder)))
        for entrant in entrants
    ]
    with ExitStack() as resources:
        programs = resources.enter_context(ladder_programs(there, limits, {}, WORKER_PROCESSES.tell))
        for wanted, found in zip(entrants, programs.entrants, strict=True):
            if found.spec.version != wanted.spec.version:
                raise RoostError(f"{wanted.spec.name} has another version there than here")
        return RunningPrograms(programs, resources.pop_all())
