"""Every error that Roost raises on purpose, grouped by who has to act on it.

The message is one line for a person and names the remedy. The edges (the programs, the arena) turn these
classes into exit codes and gRPC statuses, once; nothing in between catches them to reword them.
"""

from enum import IntEnum


class RoostError(Exception):
    """The base of everything below."""


class UsageError(RoostError):
    """The user has to ask differently: a wrong name, count or option."""


class OptionError(UsageError):
    """A game option is unknown or its value does not fit the game."""


class MoveError(RoostError):
    """The bot answered with something that cannot be played."""


class MalformedMove(MoveError):
    """The answer is not a move of this game at all."""


class IllegalMove(MoveError):
    """The answer is a move of this game, but not one that is allowed now."""


class ReplayError(RoostError):
    """A replay is not `roost-replay/1`, or does not describe a match that can happen."""


class Exit(IntEnum):
    """The exit codes of all programs of Roost."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    OUR_BUG = 70
    """As in sysexits.h, so that an internal error never looks like a finding of `roost verify`."""
    INTERRUPTED = 130
    """After Ctrl-C, as shells have it."""


def exit_code(error: RoostError) -> Exit:
    """The exit code of a program that ends because of `error`."""
    return Exit.USAGE if isinstance(error, UsageError) else Exit.FAILED
