"""Competition files: what is read out of them, and that every mistake is named with its line and a remedy."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roost_server.competition import file as file_module
from roost_server.competition.file import (
    CompetitionFileError,
    PhaseName,
    parse_competition,
    read_competition,
)
from roost_server.settings import longest_hold_up

CUP = """\
name = "spring-cup"
title = "Spring Cup"

[[games]]
game = "karteneck"
players = [2, 3]

[[games]]
game = "haecmaec"
options = { slap = true }
players = [4]

[clock]
decision_ms = 200

[[phases]]
phase = "registration"
starts = 2027-03-01T19:00:00+01:00

[[phases]]
phase = "ladder"
starts = 2027-03-02T18:00:00Z
schedule = "sure"

[[phases]]
phase = "finals"
schedule = "knockout"

[[phases]]
phase = "done"
"""


def refusal(text: str) -> str:
    with pytest.raises(CompetitionFileError) as caught:
        parse_competition(text, "cup.toml")
    return str(caught.value)


def test_what_is_read() -> None:
    cup = parse_competition(CUP)
    assert (cup.name, cup.title) == ("spring-cup", "Spring Cup")
    assert [(rules.game, rules.players, rules.options.to_json()) for rules in cup.rules()] == [
        ("karteneck", 2, {}),
        ("karteneck", 3, {}),
        ("haecmaec", 4, {"slap": True}),
    ]
    assert (cup.referee_clock().decision_ms, cup.referee_clock().bank_ms) == (200, 10_000)
    assert cup.phases[0].starts == datetime(2027, 3, 1, 18, tzinfo=UTC)
    finals = cup.phase(PhaseName.FINALS)
    assert finals is not None
    assert finals.schedule == "knockout"
    assert cup.phase(PhaseName.FREEZE) is None


@pytest.mark.parametrize(
    ("wrong", "right", "line", "says"),
    [
        ('name = "spring', 'ranking = "best"\nname = "spring', 1, "ranking: input should be 'field' or 'clone-proof'"),
        ('name = "spring', 'ties = "score"\nname = "spring', 1, 'ties: write a list, as in ["worst-pair"]'),
        (
            'name = "spring',
            'ties = ["luck"]\nname = "spring',
            1,
            "ties.1: input should be 'rating', 'clone-proof', 'score'",
        ),
        (
            'name = "spring',
            'ties = ["score", "rating"]\nname = "spring',
            1,
            "ties: write each of these once at most: clone-proof, score, worst-pair",
        ),
        ('"spring-cup"', '"Spring Cup"', 1, "name: has 1 to 40 small letters, digits and dashes, as in spring-cup"),
        ('name = "spring-cup"\n', "", 1, 'name: is missing; write name = "spring-cup"'),
        ('"karteneck"', '"kartenek"', 5, "games.1.game: there is no game 'kartenek'; the games are: karteneck,"),
        ('game = "karteneck"\n', "", 4, 'games.1.game: is missing; write game = "karteneck"'),
        ("[2, 3]", "[2, 9]", 6, "games.1.players: karteneck cannot be played by 9; it is for 2 to 4 players"),
        ("[2, 3]", "[]", 6, "games.1.players: write the table sizes, as in players = [2, 3, 4]"),
        ("[2, 3]", "[2, 2]", 6, "games.1.players: write every table size once"),
        ("[2, 3]", '"two"', 6, "games.1.players: write a list, as in [2, 3, 4]"),
        ("slap", "slapp", 10, "games.2.options: haecmaec has no option 'slapp'; its options are:"),
        ("{ slap = true }", "true", 10, "games.2.options: write it in braces, as in { slap = true }"),
        ("[clock]", "[[clock]]", 13, "clock: write [clock], and its settings below"),
        ("decision_ms = 200", "decision_ms = 0", 14, "clock.decision_ms: input should be greater than or equal to 1"),
        ("decision_ms = 200", 'decision_ms = "fast"', 14, "clock.decision_ms: input should be a valid integer"),
        ("decision_ms", "descision_ms", 14, "clock.descision_ms: there is no such setting; did you mean decision_ms?"),
        ("decision_ms", "speed", 14, "clock.speed: there is no such setting; here are decision_ms, bank_ms"),
        ("[clock]", "[clok]", 13, "clok: there is no such setting; did you mean clock?"),
        ("+01:00", "", 18, "phases.1.starts: needs a time zone: write 2027-03-01T18:00:00Z or"),
        (
            "2027-03-02T18:00:00Z",
            '"2027-03-02"',
            22,
            "phases.2.starts: write a day and a time, without quotes, as in 2",
        ),
        ("2027-03-02T18:00:00Z", "2027-03-02", 22, "phases.2.starts: write a day and a time, without quotes, as in 2"),
        ("03-02T", "02-02T", 22, "phases.2.starts: each phase starts after the one before it"),
        (
            '"sure"',
            '"swiss"',
            23,
            "phases.2.schedule: there is no schedule 'swiss' for the ladder; it is one of ",
        ),
        (
            '"knockout"',
            '"knokout"',
            27,
            "phases.3.schedule: there is no schedule 'knokout' for the finals; it is one",
        ),
        ('schedule = "sure"', 'shedule = "sure"', 23, "phases.2.shedule: there is no such setting; did you mean sche"),
        ('schedule = "sure"', "rounds = 3", 23, "phases.2.rounds: is for the finals; leave it out"),
        ('"knockout"', '"sure"', 25, "phases.3.budget: write how many blocks sure may plan"),
        ('"knockout"', '"swiss"\nbudget = 9', 28, "phases.3.budget: is for the schedule sure; leave it out"),
        ('"finals"', '"final"', 26, "phases.3.phase: input should be 'registration', 'ladder', 'freeze', 'finals' or"),
        ('phase = "done"', 'phase = "ladder"', 30, "phases.4.phase: the phases come in this order, each once: regi"),
        ('[[phases]]\nphase = "done"\n', "", 25, 'phases.3: the last phase is "done"'),
        ("[2, 3]", "[3]", 27, "phases.3.schedule: a knockout is played in duels: some game needs 2 among its players"),
        (
            '"haecmaec"\noptions = { slap = true }\nplayers = [4]',
            '"karteneck"',
            9,
            "games.2.game: every game once, with all its table sizes",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(wrong: str, right: str, line: int, says: str) -> None:
    assert refusal(CUP.replace(wrong, right)).startswith(f"cup.toml, line {line}: {says}")


def test_a_ranking_that_would_decide_nothing_is_refused() -> None:
    ladder, finals = CUP.index('[[phases]]\nphase = "ladder"'), CUP.index('[[phases]]\nphase = "finals"')
    without = f'ranking = "clone-proof"\n{CUP[:ladder]}{CUP[finals:]}'
    assert refusal(without) == (
        "cup.toml, line 1: ranking: a knockout without a ladder has no standings that decide anything; leave it out"
    )
    assert parse_competition(without.replace("knockout", "swiss")).order == ("clone-proof", "worst-pair")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("phases = 3", "line 4: phases: write [[phases]], once for every phase, and its settings below"),
        ("phases = [3]", "line 4: phases.1: write [[phases]], once for every phase, and its settings below"),
        ("phases = []", 'line 4: phases: the last phase is "done"'),
        ('[phases]\nphase = "done"', "line 4: phases: write [[phases]], once for every phase, and its settings below"),
        ('[[phases]]\nphase = "done"', "line 4: phases.1: nothing would be played; add a phase: ladder or finals"),
        ("", "line 1: phases: is missing; write [[phases]], once for every phase, and its settings below"),
    ],
)
def test_phases_of_the_wrong_shape(text: str, says: str) -> None:
    assert refusal(f'name = "cup"\ngames = [{{ game = "karteneck" }}]\n\n{text}\n') == f"cup.toml, {says}"


def test_one_game_with_one_bracket() -> None:
    assert refusal(
        CUP.replace('[[games]]\ngame = "karteneck"', '[games]\ngame = "karteneck"', 1).split("[[games]]")[0]
    ) == (
        "cup.toml, line 4: games: write [[games]], once for every game, and its settings below\n"
        "cup.toml, line 1: phases: is missing; write [[phases]], once for every phase, and its settings below"
    )


def test_all_mistakes_are_named_at_once() -> None:
    text = CUP.replace("[2, 3]", "[2, 9]").replace("+01:00", "")
    assert [line.split(":")[0] for line in refusal(text).splitlines()] == ["cup.toml, line 6", "cup.toml, line 18"]


def test_what_is_not_toml_is_said_with_its_line() -> None:
    assert refusal(CUP.replace("[clock]", "[clock")).startswith("cup.toml is not TOML: ")
    assert "line 13" in refusal(CUP.replace("[clock]", "[clock"))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(CompetitionFileError, match="cannot be read: No such file or directory; `roost competition"):
        read_competition(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(CompetitionFileError, match="it is not UTF-8 text"):
        read_competition(binary)


def test_the_sample_is_right_and_names_every_setting() -> None:
    path = Path(file_module.__file__).with_name("sample.toml")
    sample, text = read_competition(path)
    assert [each.phase for each in sample.phases] == list(PhaseName)
    parts = (file_module.ClockPart, file_module.EntryPart, file_module.FaultPart, file_module.SpectatorPart)
    for part in (
        *parts,
        file_module.PacePart,
        file_module.ChallengePart,
        file_module.PhasePart,
        file_module.CompetitionFile,
        file_module.GameTable,
    ):
        for name in part.model_fields.keys() - {"forfeits"}:
            assert name in text, f"{name} is not in the sample"


def test_the_defaults_that_the_sample_shows_are_the_defaults() -> None:
    path = Path(file_module.__file__).with_name("sample.toml")
    text = path.read_text(encoding="utf-8")
    shown = text
    for part in (
        "rotation",
        "decision_ms",
        "bank_ms",
        "bots_per_owner",
        "names_per_owner",
        "versions_per_hour",
        "own_bots_may_meet",
        "hide_names",
        "max_faults",
    ):
        shown = shown.replace(f"# {part} =", f"{part} =")
    for part in ("quarantine_after", "absence_seconds", "public", "delay_seconds", "blocks_per_pairing", "most_groups"):
        shown = shown.replace(f"# {part} =", f"{part} =")
    for part in (
        "ready_seconds",
        "round_seconds",
        *file_module.PacePart.model_fields,
        *file_module.ChallengePart.model_fields,
    ):
        shown = shown.replace(f"# {part} =", f"{part} =")
    assert shown != text
    assert parse_competition(shown) == parse_competition(text)


TINY = """\
name = "tiny"
games = [{ game = "karteneck" }]
phases = [{ phase = "ladder" }, { phase = "done" }]
"""


def test_a_file_without_pace_has_the_settings_of_an_arena() -> None:
    """And what it says about pace and stalling reaches the arena."""
    usual = parse_competition(TINY).settings()
    assert (usual.ready_seconds, usual.matches_per_hour, usual.disk_gb) == (10, 20_000, 10)
    assert usual.matches_at_once is None
    # 10 s to get ready, 10 s in the bank, and 120 decisions of a second.
    assert usual.seat_seconds == 140
    text = (
        TINY
        + """
[clock]
ready_seconds = 3
match_seconds = 50
[faults]
round_seconds = 900
[pace]
matches_per_bot_hour = 60
arena_seconds_per_hour = 600
matches_at_once = 8
disk_gb = 0.5
"""
    )
    given = parse_competition(text).settings()
    assert (given.ready_seconds, given.seat_seconds, given.round_seconds) == (3, 50, 900)
    assert (given.matches_per_bot_hour, given.arena_seconds_per_hour, given.disk_gb) == (60, 600, 0.5)
    assert given.matches_at_once == 8


def test_the_longest_hold_up_of_a_round() -> None:
    """By hand: in each match 50 s at the table and 100 s away before it, until the round has waited for 900 s."""
    settings = replace(parse_competition(TINY).settings(), match_seconds=50.0, round_seconds=900.0)
    assert longest_hold_up(settings, 100.0, matches=4) == 4 * 150
    assert longest_hold_up(settings, 100.0, matches=4000) == 950
