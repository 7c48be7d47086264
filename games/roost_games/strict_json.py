"""Strict reading of JSON from untrusted sources: anything wrong raises `ReplayError`, which says where.

Every function takes a value of parsed JSON and its place, `where`, such as `steps[3].move`.
"""

import json
import math
import re
import reprlib
from collections.abc import Mapping
from typing import NoReturn

from roost_games.errors import ReplayError

JsonValue = object
"""Anything `json.loads` may return."""
MAX_DEPTH = 8
"""How deep lists and objects may nest in options, moves and refused answers; the games need three levels."""
MAX_INTEGER = 2**63 - 1


def short(value: object) -> str:
    """`value` as an error shows it."""
    return reprlib.repr(value)


def parse(line: str | bytes) -> JsonValue:
    """The value of a line of JSON. Raises `ReplayError` for anything else, and for a key that appears twice."""
    try:
        return DECODER.decode(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError as error:
        raise ReplayError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ReplayError(f"not JSON at character {error.pos}: {error.msg}") from None
    except ValueError:
        raise ReplayError("not readable: a number has too many digits") from None
    except RecursionError:
        raise ReplayError("not readable: lists or objects are nested too deeply") from None


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ReplayError(f"the key {short(twice)} appears twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ReplayError(f"not JSON: {name}")


DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)


def need(data: Mapping[str, JsonValue], key: str, where: str) -> JsonValue:
    """The value of `key`. Raises `ReplayError` if there is none."""
    if key not in data:
        raise ReplayError(f"{where or 'the replay'} has no {key!r}")
    return data[key]


def an_object(value: JsonValue, where: str) -> dict[str, JsonValue]:
    """`value`, if it is an object. Raises `ReplayError`."""
    if not isinstance(value, dict):
        raise ReplayError(f"{where} is {short(value)}, not an object")
    return value


def a_list(value: JsonValue, where: str) -> list[JsonValue]:
    """`value`, if it is a list. Raises `ReplayError`."""
    if not isinstance(value, list):
        raise ReplayError(f"{where} is {short(value)}, not a list")
    return value


def a_text(value: JsonValue, where: str) -> str:
    """`value`, if it is a string that can be written as UTF-8. Raises `ReplayError`."""
    if not isinstance(value, str):
        raise ReplayError(f"{where} is {short(value)}, not a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ReplayError(f"{where} is {short(value)}, which has half of a surrogate pair in it") from None
    return value


def an_integer(value: JsonValue, where: str) -> int:
    """`value`, if it is an integer that fits into 64 bits. Raises `ReplayError`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ReplayError(f"{where} is {short(value)}, not an integer")
    if abs(value) > MAX_INTEGER:
        raise ReplayError(f"{where} is too large an integer")
    return value


def integers(value: JsonValue, where: str) -> tuple[int, ...]:
    """`value`, if it is a list of such integers. Raises `ReplayError`."""
    return tuple(an_integer(each, f"{where}[{i}]") for i, each in enumerate(a_list(value, where)))


def hex_bytes(value: JsonValue, where: str) -> str | None:
    """`value`, if it is bytes in hex, or `None`. Raises `ReplayError`."""
    if value is None:
        return None
    if not re.fullmatch("([0-9a-fA-F]{2})+", text := a_text(value, where)):
        raise ReplayError(f"{where} is {short(text)}, not bytes in hex")
    return text


def plain_json(value: JsonValue, where: str, depth: int = MAX_DEPTH) -> JsonValue:
    """`value`, if it is JSON that any code can handle: not too deep, without huge numbers. Raises `ReplayError`."""
    if isinstance(value, dict | list) and not depth:
        raise ReplayError(f"{where} is nested too deeply")
    if isinstance(value, dict):
        return {a_text(key, f"a key of {where}"): plain_json(each, where, depth - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [plain_json(each, where, depth - 1) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return finite(value, where)
    return a_text(value, where) if isinstance(value, str) else an_integer(value, where)


def plain_object(value: JsonValue, where: str) -> dict[str, JsonValue]:
    """`value`, if it is an object and `plain_json`. Raises `ReplayError`."""
    data = an_object(value, where)
    plain_json(data, where)
    return data


def finite(value: float, where: str) -> float:
    """`value`, if it is a finite number. Raises `ReplayError`."""
    if not math.isfinite(value):
        raise ReplayError(f"{where} is not a finite number")
    return value
