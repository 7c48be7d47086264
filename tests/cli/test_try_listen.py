"""`roost try --listen` and `roost contract`, as an author uses them."""

import json
import signal
import socket
from pathlib import Path

import pytest

from roost_games.errors import Exit
from tests.support.commands.roost import Roost, roost_process

PROTO = Path(__file__).parents[2] / "proto"


@pytest.mark.long
def test_a_bot_that_dials_in_is_examined_until_it_leaves(tmp_path: Path) -> None:
    check = ("try", "--listen", "127.0.0.1:0", "--games", "bratwurmeck", "--matches", 1, "--seconds", 120, "--json")
    with roost_process(*check, "--patience", 60, folder=tmp_path) as examiner:
        address = examiner.err.until("listening at ").split()[2].rstrip(";")
        with roost_process("submit", "random", "--server", address, folder=tmp_path) as bot:
            examiner.err.until("now stop your bot")
            bot.send(signal.SIGINT)
            assert examiner.end() == 0, examiner.out.lines
            assert bot.end() == 0
    report = json.loads("\n".join(examiner.out.lines))
    assert report["bot"] == "random"
    assert report["games"] == ["bratwurmeck"]
    assert {finding["mark"] for finding in report["findings"]} == {"fine"}


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ((), "name a bot, or with --listen HOST:PORT where one connects"),
        (("random", "--listen", "127.0.0.1:0"), "one of the two"),
        (("--listen", "here"), "write HOST:PORT"),
        (("--listen", "127.0.0.1:0", "--sandbox"), "--sandbox does not apply to --listen"),
    ],
)
def test_what_cannot_be_listened_to(words: tuple[str, ...], remedy: str, roost: Roost) -> None:
    ran = roost("try", *words)
    assert ran.code == Exit.USAGE
    assert remedy in ran.err


def test_an_address_that_is_taken(roost: Roost) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = roost("try", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert ran.code == Exit.USAGE
    assert "it is in use" in ran.err


def test_the_contract_is_a_folder_for_a_compiler(tmp_path: Path, roost: Roost) -> None:
    ran = roost("contract", tmp_path / "mine")
    assert ran.code == 0
    written = {path.relative_to(tmp_path / "mine"): path.read_bytes() for path in (tmp_path / "mine").rglob("*.*")}
    assert written == {path.relative_to(PROTO): path.read_bytes() for path in PROTO.rglob("*.proto")}


def test_a_contract_where_nothing_can_be_written(tmp_path: Path, roost: Roost) -> None:
    (tmp_path / "taken").write_text("")
    ran = roost("contract", tmp_path / "taken")
    assert ran.code == Exit.USAGE
    assert "cannot write" in ran.err
