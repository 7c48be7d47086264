"""`python guard.py SECONDS WORD ...` runs a program that ends when the process that started the guard ends.

The guard reads its standard input, a pipe whose other end its parent holds. The end of that input means that the parent
is gone, however it ended. The guard then asks the program and all its children to stop, and kills them SECONDS later.
They all belong to the guard's process group, so the parent reaches them with a signal to that group.

It is started by its path, without the packages installed beside it, so it imports nothing but the standard library.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

CANNOT_START = 127
"""The exit code that shells use for it, too."""


def main(seconds: float, words: list[str]) -> int:
    """Run the program, and end the way it ends."""
    # A handler, unlike SIG_IGN, is not inherited by the program. The guard goes on until the program has ended.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        # What the guard was started with, such as a socket, is for the program. The guard opens nothing itself.
        program = subprocess.Popen(words, stdin=subprocess.DEVNULL, close_fds=False)  # noqa: S603  as asked
    except OSError as error:
        sys.stderr.write(f"{words[0]} cannot be started: {error.strerror}\n")
        return CANNOT_START
    gone = threading.Event()
    threading.Thread(target=_end_with_the_parent, args=(seconds, gone), daemon=True).start()
    code = program.wait()
    if gone.is_set():
        os.killpg(0, signal.SIGKILL)
    if code < 0:
        _die_of(-code)
    return code


def _end_with_the_parent(seconds: float, gone: threading.Event) -> None:
    while os.read(0, 1024):
        pass
    gone.set()
    os.killpg(0, signal.SIGTERM)
    time.sleep(seconds)
    os.killpg(0, signal.SIGKILL)


def _die_of(number: int) -> None:
    """End by the same signal, without a second core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
