"""Times as a person types them: `90s`, `5m`, `1h30m`."""

import re

from roost_games.errors import UsageError

UNITS = {"h": 3600, "m": 60, "s": 1}
WRITTEN = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?")


def seconds_of(text: str) -> float:
    """How many seconds `text` stands for; a plain number is in seconds. Raises `UsageError` if it is no time."""
    found = WRITTEN.fullmatch(text.strip().lower())
    parts = found.groups() if found else ()
    seconds = sum(float(part) * unit for part, unit in zip(parts, UNITS.values(), strict=False) if part)
    if not seconds:
        raise UsageError(f"a time is written like 90s, 5m or 1h30m, not {text!r}")
    return seconds
