"""`roost compare` and Ctrl-C: the answer so far, and no process left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.support.commands.roost import ENVIRONMENT, INTERRUPTIBLE

BOT = """
import os
from pathlib import Path
from roost_sdk import Bot
Path(__file__).with_suffix(".pids").open("a").write(f"{os.getpid()}\\n")
class Mine(Bot):
    def choose(self, view, legal):
        Path(__file__).with_suffix(".played").touch()
        return self.rng.choice(legal)
"""


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_ends_with_the_answer_so_far(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(BOT)
    arguments = ["compare", str(bot), "random", "--elo1", "1", "--budget", "10m", "--workers", "2"]
    with subprocess.Popen(
        [*INTERRUPTIBLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        while process.poll() is None and not bot.with_suffix(".played").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert "Undecided: it takes more blocks to tell whether mine is stronger than random." in out
    assert err == "stopping; the answer so far follows\nroost: interrupted\n"
    workers = [int(line) for line in bot.with_suffix(".pids").read_text().split()]
    assert workers
    assert not any(is_running(worker) for worker in workers)
