"""What is said about mistakes in a competition file: where they are, and what would be right there."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from roost_server.competition.lines import SettingPath, place_of

MISSING = {
    "name": 'name = "spring-cup"',
    "games": "[[games]], once for every game, and its settings below",
    "phases": "[[phases]], once for every phase, and its settings below",
    "game": 'game = "karteneck"',
    "phase": 'phase = "ladder"',
}
"""How that is written which has no default."""
ADVICE = {
    "datetime_type": "write a day and a time, without quotes, as in 2027-03-01T18:00:00Z",
    "bool_type": "write true or false, without quotes",
    "string_type": "write it in quotes",
    "dict_type": "write it in braces, as in { slap = true }",
    "string_pattern_mismatch": "has 1 to 40 small letters, digits and dashes, as in spring-cup-2027",
}
"""By pydantic's name for a mistake, what is said where its own words would not help."""


def wrong(said: str, *at: str | int) -> PydanticCustomError:
    """What a validator raises about a place inside of what it looks at: `at` leads there."""
    return PydanticCustomError("wrong", "{said}", {"said": said, "at": at})


def complaints(error: ValidationError, whole: type[BaseModel], text: str, name: str) -> Iterator[str]:
    """A line for every mistake in `text`, which was to become a `whole`; `name` is what they call the file."""
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
    """How a part of the file is written that is not a single value."""
    match path:
        case (str(part),) | (str(part), int()):
            return MISSING.get(part, f"[{part}], and its settings below")
    return "a list, as in [2, 3, 4]"


def _instead(name: str, part: type[BaseModel]) -> str:
    close = get_close_matches(name, part.model_fields, 1)
    return f"did you mean {close[0]}?" if close else f"here are {', '.join(part.model_fields)}"


def _part(whole: type[BaseModel], path: SettingPath) -> type[BaseModel]:
    """What describes the part of the file at `path`."""
    for name in path:
        if isinstance(name, str):
            annotation = whole.model_fields[name].annotation
            kinds = [each for each in (annotation, *get_args(annotation)) if isinstance(each, type)]
            whole = next(each for each in kinds if issubclass(each, BaseModel))
    return whole
