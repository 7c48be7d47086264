"""`roost bots`, `standings`, `matches` and `verify` straight from a database: what people and programs are shown."""

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from roost.v1 import arena_pb2
from roost_cli.terminal.console import TextColumn, fitted_table, print_fitted
from roost_cli.terminal.records import shown_result
from roost_games.replay import HORIZON, VOIDED, Replay
from tests.support.commands.roost import Roost
from tests.support.records.arena_world import FIRST_SEEN_MS, VERSIONS, World, recorded


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return recorded(tmp_path_factory.mktemp("records") / "roost.db")


def counting(world: World) -> list[Replay]:
    return [replay for replay in world.replays if replay.result.termination != VOIDED]


def places_of(replays: Sequence[Replay], bot: str) -> list[int]:
    return [
        place
        for replay in replays
        for seat, place in zip(replay.seats, replay.result.places, strict=True)
        if seat.bot == bot
    ]


def faults_of(replays: Sequence[Replay], bot: str) -> int:
    return sum(replay.seats[fault.seat].bot == bot for replay in replays for fault in replay.result.faults)


def test_bots_for_programs(roost: Roost, world: World) -> None:
    code, out, err = roost("bots", "--db", world.file, "--json")
    assert (code, err) == (0, "")
    played = counting(world)
    assert json.loads(out) == {
        "bots": [
            {
                "version_id": number,
                "name": name,
                "version": VERSIONS[number],
                "matches": len(places_of(played, name)),
                "wins": places_of(played, name).count(1),
                "faults": faults_of(played, name),
                "voids": 0,
                "first_seen_ms": FIRST_SEEN_MS,
                "last_seen_ms": FIRST_SEEN_MS,
                "owner": None,
                "quarantine_reason": None,
                "quarantine_since_ms": None,
                "connected": None,
                "playing": None,
                "latency_ms": None,
                "matches_at_once": None,
                "answer_ms": None,
                "presence": None,
                "presence_since_ms": None,
                "qualification": None,
            }
            for number, name in enumerate(("greedy", "random", "clumsy"), 1)
        ]
    }
    assert faults_of(played, "clumsy") == 8, "two in each of four matches"


def test_bots_for_people(roost: Roost, world: World) -> None:
    """A plain file name and a URL name the same database; long versions are cut in tables."""
    code, out, err = roost("bots", "--db", world.file)
    assert (code, err) == (0, "")
    assert roost("bots", "--db", f"sqlite:///{world.file}").out == out
    head, _, greedy, _, clumsy = out.splitlines()
    assert head.split() == ["id", "bot", "version", "matches", "won", "faults", "first", "seen"]
    assert greedy.split()[:4] == ["1", "greedy", "01234567…", "5"]
    assert clumsy.split()[:4] == ["3", "clumsy", "2.0", "4"]


def test_one_bot_for_programs(roost: Roost, world: World) -> None:
    """Its record by seat and by opponent is counted here from the replays."""
    shown = json.loads(roost("bots", "show", "greedy", "--db", world.file, "--json").out)
    seats: Counter[tuple[str, int, int]] = Counter()
    met: Counter[str] = Counter()
    for replay in counting(world):
        for seat, each in enumerate(replay.seats):
            if each.bot == "greedy":
                seats[replay.game, len(replay.seats), seat] += 1
                met.update(other.bot for other in replay.seats if other is not each)
    assert {(row["game"], row["players"], row["seat"]): row["matches"] for row in shown["seats"]} == seats
    assert {row["bot"]: row["matches"] for row in shown["opponents"]} == met
    assert all(row["share_low"] <= row["share"] <= row["share_high"] for row in shown["opponents"])
    assert [bot["name"] for bot in shown["bots"]] == ["greedy"]


def test_one_bot_for_people(roost: Roost, world: World) -> None:
    out = roost("bots", "show", "greedy", "--db", world.file).out
    assert "By game, table size and seat:" in out
    assert "Against each opponent" in out


def test_matches_by_opponent_and_outcome(roost: Roost, world: World) -> None:
    def listed(*options: object) -> set[str]:
        answer = json.loads(roost("matches", "--db", world.file, "--json", *options).out)
        return {match["match_id"] for match in answer["matches"]}

    def true(bot: str, opponent: str, won: bool) -> set[str]:
        return {
            replay.match
            for replay in counting(world)
            if {bot, opponent} <= {seat.bot for seat in replay.seats}
            and any(place == 1 for place in places_of([replay], bot)) is won
        }

    assert listed("--bot", "random", "--opponent", "clumsy", "--outcome", "won") == true("random", "clumsy", True)
    assert listed("--bot", "random", "--opponent", "clumsy", "--outcome", "not-won") == true("random", "clumsy", False)
    assert listed("--faulty") == {replay.match for replay in world.replays if replay.result.faults}
    assert listed("--players", 3) == {replay.match for replay in world.replays if len(replay.seats) == 3}


def test_an_outcome_is_one_for_a_bot(roost: Roost, world: World) -> None:
    code, _, err = roost("matches", "--db", world.file, "--outcome", "won")
    assert (code, err) == (2, "roost: --outcome needs --bot NAME\n")


def test_standings_for_programs(roost: Roost, world: World) -> None:
    code, out, err = roost("standings", "--db", world.file, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert {key: answer[key] for key in ("game", "players", "matches")} == {"game": None, "players": None, "matches": 6}
    rows = {row["name"]: row for row in answer["standings"]}
    assert set(rows) == {"greedy", "random", "clumsy"}
    for name, row in rows.items():
        assert list(row) == [
            "rank_low",
            "rank_high",
            "version_id",
            "name",
            "version",
            "rating",
            "rating_low",
            "rating_high",
            "above_next",
            "matches",
            "blocks",
            "wins",
            "faults",
            "places",
            "trend",
            "decisions",
            "thinking_ms",
        ]
        assert row["rating_low"] < row["rating"] < row["rating_high"]
        assert 1 <= row["rank_low"] <= row["rank_high"] <= 3
        assert (row["matches"], row["wins"]) == (
            len(places_of(counting(world), name)),
            places_of(counting(world), name).count(1),
        )
    *others, last = answer["standings"]
    assert all(0.5 <= row["above_next"] < 1 for row in others), "each is rated above the next"
    assert last["above_next"] is None
    (three,) = [at for at in rows["greedy"]["places"] if at["players"] == 3]
    haecmaec = [replay for replay in counting(world) if replay.game == "haecmaec"]
    assert three == {"players": 3, "matches": 3, "mean_place": pytest.approx(sum(places_of(haecmaec, "greedy")) / 3)}
    assert rows["greedy"]["blocks"] == 2


def test_standings_of_one_game_and_one_size(roost: Roost, world: World) -> None:
    answer = json.loads(roost("standings", "--db", world.file, "--game", "haecmaec", "--players", 3, "--json").out)
    assert (answer["game"], answer["players"], answer["matches"]) == ("haecmaec", 3, 3)
    assert roost("standings", "--db", world.file, "--game", "haecmaec", "--players", 2).out == (
        "no matches are recorded yet of haecmaec at tables of 2\n"
    )


def test_standings_always_show_how_sure_they_are(roost: Roost, world: World) -> None:
    code, out, err = roost("standings", "--db", world.file)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "6 matches"
    assert lines[1].split() == [
        *("rank", "bot", "version", "rating", "above", "matches", "blocks", "won", "faults"),
        *("of", "2", "of", "3", "ms"),
    ]
    for row in lines[3:6]:
        rank, _, _, rating, interval, *_ = row.split()
        assert rank in ("1", "2", "3", "1-2", "2-3", "1-3")
        assert rating.isdecimal()
        assert interval.startswith("±")
        assert int(interval[1:]) > 20, "six matches cannot tell more"
    assert "95 %" in out


def test_matches_for_programs(roost: Roost, world: World) -> None:
    code, out, err = roost("matches", "--db", world.file, "--json")
    assert (code, err) == (0, "")
    matches = json.loads(out)["matches"]
    assert [match["match_id"] for match in matches] == [replay.match for replay in reversed(world.replays)]
    for match, replay in zip(matches, reversed(world.replays), strict=True):
        result = replay.result
        assert match == {
            "match_id": replay.match,
            "game": replay.game,
            "players": len(replay.seats),
            "competition": None,
            "phase": None,
            "challenge": False,
            "bots": [seat.bot for seat in replay.seats],
            "started_ms": match["started_ms"],
            "ended_ms": match["started_ms"] + 500,
            "termination": result.termination,
            "places": list(result.places),
            "scores": list(result.scores),
            "forfeits": list(result.forfeits),
            "faults": [sum(fault.seat == seat for fault in result.faults) for seat in range(len(replay.seats))],
        }


def test_matches_can_be_chosen(roost: Roost, world: World) -> None:
    def found(*arguments: object) -> list[str]:
        out = roost("matches", "--db", world.file, "--json", *arguments).out
        return [match["match_id"] for match in json.loads(out)["matches"]]

    assert found("--game", "haecmaec") == ["three2", "three1", "three0"]
    assert found("--bot", "clumsy", "--limit", 2) == ["dice0", "three2"]
    assert found("--bot", "nobody") == []
    assert roost("matches", "--db", world.file, "--bot", "nobody", "--game", "karteneck").out == (
        "no match of karteneck with nobody is recorded yet\n"
    )


def test_matches_for_people(roost: Roost, world: World) -> None:
    code, out, err = roost("matches", "--db", world.file, "--limit", 2)
    assert (code, err) == (0, "")
    _, _, voided, dice, hint = out.splitlines()
    assert voided.split()[:2] == ["gone0", "karteneck"]
    assert voided.rstrip().endswith("greedy, random (voided)")
    result = world.replays[-2].result
    assert (result.places, result.termination, len(result.faults)) == ((1, 1), HORIZON, 2)
    assert "1 random, 1 clumsy (turn limit, 2 faults)" in dice
    assert hint == f"See one: roost replay gone0 --show --db {world.file}"


def test_verify_checks_every_match_of_a_database(roost: Roost, world: World) -> None:
    assert roost("verify", "--db", world.file) == (0, "7 matches checked, no problems found\n", "")
    assert json.loads(roost("verify", "--db", world.file, "--json").out) == {
        "matches": 7,
        "in_order": 7,
        "findings": [],
    }


def tampered(world: World, tmp_path: Path, number: int, document: bytes) -> Path:
    file = tmp_path / "tampered.db"
    file.write_bytes(world.file.read_bytes())
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE replay SET document = ? WHERE match_number = ?", (document, number))
    connection.close()
    return file


def test_verify_finds_what_was_changed_in_a_database(roost: Roost, world: World, tmp_path: Path) -> None:
    data = world.replays[1].to_json()
    data["commitment"] = "00" * 32
    file = tampered(world, tmp_path, 2, zlib.compress(json.dumps(data).encode()))
    code, out, err = roost("verify", "--db", file)
    assert (code, err) == (1, "")
    assert out == (
        f"{file}:2 match duel1: the commitment is not the SHA-256 of the seed\n7 matches checked, 1 problem found\n"
    )


def test_verify_says_which_match_of_a_database_is_damaged(roost: Roost, world: World, tmp_path: Path) -> None:
    file = tampered(world, tmp_path, 3, b"not zlib")
    code, _, err = roost("verify", "--db", file)
    assert code == 1
    assert err.startswith(f"roost: {file}: match number 3 is damaged: ")


def test_an_empty_arena_is_shown_too(roost: Roost, tmp_path: Path) -> None:
    from roost_server.store import open_store

    file = tmp_path / "empty.db"
    open_store(f"sqlite:///{file}").close()
    assert roost("bots", "--db", file).out == "no bot has connected yet\n"
    assert roost("standings", "--db", file).out == "no matches are recorded yet\n"
    assert roost("matches", "--db", file).out == "no match is recorded yet\n"
    assert roost("verify", "--db", file).out == "0 matches checked, no problems found\n"
    assert json.loads(roost("standings", "--db", file, "--json").out)["standings"] == []


COLUMNS = [
    TextColumn("bot", ["ann"]),
    TextColumn(">matches", ["12"], drop=1),
    TextColumn("version", ["0123456789abcdef"], drop=2),
]


@pytest.mark.parametrize(
    ("width", "heads"), [(80, ["bot", "matches", "version"]), (30, ["bot", "matches"]), (8, ["bot"]), (2, ["bot"])]
)
def test_a_narrow_terminal_loses_the_least_important_columns(width: int, heads: list[str]) -> None:
    console = Console(width=width, force_terminal=True)
    assert [column.header for column in fitted_table(console, COLUMNS).columns] == heads


def test_what_is_to_be_copied_is_never_cut() -> None:
    console = Console(width=24, force_terminal=True, color_system=None)
    with console.capture() as captured:
        print_fitted(
            console, [TextColumn("match", ["0123456789abcdef"], whole=True), TextColumn("places", ["1 ann, 2 bob"])]
        )
    assert captured.get().splitlines()[2].startswith("0123456789abcdef   ")


def test_a_pipe_gets_everything_however_wide() -> None:
    console = Console(width=10, force_terminal=False)
    with console.capture() as captured:
        assert print_fitted(console, COLUMNS)
    head, _, row = captured.get().splitlines()
    assert row.split() == ["ann", "12", "0123456789abcdef"]
    assert head.split() == ["bot", "matches", "version"]
    assert console.width == 10


def test_names_that_a_competition_hides() -> None:
    summary = arena_pb2.MatchSummary(match_id="m", game="karteneck", players=2, bots=["", ""])
    assert shown_result(summary) == "hidden, hidden"
