"""`roost play`: results, records, seeds, and bots that misbehave."""

import json
from pathlib import Path

import pytest

from roost_games.chance import seed_of
from roost_games.replay import Replay
from roost_games.verify import verify
from tests.support.commands.roost import Roost

HEAD = "from roost_sdk import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n"


def bot_file(folder: Path, body: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(HEAD + "".join(f"        {line}\n" for line in body.splitlines()))
    return file


def replays(file: Path) -> list[Replay]:
    return [Replay.from_line(line) for line in file.read_text().splitlines()]


def test_one_match_says_who_won_and_how_to_see_it(roost: Roost) -> None:
    code, out, err = roost("play", "karteneck", "random", "random", "--seed", "spring")
    assert (code, err) == (0, "")
    assert "Heckmeck am Karteneck, 2 players, one match, seed spring" in out
    assert "The match is over: it ended by the rules." in out
    assert "Add --seed spring to play the same deals again, and --show to watch." in out


def test_a_seed_repeats_a_match_and_another_does_not(roost: Roost) -> None:
    outs = [roost("play", "haecmaec", *["random"] * 4, "--seed", seed, "--json").out for seed in "aab"]
    assert outs[0] == outs[1]
    assert json.loads(outs[0])["results"] != json.loads(outs[2])["results"]


def test_a_seed_that_was_drawn_is_told_and_works(roost: Roost) -> None:
    first = json.loads(roost("play", "karteneck", "random", "random", "--json").out)
    again = json.loads(roost("play", "karteneck", "random", "random", "--json", "--seed", first["seed"]).out)
    assert again == first
    assert json.loads(roost("play", "karteneck", "random", "random", "--json").out)["seed"] != first["seed"]


def test_json_of_many_matches_adds_up(roost: Roost) -> None:
    data = json.loads(roost("play", "bratwurmeck", *["random"] * 3, "--matches", 12, "--seed", "x", "--json").out)
    assert (data["game"], data["seed"], data["matches"], data["options"]) == ("bratwurmeck", "x", 12, {})
    assert [row["bot"] for row in data["seats"]] == ["random"] * 3
    assert sum(row["win_share"]["mean"] for row in data["seats"]) == pytest.approx(1)
    for seat, row in enumerate(data["seats"]):
        scores = [result["scores"][seat] for result in data["results"]]
        assert row["score"]["mean"] == pytest.approx(sum(scores) / 12)
        assert row["win_share"]["low"] <= row["win_share"]["mean"] <= row["win_share"]["high"]
    assert [result["seed"] for result in data["results"]] == [seed_of("x", number).hex() for number in range(12)]


def test_many_matches_make_a_table_with_intervals(roost: Roost) -> None:
    out = roost("play", "karteneck", "random", "random", "--matches", 20, "--seed", "x").out
    assert "2 players, 20 matches, seed x" in out
    assert out.count("±") >= 4
    assert "95 % intervals" in out


def test_an_option_reaches_the_match_and_the_record(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "slap.jsonl"
    data = json.loads(
        roost("play", "haecmaec", *["random"] * 3, "--option", "slap=true", "--json", "--replay", file).out
    )
    (replay,) = replays(file)
    assert data["options"] == replay.options == {"slap": True}
    assert verify(replay) is None


def test_records_are_added_never_overwritten(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    play = ("play", "karteneck", "random", "random", "--replay", file)
    assert f"roost verify {file} checks the record." in roost(*play, "--seed", "a", "--matches", 2).out
    before = file.read_bytes()
    roost(*play, "--seed", "b")
    assert file.read_bytes().startswith(before)
    assert [replay.seed for replay in replays(file)] == [
        seed.hex() for seed in (seed_of("a", 0), seed_of("a", 1), seed_of("b", 0))
    ]
    assert len({replay.match for replay in replays(file)}) == 3


def test_half_a_line_left_by_a_killed_run_spoils_only_itself(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "half.jsonl"
    file.write_text('{"format": "roost-rep')
    roost("play", "karteneck", "random", "random", "--replay", file)
    half, whole = file.read_text().splitlines()
    assert half == '{"format": "roost-rep'
    assert verify(Replay.from_line(whole)) is None


def test_a_file_can_be_a_bot(roost: Roost, tmp_path: Path) -> None:
    data = json.loads(roost("play", "karteneck", bot_file(tmp_path, "return legal[0]"), "random", "--json").out)
    assert [row["bot"] for row in data["seats"]] == ["mine", "random"]
    assert data["results"][0]["faults"] == []


def test_what_a_bot_prints_does_not_spoil_the_results(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "print('thinking')\nreturn legal[0]")
    code, out, err = roost("play", "karteneck", file, "random", "--json")
    assert code == 0
    assert json.loads(out)["matches"] == 1
    assert "thinking" in err


def test_a_bot_that_raises_is_told_to_its_author_once(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "raise ValueError('boom')")
    code, out, err = roost("play", "karteneck", file, "random", "--matches", 3, "--seed", "x")
    assert code == 0
    assert "9 crashed" in out
    assert "forfeited 3" in out
    assert err.count("seat 0 (mine) crashed: ValueError: boom") == 1
    assert f'File "{file}", line 4, in choose' in err
    assert "Traceback" not in err
    assert "roost_" not in err.replace(str(tmp_path), "")


def test_a_bot_that_returns_nothing_is_malformed(roost: Roost, tmp_path: Path) -> None:
    code, out, err = roost("play", "haecmaec", bot_file(tmp_path, "return None"), "random", "random", "--seed", "x")
    assert code == 0
    assert "3 malformed, forfeited" in out
    assert "seat 0 (mine) sent a move that is malformed: None" in err


def test_different_troubles_are_told_up_to_a_limit(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "self.__class__.n = getattr(self, 'n', 0) + 1\nraise ValueError(self.n)")
    err = roost("play", "karteneck", file, "random", "--matches", 3).err
    assert err.count("crashed: ValueError") == 5
    assert "and 4 more of other kinds" in err


def test_a_syntax_error_in_a_bot_is_shown_without_ours(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def choose(:\n")
    code, out, err = roost("play", "karteneck", file, "random")
    assert (code, out) == (2, "")
    assert err.startswith(f"roost: {file} cannot be imported: SyntaxError")
    assert "line 1" in err
    assert "Traceback" not in err


def test_ctrl_c_reports_what_was_played(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "tired.py"
    file.write_text(
        HEAD + "        return legal[0]\n"
        "    n = 0\n"
        "    def start(self):\n"
        "        Mine.n += 1\n"
        "        if Mine.n == 4:\n"
        "            raise KeyboardInterrupt\n"
    )
    record = tmp_path / "record.jsonl"
    code, out, err = roost(
        "play", "karteneck", file, "random", "--matches", 10, "--seed", "x", "--replay", record, "--trusted"
    )
    assert code == 130
    assert "3 of 10 matches, seed x" in out
    assert err == "roost: interrupted\n"
    assert len(replays(record)) == 3


def test_ctrl_c_before_the_first_result_is_a_short_line(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "raise KeyboardInterrupt")
    assert roost("play", "karteneck", file, "random", "--trusted") == (130, "", "roost: interrupted\n")


def test_the_debugger_of_a_bot_needs_trust(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "breakpoint()\nreturn legal[0]")
    err = roost("play", "karteneck", file, "random").err
    assert "seat 0 (mine) crashed: UsageError: breakpoint() needs roost play --trusted: otherwise" in err


def test_a_match_is_the_same_whether_bots_are_trusted_or_not(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "return self.rng.choice(legal)")
    play = ("play", "haecmaec", file, "greedy", file, "--seed", "x", "--matches", 5, "--json")
    assert roost(*play).out == roost(*play, "--trusted").out


def test_nobody_is_both_trusted_and_in_a_sandbox(roost: Roost) -> None:
    code, out, err = roost("play", "karteneck", "random", "random", "--trusted", "--sandbox")
    assert (code, out) == (2, "")
    assert err == "roost: --sandbox is for bots of others and --trusted for your own; choose one\n"
