"""What a bot has kept is read back as it was, shown as it saw it, and stands beside the arena's record."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roost_bots import SAMPLES
from roost_games.chance import Tape, seed_of
from roost_games.errors import ReplayError, UsageError
from roost_games.game import Variant
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk.arena.kept import fetch_record, is_kept, read_kept, read_view
from roost_sdk.plain import plain_view
from tests.support.records.journals import OneMatch, kept_of, play_kept

TABLES = [(game, variant, players) for game in GAME_NAMES for variant, players in get_game(game).tables()]


@pytest.mark.parametrize(("game", "variant", "players"), TABLES)
def test_a_view_is_read_back_as_it_was(game: str, variant: Variant, players: int) -> None:
    found = get_game(game)
    state = found.start(players, found.options(variant.options), Tape(seed_of("views")))
    for _ in range(60):
        if state.to_move:
            seat = state.to_move[0]
            view = state.observe(seat)
            back = read_view(game, variant.options, json.loads(json.dumps(plain_view(view))))
            assert back == view
            assert list(found.legal(back)) == list(state.legal(seat))
            state.apply(seat, state.legal(seat)[-1])


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_record_is_kept_beside_the_journal_that_agrees_with_it(game: str, tmp_path: Path) -> None:
    replay, kept = kept_of(tmp_path, game)
    assert kept.record() is None
    assert fetch_record(kept, OneMatch(replay)) == replay
    assert kept.record() == replay
    assert is_kept(kept.file)
    assert not is_kept(kept.record_file)


def test_a_record_of_another_match_is_refused(tmp_path: Path) -> None:
    replay, kept = kept_of(tmp_path)
    other = play_kept(SAMPLES["careful"], "karteneck", tmp_path / "other")
    for wrong in (replace(replay, match="m2"), other):
        with pytest.raises(ReplayError, match=f"the record of match {kept.about.match} is wrong: it is that of"):
            fetch_record(kept, OneMatch(wrong))
    assert kept.record() is None


def test_a_record_that_contradicts_the_journal_is_refused(tmp_path: Path) -> None:
    replay, kept = kept_of(tmp_path)
    first, *others = kept.decisions
    move = {"pass": True, "steal": False} if "lay" in (first.move or {}) else {"lay": ["1"]}
    changed = kept._replace(decisions=(first._replace(move=move), *others))
    with pytest.raises(ReplayError, match=r"decision 1 of seat 1 is .* and the journal has "):
        fetch_record(changed, OneMatch(replay))


@pytest.mark.parametrize("text", ["", "{}\n", '{"format": "roost-kept/1"}\n', "nonsense\n"])
def test_what_is_no_journal(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises((ReplayError, UsageError), match="is not the journal of a match"):
        read_kept(file)
