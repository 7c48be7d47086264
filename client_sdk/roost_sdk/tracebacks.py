"""Tracebacks as a bot's author wants them: where it broke in their code, and nothing of ours."""

import traceback
from types import TracebackType

NOT_THE_AUTHORS = ("roost_sdk", "roost_ladder", "roost_cli", "asyncio", "concurrent", "importlib")
"""Through these a bot is called or imported. What the bot itself calls of them comes after its own code."""
HEADER = "Traceback (most recent call last):"
MOST_FRAMES = 20
"""Of a longer chain of calls only the innermost are shown."""


def headline(error: BaseException) -> str:
    """The error in one line: `ValueError: no such card`."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "an error that cannot be shown"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def authors_lines(error: BaseException) -> str:
    """The traceback from the first call into the author's code on, without what `headline` says already."""
    shown = traceback.TracebackException(
        type(error), error, _skip_ours(error.__traceback__), limit=-MOST_FRAMES, compact=True
    )
    lines = [line for line in "".join(shown.format()).splitlines() if line.strip() != HEADER]
    if lines and lines[-1].removeprefix(f"{type(error).__module__}.") == headline(error):
        lines.pop()
    return "\n".join(lines)


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in NOT_THE_AUTHORS:
        trace = trace.tb_next
    return trace
