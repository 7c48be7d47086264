"""The attack: a competition file, as in an export from somebody else, that no parser gets through."""

import os
from pathlib import Path

import pytest

from roost_cli.main import run
from roost_games.errors import UsageError
from roost_sdk.arena.people import read_people
from roost_server.competition.file import CompetitionFileError, parse_competition, read_competition

START = 'name = "cup"\n[[games]]\ngame = "karteneck"\n[[phases]]\nphase = "ladder"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{START}x = {'[' * 30_000}{']' * 30_000}\n", "is nested too deeply"),
        (f"x = {'9' * 5_000}\n{START}", "has a number with too many digits"),
        (f"x = 2027-02-31T00:00:00Z\n{START}", "a time that cannot be|is not TOML"),
        (f"a{'.a' * 100_000} = 1\n", "is too long"),
        (f"{START}\0", "is not TOML"),
        (f"{START}starts = 9999-12-31T23:59:59-12:00\n", "is not in a year from 1971 to 9998"),
        (f"{START}starts = 0001-01-01T00:00:00+12:00\n", "is not in a year from 1971 to 9998"),
    ],
)
def test_a_file_that_no_parser_gets_through_is_refused(text: str, said: str) -> None:
    with pytest.raises(CompetitionFileError, match=said):
        parse_competition(text)


@pytest.mark.parametrize("row", ["Ann\0,a@b", "\x1b[2JAnn,a@b", "Ann,a@b\0", '"A\x9bnn",a@b'])
def test_a_list_with_control_characters_is_refused(row: str, tmp_path: Path) -> None:
    (file := tmp_path / "people.csv").write_text(f"name,email\nBob,b@c\n{row}\n")
    with pytest.raises(UsageError, match="line 3: has a control character; delete it"):
        read_people(file)


def test_other_alphabets_and_lines_within_fields_are_not(tmp_path: Path) -> None:
    (file := tmp_path / "people.csv").write_text('name,address\r\nنور\u200f,"Main Street\r\n1"\r\n', newline="")
    assert read_people(file).names == ["نور\u200f"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "random", "careful", "--matches", "9" * 5_000], "a number of more than 100 digits: 99"),
        (["ladder", f"--blocks={'9' * 101}"], "a number of more than 100 digits: --blocks=99"),
        (["ladder", "--blocks", f"-{'9' * 101}"], "a number of more than 100 digits: -99"),
        (["admin", "invite", "--label", "a\0b"], r"has a control character, which no command accepts: a\x00b"),
        (["ladder", "random", "careful", "--memory-limit", "9" * 30], "less than or equal to 1000000"),
        (["serve", "--decision-ms", "9" * 30], "less than or equal to 3600000"),
        (["serve", "--matches-per-bot-hour", "9" * 30], "less than or equal to 100000000"),
    ],
)
def test_hostile_arguments_get_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert len(line) < 200


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero")):
        for read in (read_competition, read_people):
            with pytest.raises(UsageError, match="cannot be read: it is not a regular file"):
                read(file)
