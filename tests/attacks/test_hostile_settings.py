"""The attack: a competition file, as in an export from somebody else, that no parser gets through."""

import os
from pathlib import Path

import pytest

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


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero")):
        for read in (read_competition, read_people):
            with pytest.raises(UsageError, match="cannot be read: it is no regular file"):
                read(file)
