"""`python -m roost_cli.tether ...` is the `roost` command for as long as somebody holds the other end of its stdin.

A command that starts others holds these ends. They are let go when it ends, however it ends, and then the others end
too: in order if they can, and in any case soon.
"""

import os
import signal
import threading
import time

from roost_cli.main import main

SECONDS_TO_END = 5.0


def _end_with_the_holder() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_holder, daemon=True).start()
    main()
