"""The bracket of a knockout: out of the export of its competition, for people to read."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roost.v1 import arena_pb2
from roost_cli.arena_source import Source

BRACKET_FILE = "bracket.json"


def read_bracket(source: Source, competition: arena_pb2.CompetitionStatus) -> dict[str, Any] | None:
    """What the export says about the bracket; `None` if there is none, or not yet."""
    phases = tomllib.loads(competition.document)["phases"]
    if competition.phase not in ("finals", "done") or all(each.get("schedule") != "knockout" for each in phases):
        return None
    with TemporaryDirectory(prefix="roost-bracket-") as temporary:
        files = source.export(competition.name, Path(temporary) / "export")
        texts = [file.read_text(encoding="utf-8") for file in files if file.name == BRACKET_FILE]
    return json.loads(texts[0]) if texts else None


def bracket_lines(bracket: dict[str, Any]) -> Iterator[str]:
    """Round by round, and who has won it all."""
    for number, ties in enumerate(bracket["rounds"], 1):
        yield "final" if len(ties) == 1 else f"round {number}"
        yield from (f"  {_tie(tie)}" for tie in ties)
    yield f"champion: {bracket['champion']}" if bracket["champion"] else "no champion yet"


def _tie(tie: dict[str, Any]) -> str:
    if tie["low"] is None:
        return f"{tie['high']} has a bye"
    score = f"{tie['high']} {tie['score_high']:g} : {tie['score_low']:g} {tie['low']}"
    return f"{score}, won by {tie['winner']}" if tie["winner"] else f"{score} so far"
