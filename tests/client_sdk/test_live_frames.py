"""Frames of running matches: what a spectator is told becomes the frames that the record gives later."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from roost_games.game import Variant
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk.viewing.frames import SPECTATOR, Recorded
from roost_sdk.viewing.live import LiveMatch
from roost_sdk.wire import WireError
from tests.support.games.spectated import Update, watched

TABLES = [(game, variant, players) for game in GAME_NAMES for variant, players in get_game(game).tables()]


def pieces_of(updates: list[Update]) -> Iterator[Any]:
    live = LiveMatch()
    for update in updates:
        yield from json.loads(json.dumps(live.hear(update)))


def table_id(table: tuple[str, Variant, int]) -> str:
    return f"{table[0]}-{table[1].name}-{table[2]}"


@pytest.mark.short(4)
@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_live_frames_are_those_of_the_record(table: tuple[str, Variant, int]) -> None:
    for number in range(1 if table[2] > 4 else 3):
        updates, referee = watched(*table, f"live{number}")
        document, *rest = pieces_of(updates)
        *frames, ending = rest
        assert document["frames"][0]["step"] == 0
        assert document["result"] is None
        assert len(document["frames"]) == 1
        recorded: Any = Recorded(referee.replay()).document(SPECTATOR)
        assert ending == {"result": recorded["result"]}
        same = {key: recorded[key] for key in ("game", "variant", "options", "players", "seats", "match", "eye")}
        assert same == {key: document[key] for key in same}
        for live, later in zip(document["frames"] + frames, recorded["frames"], strict=True):
            assert compared(live) == compared(later)


def compared(frame: Any) -> Any:
    """A frame without what spectators of a running match are not told."""
    moves = [{**move, "ms": None} for move in frame["moves"]]
    lines = [line for line in frame["lines"] if not is_lost(frame, line)]
    return {**frame, "moves": moves, "lines": lines, "text": len(lines)}


def is_lost(frame: Any, line: Any) -> bool:
    """The dice of a roll that fails, and whether a hand or the bottoms ran out, are not in a view."""
    words = "".join(word["text"] for word in line["words"])
    fails = any("fails: every face" in word["text"] for line in frame["lines"] for word in line["words"])
    return (fails and " rolls " in words) or words.startswith("the match ends: ")


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_matches_with_faults_are_shown_live(table: tuple[str, Variant, int]) -> None:
    updates, referee = watched(*table, "faulty", fault_rate=0.05)
    live = LiveMatch()
    told = [piece for update in updates for piece in live.hear(update)]
    document: Any = live.document()
    assert told[-1] == {"result": document["result"]}
    assert document["result"]["faults"]
    assert any(move["fallback"] for frame in document["frames"] for move in frame["moves"])
    assert len(document["frames"]) == len(told) - 1
    assert referee.over


def test_nobody_who_begins_late_misses_anything() -> None:
    updates, _ = watched("karteneck", get_game("karteneck").variants[0], 3, "late")
    live = LiveMatch()
    assert live.document() == {}
    so_far: list[Any] = []
    for update in updates:
        for piece in live.hear(update):
            so_far += piece.get("frames", [piece] if "step" in piece else [])  # type: ignore[arg-type]
        assert live.document().get("frames", []) == so_far


def test_hidden_names_are_not_told() -> None:
    updates, _ = watched("karteneck", get_game("karteneck").variants[0], 2, "hidden")
    updates[0].started.bots[:] = ["", ""]
    live = LiveMatch()
    for update in updates:
        live.hear(update)
    document: Any = live.document()
    assert document["seats"] == [{"bot": "", "version": ""}] * 2
    assert "()" not in json.dumps(document)


def test_an_arena_that_leaves_out_views_is_refused() -> None:
    updates, _ = watched("karteneck", get_game("karteneck").variants[0], 2, "old")
    live = LiveMatch()
    live.hear(updates[0])
    with pytest.raises(WireError, match="does not show the table after every decision"):
        live.hear(updates[2])
    with pytest.raises(WireError, match="before it has started"):
        LiveMatch().hear(updates[1])
