"""Words for messages: counts with their noun, small chances, and what a faulty bot sent, which may be anything."""

import json
import re
import reprlib
import unicodedata

from roost_games.strict_json import JsonValue, plain_json

MAX_SENT = 400
"""How many characters of a refused answer the record keeps."""
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that control a terminal, turn the order of text, or cannot be written; all but tab and line feed."""


def harmless(text: str) -> str:
    """`text` with every character that could control a terminal spelled out, as `\\x1b` for an escape."""
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def has_control(text: str) -> bool:
    """Whether `text` has a character that no name, option or table needs: NUL, an escape, others of C0 and C1."""
    return any(unicodedata.category(character) == "Cc" and character not in "\t\n\r" for character in text)


def presentable(value: object) -> JsonValue:
    """`value` if it is short and JSON, otherwise a short text about it.

    For what a faulty bot sent: it may be anything, and showing it must not fail.
    """
    try:
        text = json.dumps(value, allow_nan=False)
        if text != "null" and len(text) <= MAX_SENT:
            return plain_json(json.loads(text), "sent")
    except Exception:
        return as_text(value)
    return as_text(value)


def as_text(value: object, most: int = MAX_SENT) -> str:
    """At most `most` characters about `value` that can be written to any file."""
    try:
        text = value.decode(errors="replace") if isinstance(value, bytes) else value
        text = text if isinstance(text, str) else BRIEF.repr(value)
        return text[:most].encode(errors="backslashreplace").decode()[:most]
    except Exception:
        return "something that cannot be shown"


BRIEF = reprlib.Repr()
BRIEF.maxstring = BRIEF.maxother = MAX_SENT


def counted(number: int, thing: str) -> str:
    """`1 match`, `2 matches`."""
    return f"{number} {plural(number, thing)}"


def plural(number: int, thing: str) -> str:
    """The noun for this number of things."""
    return thing if number == 1 else f"{thing}es" if thing.endswith("ch") else f"{thing}s"


def chance(share: float) -> str:
    """A probability in percent, with a digit more where it is small."""
    return "under 0.1 %" if share < 0.001 else f"{100 * share:.1f} %" if share < 0.01 else f"{100 * share:.0f} %"
