"""How finished matches become rows; and the sample matches that the other tests of the store record."""

import json
import math
import zlib
from dataclasses import replace

import pytest

from roost_games.chance import Outcome
from roost_games.replay import Decision, Fault, FaultEntry, Replay, Result, Seat
from roost_server.store import BlockClosed, BlockState, FinishedMatch, RecordRefused
from roost_server.store.records import line_of, rows_of
from tests.support.records.matches import SEED, played, sketch


def in_block(replay: Replay) -> FinishedMatch:
    """The match in a block that need not be on record."""
    return FinishedMatch(replay, "b1", 3, tuple(range(7, 7 + len(replay.seats))), 1_000, 2_000)


def test_a_match_becomes_a_row_for_itself_and_one_for_each_seat() -> None:
    steps = (
        Outcome("starter", 1),
        Decision(1, {"pass": True}, 4.0),
        Decision(0, {"pass": True}, 30_000.0, fallback=True),
        Decision(1, {"pass": True}, 0.5),
        Decision(2, {"pass": True}, None),
        Decision(0, {"pass": True}, fallback=True),
    )
    faults = (FaultEntry(2, 0, Fault.LATE), FaultEntry(5, 0, Fault.GONE))
    result = Result((3, 1, 1), (0, 9, 9), "horizon", (0,), faults)
    replay = Replay("haecmaec", {"slap": True}, "m1", tuple(map(Seat, "abc")), steps, result, SEED)
    rows = rows_of(in_block(replay))
    assert rows.match == {
        "id": "m1",
        "block_id": "b1",
        "rotation": 3,
        "game": "haecmaec",
        "options": '{"slap":true}',
        "players": 3,
        "seed": SEED,
        "started_ms": 1_000,
        "ended_ms": 2_000,
        "termination": "horizon",
    }
    names = ("seat", "version_id", "place", "score", "forfeited", "faults", "decisions", "thinking_ms")
    assert [tuple(seat[name] for name in names) for seat in rows.seats] == [
        (0, 7, 3, 0, True, 2, 0, 0.0),
        (1, 8, 1, 9, False, 0, 2, 4.5),
        (2, 9, 1, 9, False, 0, 1, 0.0),
    ]


def test_a_voided_match_has_neither_places_nor_scores() -> None:
    rows = rows_of(in_block(sketch("m1", (), termination="voided")))
    assert [(seat["place"], seat["score"]) for seat in rows.seats] == [(None, None), (None, None)]


def test_the_document_is_the_whole_replay_as_zlib_json() -> None:
    replay = played("m1")
    document = rows_of(in_block(replay)).document
    assert json.loads(zlib.decompress(document)) == json.loads(replay.to_line())
    assert line_of(document) == replay.to_line()


def test_a_replay_that_json_cannot_hold_is_refused() -> None:
    replay = replace(sketch("m1"), steps=(Decision(0, {"pass": math.nan}),))
    with pytest.raises(RecordRefused, match="match m1: cannot be written as JSON"):
        rows_of(in_block(replay))


def test_a_match_needs_an_id_a_seed_and_a_bot_on_every_seat() -> None:
    for nameless in (replace(sketch("m1"), match=""), replace(sketch("m1"), seed=None)):
        with pytest.raises(ValueError, match="needs the id of its match and its seed"):
            in_block(nameless)
    with pytest.raises(ValueError, match="3 bots on 2 seats"):
        FinishedMatch(sketch("m1"), "b1", 0, (1, 2, 3), 1, 2)


def test_a_block_is_not_closed_as_open() -> None:
    with pytest.raises(ValueError, match="done or voided"):
        BlockClosed("b1", BlockState.OPEN)
