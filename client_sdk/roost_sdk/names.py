"""What bots may be called at an arena."""

import re

from roost_games.errors import UsageError

LONGEST_NAME = 40
NOT_FOR_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def wire_name(name: str) -> str:
    """What a bot of this name is called at an arena, which does not allow everything in names."""
    return NOT_FOR_NAMES.sub("-", name)[:LONGEST_NAME]


def check_name(name: str) -> None:
    """Raise `UsageError` for a name that every arena would refuse."""
    if not 1 <= len(name) <= LONGEST_NAME or NOT_FOR_NAMES.search(name):
        raise UsageError(
            f"a bot's name has 1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores, unlike {name!r}"
        )
