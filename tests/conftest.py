"""Around every run: nothing that the tests have started outlives them, and no test changes another one's logging."""

import gc
import logging
import os
from collections import defaultdict
from collections.abc import Generator, Iterator

import pytest

from tests.support import left_processes
from tests.support.cases import spread

pytest_plugins = ("tests.support.missing_programs",)

WORKER = "PYTEST_XDIST_WORKER"
"""Set in the processes that pytest-xdist starts. The one that started them looks after what is left."""

if WORKER not in os.environ:
    left_processes.mark_children()


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """For `-n auto`, one more than there are cores: a test that waits for a clock or a process leaves its core idle."""
    return (yield) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases as long that `short` leaves out."""
    tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("short") and not item.get_closest_marker("long"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        kept = spread(len(cases), next(cases[0].iter_markers("short")).args[0])
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker("long")


def pytest_collection_finish() -> None:
    """What was collected stays until the end, so the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    yield
    if WORKER in os.environ or not getattr(session.config.option, "numprocesses", None):
        # In a run without workers, what ends with its interpreter is still there.
        return
    if left := left_processes.left():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.section("processes that outlive the tests", red=True)
        for command in left:
            reporter.write_line(command)


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command that is run in this process sets up logging for good, on a stream that is closed after its test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
