"""Competition files as short as they can be, for tests that are about something else."""

import json
from collections.abc import Mapping
from datetime import datetime


def cup(*phases: str | Mapping[str, object], **sections: object) -> str:
    """The text of a competition file: duels of karteneck in these phases, with these sections.

    A phase with rules of its own is a mapping, as in `{"phase": "finals", "rounds": 2}`.
    """
    listed = [{"phase": each} if isinstance(each, str) else each for each in phases]
    usual = {"name": "cup", "games": [{"game": "karteneck", "players": [2]}]}
    return "".join(f"{key} = {_toml(value)}\n" for key, value in {**usual, **sections, "phases": listed}.items())


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return value.isoformat() if isinstance(value, datetime) else json.dumps(value)
