"""The arena's log goes to stderr, also when that has been replaced meanwhile."""

import json
import subprocess
import sys

PROGRAM = """\
import io, sys
import structlog
from roost_server.serving.logs import configure_logging

log = structlog.get_logger()
former, sys.stderr = sys.stderr, io.StringIO()
configure_logging()
log.info("captured")
sys.stderr.close()
sys.stderr = former
log.info("shown", match="m1")
"""


def test_a_log_line_goes_to_the_stderr_of_the_moment() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stderr)
    assert (told["event"], told["match"], told["level"]) == ("shown", "m1", "info")
