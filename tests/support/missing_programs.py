"""Tests that need a program of the system, such as nginx: skipped where it is missing, but never in CI.

A part of the run for pytest (`tests/conftest.py`). The reason of such a skip contains `IS_MISSING`.
"""

import os
from collections.abc import Generator
from typing import Any

import pytest

IS_MISSING = "is not installed"
IN_CI = "CI"
"""The environment variable that is set there."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
    """In CI, such a skip is a failure: something would go untested, and nobody would notice."""
    report = yield
    if report.skipped and IS_MISSING in str(report.longrepr) and os.environ.get(IN_CI):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: {report.longrepr[-1]}; .ci/run has to install it"
    return report
