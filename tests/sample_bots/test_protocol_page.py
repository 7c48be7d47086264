"""docs/formats/protocol.md has every message, field and value, and its examples are what an arena would say."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FileDescriptor

from roost.v1 import arena_pb2, play_pb2, records_pb2
from roost_sdk.testing import ScriptedMatch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/formats/protocol.md").read_text(encoding="utf-8")
FILES: list[FileDescriptor] = [
    arena_pb2.DESCRIPTOR,
    records_pb2.DESCRIPTOR,
    play_pb2.DESCRIPTOR,
    *play_pb2.DESCRIPTOR.dependencies,
]
MESSAGES = {name: message for file in FILES for name, message in file.message_types_by_name.items()}
ENUMERATIONS = [enumeration for file in FILES for enumeration in file.enum_types_by_name.values()]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_protocol_page_describes_every_field(name: str) -> None:
    (section,) = re.findall(rf"^### `{name}`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    described = re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)
    assert described == [field.name for field in MESSAGES[name].fields]


def test_the_protocol_page_lists_every_question() -> None:
    (section,) = re.findall(r"^## Questions about the arena\n(.*?)^###", PAGE, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^\| `([A-Za-z]+)` \|", section, re.MULTILINE)
    assert ["Play", *listed] == [method.name for method in arena_pb2.DESCRIPTOR.services_by_name["Arena"].methods]


@pytest.mark.parametrize("enumeration", ENUMERATIONS, ids=lambda enumeration: enumeration.name)
def test_the_protocol_page_names_every_value(enumeration: Any) -> None:
    for value in enumeration.values:
        assert value.name in PAGE or value.name.endswith("_UNSPECIFIED")


def test_the_decoding_examples_run() -> None:
    examples = blocks("python")
    assert len(examples) == 2
    for example in examples:
        subprocess.run([sys.executable, "-c", example], check=True)


def said_in_the_exchange(message: Any) -> list[Any]:
    """The messages of the type of `message` on the page; those of the other side have no field in common with it."""
    names = {field.name for field in message.DESCRIPTOR.fields}
    said = [json.loads(block) for block in blocks("json")]
    return [json_format.ParseDict(each, type(message)()) for each in said if each.keys() <= names]


def test_the_exchange_is_what_an_arena_would_say() -> None:
    """The match on the page is played again from its seed, with the answers given there."""
    by_arena = said_in_the_exchange(play_pb2.ArenaMessage())
    by_bot = said_in_the_exchange(play_pb2.BotMessage())
    assert len(by_arena) + len(by_bot) == len(blocks("json"))
    seeds = {reveal.seed for message in by_arena for reveal in message.reveals}
    match = ScriptedMatch("bratwurmeck", 2, seeds.pop().hex())
    assert not seeds

    (started,) = [started for message in by_arena for started in message.started]
    expected = match.started(started.seat, started.match)
    for field in ("match", "game", "options", "players", "seat", "commitment", "max_faults"):
        assert getattr(started, field) == getattr(expected, field)

    asked = {decision.request: decision for message in by_arena for decision in message.decisions}
    for answer in [answer for message in by_bot for answer in message.answers]:
        if answer.request in asked:
            assert_as_asked(match, asked.pop(answer.request))
        assert answer.request == match.referee.decision + 1
        assert match.take(started.seat, answer) is None
    assert not asked
    assert match.referee.view(0).stacks[0][-1].value == 32

    while not match.referee.over:
        (seat,) = match.referee.waiting
        match.referee.answer(seat, match.game.fallback(match.referee.view(seat)))
    (ended,) = [ended for message in by_arena for ended in message.ended]
    assert ended == match.ended(started.match)


def assert_as_asked(match: ScriptedMatch, decision: play_pb2.Decision) -> None:
    (seat,) = match.referee.waiting
    expected = match.decision(seat, decision.match)
    assert (decision.request, decision.view) == (expected.request, expected.view)
    moves = [match.game.encode_move(move) for move in match.referee.legal(seat)]
    assert [as_in_a_replay(move.bratwurmeck) for move in decision.legal] == moves
    assert decision.legal_count == len(moves)
    assert decision.time_left_ms == 11_000  # the clock of the page: a second, and ten in the bank


def as_in_a_replay(move: Any) -> dict[str, str]:
    return {"take": "123456"[move.take - 1], "then": ("roll", "stop")[move.then]}
