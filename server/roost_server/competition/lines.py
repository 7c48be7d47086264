"""Where in a TOML text a setting stands. Python's reader does not say, and people want to know."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(#.*)?$")
SETTING = re.compile(r"^\s*([A-Za-z0-9_\"'-]+(?:\s*\.\s*[A-Za-z0-9_\"'-]+)*)\s*=")


class _Place(NamedTuple):
    line: int
    path: tuple[str | int, ...]


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The number of the line, from 1, in which the setting at `path` stands, as in `("phases", 2, "starts")`.

    If it stands nowhere, because it is missing, then that of the part it belongs to; 1 if there is none.
    """
    best = _Place(1, ())
    for place in _places(text):
        shared = place.path[: len(path)]
        if shared == tuple(path[: len(shared)]) and len(shared) > len(best.path[: len(path)]):
            best = place
    return best.line


def _places(text: str) -> Iterator[_Place]:
    """Every header and every setting with the path that it has in the document."""
    counts: dict[str, int] = {}
    at: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            at = _header_path(header[1], header[2], counts)
            yield _Place(number, at)
        elif setting := SETTING.match(line):
            yield _Place(number, at + tuple(_names(setting[1])))


def _header_path(brackets: str, name: str, counts: dict[str, int]) -> tuple[str | int, ...]:
    path: list[str | int] = []
    for depth, part in enumerate(names := list(_names(name))):
        key = ".".join(names[: depth + 1])
        path.append(part)
        if brackets == "[[" and depth == len(names) - 1:
            counts[key] = counts.get(key, -1) + 1
        if key in counts:
            path.append(counts[key])
    return tuple(path)


def _names(dotted: str) -> Iterator[str]:
    return (part.strip().strip("\"'") for part in dotted.split("."))
