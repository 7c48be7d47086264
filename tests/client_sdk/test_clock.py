"""A bot knows what is left of its time, and until when it may think, wherever it plays."""

import asyncio
import json
import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.chance import Tape, seed_of
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_games.replay import Seat
from roost_sdk import Bot, Client, LoadedBot, LocalMatch
from roost_sdk import clock as clock_module
from roost_sdk import seat as seat_module
from roost_sdk.bot_process.answers import Answer
from roost_sdk.bot_process.process import BotLimits, BotProcess
from roost_sdk.clock import MatchClock, TimeLeft
from roost_sdk.stdio import stdio_bot
from roost_sdk.testing import ScriptedLink, ScriptedMatch

GAME = get_game("karteneck")


class StoppedTime:
    """Both clocks of a process, in seconds; they go on when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> StoppedTime:
    stopped = StoppedTime()
    for module, name in ((clock_module, "perf_counter"), (clock_module, "monotonic"), (seat_module, "perf_counter")):
        monkeypatch.setattr(module, name, stopped)
    return stopped


def shown(clock: MatchClock) -> tuple[float, float, float]:
    return round(clock.time_left_ms, 3), round(clock.bank_left_ms, 3), clock.latency_ms


def test_the_bank_runs_only_when_the_time_for_the_decision_is_used_up(time: StoppedTime) -> None:
    clock = MatchClock(Clock(1_000, 10_000), lambda: TimeLeft(5_000, 4_000, 20, asked=100.0))
    assert shown(clock) == (5_000, 4_000, 20)
    time.now += 0.9
    assert shown(clock) == (4_100, 4_000, 20)
    time.now += 0.6
    assert shown(clock) == (3_500, 3_500, 20)
    time.now += 9
    assert shown(clock) == (0, 0, 20)
    assert clock == (1_000, 10_000), "what a bot of an earlier version knows"


@pytest.mark.parametrize(
    ("left", "bank_ms", "seconds"),
    [
        (TimeLeft(5_000, 4_000, 20, 100.0), math.inf, 4.930),
        (TimeLeft(5_000, 4_000, 20, 100.0), 0, 0.930),
        (TimeLeft(5_000, 4_000, 20, 100.0), 500, 1.430),
        (TimeLeft(100, 0, 0, 100.0), math.inf, 0.090),
        (TimeLeft(math.inf, math.inf, 0, 100.0), 0, 0.950),
        (TimeLeft(math.inf, math.inf, 0, 100.0), math.inf, math.inf),
    ],
)
def test_the_deadline_is_a_round_trip_and_up_to_50_ms_earlier(
    time: StoppedTime, left: TimeLeft, bank_ms: float, seconds: float
) -> None:
    clock = MatchClock(Clock(1_000, 10_000), lambda: left)
    assert clock.deadline(bank_ms) == pytest.approx(100 + seconds)


def test_the_deadline_stays_where_it_is_while_the_bot_thinks(time: StoppedTime) -> None:
    clock = MatchClock(Clock(1_000, 10_000), lambda: TimeLeft(1_000, 0, 0, 100.0))
    first = clock.deadline()
    time.now += 0.7
    assert clock.deadline() == pytest.approx(first)


def test_a_slow_decision_is_taken_out_of_the_bank_of_a_local_match(time: StoppedTime) -> None:
    known = []

    class Slow(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            known.append(shown(self.clock))
            time.now += 1.25
            return legal[0]

    bots = [LoadedBot("slow", Slow), LoadedBot("random", SAMPLES["random"])]
    LocalMatch(GAME, bots, seed_of("clock"), clock=Clock(1_000, 600)).play()
    assert known[:3] == [(1_600, 600, 0), (1_350, 350, 0), (1_100, 100, 0)], "250 ms of the bank for each"


def test_a_bot_in_a_process_of_its_own_knows_it(tmp_path: Path) -> None:
    file = tmp_path / "knowing.py"
    file.write_text(
        "from roost_sdk import Bot\n"
        "class Knowing(Bot):\n"
        "    def choose(self, view, legal):\n"
        "        left = self.clock.time_left_ms\n"
        "        raise ValueError(self.clock.bank_left_ms, 0 < left <= 1400, self.bots[1].bot, self.bots[1].version)\n"
    )
    state = GAME.start(2, GAME.options({}), Tape(seed_of("clock")))
    start = (0, 2, "seed", Clock(1_000, 1_000), (Seat("knowing", "v1"), Seat("rival", "v2")))
    with closing(BotProcess(str(file), BotLimits())) as process:
        process.load()
        process.send([(1, "start", ("karteneck", *start)), (1, "decide", (state.observe(0), 600.0))])
        answers: list[Answer] = []
        while len(answers) < 2:
            answers += [answer for _, answer in process.receive()]
    assert answers[1].error()[0] == "ValueError: (400.0, True, 'rival', 'v2')"


def test_an_arena_tells_the_time_that_is_left_and_who_plays() -> None:
    known: list[object] = []

    class Knowing(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            clock = self.clock
            known.extend((clock.bank_left_ms, clock.latency_ms, 4_000 < clock.time_left_ms <= 4_700, self.bots))
            return legal[0]

    async def script() -> None:
        link, match = ScriptedLink(), ScriptedMatch("karteneck", 2, "clock")
        client = Client(Knowing, name="tester", version="v1")
        running = asyncio.create_task(client.run(link.open))
        await link.heard()
        link.welcome()
        (seat,) = match.referee.waiting
        started, decision = match.started(seat), match.decision(seat)
        started.versions[:] = ["v1", ""]
        decision.time_left_ms, decision.bank_left_ms, decision.latency_us = 4_700, 3_700, 30_000
        link.say(started=[started], decisions=[decision])
        while not (await link.heard()).answers:
            pass
        client.stop()
        await running

    asyncio.run(script())
    assert known == [3_700, 30, True, (Seat("bot0", "v1"), Seat("bot1"))]


def test_a_program_is_told_as_well(tmp_path: Path) -> None:
    heard = tmp_path / "heard.jsonl"
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        f"    open({str(heard)!r}, 'a').write(line)\n"
        "    if json.loads(line)['type'] == 'decide': print(0, flush=True)\n"
    )
    bots = [LoadedBot(*stdio_bot(f"python {program}")), LoadedBot("random", SAMPLES["random"])]
    LocalMatch(GAME, bots, seed_of("clock"), clock=Clock(5_000, 600), versions=["v1", "v2"]).play()
    start, first, *_ = map(json.loads, heard.read_text().splitlines())
    assert start["bots"] == [{"name": "program", "version": "v1"}, {"name": "random", "version": "v2"}]
    left = first["clock"]
    assert (left["bank_left_ms"], left["latency_ms"]) == (600, 0)
    assert 0 < left["think_ms"] <= left["time_left_ms"] - 50 < 5_550
