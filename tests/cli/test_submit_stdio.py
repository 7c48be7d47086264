"""`roost submit --stdio --keep`: a program in another language plays at a real arena, and its matches are kept."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands.pages import blocks
from tests.support.commands.roost import Roost, arena, roost_process, until

PAGE = Path(__file__).parents[2] / "docs/bots/other-languages.md"
SAMPLES = {block.language: block.text for block in blocks(PAGE) if block.language in ("python", "javascript")}


@pytest.mark.long
@pytest.mark.parametrize("command", ["node mybot.js", f"'{sys.executable}' mybot.py"], ids=["node", "python"])
def test_a_program_plays_at_an_arena(command: str, tmp_path: Path) -> None:
    (tmp_path / "mybot.js").write_text(SAMPLES["javascript"])
    (tmp_path / "mybot.py").write_text(SAMPLES["python"])
    with arena(tmp_path, "--players", "2") as (_, address):
        server = ("--server", address)
        program = ("submit", "--stdio", command, "--keep", "kept", *server)
        with (
            roost_process("submit", "timid", *server, folder=tmp_path),
            roost_process(*program, folder=tmp_path) as playing,
        ):
            playing.out.until("mybot, version ")
            until(lambda: {match[0]["game"] for match in finished(tmp_path)} >= {"karteneck", "haecmaec"})
    for head, *lines in finished(tmp_path):
        assert head["bots"][head["seat"]] == "mybot"
        assert all("move" in line for line in lines if "decision" in line)
        assert lines[-1]["result"]["faults"] == []


def finished(folder: Path) -> list[list[dict[str, Any]]]:
    """The kept matches that came to their end."""
    texts = [file.read_text() for file in (folder / "kept").glob("*.jsonl")]
    return [[json.loads(line) for line in text.splitlines()] for text in texts if '"result"' in text]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["submit"], "name a bot, such as mybot.py, or a program"),
        (["submit", "greedy", "--stdio", "./x"], "one of the two"),
        (["submit", "--stdio", "./nobody"], "there is no program './nobody'"),
        (["submit", "greedy", "--keep", "file"], "cannot keep matches in file"),
    ],
)
def test_what_cannot_be_submitted(
    arguments: list[str], told: str, roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    ran = roost(*arguments)
    assert ran.code == 2
    assert told in ran.err
