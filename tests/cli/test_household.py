"""Processes of a household: they never wait for a reader, and their last words are heard."""

from pathlib import Path

import pytest

from roost_cli.household import MOST_WORDS, Household, Member
from roost_games.errors import RoostError
from tests.support.commands.roost import until

PIPE_BYTES = 1 << 16
"""What a pipe holds on Linux."""
TALKER = """
import sys
from roost_sdk import Bot

class Talker(Bot):
    def start(self):
        sys.stderr.buffer.write({said!r})

    def choose(self, view, legal):
        return legal[0]
"""


def ended(household: Household, *arguments: object) -> Member:
    """A command that has come to its end."""
    member = household.start("command", *map(str, arguments))
    until(lambda: member.ended)
    return member


def test_output_that_nobody_reads_holds_nobody_up() -> None:
    """The seed is printed, and is more than a pipe holds."""
    with Household() as household:
        seed = "x" * (PIPE_BYTES + 1)
        member = ended(household, "play", "karteneck", "random", "random", "--matches", 2, "--seed", seed)
        assert member.first_line().startswith("Heckmeck am Karteneck, 2 players, 2 matches")


@pytest.mark.parametrize("said", [b"\xff\xfe no text\n", b"x" * 2 * PIPE_BYTES, b"line\n" * PIPE_BYTES])
def test_whatever_a_bot_says_its_process_goes_on(tmp_path: Path, said: bytes) -> None:
    bot = tmp_path / "talker.py"
    bot.write_text(TALKER.format(said=said))
    with Household() as household:
        member = ended(household, "play", "karteneck", bot, "random")
        assert "Karteneck" in member.first_line()
        assert len(member.last_words()) <= MOST_WORDS


def test_the_last_words_say_why_it_ended(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise ValueError('no luck')\n")
    with Household() as household:
        submitted = ended(household, "submit", broken)
        assert submitted.last_words() == f"{broken} cannot be imported: ValueError: no luck"
        assert submitted.ending == "exit code 2"
        assert ended(household, "play", "nonsense", "random").last_words().startswith("there is no game 'nonsense'")
        silent = ended(household, "games")
        assert silent.last_words() == "it says nothing"
        with pytest.raises(RoostError, match="the command does not start: there is no game 'nonsense'"):
            ended(household, "play", "nonsense", "random").first_line()


def test_a_file_in_the_folder_hides_no_module_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text(TALKER.format(said=b""))
    with Household() as household:
        member = ended(household, "play", "karteneck", "random.py", "random")
        assert "Karteneck" in member.first_line(), member.last_words()
