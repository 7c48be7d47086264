"""The replay format: what is read, what is refused and where, and that no line makes the reader fail otherwise."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.chance import Outcome
from roost_games.errors import ReplayError
from roost_games.referee import Referee
from roost_games.replay import Decision, Fault, FaultEntry, Replay, Result, Seat, parse_lines, read_replays
from tests.support.games.toy import TOY, play_out

EXAMPLE: dict[str, Any] = {
    "format": "roost-replay/1",
    "game": "karteneck",
    "options": {"signposts": [1, 2]},
    "match": "m-17",
    "seed": "00ff",
    "commitment": "ab" * 32,
    "max_faults": 3,
    "seats": [{"bot": "greedy", "version": "1.2", "owner": "ann"}, {"bot": "dull", "version": "", "owner": ""}],
    "steps": [
        {"chance": "starter", "outcome": 1},
        {"chance": "deck", "outcome": ["3", "W17"]},
        {"seat": 1, "move": {"lay": ["4", "4"]}, "ms": 1.8},
        {"seat": 0, "move": {"pass": True, "steal": False}, "by": "fallback"},
    ],
    "result": {
        "places": [2, 1],
        "scores": [0, 4],
        "termination": "finished",
        "forfeits": [0],
        "faults": [{"step": 3, "seat": 0, "kind": "illegal", "sent": {"lay": []}}],
    },
}


def edited(*path: Any, value: Any) -> dict[str, Any]:
    """The example with one value replaced; `...` takes it out."""
    data = copy.deepcopy(EXAMPLE)
    target: Any = data
    for key in path[:-1]:
        target = target[key]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return data


def some_match() -> Replay:
    referee = Referee(TOY, [Seat("a"), Seat("ö"), Seat("c")], b"\x01" * 32, match="some")
    play_out(referee, Random(8), fault_rate=0.2)
    return referee.replay()


def test_the_example_is_read_as_it_stands() -> None:
    assert Replay.from_line(json.dumps(EXAMPLE)) == Replay(
        game="karteneck",
        options={"signposts": [1, 2]},
        match="m-17",
        seats=(Seat("greedy", "1.2", "ann"), Seat("dull")),
        steps=(
            Outcome("starter", 1),
            Outcome("deck", ("3", "W17")),
            Decision(1, {"lay": ["4", "4"]}, 1.8),
            Decision(0, {"pass": True, "steal": False}, None, True),
        ),
        result=Result((2, 1), (0, 4), "finished", (0,), (FaultEntry(3, 0, Fault.ILLEGAL, {"lay": []}),)),
        seed="00ff",
        commitment="ab" * 32,
        max_faults=3,
    )


def test_what_was_read_is_written_as_it_was() -> None:
    assert json.loads(Replay.from_json(EXAMPLE).to_line()) == EXAMPLE
    assert Replay.from_json(EXAMPLE).to_json() == EXAMPLE


def test_a_match_survives_writing_and_reading() -> None:
    replay = some_match()
    assert replay.result.faults
    assert Replay.from_line(replay.to_line()) == replay
    assert Replay.from_line(replay.to_line().encode()) == replay
    assert replay.to_line().isascii()
    assert "\n" not in replay.to_line()


def test_what_json_cannot_hold_is_not_written() -> None:
    replay = Replay("toy", {"x": float("nan")}, "", (Seat("a"),), (), Result((), (), "voided"))
    with pytest.raises(ReplayError, match="JSON"):
        replay.to_line()


@pytest.mark.parametrize(
    "path",
    [
        ("options",),
        ("match",),
        ("seed",),
        ("commitment",),
        ("max_faults",),
        ("seats", 0, "version"),
        ("seats", 0, "owner"),
        ("steps", 2, "ms"),
        ("result", "forfeits"),
        ("result", "faults"),
        ("result", "faults", 0, "sent"),
    ],
)
def test_what_may_be_left_out(path: tuple[Any, ...]) -> None:
    Replay.from_json(edited(*path, value=...))


def test_seed_and_commitment_may_be_null() -> None:
    replay = Replay.from_json(edited("seed", value=None) | {"commitment": None})
    assert replay.seed is None
    assert replay.commitment is None


@pytest.mark.parametrize("where", [(), ("steps", 0), ("steps", 2), ("result",), ("seats", 0), ("result", "faults", 0)])
def test_unknown_keys_are_ignored(where: tuple[Any, ...]) -> None:
    assert Replay.from_json(edited(*where, "comment", value=[{"x": None}])) == Replay.from_json(EXAMPLE)


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("format",), ..., "format"),
        (("format",), "roost-replay/2", "format"),
        (("game",), ..., "'game'"),
        (("game",), 3, "game"),
        (("game",), "\ud800", "game"),
        (("options",), [], "options"),
        (("options",), {"x": 2**63}, "options"),
        (("options",), {"x": float("inf")}, "options"),
        (("match",), None, "match"),
        (("seed",), "0", "seed"),
        (("seed",), "xx", "seed"),
        (("seed",), "00 ff", "seed"),
        (("seed",), "", "seed"),
        (("seed",), 7, "seed"),
        (("commitment",), "zz", "commitment"),
        (("max_faults",), None, "max_faults"),
        (("max_faults",), True, "max_faults"),
        (("seats",), ..., "'seats'"),
        (("seats",), [], "seats"),
        (("seats",), {}, "seats"),
        (("seats", 1), "dull", r"seats\[1\]"),
        (("seats", 1, "bot"), ..., r"seats\[1\]"),
        (("seats", 1, "bot"), None, r"seats\[1\]\.bot"),
        (("seats", 1, "owner"), 1, r"seats\[1\]\.owner"),
        (("steps",), ..., "'steps'"),
        (("steps",), None, "steps"),
        (("steps", 0), [], r"steps\[0\]"),
        (("steps", 0, "chance"), ..., r"steps\[0\]"),
        (("steps", 0, "chance"), 1, r"steps\[0\]\.chance"),
        (("steps", 0, "seat"), 1, r"steps\[0\]"),
        (("steps", 0, "outcome"), ..., r"steps\[0\]"),
        (("steps", 0, "outcome"), True, r"steps\[0\]\.outcome"),
        (("steps", 0, "outcome"), 1.0, r"steps\[0\]\.outcome"),
        (("steps", 0, "outcome"), None, r"steps\[0\]\.outcome"),
        (("steps", 1, "outcome", 1), ["W17"], r"steps\[1\]\.outcome\[1\]"),
        (("steps", 1, "outcome", 1), False, r"steps\[1\]\.outcome\[1\]"),
        (("steps", 2, "seat"), 2, r"steps\[2\]\.seat"),
        (("steps", 2, "seat"), -1, r"steps\[2\]\.seat"),
        (("steps", 2, "seat"), True, r"steps\[2\]\.seat"),
        (("steps", 2, "seat"), 1.0, r"steps\[2\]\.seat"),
        (("steps", 2, "move"), ..., r"steps\[2\]"),
        (("steps", 2, "move"), ["lay"], r"steps\[2\]\.move"),
        (("steps", 2, "move", "lay"), [[[[[[[[[[]]]]]]]]]], r"steps\[2\]\.move"),
        (("steps", 2, "move", "lay"), float("nan"), r"steps\[2\]\.move"),
        (("steps", 2, "ms"), "1.8", r"steps\[2\]\.ms"),
        (("steps", 2, "ms"), None, r"steps\[2\]\.ms"),
        (("steps", 2, "ms"), True, r"steps\[2\]\.ms"),
        (("steps", 2, "ms"), -0.5, r"steps\[2\]\.ms"),
        (("steps", 2, "ms"), float("inf"), r"steps\[2\]\.ms"),
        (("steps", 3, "by"), "bot", r"steps\[3\]\.by"),
        (("steps", 3, "by"), None, r"steps\[3\]\.by"),
        (("result",), ..., "'result'"),
        (("result",), [], "result"),
        (("result", "places"), ..., "'places'"),
        (("result", "places"), "12", "result.places"),
        (("result", "places", 0), True, r"result.places\[0\]"),
        (("result", "places", 0), 2.0, r"result.places\[0\]"),
        (("result", "scores"), ..., "'scores'"),
        (("result", "scores", 1), None, r"result.scores\[1\]"),
        (("result", "scores", 1), 10**30, r"result.scores\[1\]"),
        (("result", "termination"), ..., "'termination'"),
        (("result", "termination"), "won", "result.termination"),
        (("result", "termination"), ["finished"], "result.termination"),
        (("result", "forfeits"), None, "result.forfeits"),
        (("result", "forfeits"), [2], r"result.forfeits\[0\]"),
        (("result", "forfeits"), [0, 0], "result.forfeits"),
        (("result", "faults"), {}, "result.faults"),
        (("result", "faults", 0), 3, r"result.faults\[0\]"),
        (("result", "faults", 0, "step"), ..., r"result.faults\[0\]"),
        (("result", "faults", 0, "step"), "3", r"result.faults\[0\]\.step"),
        (("result", "faults", 0, "seat"), 5, r"result.faults\[0\]\.seat"),
        (("result", "faults", 0, "kind"), "slow", r"result.faults\[0\]\.kind"),
        (("result", "faults", 0, "kind"), None, r"result.faults\[0\]\.kind"),
        (("result", "faults", 0, "sent"), {"a": float("-inf")}, r"result.faults\[0\]\.sent"),
        (("result", "reason"), 1, "result.reason"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(path: tuple[Any, ...], value: Any, where: str) -> None:
    with pytest.raises(ReplayError, match=where):
        Replay.from_json(edited(*path, value=value))


LINE = json.dumps(EXAMPLE)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("", "not JSON"),
        ("[]", "not an object"),
        ("null", "not an object"),
        (LINE + LINE, "not JSON at character"),
        (LINE.replace("1.8", "NaN"), "NaN"),
        (LINE.replace("1.8", "-Infinity"), "Infinity"),
        (LINE.replace("1.8", "1e999"), r"steps\[2\]\.ms"),
        (LINE.replace("1.8", "9" * 5000), "too many digits"),
        (LINE.replace("1.8", "9" * 4000), r"steps\[2\]\.ms"),
        (LINE.replace("1.8", "[" * 200_000), "nested too deeply"),
        (LINE.replace("1.8", '{"a":' * 200_000), "nested too deeply"),
        (LINE.replace('"game"', '"game": "toy", "game"'), "'game' appears twice"),
        (LINE.replace('"seat": 1', '"seat": 1, "seat": 1'), "'seat' appears twice"),
        (LINE.encode().replace(b"greedy", b"gre\xffedy"), "not UTF-8"),
        (LINE.encode("utf-16"), "not UTF-8"),
        (LINE.replace("greedy", "gre\\ud800edy"), "surrogate"),
        (LINE.replace("greedy", "gre\nedy"), "not JSON"),
    ],
)
def test_a_line_that_is_no_replay(line: str | bytes, what: str) -> None:
    with pytest.raises(ReplayError, match=what):
        Replay.from_line(line)


def test_a_line_that_was_cut_off_is_no_replay_wherever_that_was() -> None:
    for length in range(len(LINE)):
        with pytest.raises(ReplayError):
            Replay.from_line(LINE[:length])


# Files


def test_lines_are_read_lazily_and_counted_from_one() -> None:
    def lines() -> Iterator[str]:
        yield LINE + "\n"
        yield "  \n"
        yield "{}\n"
        pytest.fail("read too far")

    found = read_replays(lines())
    assert next(found).match == "m-17"
    with pytest.raises(ReplayError, match="line 3: format"):
        next(found)


def test_bad_lines_do_not_stop_those_who_want_to_go_on() -> None:
    found = list(parse_lines([b"\xff\n", LINE.encode(), b"", b'{"format', LINE.encode()]))
    assert [(number, type(replay)) for number, replay in found] == [
        (1, ReplayError),
        (2, Replay),
        (4, ReplayError),
        (5, Replay),
    ]


# Whatever comes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from paths(value, (*path, key))


@settings(max_examples=200, deadline=None)
@given(line=st.text() | st.binary())
def test_any_line_is_a_replay_or_an_error(line: str | bytes) -> None:
    with pytest.raises(ReplayError):
        Replay.from_line(line)


@settings(max_examples=300, deadline=None)
@given(path=st.sampled_from([path for path in paths(EXAMPLE) if path]), value=JSON | st.just(...))
def test_any_value_in_any_place_is_read_or_refused(path: tuple[Any, ...], value: Any) -> None:
    data = edited(*path, value=value)
    try:
        replay = Replay.from_json(data)
    except ReplayError:
        return
    assert Replay.from_line(replay.to_line()) == replay


@settings(max_examples=200, deadline=None)
@given(cut=st.lists(st.integers(0, len(LINE) - 1), min_size=1, max_size=3), put=st.text(max_size=3))
def test_any_damage_to_a_line_is_read_or_refused(cut: list[int], put: str) -> None:
    line = LINE
    for position in cut:
        line = line[:position] + put + line[position + 1 :]
    try:
        replay = Replay.from_line(line)
    except ReplayError:
        return
    assert Replay.from_line(replay.to_line()) == replay
