"""Bots that attack their host. Each tries one thing when it is asked for its first move, and then plays on."""

import ctypes
import gc
import os
import pickle
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roost_sdk import Bot

GONE_BY_ITSELF = 600
"""Whatever a test leaves behind ends after this many seconds."""


class Attacker(Bot):
    """Plays the first legal move."""

    def start(self) -> None:
        self.attack()

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]

    def attack(self) -> None:
        """What it tries."""


class Looks(Attacker):
    """Looks for the referee from its own frame and among all objects."""

    def attack(self) -> None:
        frame = sys._getframe()
        while frame is not None:
            if any(type(value).__name__ == "Referee" for value in frame.f_locals.values()):
                raise ValueError("found the referee up the stack")
            frame = frame.f_back  # type: ignore[assignment]  # the loop ends then
        if any(type(value).__name__ == "Referee" for value in gc.get_objects()):
            raise ValueError("found the referee in memory")


class Peeks(Attacker):
    """Opens the memory of the process that started the one it is watched by."""

    def attack(self) -> None:
        status = Path(f"/proc/{os.getppid()}/status").read_text(encoding="ascii")
        referee = next(line.split()[1] for line in status.splitlines() if line.startswith("PPid"))
        local, remote = ctypes.create_string_buffer(8), ctypes.c_void_p(0)
        ctypes.CDLL(None).process_vm_readv(int(referee), local, 0, remote, 0, 0)
        with open(f"/proc/{referee}/mem", "rb"):
            raise ValueError("the referee's memory is open")


class Unpickled:
    """To unpickle this makes a file."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path(__file__).with_name("unpickled"),)


def channels() -> list[int]:
    """The sockets that its process has open."""
    numbers = map(int, os.listdir("/proc/self/fd"))
    return [number for number in numbers if _is_socket(number)]


def _is_socket(number: int) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{number}").startswith("socket")
    except OSError:
        return False


class SendsPickles(Attacker):
    """Sends what does something when it is unpickled."""

    def attack(self) -> None:
        for number in channels():
            os.write(number, pickle.dumps([Unpickled()] * 100))
        time.sleep(GONE_BY_ITSELF)


class Babbles(Attacker):
    """Writes garbage where answers go."""

    def attack(self) -> None:
        for number in channels():
            os.write(number, os.urandom(1000))
        time.sleep(GONE_BY_ITSELF)


class AnswersUnasked(Attacker):
    """Writes more answers than there are questions, all of them well formed."""

    def attack(self) -> None:
        for number in channels():
            os.write(number, bytes(13 * 100))
        time.sleep(GONE_BY_ITSELF)


class ClosesFiles(Attacker):
    """Closes all that is open."""

    def attack(self) -> None:
        os.closerange(3, 100)
        time.sleep(GONE_BY_ITSELF)


class KillsItsGroup(Attacker):
    """Kills its process group, with the one that watches it."""

    def attack(self) -> None:
        os.killpg(0, signal.SIGKILL)


class Quits(Attacker):
    """Ends its process as if all were well."""

    def attack(self) -> None:
        os._exit(0)


class ForksForever(Attacker):
    """A fork bomb, bounded so that a failing test does no harm."""

    def attack(self) -> None:
        for _ in range(8):
            os.fork()
        time.sleep(GONE_BY_ITSELF)


class HoardsInChildren(Attacker):
    """Takes memory, but in none of its processes much."""

    def attack(self) -> None:
        for _ in range(5):
            if os.fork() == 0:
                held = b"x" * 40_000_000
                time.sleep(GONE_BY_ITSELF)
                del held
        time.sleep(GONE_BY_ITSELF)


class LeavesADaemon(Attacker):
    """Starts a process that holds a pipe open and has no parent."""

    def attack(self) -> None:
        held = os.open(os.environ["HELD_BY_A_DAEMON"], os.O_WRONLY)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(GONE_BY_ITSELF)
            os._exit(0)
        os.close(held)


class LeavesADaemonAndKillsItsGuard(LeavesADaemon):
    """The same, and then nobody is there who could end it."""

    def attack(self) -> None:
        super().attack()
        os.killpg(0, signal.SIGKILL)


class Floods(Attacker):
    """Prints much more than anybody wants to read."""

    def attack(self) -> None:
        for _ in range(40):
            os.write(2, "\x1b[2J \x9b31m spam\n".encode() * 100_000)


class ReadsFiles(Attacker):
    """Reads a file of its user's, and calls somebody."""

    def attack(self) -> None:
        found = [path for path in ("/etc/passwd", "/etc/hostname", "/var") if os.path.exists(path)]
        if found or "SECRET" in os.environ:
            raise ValueError(f"found {found}")
        if any(name != "lo" for _, name in socket.if_nameindex()):
            raise ValueError("the sandbox has a network")
        try:
            Path(__file__).with_name("written").touch()
        except OSError:
            return
        raise ValueError("the sandbox lets files be written")
