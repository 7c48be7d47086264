"""`roost ladder`, from what is typed to what is printed, written and kept."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roost_bots import SAMPLES
from roost_server.store import NewBlock, open_store
from roost_server.store.sums.kept import kept_through
from tests.support.commands.roost import INTERRUPTIBLE, Roost
from tests.support.records.matches import counted

FOLDER = Path(__file__).parents[1] / "support" / "ladders" / "bots"
SMALL = ("--games", "karteneck", "--players", "2,3", "--schedule", "least-played", "--seed", "spring")
SECONDS = 180.0


def results_in(database: Path) -> list[tuple[object, ...]]:
    """What was played, without when."""
    with open_store(f"sqlite:///{database}", read_only=True) as store:
        rows = counted(store)
    return [(*row[:4], row.rotation, *row.facts[:4], row.facts.forfeited) for row in rows if row.facts]


def test_the_table_shows_ratings_and_how_sure_they_are(roost: Roost, tmp_path: Path) -> None:
    files = tmp_path / "table.csv", tmp_path / "page.html"
    done = roost("ladder", "random", "greedy", *SMALL, "--blocks", 6, "--csv", files[0], "--html", files[1])
    assert done.code == 0, done.err
    head, columns, _, *rows = done.out.splitlines()
    assert head == "12 matches in 6 blocks of karteneck: the budget is used up"
    assert columns.split() == ["rank", "bot", "rating", "above", "matches", "won", "faults", "of", "2", "ms"]
    assert {row.split()[1] for row in rows[:2]} == {"random", "greedy"}
    assert all("±" in row for row in rows[:2])
    assert "above: how likely a bot is to be stronger than the next one." in done.out
    assert "Seed spring." in rows[-1]
    assert files[0].read_text(encoding="utf-8").startswith("rank_low,rank_high,name,rating,")
    assert files[1].read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_is_for_programs(roost: Roost) -> None:
    done = roost("ladder", "random", "greedy", *SMALL, "--matches", 5, "--json", "--anchor", "random")
    data = json.loads(done.out)
    assert (data["matches"], data["blocks"], data["seed"], data["ended"]) == (4, 2, "spring", "budget")
    assert {row["name"]: row["rating"] for row in data["standings"]}["random"] == 1500
    assert data["benched"] == []


@pytest.mark.parametrize("schedule", ["round-robin", "swiss"])
def test_a_schedule_that_knows_its_length_tells_how_long_it_takes(
    schedule: str, roost: Roost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost_cli.terminal.live.LINE_SECONDS", 0.0)
    command = ("ladder", "random", "greedy", *SMALL, "--schedule", schedule)
    assert " s to go; " in roost(*command, "--times", 40).err


def test_json_is_printed_also_if_nothing_was_played(roost: Roost) -> None:
    done = roost("ladder", "random", "greedy", *SMALL, "--budget", "0.000001s", "--json")
    data = json.loads(done.out)
    assert (data["matches"], data["standings"], data["ended"]) == (0, [], "time")
    assert "no block was completed" in done.err


def test_a_file_that_cannot_be_written_does_not_cost_the_result(roost: Roost) -> None:
    done = roost("ladder", "random", "greedy", *SMALL, "--blocks", 1, "--csv", "/dev/full")
    assert (done.code, done.err) == (1, "roost: /dev/full cannot be written: No space left on device\n")
    assert done.out.startswith("2 matches in 1 block of karteneck: ")


def test_nobody_is_seated_at_a_table_that_it_does_not_play(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "duellist.py").write_text(
        "from roost_sdk import Bot\nclass Duellist(Bot):\n    player_counts = (2,)\n"
        "    def choose(self, view, legal):\n        return {2: legal[0]}[self.players]\n"
    )
    done = roost("ladder", "random", "greedy", "timid", tmp_path / "duellist.py", *SMALL, "--blocks", 12, "--json")
    rows = {row["name"]: row for row in json.loads(done.out)["standings"]}
    assert [place["players"] for place in rows["duellist"]["places"]] == [2]
    assert [place["players"] for place in rows["greedy"]["places"]] == [2, 3]
    assert rows["duellist"]["faults"] == 0


def test_a_bot_called_like_a_module_of_python(roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that play start in this folder, and must not take its files for Python's own."""
    monkeypatch.chdir(tmp_path)
    Path("random.py").write_text(
        "from roost_sdk import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return legal[-1]\n"
    )
    done = roost("ladder", "./random.py", "greedy", *SMALL, "--blocks", 1)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("2 matches in 1 block of karteneck: ")


def test_a_ladder_is_kept_goes_on_and_is_read_by_the_other_commands(roost: Roost, tmp_path: Path) -> None:
    """In parts or in one go: the databases hold the same."""
    parts, whole = tmp_path / "parts.db", tmp_path / "whole.db"
    for blocks in (3, 8):
        assert roost("ladder", "random", "greedy", "timid", *SMALL, "--blocks", blocks, "--db", parts).code == 0
    command = ("ladder", "timid", "greedy", "random", *SMALL, "--blocks", 8, "--db", whole, "--workers", 2)
    assert roost(*command).code == 0
    assert results_in(parts) == results_in(whole)
    assert len(results_in(parts)) == 20
    again = roost("ladder", "random", "greedy", "timid", *SMALL[:-2], "--blocks", 8, "--db", parts)
    assert "20 matches in 8 blocks" in again.out
    assert "Seed spring." in again.out
    assert "20 matches" in roost("standings", "--db", parts).out
    with open_store(f"sqlite:///{parts}", read_only=True) as store, store.reading() as reading:
        assert kept_through(reading) == 20, "a reader of the book need not add up all matches"
    assert roost("verify", "--db", parts).out == "20 matches checked, no problems found\n"
    latest = json.loads(roost("matches", "--db", parts, "--limit", 1, "--json").out)["matches"][0]["match_id"]
    assert json.loads(roost("replay", latest, "--db", parts, "--json").out)["match"] == latest


def test_the_order_of_games_makes_no_other_ladder(roost: Roost, tmp_path: Path) -> None:
    command = ("ladder", "random", "greedy", "--seed", "spring", "--db", tmp_path / "l.db", "--blocks")
    assert roost(*command, 2, "--games", "karteneck,haecmaec").code == 0
    again = roost(*command, 4, "--games", "haecmaec,karteneck")
    assert again.out.startswith("8 matches in 4 blocks"), again.err


def test_a_database_of_something_else_is_refused(roost: Roost, tmp_path: Path) -> None:
    ours, arenas = tmp_path / "ours.db", tmp_path / "arena.db"
    assert roost("ladder", "random", "greedy", *SMALL, "--blocks", 1, "--db", ours).code == 0
    other = roost("ladder", "random", "greedy", *SMALL[:-1], "autumn", "--blocks", 1, "--db", ours)
    assert other.code == 2
    assert "holds another ladder: its seed is spring, not autumn. Give another file" in other.err
    with open_store(f"sqlite:///{arenas}") as store:
        ids = tuple(store.register_version(name, "1") for name in "ab")
        store.open_block(NewBlock("b1", "karteneck", {}, "00" * 32, "cyclic", ids, 0))
    refused = roost("ladder", "random", "greedy", *SMALL, "--blocks", 1, "--db", arenas)
    assert refused.code == 2
    assert "belongs to an arena" in refused.err


def test_changed_code_is_another_ladder(roost: Roost, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    code = "from roost_sdk import Bot\n\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return legal[{}]"
    command = ("ladder", "random", bot, *SMALL, "--blocks", 1, "--db", tmp_path / "l.db")
    bot.write_text(code.format(0), encoding="utf-8")
    assert roost(*command).code == 0
    bot.write_text(code.format(-1), encoding="utf-8")
    assert "the code of mine has changed since" in roost(*command).err


def test_a_folder_is_all_bots_in_it_and_what_is_broken_is_left_out(roost: Roost, tmp_path: Path) -> None:
    bot = "from roost_sdk import Bot\n\n\nclass {}(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
    (tmp_path / "two.py").write_text(bot.format("A") + bot.format("B"), encoding="utf-8")
    (tmp_path / "one.py").write_text(bot.format("One"), encoding="utf-8")
    (tmp_path / "helper.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("def x(:\n", encoding="utf-8")
    (tmp_path / "quits.py").write_text("import os\n\nos._exit(4)\n", encoding="utf-8")
    done = roost("ladder", tmp_path, *SMALL, "--blocks", 3, "--json")
    assert sorted(row["name"] for row in json.loads(done.out)["standings"]) == ["one", "two:A", "two:B"]
    assert f"left out: {tmp_path / 'broken.py'} cannot be imported: SyntaxError" in done.err
    assert f"left out: {tmp_path / 'quits.py'} cannot be imported: that ended its process (exit code 4)" in done.err


def test_bots_with_modules_of_the_same_name_do_not_get_each_others(roost: Roost, tmp_path: Path) -> None:
    for owner in ("alice", "bob"):
        (tmp_path / owner).mkdir()
        (tmp_path / owner / "helper.py").write_text(f"OWNER = {owner!r}\n", encoding="utf-8")
        code = "from helper import OWNER\nfrom roost_sdk import Bot\n\nclass Mine(Bot):\n"
        method = f"    def choose(self, view, legal):\n        assert OWNER == {owner!r}\n        return legal[0]\n"
        (tmp_path / owner / "bot.py").write_text(code + method, encoding="utf-8")
    bots = (tmp_path / "alice" / "bot.py", tmp_path / "bob" / "bot.py")
    done = roost("ladder", *bots, *SMALL, "--trusted", "--blocks", 1, "--json")
    assert {row["name"]: row["faults"] for row in json.loads(done.out)["standings"]} == {"alice/bot": 0, "bob/bot": 0}
    assert "each has a process of its own" in done.err


def test_a_program_that_reads_and_writes_lines_takes_part(roost: Roost, tmp_path: Path) -> None:
    program = tmp_path / "lines.py"
    program.write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        "    if json.loads(line)['type'] == 'decide':\n        print(0, flush=True)\n",
        encoding="utf-8",
    )
    done = roost("ladder", "random", f"stdio:{sys.executable} {program}", *SMALL, "--blocks", 2, "--json")
    assert {row["name"]: row["faults"] for row in json.loads(done.out)["standings"]} == {"random": 0, "lines": 0}


def test_the_author_of_a_program_sees_nothing_of_ours(roost: Roost) -> None:
    done = roost("ladder", "random", "stdio:true", *SMALL, "--blocks", 1)
    assert "(true) crashed: ProgramEnded: the program ended with exit code 0" in done.err
    assert "File" not in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["random"], "a ladder needs at least two bots; here is only 1"),
        (["random", "greedy", "random"], "random takes part twice"),
        (["random", "randm"], "there is no bot 'randm'"),
        (
            ["random", "randm"],
            "a folder of bots, or a program such as stdio:./mybot, in a ladder also cmd:./mybot. Did you",
        ),
        (["random", "nowhere/mine.py"], "there is no file nowhere/mine.py"),
        (["random", "greedy", "--players", "4"], "nothing can be played: 2 bots for karteneck, bratwurmeck, haecmaec"),
        (["random", "greedy", "--players", "4"], "add bots that play these games, or change --games or --players"),
        (["random", "greedy", "--schedule", "swis"], "there is no schedule 'swis'"),
        (["random", "greedy", "--schedule", "gauntlet"], "gauntlet needs --hero NAME, the bot that plays"),
        (["random", "greedy", "--schedule", "gauntlet", "--hero", "x"], "x is not in this ladder"),
        (["random", "greedy", "--rotation", "round"], "--rotation is cyclic or full, not 'round'"),
        (["random", "greedy", "--rating", "glicko"], "there is no rating 'glicko'"),
        (["random", "greedy", "--anchor", "nobody"], "nobody is not in this ladder"),
        (["random", "greedy", "--budget", "soon"], "a time is written like"),
        (
            ["random", "greedy", "--matches", "1"],
            "--matches 1 is too few: a block, with every bot in every seat",
        ),
        (
            ["random", "greedy", "timid", "--players", "3", "--matches", "5", "--rotation", "full"],
            "in every seat, takes 6",
        ),
        (["random", "greedy", "--html", "nowhere/x.html"], "there is no folder nowhere"),
        (["random", "greedy", "--csv", "."], ". is a folder; name a file"),
        (["random", "cmd:"], "name the program that plays"),
        (["random", "cmd:no-such-program"], "no-such-program does not start: no-such-program cannot be started"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_played(roost: Roost, arguments: list[str], said: str) -> None:
    done = roost("ladder", *arguments)
    assert done.code == (1 if "does not start" in said else 2)
    assert said in done.err
    assert done.out == ""


@pytest.mark.long
def test_a_bot_that_has_to_be_stopped_does_not_stop_the_ladder(roost: Roost, tmp_path: Path) -> None:
    bots = (FOLDER / "first.py", FOLDER / "last.py", FOLDER / "exits.py")
    done = roost("ladder", *bots, *SMALL, "--players", 2, "--blocks", 4, "--html", tmp_path / "l.html")
    assert done.code == 0
    assert "exits (benched)" in done.out
    assert "exits is benched: it had to be stopped in 3 matches" in done.err
    assert "(exits) ended its process (exit code 3)" in done.err
    report = (tmp_path / "l.html").read_text(encoding="utf-8")
    assert "<bdi>exits is benched: it had to be stopped in 3 matches</bdi>" in report


@pytest.mark.long
def test_nothing_is_called_sure_of_a_bot_that_was_benched(roost: Roost) -> None:
    sure = ("--games", "karteneck", "--players", 2, "--seed", "spring", "--blocks", 400, "--budget", "10m")
    two = roost("ladder", FOLDER / "first.py", FOLDER / "exits.py", *sure)
    assert two.out.startswith("4 matches in 2 blocks of karteneck: too few bots are left to play\n")
    three = roost("ladder", "random", "greedy", FOLDER / "exits.py", *sure)
    assert ": every bot that can still play is surely stronger than the next one\n" in three.out
    assert "exits is benched" in three.out


@pytest.mark.long
def test_ctrl_c_keeps_everything_and_the_same_command_goes_on(roost: Roost, tmp_path: Path) -> None:
    database = tmp_path / "l.db"
    command = ("ladder", "random", "greedy", "timid", *SMALL, "--db", str(database), "--workers", "1")
    with subprocess.Popen([*INTERRUPTIBLE, *command, "--blocks", "100000"], stdout=-1, stderr=-1, text=True) as run:
        until = time.monotonic() + SECONDS
        while not (database.exists() and _some_results(database)) and time.monotonic() < until:
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=SECONDS)
    assert run.returncode == 130, err
    assert ": interrupted\n" in out
    kept = results_in(database)
    assert out.startswith(f"{len(kept)} matches in ")
    blocks = len({row[2] for row in kept})
    assert roost(*command, "--blocks", blocks + 2).code == 0
    fresh = tmp_path / "fresh.db"
    assert roost(*command[:-4], "--db", fresh, "--blocks", blocks + 2).code == 0
    assert results_in(database) == results_in(fresh)
    assert results_in(database)[: len(kept)] == kept


def _some_results(database: Path) -> bool:
    try:
        return bool(results_in(database))
    except Exception:  # it is being made
        return False


def test_the_page_about_ladders_names_all_samples() -> None:
    page = (Path(__file__).parents[2] / "docs/ladders.md").read_text(encoding="utf-8")
    assert f"the name of a sample: {', '.join(f'`{name}`' for name in SAMPLES)};" in page
