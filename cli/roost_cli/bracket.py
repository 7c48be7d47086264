"""The bracket of a knockout, for people and for programs."""

from collections.abc import Iterator, Mapping
from typing import Any

from roost.v1 import arena_pb2


def bracket_json(bracket: arena_pb2.GetBracketResponse) -> dict[str, Any]:
    """The bracket as `roost competition show --json` and an export's bracket.json have it."""
    rounds = [[_tie_json(tie) for tie in each.ties] for each in bracket.rounds]
    return {"champion": bracket.champion or None, "rounds": rounds}


def _tie_json(tie: arena_pb2.BracketTie) -> dict[str, Any]:
    return {
        "high": tie.high,
        "low": tie.low or None,
        "score_high": tie.score_high,
        "score_low": tie.score_low,
        "winner": tie.winner or None,
    }


def bracket_lines(bracket: Mapping[str, Any]) -> Iterator[str]:
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
