"""Around every run: nothing that the tests have started outlives them."""

import os
from collections.abc import Iterator

import pytest

from tests.support import left_processes

WORKER = "PYTEST_XDIST_WORKER"
"""Set in the processes that pytest-xdist starts. The one that started them looks after what is left."""

if WORKER not in os.environ:
    left_processes.mark_children()


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    yield
    if WORKER in os.environ:
        return
    if left := left_processes.left():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.section("processes that outlive the tests", red=True)
        for command in left:
            reporter.write_line(command)
