"""`python -m roost_cli.leash WORD ...` runs a program for as long as somebody holds the other end of its stdin.

It is to programs in any language what `tether` is to our own commands: they end when whoever started them ends.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

SECONDS_TO_END = 3.0


def _end_with_the_holder(program: "subprocess.Popen[bytes]") -> None:
    while os.read(0, 1024):
        pass
    _signal(program, signal.SIGTERM)
    try:
        program.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        _signal(program, signal.SIGKILL)


def _signal(program: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """To the program and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.pid, number)


def main(words: list[str]) -> int:
    """Run the program; its exit code."""
    try:
        program = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603  as asked
    except OSError as error:
        sys.stderr.write(f"{words[0]} cannot be started: {error.strerror}\n")
        return 127
    threading.Thread(target=_end_with_the_holder, args=(program,), daemon=True).start()
    code = program.wait()
    _signal(program, signal.SIGKILL)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
