"""Where in a TOML text a setting stands. Python's reader does not say, and people want to know."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(#.*)?$")
SETTING = re.compile(r"^\s*([A-Za-z0-9_\"'-]+(?:\s*\.\s*[A-Za-z0-9_\"'-]+)*)\s*=")

SettingPath = tuple[str | int, ...]
"""Where in the document a setting is: `("phases", 2, "starts")` is the third phase's time."""


class _Place(NamedTuple):
    line: int
    path: SettingPath


def place_of(text: str, path: SettingPath, name: str) -> str:
    """How a message about the setting at `path` begins: `cup.toml, line 12: phases.3.starts: `."""
    setting = f"{setting_name(path)}: " if path else ""
    return f"{name}, line {line_of(text, path)}: {setting}"


def setting_name(path: SettingPath) -> str:
    """What messages call the setting at `path`: `phases.3.starts`, counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in path)


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
    at: SettingPath = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            at = _header_path(header[1], header[2], counts)
            yield _Place(number, at)
        elif setting := SETTING.match(line):
            yield _Place(number, at + tuple(_names(setting[1])))


def _header_path(brackets: str, name: str, counts: dict[str, int]) -> SettingPath:
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
