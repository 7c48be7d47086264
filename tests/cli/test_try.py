"""`roost try`: each defect is found and named, and a healthy bot gets a clean report."""

import json
import shlex
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from roost_cli.options import opponents
from roost_games.registry import GAME_NAMES, part_of
from roost_games.replay import Fault
from roost_ladder.workshop.doctor import Effort, Examination, examine
from roost_ladder.workshop.findings import (
    Finding,
    Mark,
    Times,
    compared_decisions,
    share_of_deals,
    speed,
    too_long,
)
from roost_ladder.workshop.parts import PlayedItself
from roost_ladder.workshop.tables import MatchKind, SteeredMatch, situations_of, steered_matches, tables_of
from tests.support.commands.roost import Roost
from tests.support.ladders import attackers

FAULTY_BOTS = Path(__file__).parents[1] / "support" / "commands" / "faulty_bots.py"
THOROUGH = Effort(matches=1, seconds=600.0, patience=60.0)
HASTY = Effort(matches=1, seconds=600.0, patience=3.0)


def examined(name: str, *parts: str, effort: Effort = THOROUGH) -> Examination:
    return examine(f"{FAULTY_BOTS}:{name}", opponents(), seed="test", effort=effort, parts=parts)


@cache
def at_all_tables(name: str) -> Examination:
    return examined(name, "tables")


def found(report: Examination, check: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.check == check]


def text(findings: Sequence[Finding]) -> str:
    return "\n".join(line for finding in findings for line in (finding.title, *finding.details))


def test_a_healthy_bot_from_end_to_end(roost: Roost) -> None:
    ran = roost("try", f"{FAULTY_BOTS}:Healthy", "--matches", 1, "--seconds", 600, "--patience", 60, "--json")
    report = json.loads(ran.out)
    assert ran.code == 0
    assert report["healthy"]
    assert report["games"] == ["karteneck"]
    assert {finding["check"] for finding in report["findings"]} == {
        "loads",
        "legal",
        "time",
        "rare",
        "repeats",
        "state",
    }
    assert {finding["mark"] for finding in report["findings"]} == {"fine"}
    (times,) = report["times"]
    assert 0 <= times["median"] <= times["p99"] <= times["worst"]
    assert report["samples"][0]["sample"] == "random"
    assert all(
        0 <= duel["share"]["low"] <= duel["share"]["mean"] <= duel["share"]["high"] <= 1 for duel in report["samples"]
    )


FAULTY = {
    "CrashesWithFour": (
        "karteneck, 4 players",
        "crashed: IndexError: list index out of range",
        "neighbours[self.players",
    ),
    "Steals": ("illegal", "Pass(steal=True)", "legal were"),
    "SaysNothing": ("malformed", "sent a move that is malformed: None", "legal were"),
    "NeverStarts": ("crashed", "did not start: FileNotFoundError: weights.bin", "weights.bin"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_no_legal_answer_is_named_with_its_table(name: str) -> None:
    report = at_all_tables(name)
    assert not report.healthy
    told = text([finding for finding in found(report, "legal") if finding.mark is Mark.DEFECT])
    for words in FAULTY[name]:
        assert words in told


def test_only_the_faulty_table_is_blamed() -> None:
    (defect,) = (each for each in found(at_all_tables("CrashesWithFour"), "legal") if each.mark is Mark.DEFECT)
    assert defect.title.startswith("karteneck, 4 players: ")


@pytest.mark.long
def test_a_bot_is_examined_at_the_tables_that_it_claims() -> None:
    report = examined("ClaimsThree", "tables", "rare", "repeat", "samples")
    assert report.healthy
    assert "in 1 match at 1 kind of table" in text(found(report, "legal"))
    assert "does not play with two" in text(found(report, "samples"))


@pytest.mark.long
def test_a_bot_that_hangs_does_not_hang_the_doctor() -> None:
    """The other tables are examined all the same, and the line where it hangs is shown."""
    report = examined("HangsWithThree", "tables", effort=HASTY)
    hung, *others = found(report, "legal")
    assert hung.title == "hangs: no answer for 3 s in karteneck, 3 players"
    assert "faulty_bots.py, line " in hung.details[0]
    assert hung.details[0].endswith("in karteneck")
    assert "2 kinds of table" in text(others)


@pytest.mark.long
def test_the_time_ends_in_the_middle_of_a_match() -> None:
    """Even with much patience: the report says what was seen until then, and what was not."""
    hurried = Effort(matches=1, seconds=12.0, patience=3000.0)
    report = examined("Dreams", "tables", "samples", effort=hurried)
    fine, unknown = found(report, "legal")
    assert fine.title == "karteneck: 2 decisions in 1 match at 1 kind of table, all of them legal"
    assert "stopped" in fine.details[0]
    assert unknown.title == "not reached in time: karteneck, 3 players; karteneck, 4 players"
    (samples,) = found(report, "samples")
    assert samples.mark is Mark.UNKNOWN
    assert report.duels == []


@pytest.mark.long
def test_a_slow_bot_is_seen_at_every_table(tmp_path: Path) -> None:
    """All games and sizes of table share the time, whichever comes first; each gets a decision at least."""
    (tmp_path / "slow.py").write_text(
        "import time\nfrom roost_sdk import Bot\nclass Slow(Bot):\n    player_counts = (2, 3)\n"
        "    def choose(self, view, legal):\n        time.sleep(0.3)\n        return legal[0]\n"
    )
    hurried = Effort(matches=1, seconds=20.0, patience=60.0)
    report = examine(str(tmp_path / "slow.py"), opponents(), seed="test", effort=hurried, parts=("tables",))
    seen = [finding.title for finding in found(report, "legal")]
    assert [title.rpartition(" at ")[2] for title in seen] == [
        "2 kinds of table, all of them legal",
        "2 kinds of table, all of them legal",
        "3 kinds of table, all of them legal",
    ]


def test_what_is_not_led_anywhere_in_time_is_told() -> None:
    (unknown,) = found(examined("Dreams", "rare", effort=Effort(1, 8.0, 3000.0)), "rare")
    assert unknown.mark is Mark.UNKNOWN
    assert "an empty pile" in unknown.title


def test_of_stopped_matches_the_part_is_compared_that_all_processes_played() -> None:
    def played(*decisions: str, players: int = 2, stopped: bool = True) -> PlayedItself:
        return PlayedItself(MatchKind("karteneck", players, {}), list(decisions), stopped)

    ended = played("x", players=3, stopped=False)
    one, other = compared_decisions([[played("a", "b"), ended], [played("a"), ended, played(players=4)]])
    assert one == other == {"karteneck, 2 players": ["a"], "karteneck, 3 players": ["x"]}
    longer = played("x", "y", players=3, stopped=False)
    assert compared_decisions([[ended], [longer]])[1] == {"karteneck, 3 players": ["x", "y"]}
    assert compared_decisions([[played("a")], [played()]]) == [{}, {}]


def test_a_decision_that_was_cut_short_counts_if_it_was_too_long_already() -> None:
    """The clock gives a second."""
    assert too_long(999.0) == []
    assert too_long(1001.0) == [1001.0]


@pytest.mark.parametrize(("name", "how"), [("EndsTheProcess", "exit code 3"), ("KillsTheProcess", "signal SIGSEGV")])
def test_a_bot_that_ends_its_process_does_not_end_the_doctor(name: str, how: str) -> None:
    deaths = found(examined(name, "tables"), "legal")
    assert [death.title for death in deaths][:2] == [f"ends its process in karteneck, {n} players" for n in (2, 3)]
    assert deaths[0].details[0] == how


def test_an_error_after_the_match_is_only_worth_a_look() -> None:
    report = examined("CrashesAtTheEnd", "tables")
    assert report.healthy
    assert "crashed in end(), which changes nothing about the match: ZeroDivisionError" in text(found(report, "legal"))


@pytest.mark.parametrize(
    ("name", "situation", "what"),
    [
        ("FearsReshuffles", "after a reshuffle", "crashed: NotImplementedError: what is a trace?"),
        ("FearsLongLists", "more than 60 legal moves", "sent a move that is malformed: None"),
    ],
)
def test_a_bot_is_led_to_where_it_breaks(name: str, situation: str, what: str) -> None:
    (defect,) = found(examined(name, "rare"), "rare")
    assert defect.mark is Mark.DEFECT
    assert what in defect.title
    assert situation in defect.details[0]


@pytest.mark.parametrize("name", ["KeepsInItsClass", "KeepsInItsModule"])
def test_what_is_kept_between_matches_is_a_defect(name: str) -> None:
    report = examined(name, "repeat")
    (repeats,), (state,) = found(report, "repeats"), found(report, "state")
    assert (repeats.mark, state.mark) == (Mark.FINE, Mark.DEFECT)
    assert "keeps something between matches" in state.title
    assert "at decision " in state.title


def test_other_randomness_is_worth_a_look() -> None:
    report = examined("DrawsElsewhere", "repeat")
    (repeats,), (state,) = found(report, "repeats"), found(report, "state")
    assert (repeats.mark, state.mark) == (Mark.WARNING, Mark.FINE)
    assert "other randomness than self.rng" in repeats.title
    assert report.healthy


def test_of_a_bot_that_never_repeats_nobody_can_tell_what_it_keeps() -> None:
    report = examined("LooksAtTheClock", "repeat")
    assert [finding.mark for finding in report.findings[1:]] == [Mark.WARNING, Mark.UNKNOWN]


def test_a_bot_that_takes_too_much_memory_is_told(tmp_path: Path) -> None:
    (tmp_path / "eater.py").write_text(
        "from roost_sdk import Bot\nclass Eater(Bot):\n    def karteneck(self, view, legal):\n"
        "        return legal[len(bytearray(2 << 30)) % 1]\n"
    )
    report = examine(str(tmp_path / "eater.py"), opponents(), seed="test", effort=THOROUGH, parts=("tables",))
    assert [defect.title for defect in found(report, "legal")] == [
        f"took more than 1024 MB of memory and was stopped, in karteneck, {players} players" for players in (2, 3, 4)
    ]


def test_a_bot_does_not_find_the_referee_of_the_doctor() -> None:
    report = examine(
        f"{attackers.__file__}:Looks", opponents(), games=["karteneck"], effort=THOROUGH, parts=("tables",)
    )
    assert [finding.mark for finding in found(report, "legal")] == [Mark.FINE]


def test_without_bubblewrap_there_is_no_sandbox(roost: Roost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = roost("try", f"{FAULTY_BOTS}:Healthy", "--sandbox")
    assert (code, err.startswith("roost: --sandbox needs bubblewrap, which is not installed here;")) == (2, True)


def test_what_a_bot_writes_is_not_taken_for_a_finding() -> None:
    report = examined("Shouts", "tables")
    assert [finding.mark for finding in found(report, "legal")] == [Mark.FINE]


NOT_LOADED = {
    "a file that is not there": ("nobody.py", "", "there is no file"),
    "a syntax error": ("bad.py", "def choose(:", "SyntaxError"),
    "no bot": ("bad.py", "x = 1", "there is no bot in"),
    "an argument": ("bad.py", "from roost_sdk import Bot\nclass B(Bot):\n  def __init__(self, depth): ...", "'depth'"),
    "an exit": ("bad.py", "import os\nos._exit(5)", "exit code 5"),
    "no method": ("bad.py", "from roost_sdk import Bot\nclass B(Bot): pass", "plays none of the games"),
}


@pytest.mark.parametrize("case", NOT_LOADED)
def test_what_cannot_be_loaded_has_exit_code_2(case: str, tmp_path: Path, roost: Roost) -> None:
    name, code, told = NOT_LOADED[case]
    if code:
        (tmp_path / name).write_text(code)
    ran = roost("try", tmp_path / name)
    assert ran.code == 2
    assert "✗" in ran.out
    assert told in ran.out
    assert "Traceback" not in ran.out + ran.err


@pytest.mark.long
def test_an_import_that_hangs_is_a_defect_too(tmp_path: Path, roost: Roost) -> None:
    (tmp_path / "sleepy.py").write_text("while True:\n    pass\n")
    ran = roost("try", tmp_path / "sleepy.py", "--patience", 2)
    assert ran.code == 2
    assert "hangs while it is imported" in ran.out
    assert "sleepy.py, line " in ran.out


def test_a_defect_has_exit_code_1_and_a_cross(roost: Roost) -> None:
    ran = roost("try", f"{FAULTY_BOTS}:SaysNothing", "--matches", 1, "--seconds", 600, "--patience", 60)
    assert ran.code == 1
    assert "✗ karteneck, 2 players: " in ran.out
    assert "defects" in ran.out


def test_a_program_is_examined_too(tmp_path: Path) -> None:
    """It has the wrong answer at one table only."""
    (tmp_path / "program.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
        "    if asked['type'] == 'decide':\n        print(0 if asked['players'] != 4 else 'oops', flush=True)\n"
    )
    bot = f"stdio:{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'program.py'))}"
    report = examine(bot, opponents(), games=["karteneck"], seed="test", effort=THOROUGH, parts=("tables",))
    (defect,) = found(report, "legal")
    assert defect.title.startswith("karteneck, 4 players: ")
    assert defect.title.endswith(f" {Fault.MALFORMED}")


def test_slowness_is_judged_by_the_clock_of_an_arena() -> None:
    """A second for a decision, and the bank for those few that take longer."""
    assert speed(Times("karteneck", 10, 1.0, 900.0, 1000.0)).mark is Mark.FINE
    now_and_then = speed(Times("karteneck", 10, 1.0, 900.0, 1000.1))
    assert now_and_then.mark is Mark.WARNING
    assert "1 s for a decision and 10 s more" in now_and_then.details[0]
    assert speed(Times("karteneck", 10, 1600.0, 1600.0, 1600.0)).mark is Mark.DEFECT


def test_shares_stay_between_nothing_and_all() -> None:
    assert share_of_deals([1.0] * 23 + [0.5]).high == 1.0
    all_won = share_of_deals([1.0] * 24)
    # Wilson by hand: 24 / (24 + 1.96²) = 0.862
    assert all_won.low == pytest.approx(0.862, abs=0.001)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_rare_situation_is_reached(game: str) -> None:
    """By a bot at some table of each game; at a single table some cannot be."""
    tables = tables_of([game])
    reached = {name for match in steered_matches(tables) for name in match.situations()}
    assert reached == {situation.name for situation in part_of(game, "situations").SITUATIONS}


@pytest.mark.parametrize("at_tables", [("dice", "random"), ("dice",)])
def test_an_opponent_that_does_not_play_a_game_is_not_seated_there(at_tables: tuple[str, ...]) -> None:
    """As with a new game that no sample knows: the bot would be blamed for it."""
    samples = opponents()
    known = {**samples.known, "dice": "roost_bots.starters.bratwurmeck:MyBot"}
    rivals = samples._replace(known=known, at_tables=at_tables)
    report = examine("random", rivals, games=["karteneck"], seed="test", effort=THOROUGH, parts=("tables",))
    assert [finding.title for finding in report.findings if finding.mark is Mark.DEFECT] == []
    (legal,) = found(report, "legal")
    assert legal.title.startswith("karteneck: ")


def test_every_player_count_is_examined() -> None:
    counts = {game: [table.players for table in tables_of([game]) if not table.options] for game in GAME_NAMES}
    assert counts["karteneck"] == [2, 3, 4]
    assert counts["bratwurmeck"] == [2, 3, 4, 5, 6, 7]
    assert counts["haecmaec"] == [2, 3, 4, 5, 6]


def test_without_slapping_nobody_is_asked_about_it() -> None:
    assert "asked to slap" not in situations_of(MatchKind("haecmaec", 3, {}))
    assert "asked to slap" in situations_of(MatchKind("haecmaec", 3, {"slap": True}))


def test_a_steered_match_is_always_the_same() -> None:
    match = SteeredMatch(MatchKind("haecmaec", 4, {"slap": True}), 1, 7)
    first, second = ([moves for _, moves in match.points()] for _ in range(2))
    assert first == second
