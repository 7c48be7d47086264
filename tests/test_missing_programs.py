"""A test that needs a program of the system is skipped without it, and fails in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest

@pytest.mark.skipif(True, reason="nginx is not installed: apt-get install nginx")
def test_marked():
    pass

@pytest.fixture
def server():
    pytest.skip("PostgreSQL is not installed: apt-get install postgresql")

def test_by_its_fixture(server):
    pass

@pytest.mark.skipif(True, reason="no IPv6 here")
def test_of_something_else():
    pass
"""


@pytest.mark.parametrize(("ci", "code", "summary"), [("", 0, "3 skipped in"), ("true", 1, "1 skipped, 2 errors in")])
def test_in_ci_nothing_is_skipped_for_want_of_a_program(ci: str, code: int, summary: str, tmp_path: Path) -> None:
    (tmp_path / "test_programs.py").write_text(TESTS)
    words = ("-p", "tests.support.missing_programs", "-p", "no:cacheprovider", "-c", os.devnull, "-rs", str(tmp_path))
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, summary in done.stdout) == (code, True), done.stdout
    assert "apt-get install nginx" in done.stdout
    assert "apt-get install postgresql" in done.stdout
