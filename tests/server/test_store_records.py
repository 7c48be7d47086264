"""How finished matches become rows; and the sample matches that the other tests of the store record."""

import json
import math
import zlib
from dataclasses import replace
from random import Random

import pytest

from roost_games.chance import Outcome, seed_of
from roost_games.referee import Referee
from roost_games.registry import get_game
from roost_games.replay import Decision, Fault, FaultEntry, Replay, Result, Seat
from roost_server.store import BlockClosed, BlockState, FinishedMatch, NewBlock, RecordRefused, Store
from roost_server.store.records import line_of, rows_of

SEED = "5e" * 32


def played(match: str, game: str = "karteneck", players: int = 2) -> Replay:
    """The record of a real match between random movers."""
    seats = [Seat(f"bot{seat}", "v1", "somebody") for seat in range(players)]
    rng = Random(match)
    referee = Referee(get_game(game), seats, seed_of(match), match=match)
    while not referee.over:
        for seat in referee.waiting:
            referee.answer(seat, rng.choice(referee.legal(seat)), 1.5)
    return referee.replay()


def sketch(
    match: str,
    places: tuple[int, ...] = (1, 2),
    *,
    players: int = 2,
    game: str = "karteneck",
    termination: str = "finished",
    faults: tuple[int, ...] = (),
    forfeits: tuple[int, ...] = (),
) -> Replay:
    """A record as small as can be, with the result asked for. `faults` names the seats."""
    entries = tuple(FaultEntry(0, seat, Fault.LATE) for seat in faults)
    result = Result(places, tuple(10 - place for place in places), termination, forfeits, entries)
    steps = tuple(Decision(seat, {"pass": True, "steal": False}, 2.5) for seat in range(players))
    return Replay(game, {}, match, tuple(Seat(f"bot{seat}") for seat in range(players)), steps, result, SEED)


def block(store: Store, id: str = "block", *version_ids: int) -> NewBlock:
    """A block on record, of two bots unless said otherwise."""
    ids = version_ids or tuple(store.register_version(f"bot{seat}", "v1", 5) for seat in range(2))
    new = NewBlock(id, "karteneck", {}, SEED, "all", ids, 7)
    store.open_block(new)
    return new


def finished(replay: Replay, block: NewBlock, rotation: int = 0) -> FinishedMatch:
    """The match as the arena would hand it in."""
    return FinishedMatch(replay, block.id, rotation, block.version_ids, 1_000, 2_000)


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
    with pytest.raises(RecordRefused, match="match m1: not to be written as JSON"):
        rows_of(in_block(replay))


def test_a_match_needs_an_id_a_seed_and_a_bot_on_every_seat() -> None:
    for nameless in (replace(sketch("m1"), match=""), replace(sketch("m1"), seed=None)):
        with pytest.raises(ValueError, match="name its match and its seed"):
            in_block(nameless)
    with pytest.raises(ValueError, match="3 bots on 2 seats"):
        FinishedMatch(sketch("m1"), "b1", 0, (1, 2, 3), 1, 2)


def test_a_block_is_not_closed_as_open() -> None:
    with pytest.raises(ValueError, match="done or voided"):
        BlockClosed("b1", BlockState.OPEN)
