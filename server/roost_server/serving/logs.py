"""Structured logs: one line per event, readable on a terminal, JSON elsewhere."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


class StderrLogger:
    """Writes to the current `sys.stderr`, which may be replaced while the logger lives."""

    def msg(self, message: str) -> None:
        """Write a line at once, because threads share the stream."""
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()

    debug = info = warning = error = critical = msg


@contextmanager
def warnings_only() -> Iterator[None]:
    """Log only warnings and errors meanwhile, for an arena inside another command."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=lambda *_: StderrLogger(),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.configure(**before)


def configure_logging(level: str = "info") -> None:
    """Send the arena's log to stderr."""
    renderer: structlog.typing.Processor
    # Without colours, because their escapes could not be told from those that somebody has sent.
    renderer = (
        structlog.dev.ConsoleRenderer(colors=False) if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *_: StderrLogger(),
        cache_logger_on_first_use=True,
    )
