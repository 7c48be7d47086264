"""Bots that hang, end their process or hoard memory are stopped; the record says so and can be verified."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from roost_games.chance import seed_of
from roost_games.errors import RoostError, UsageError
from roost_games.referee import Fault
from roost_games.registry import get_game
from roost_games.replay import FINISHED, FORFEIT, Decision, Replay, Step
from roost_games.verify import verify
from roost_ladder.running.engine import Executor
from roost_ladder.running.fixtures import BotSpec, Fixture, Job, MatchLimits, PlayedMatch
from roost_ladder.running.workers import local_executor, play
from roost_sdk import LocalMatch
from tests.support.ladders.small_ladders import CALM, STRICT, bot, fixture


@pytest.fixture
def executor() -> Iterator[Executor]:
    with local_executor(1) as executor:
        yield executor


def played(executor: Executor, *fixtures: Fixture, limits: MatchLimits = CALM) -> list[PlayedMatch]:
    return executor.submit(Job(fixtures, limits)).result()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "kind", "why", "game"),
    [
        ("hangs", Fault.LATE, "did not answer for 2 s and was stopped", "karteneck"),
        ("exits", Fault.GONE, "ended its process (exit code 3)", "karteneck"),
        ("hoards", Fault.CRASHED, "took more than 150 MB of memory and was stopped", "karteneck"),
        ("exits", Fault.GONE, "ended its process (exit code 3)", "haecmaec"),
    ],
)
def test_a_bot_that_has_to_be_stopped_forfeits_and_others_do_not_suffer(
    executor: Executor, name: str, kind: Fault, why: str, game: str
) -> None:
    limits = STRICT if kind is Fault.LATE else CALM
    (match,) = played(executor, fixture("first", name, game=game), limits=limits)
    assert match.result.termination == FORFEIT
    assert match.result.forfeits == (1,)
    assert match.result.places == (1, 2)
    assert [(fault.seat, fault.kind) for fault in match.result.faults] == [(1, kind)]
    assert [(stop.seat, stop.why) for stop in match.stops] == [(1, why)]
    assert [(trouble.bot, trouble.what) for trouble in match.troubles] == [(name, why)]
    assert verify(match.replay()) is None


def test_the_others_play_on_at_a_larger_table(executor: Executor) -> None:
    (match,) = played(executor, fixture("exits", "first", "last"))
    assert match.result.termination == FINISHED
    assert match.result.forfeits == (0,)
    assert match.result.places[0] == 3
    assert verify(match.replay()) is None


def test_a_lost_match_does_not_take_others_with_it(executor: Executor) -> None:
    pairs = [("first", "last"), ("first", "exits"), ("last", "first"), ("exits", "last"), ("first", "last")]
    fixtures = [fixture(*pair, match=f"m{number}") for number, pair in enumerate(pairs)]
    matches = played(executor, *fixtures)
    assert [match.match for match in matches] == ["m0", "m1", "m2", "m3", "m4"]
    assert [match.result.forfeits for match in matches] == [(), (1,), (), (0,), ()]
    assert matches[0].result == matches[4].result


@pytest.mark.long
def test_matches_beside_one_that_hangs_are_heard_of(executor: Executor) -> None:
    pairs = [("first", "last"), ("first", "hangs"), ("last", "first"), ("first", "exits")]
    fixtures = [fixture(*pair, match=f"m{number}") for number, pair in enumerate(pairs)]
    matches = played(executor, *fixtures, limits=STRICT)
    assert [match.match for match in matches] == ["m0", "m1", "m2", "m3"]
    assert [[stop.seat for stop in match.stops] for match in matches] == [[], [1], [], [1]]


def timeless(replay: Replay) -> list[Step]:
    return [step._replace(ms=None) if isinstance(step, Decision) else step for step in replay.steps]


def test_workers_play_what_a_plain_local_match_plays(executor: Executor) -> None:
    """Trusted or not, with bots that use their randomness and are told all moves."""
    wanted = fixture("dice", "listens", "first")
    local = LocalMatch(get_game("karteneck"), [spec.load() for spec in wanted.bots], wanted.seed, clock=CALM.clock)
    local.play()
    steps = timeless(local.referee.replay())
    for trusted in ((), (0, 1, 2), (1,)):
        bots = [spec._replace(trusted=seat in trusted) for seat, spec in enumerate(wanted.bots)]
        (match,) = played(executor, wanted._replace(bots=tuple(bots)))
        replay = match.replay()
        assert timeless(replay) == steps
        assert match.result == local.referee.result
        assert sum(match.decisions) == sum(isinstance(step, Decision) for step in steps)
        assert verify(replay) is None


@pytest.mark.parametrize("trusted", [False, True])
def test_bots_know_the_clock_of_the_ladder(executor: Executor, trusted: bool, tmp_path: Path) -> None:
    file = tmp_path / "punctual.py"
    file.write_text(
        "from roost_sdk import Bot\nclass Punctual(Bot):\n    def choose(self, view, legal):\n"
        "        raise ValueError(self.clock.decision_ms)\n"
    )
    punctual = BotSpec("punctual", "", str(file), "Punctual", trusted)
    (match,) = played(executor, fixture("first", "last")._replace(bots=(bot("first"), punctual)))
    assert match.troubles[0].what == f"crashed: ValueError: {CALM.clock.decision_ms}"


def test_what_goes_wrong_in_a_process_of_its_own_is_the_same_fault_as_elsewhere(executor: Executor) -> None:
    (together,) = played(executor, fixture("crashes", "babbles", trusted=True))
    (apart,) = played(executor, fixture("crashes", "babbles"))
    assert apart.result == together.result
    assert {fault.kind for fault in apart.result.faults} == {Fault.CRASHED, Fault.MALFORMED, Fault.ILLEGAL}
    assert "crashed: ValueError: no idea" in {trouble.what for trouble in apart.troubles}


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("exits", r"ended \(exit code 3\)"),
        ("hoards", "took more than 150 MB of memory for each"),
    ],
)
def test_a_trusted_bot_that_is_lost_ends_the_run(executor: Executor, name: str, how: str) -> None:
    names = ", ".join(sorted(("first", name)))
    with pytest.raises(RoostError, match=f"with the trusted bots {names} {how}.*without --trusted each has"):
        played(executor, fixture("first", name, trusted=True))


@pytest.mark.long
def test_other_matches_of_a_bot_that_is_stopped_come_out_as_without_it(executor: Executor) -> None:
    """The bot plays many at once. Those that it was not asked in begin again."""
    seeds = [seed_of("many", number) for number in range(12)]
    few = [fixture("moody", "dice", match=f"m{number}")._replace(seed=seed) for number, seed in enumerate(seeds)]
    alone = [played(executor, each)[0] for each in few]
    together = played(executor, *few)
    assert 0 < sum(bool(match.stops) for match in alone) < len(few)
    assert [match.result for match in together] == [match.result for match in alone]
    assert [match.stops for match in together] == [match.stops for match in alone]


def test_a_bot_that_cannot_be_loaded_is_named(executor: Executor) -> None:
    missing = bot("first")._replace(class_name="Nobody")
    broken = fixture("first", "last")._replace(bots=(missing, bot("last")))
    with pytest.raises(UsageError, match="there is no class 'Nobody'"):
        played(executor, broken)


def test_a_sample_is_loaded_by_its_module() -> None:
    assert BotSpec("x", "", "roost_bots.greedy", "GreedyBot").load().bot_class.__name__ == "GreedyBot"
    with pytest.raises(UsageError, match="no class 'Nobody' in roost_bots"):
        BotSpec("x", "", "roost_bots.greedy", "Nobody").load()


def test_nothing_is_recorded_if_nobody_wants_it(executor: Executor) -> None:
    (match,) = executor.submit(Job((fixture("first", "last"),), CALM._replace(recording=False))).result()
    assert match.document == b""
    assert sum(match.decisions) > 0


def test_any_executor_will_do() -> None:
    """Also one whose workers are processes, as on other machines: the bots are children of those."""
    job = Job((fixture("first", "last"), fixture("exits", "last")), CALM)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        matches = pool.submit(play, job).result()
    assert [match.result.forfeits for match in matches] == [(), (0,)]


ASKS_AND_WAITS = """
from roost_ladder.running.child import PULSE_SECONDS
from roost_ladder.running.process import WorkerProcess

# It is silent once the first sign of life has been sent, so it cannot learn from the pipe that its parent is gone.
busy = f"import sys, time; time.sleep({4 * PULSE_SECONDS}); print('busy', file=sys.stderr, flush=True); time.sleep(600)"
next(WorkerProcess().ask(exec, busy, patience=600))
"""


def test_a_child_that_hangs_ends_with_its_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", ASKS_AND_WAITS], stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == b"busy\n"
        parent.kill()
        _, rest = parent.communicate(timeout=120)  # The child holds this pipe, too: it ends when both are gone.
    assert rest == b""
