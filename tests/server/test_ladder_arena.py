"""The arena of one local ladder, and what an interruption leaves behind."""

import gc
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from roost_ladder.running.fixtures import STANDARD_LIMITS
from roost_server.serving.ladder_arena import LadderArena


class Interrupted(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[None]:
    """An alarm raises `Interrupted`, as Ctrl-C raises `KeyboardInterrupt`."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.signal(signal.SIGALRM, before)


def wait_for_nobody() -> None:
    with LadderArena(["mine"], STANDARD_LIMITS) as arena:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        arena.await_programs(["mine"], seconds=600)


def test_an_interruption_leaves_no_task_behind(alarm: None, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Interrupted):
        wait_for_nobody()
    gc.collect()
    assert caplog.messages == []
