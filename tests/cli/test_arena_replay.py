"""`roost replay`: a recorded match is drawn as it was drawn while it was played, from a database or a file."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from roost_bots import SAMPLES
from roost_cli.terminal.replays.board import print_frame
from roost_games.chance import seed_of
from roost_games.errors import ReplayError
from roost_games.narrator import Frame, Narrator
from roost_games.playback import Playback
from roost_games.referee import Fault, Forfeited, Referee, Seat
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay
from roost_sdk import Bot, LoadedBot, LocalMatch
from tests.support.commands.roost import Roost
from tests.support.records.arena_world import World, recorded


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return recorded(tmp_path_factory.mktemp("replays") / "roost.db")


class Sloppy(Bot):
    """Sends what is no move at all, or an illegal one, now and then."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return "nonsense" if self.rng.random() < 0.1 else self.rng.choice(legal)


RANDOM = LoadedBot("random", SAMPLES["random"])
SLOPPY = LoadedBot("sloppy", Sloppy)
TABLES = [
    *((game, {}, [RANDOM] * 3) for game in GAME_NAMES),
    *((game, {}, [RANDOM] * (players - 1) + [SLOPPY]) for game in GAME_NAMES for players in (2, 3, 4)),
    ("haecmaec", {"slap": True}, [RANDOM, SLOPPY, RANDOM, RANDOM]),
]


def text_of(frames: Sequence[Frame]) -> str:
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        for frame in frames:
            print_frame(console, frame)
    return captured.get()


def drawn_live(game: str, bots: Sequence[LoadedBot], options: dict[str, Any]) -> tuple[list[Frame], Replay]:
    frames: list[Frame] = []
    narrator = Narrator(game, [bot.name for bot in bots], frames.append)
    found = get_game(game)
    match = LocalMatch(
        found,
        bots,
        seed_of("again"),
        options=found.options(options),
        listener=narrator.listen,
        tell=lambda trouble: None,
    )
    narrator.begin(match.referee)
    match.play()
    return frames, match.referee.replay()


def drawn_again(replay: Replay) -> list[Frame]:
    frames: list[Frame] = []
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], frames.append)
    match = Playback(replay)
    narrator.begin(match)
    match.play(narrator.listen)
    return frames


@pytest.mark.short(4)
@pytest.mark.parametrize(("game", "options", "bots"), TABLES)
def test_a_match_is_drawn_from_its_record_as_it_was_drawn_live(
    game: str, options: dict[str, Any], bots: list[LoadedBot]
) -> None:
    live, replay = drawn_live(game, bots, options)
    again = text_of(drawn_again(Replay.from_line(replay.to_line())))
    assert again == text_of(live)
    assert ("forfeits" in again) == bool(replay.result.forfeits)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_seed_is_not_needed(game: str) -> None:
    """Others may keep it back; the record lists every outcome of chance."""
    live, replay = drawn_live(game, [RANDOM] * 3, {})
    assert text_of(drawn_again(replace(replay, seed=None))) == text_of(live)


def notices_of(replay: Replay) -> list[object]:
    heard: list[object] = []
    Playback(replay).play(heard.append)
    return heard


def refereed(players: int, match: str = "m") -> Referee[Any, Any]:
    return Referee(get_game("bratwurmeck"), [Seat(f"bot{n}") for n in range(players)], seed_of("grace"), match=match)


def test_a_seat_that_stayed_away_forfeits_before_the_fallback_plays_it() -> None:
    referee = refereed(3)
    away = (referee.waiting[0] + 1) % 3
    referee.forfeit(away)
    while not referee.over:
        (seat,) = referee.waiting
        referee.answer(seat, get_game("bratwurmeck").fallback(referee.view(seat)))
    heard = notices_of(referee.replay())
    assert heard.count(Forfeited(away)) == 1
    played = [getattr(notice, "seat", None) for notice in heard if getattr(notice, "fallback", False)]
    assert set(played) == {away}
    assert heard.index(Forfeited(away)) < next(
        index for index, notice in enumerate(heard) if getattr(notice, "fallback", False)
    )


def test_a_match_that_ends_at_once_by_forfeit_is_told_to_its_end() -> None:
    referee = refereed(2)
    (seat,) = referee.waiting
    referee.forfeit(seat)
    first, last = notices_of(referee.replay())
    assert first == Forfeited(seat)
    assert getattr(last, "result", None) == referee.result


def test_a_voided_match_is_told_as_far_as_it_went() -> None:
    referee = refereed(2)
    (seat,) = referee.waiting
    referee.fault(seat, Fault.CRASHED)
    referee.void("the arena itself was late")
    heard = notices_of(referee.replay())
    assert [type(notice).__name__ for notice in heard[:2]] == ["Faulted", "Played"]
    assert getattr(heard[-1], "result", None) == referee.result


def test_a_voided_record_may_end_where_chance_is_due() -> None:
    referee = refereed(2)
    (seat,) = referee.waiting
    rolling = next(move for move in referee.legal(seat) if move.then == "roll")
    referee.answer(seat, rolling)
    referee.void("late")
    replay = referee.replay()
    assert [type(notice).__name__ for notice in notices_of(replace(replay, steps=replay.steps[:-1]))] == ["Ended"]
    with pytest.raises(ReplayError, match="voided before the cards were dealt"):
        Playback(replace(replay, steps=()))


def test_a_record_that_is_not_in_order_is_not_drawn(roost: Roost, world: World, tmp_path: Path) -> None:
    data = world.replays[0].to_json()
    data["commitment"] = "00" * 32
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(data) + "\n")
    code, out, err = roost("replay", file, "--show")
    assert (code, out) == (1, "")
    assert err == (
        "roost: this record cannot be shown, because it is wrong: the commitment is not the SHA-256 of the seed\n"
    )


def test_replay_says_who_played_how_it_ended_and_what_went_wrong(roost: Roost, world: World) -> None:
    code, out, err = roost("replay", "three0", "--db", world.file)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:4] == [
        "Häc Mäc, 3 players, match three0",
        "  seat 0  greedy, version 0123456789abcdef",
        "  seat 1  random, version fedcba9876543210",
        "  seat 2  clumsy, version 2.0",
    ]
    assert "The match is over: it ended by the rules." in lines
    faults = world.replays[2].result.faults
    assert [line for line in lines if line.startswith("step ")] == [
        f"step {fault.step}: seat 2 (clumsy) was crashed" for fault in faults
    ]
    assert lines[-1] == f"Move by move: roost replay three0 --db {world.file} --show"


def test_replay_draws_the_match(roost: Roost, world: World) -> None:
    code, out, err = roost("replay", "duel0", "--db", world.file, "--show")
    assert (code, err) == (0, "")
    assert "seat 0 (greedy) lays " in out
    assert out.count("round 9 of 9") > 2
    assert "only you see all hands" in " ".join(out.split())
    assert "Move by move" not in out
    assert "The match is over" in out


def test_replay_for_programs_is_the_record_itself(roost: Roost, world: World, tmp_path: Path) -> None:
    code, out, err = roost("replay", "duel1", "--db", world.file, "--json")
    assert (code, err) == (0, "")
    assert out == world.replays[1].to_line() + "\n"
    file = tmp_path / "saved.jsonl"
    file.write_text(out)
    assert roost("verify", file).out == "1 match checked, no problems found\n"


def test_a_voided_match_says_why(roost: Roost, world: World) -> None:
    code, out, err = roost("replay", "gone0", "--db", world.file)
    assert (code, err) == (0, "")
    assert "The match was voided: the arena itself was late. It does not count." in out
    assert roost("replay", "gone0", "--db", world.file, "--show").code == 0


def test_matches_of_a_file_are_counted_from_1(roost: Roost, world: World, tmp_path: Path) -> None:
    file = tmp_path / "local matches.jsonl"
    file.write_text("\n".join(("", world.replays[0].to_line(), "", world.replays[2].to_line(), "")))
    assert "match duel0" in roost("replay", file).out
    assert "match duel0" in roost("replay", f"{file}:1").out
    third = roost("replay", f"{file}:2").out
    assert "match three0" in third
    assert third.endswith(f"Move by move: roost replay '{file}:2' --show\n")
    assert json.loads(roost("replay", f"{file}:2", "--json").out) == world.replays[2].to_json()


def test_a_local_match_can_be_kept_and_shown_again(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    shown = roost("play", "karteneck", "random", "timid", "--seed", "kept", "--show", "--replay", file).out
    again = roost("replay", file, "--show").out
    drawing = shown[: shown.index("Heckmeck am Karteneck")]
    assert len(drawing.splitlines()) > 50
    assert again.startswith(drawing)


@pytest.mark.parametrize(
    ("text", "arguments", "code", "told"),
    [
        ("nowhere.jsonl", (), 2, "cannot read nowhere.jsonl: No such file or directory"),
        ("one.jsonl:0", (), 2, "matches in a file are counted from 1: one.jsonl:1"),
        ("one.jsonl:2", (), 2, "there is no match number 2 in one.jsonl"),
        ("one.jsonl", ("--db", "x.db"), 2, "one.jsonl is a file, so neither --server nor --db is needed"),
        ("one.jsonl", ("--show", "--json"), 2, "choose one"),
        ("one.json", (), 2, "one.json is not a file of replays: their names end in .jsonl"),
        ("bad.jsonl", (), 1, "match number 1 in bad.jsonl is not a record: it is not UTF-8"),
        ("text.jsonl", (), 1, "not JSON at character 0"),
        ("text.jsonl", ("--json",), 1, "not JSON at character 0"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_one_line(
    roost: Roost,
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    arguments: tuple[str, ...],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.jsonl").write_text(world.replays[0].to_line() + "\n")
    Path("one.json").write_text("{}")
    Path("bad.jsonl").write_bytes(b"\xff\xfe\n")
    Path("text.jsonl").write_text("hello\n")
    outcome = roost("replay", text, *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert told in outcome.err
    assert outcome.err.count("\n") == 1
