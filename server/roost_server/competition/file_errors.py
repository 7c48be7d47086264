"""Messages about errors in a competition file: the line, the setting, and what to write instead.

Python's TOML parser does not say where a setting is, so this module finds its line in the text.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(#.*)?$")
SETTING = re.compile(r"^\s*([A-Za-z0-9_\"'-]+(?:\s*\.\s*[A-Za-z0-9_\"'-]+)*)\s*=")

SettingPath = tuple[str | int, ...]
"""Where in the document a setting is: `("phases", 2, "starts")` is the third phase's time."""
MISSING = {
    "name": 'name = "spring-cup"',
    "games": "[[games]], once for every game, and its settings below",
    "phases": "[[phases]], once for every phase, and its settings below",
    "game": 'game = "karteneck"',
    "phase": 'phase = "ladder"',
    "opponent": 'opponent = "greedy", the name of a bot that you run',
}
"""How to write settings without a default."""
ADVICE = {
    "datetime_type": "write a day and a time, without quotes, as in 2027-03-01T18:00:00Z",
    "bool_type": "write true or false, without quotes",
    "string_type": "write it in quotes",
    "dict_type": "write it in braces, as in { slap = true }",
    "string_pattern_mismatch": "has 1 to 40 small letters, digits and dashes, as in spring-cup-2027",
}
"""Messages by pydantic's type of error, where pydantic's own message would not help."""


class FilePart(BaseModel):
    """A part of the file. Unknown settings are errors, so that misspelt ones are noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def wrong(said: str, *at: str | int) -> PydanticCustomError:
    """An error for a validator to raise about a place inside its value. `at` is the path there."""
    return PydanticCustomError("wrong", "{said}", {"said": said, "at": at})


def error_lines(error: ValidationError, whole: type[BaseModel], text: str, name: str) -> Iterator[str]:
    """A line for every error in `text`, which should have become a `whole`. `name` is the name of the file."""
    for each in error.errors():
        path = tuple(part for part in each["loc"] if isinstance(part, str | int))
        path += each.get("ctx", {}).get("at", ())
        yield f"{place_of(text, path, name)}{_advice(each, path, whole)}"


def _advice(error: Any, path: SettingPath, whole: type[BaseModel]) -> str:
    match error["type"]:
        case "missing":
            return f"is missing; write {MISSING[str(path[-1])]}"
        case "extra_forbidden":
            return f"there is no such setting; {_instead(str(path[-1]), _part(whole, path[:-1]))}"
        case "tuple_type" | "model_type":
            return f"write {_shape(path)}"
        case kind if kind in ADVICE:
            return ADVICE[kind]
    said: str = error["msg"]
    return said[0].lower() + said[1:]


def _shape(path: SettingPath) -> str:
    """How to write a part of the file that is not a single value."""
    match path:
        case ("ties",):
            return 'a list, as in ["worst-pair"]'
        case (str(part),) | (str(part), int()):
            return MISSING.get(part, f"[{part}], and its settings below")
    return "a list, as in [2, 3, 4]"


def _instead(name: str, part: type[BaseModel]) -> str:
    close = get_close_matches(name, part.model_fields, 1)
    return f"did you mean {close[0]}?" if close else f"here are {', '.join(part.model_fields)}"


def _part(whole: type[BaseModel], path: SettingPath) -> type[BaseModel]:
    """The model of the part of the file at `path`."""
    for name in path:
        if isinstance(name, str):
            annotation = whole.model_fields[name].annotation
            kinds = [each for each in (annotation, *get_args(annotation)) if isinstance(each, type)]
            whole = next(each for each in kinds if issubclass(each, BaseModel))
    return whole


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
    """The number of the line, from 1, of the setting at `path`, as in `("phases", 2, "starts")`.

    If the setting is missing it is the line of the part it belongs to, or 1.
    """
    best = _Place(1, ())
    for place in _places(text):
        shared = place.path[: len(path)]
        if shared == tuple(path[: len(shared)]) and len(shared) > len(best.path[: len(path)]):
            best = place
    return best.line


def _places(text: str) -> Iterator[_Place]:
    """Every header and every setting with its path in the document."""
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
