"""Standard output and error, on which nothing that others have written controls a terminal.

Names, messages and the output of bots may come from anybody. What could move the cursor, change the title or turn the
order of text is spelled out.
"""

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from roost_games.wording import harmless


class HarmlessStream(io.TextIOBase):
    """A stream that spells out what could control a terminal. Rich, which writes escapes, finds the one behind it."""

    def __init__(self, behind: TextIO) -> None:
        self._behind = behind

    @property
    def rich_proxied_file(self) -> TextIO:
        """Where consoles write, which clean text themselves."""
        behind: TextIO = getattr(self._behind, "rich_proxied_file", self._behind)
        return behind

    @property
    def encoding(self) -> str:  # type: ignore[override]  # nobody may write it
        """That of the stream behind it."""
        return self._behind.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # nobody may write it
        """How the stream behind it treats what it cannot encode."""
        return self._behind.errors

    def write(self, text: str) -> int:
        """Write what is left of `text`. Returns how much was taken, which is all."""
        self._behind.write(harmless(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind it."""
        self._behind.flush()

    def isatty(self) -> bool:
        """Whether the stream behind it is a terminal."""
        return self._behind.isatty()

    def fileno(self) -> int:
        """That of the stream behind it."""
        return self._behind.fileno()


@contextlib.contextmanager
def harmless_streams() -> Iterator[None]:
    """Let nothing through to stdout and stderr meanwhile that could control a terminal."""
    out, errors = HarmlessStream(sys.stdout), HarmlessStream(sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        yield
