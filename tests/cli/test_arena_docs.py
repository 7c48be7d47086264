"""docs/hosting/arena.md is true: its commands run as written, at an arena of this test instead of the usual one."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from roost.v1 import arena_pb2
from roost_cli.main import run
from roost_cli.terminal.standings import standings_json
from roost_server.serving.hosting import settings_for
from roost_server.settings import Settings
from tests.support.commands.roost import Process, arena, roost_process, until

PAGE = (Path(__file__).parents[2] / "docs/hosting/arena.md").read_text(encoding="utf-8")
USUAL = "127.0.0.1:50051"
ASK_AN_ARENA = ("bots", "standings", "matches", "replay", "watch")


class Shown(NamedTuple):
    """A command on the page and the lines below it."""

    words: list[str]
    expected: list[str]


def shown() -> Iterator[Shown]:
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *rest = piece.splitlines()
            yield Shown(first.split()[1:], rest)


class Reader:
    """A reader who follows the page from top to bottom."""

    def __init__(self, folder: Path, stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._stack = stack
        self._capsys = capsys
        self._arena: Process | None = None
        self.address = ""

    def follow(self, command: Shown) -> None:
        name, *arguments = command.words
        if name == "serve":
            self._serve(arguments, command.expected)
        elif name == "submit":
            process = roost_process(*command.words, "--server", self.address, folder=self._folder)
            self._stack.enter_context(process).out.until(f"{arguments[0]}, version ")
        else:
            printed: list[str] = []
            until(lambda: self._succeeds(name, arguments, printed))
            assert printed
            if command.expected not in (["..."], []):
                assert printed == command.expected

    def _serve(self, arguments: list[str], expected: list[str]) -> None:
        """Stop the former arena, and start another with the same records."""
        if self._arena is not None:
            self._arena.press_until_end(signal.SIGINT)
        self._arena, self.address = self._stack.enter_context(arena(self._folder, "--players", "2", *arguments))
        self._arena.out.until("Ctrl-C")
        assert [line.replace(self.address, USUAL) for line in self._arena.out.lines] == expected

    def _succeeds(self, name: str, arguments: list[str], printed: list[str]) -> bool:
        """Right after the start there may be no match yet, and the newest deals are still being played."""
        into = arguments[-1] if ">" in arguments else ""
        given = [self._oldest_match() if word == "ID" else word for word in arguments]
        given = given[: given.index(">")] if into else given
        elsewhere = name not in ASK_AN_ARENA or "--db" in given or any(word.endswith(".jsonl") for word in given)
        self._capsys.readouterr()
        code = run([name, *given] if elsewhere else [name, *given, "--server", self.address])
        out = self._capsys.readouterr().out
        if code == 0 and into:
            Path(into).write_text(out)
        printed[:] = out.splitlines()
        return code == 0

    def _oldest_match(self) -> str:
        self._capsys.readouterr()
        run(["matches", "--server", self.address, "--limit", "1000", "--json"])
        matches = json.loads(self._capsys.readouterr().out)["matches"]
        return str(matches[-1]["match_id"]) if matches else "none"


@pytest.mark.long
def test_the_page_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = list(shown())
    assert {command.words[0] for command in commands} == {*ASK_AN_ARENA, "serve", "submit", "verify"}
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack, capsys)
        for command in commands:
            reader.follow(command)
        (healthy,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        capsys.readouterr()
        exec(compile(healthy.replace(USUAL, reader.address), "arena.md", "exec"), {})  # noqa: S102  the page's own code
        assert capsys.readouterr().out == "SERVING\n"
        check_keys(reader.address, capsys)


def check_keys(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of the page have exactly the keys that the commands print."""
    for command, within in (("bots", "bots"), ("standings", "standings"), ("matches", "matches")):
        capsys.readouterr()
        assert run([command, "--server", address, "--json"]) == 0
        out = capsys.readouterr().out
        assert out.endswith("}\n")
        answer: Any = json.loads(out)
        section = about_json(command)
        assert sorted(tables(section)[0]) == sorted(answer[within][0])
        for key in answer:
            assert f"`{key}`" in section


def about_json(command: str) -> str:
    return PAGE.split(f"`roost {command} --json`", 1)[1].split("\n`roost", 1)[0]


def tables(section: str) -> list[list[str]]:
    """The keys in the first column of each table."""
    bodies = re.findall(r"^\| Key .*\n\|[-|]+\n((?:\|.*\n)+)", section, re.MULTILINE)
    return [
        [key for cell in re.findall(r"^\| (`.*?) \|", body, re.MULTILINE) for key in re.findall(r"`(\w+)`", cell)]
        for body in bodies
    ]


def test_the_page_names_what_standings_have_in_some_fields_only() -> None:
    row = arena_pb2.Standing(version_id=1, name="hen", version="v1")
    second = arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_READY, scores=[arena_pb2.SecondScore(version_id=1)])
    answer = arena_pb2.GetStandingsResponse(standings=[row], second=second)
    answer.circularity.circle.add(version_id=1, name="hen", version="v1")
    answer.specialists.add(version_id=1, game="karteneck")
    found: Any = standings_json(answer, arena_pb2.GetStandingsRequest())
    section = about_json("standings")
    circularity, about = found["circularity"], found["second_ranking"]
    assert tables(section)[1:] == [list(found["clone_proof"][0]), list(found["specialists"][0])]
    for key in (*found, *circularity, *circularity["circle"][0], *about):
        assert f"`{key}`" in section


def test_the_numbers_are_those_of_the_arena(capsys: pytest.CaptureFixture[str]) -> None:
    usual = Settings()
    given = settings_for((), (2, 3, 4), None, None)
    assert given == usual
    paced = settings_for((), (2,), matches_per_hour=10, matches_per_bot_hour=5, disk_gb=0.5)
    assert (paced.matches_per_hour, paced.matches_per_bot_hour, paced.disk_gb) == (10, 5, 0.5)
    for option, number in (
        ("matches-per-hour", usual.matches_per_hour),
        ("matches-per-bot-hour", usual.matches_per_bot_hour),
        ("disk-gb", usual.disk_gb),
    ):
        assert re.search(rf"^\| `--{option}` .* \| {number:.0f} \|$", PAGE, re.MULTILINE)
    assert f"at most {given.arena_seconds_per_hour / 60:.0f} minutes in an hour for one bot" in " ".join(PAGE.split())
    assert f"for up to {usual.drain_seconds:.0f} seconds" in PAGE
    run(["serve", "--help"])
    told = " ".join(re.sub("[│╭╮╰╯─]", " ", capsys.readouterr().out).split())
    for ms in (usual.clock.decision_ms, usual.clock.bank_ms):
        assert re.search(rf"^\| `--\w+-ms` .* \| {ms:.0f} \|$", PAGE, re.MULTILINE)
        assert f"{ms:.0f}." in told


def test_the_table_of_options_is_complete(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["serve", "--help"]) == 0
    offered = set(re.findall(r"(--[a-z-]+)", capsys.readouterr().out)) - {"--help"}
    section = PAGE.split("## Start it", 1)[1].split("## Connect", 1)[0]
    rows = re.findall(r"^\| (`--.*?) \|", section, re.MULTILINE)
    assert {option for row in rows for option in re.findall(r"`(--[a-z-]+)`", row)} == offered
