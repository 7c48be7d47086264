"""A sandbox around a bot's process, made by bubblewrap: no network, and no files but those that it needs to run.

It can read Python, the libraries of the system, Roost's code, and the folder of the bot. It can write nothing but a
`/tmp` of its own, sees no other process, and has none of our environment variables.
"""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE

from roost_games.errors import UsageError
from roost_sdk.bot_process.answers import shown
from roost_sdk.load import STDIO
from roost_sdk.processes import Process

PROGRAM = "bwrap"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
"""What programs need to start, where it exists."""
NOTHING_ELSE = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
OWN = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")  # noqa: S108  this one is inside
ENVIRONMENT = ("--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/tmp")  # noqa: S108


def sandbox_for(text: str) -> Callable[[list[str]], list[str]]:
    """What makes the words that start a process into words that start it in a sandbox for the bot named `text`."""
    folder = _folder_of(text)
    return lambda words: [*_sandbox(folder), *words]


def check_sandbox() -> None:
    """Raise `UsageError`, which says what to do, if no sandbox can be made here."""
    if shutil.which(PROGRAM) is None:
        raise UsageError(
            "--sandbox needs bubblewrap, which is not installed here; install it (on Debian: apt install bubblewrap), "
            "or leave --sandbox out"
        )
    tried = Process([*_sandbox(Path(sys.prefix)), sys.executable, "-I", "-S", "-c", ""], stderr=PIPE)
    with tried.stderr as log:
        said = log.read().decode(errors="replace").strip().splitlines()
    if tried.code:
        why = shown(said[-1] if said else tried.ending)
        raise UsageError(
            f"bubblewrap cannot make a sandbox here ({why}); the system has to allow user namespaces, which many "
            "containers do not. Leave --sandbox out, and run other people's bots as a separate user"
        )


def _sandbox(folder: Path) -> Iterator[str]:
    yield from (PROGRAM, *NOTHING_ELSE, *OWN, *ENVIRONMENT)
    for path in dict.fromkeys((*SYSTEM, sys.base_prefix, sys.prefix, *_code(), str(folder))):
        yield from ("--ro-bind-try", path, path)
    yield from ("--chdir", str(folder))


def _code() -> list[str]:
    """Where this Python finds modules."""
    return [str(Path(path).resolve()) for path in sys.path if path and Path(path).is_dir()]


def _folder_of(text: str) -> Path:
    """The folder of a bot's file. A program is started here, so it may need what is here."""
    file = text if text.endswith(".py") else text.rpartition(":")[0]
    return Path.cwd() if text.startswith(STDIO) or not file.endswith(".py") else Path(file).resolve().parent
