"""Compares a file of an export with the same file made again. All of it must be the same, but for how a number ends."""

import re
from itertools import zip_longest
from math import isclose

TOLERANCE = 1e-6
"""Relative, and absolute below 1: other machines round a little differently."""
ROUNDED = 0.02
"""What is rounded to two places, as on a page, may differ by this."""
NUMBER = re.compile(r"(?<![\w.(-])-?\d+(?:\.\d+(?:e[+-]\d+)?|e[+-]\d+)(?![\w.])")
"""A fraction that stands by itself: neither a part of a name, nor a version."""
BEFORE, SHOWN = 20, 60


def difference(said: str, true: str, *, rounded: bool = False) -> str | None:
    """Where two texts differ, in words; `None` if they agree."""
    if said == true:
        return None
    lines = zip_longest(said.split("\n"), true.split("\n"))
    for number, (one, other) in enumerate(lines, 1):
        if one is None or other is None:
            return f"ends {'before' if one is None else 'after'} line {number}, where it should not"
        if not _agree(one, other, ROUNDED if rounded else TOLERANCE):
            alike = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            return f"line {number} says {_shown(one, alike)}, the matches say {_shown(other, alike)}"
    return None


def _agree(one: str, other: str, tolerance: float) -> bool:
    if one == other:
        return True
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=tolerance) for a, b in pairs)


def _shown(line: str, at: int) -> str:
    start = max(at - BEFORE, 0)
    return repr(line[start : start + SHOWN].strip())
