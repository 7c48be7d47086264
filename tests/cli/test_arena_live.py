"""The commands at a real arena on loopback: serve, submit, and every question while matches are being played."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from roost_cli.main import run
from roost_games.replay import Replay
from roost_games.verify import verify
from tests.support.commands.roost import SLOW_BOT, Process, Roost, arena, roost_process, until

BOTS = {"greedy", "rnd", "slow"}
AT_ONCE = 4
"""Matches of a bot: more would only take the processor from other tests."""


class Live(NamedTuple):
    """An arena at which three bots play duels, a few at a time. Two rest between their moves, so that there is time for
    questions. Bots of other tests come and go.
    """

    address: str
    database: Path
    slow: Process


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    (folder / "slow.py").write_text(SLOW_BOT.format(seconds=0.03))
    with arena(folder, "--players", "2") as (_, address), ExitStack() as stack:

        def submit(*bot: str) -> Process:
            joining = ("submit", *bot, "--server", address, "--matches-at-once", AT_ONCE)
            return stack.enter_context(roost_process(*joining, folder=folder))

        submit("greedy")
        submit("slow.py", "--name", "rnd")
        slow = submit("slow.py", "--games", "karteneck")
        slow.out.until("slow, version ")
        yield Live(address, folder / "roost.db", slow)


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What a command answers in JSON."""
    capsys.readouterr()
    code = run([*map(str, arguments), "--json"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    return json.loads(captured.out)


def test_bots_are_seen_while_they_play(live: Live, capsys: pytest.CaptureFixture[str], roost: Roost) -> None:
    def bots() -> dict[str, Any]:
        found = asked(capsys, "bots", "--server", live.address)["bots"]
        return {bot["name"]: bot for bot in found if bot["name"] in BOTS}

    until(lambda: bots().keys() == BOTS and all(bot["matches"] for bot in bots().values()))
    for bot in bots().values():
        assert bot["connected"] is True
        assert 0 <= bot["playing"] <= AT_ONCE
        assert 1 <= bot["matches_at_once"] <= AT_ONCE
        assert bot["latency_ms"] >= 0
    assert (
        f"slow, version {bots()['slow']['version']}, is number {bots()['slow']['version_id']}"
        in (live.slow.out.lines[0])
    )
    out = roost("bots", "--server", live.address).out
    assert out.splitlines()[0].split()[-1] == "now"
    assert " ms" in out


def test_standings_and_matches_over_the_wire_are_those_of_the_database(
    live: Live, capsys: pytest.CaptureFixture[str], roost: Roost
) -> None:
    def names(*source: object) -> set[str]:
        return {row["name"] for row in asked(capsys, "standings", *source)["standings"]}

    until(lambda: names("--server", live.address) >= BOTS)
    assert names("--db", live.database) >= BOTS
    rows = asked(capsys, "standings", "--server", live.address)["standings"]
    assert [row["above_next"] is None for row in rows] == [False] * (len(rows) - 1) + [True]
    recorded = asked(capsys, "matches", "--server", live.address, "--limit", 5)["matches"]
    in_database = asked(capsys, "matches", "--db", live.database, "--limit", 10_000)["matches"]
    assert all(match in in_database for match in recorded)
    assert "±" in roost("standings", "--server", live.address, "--game", "karteneck", "--players", 2).out


def test_a_replay_over_the_wire(live: Live, capsys: pytest.CaptureFixture[str], roost: Roost) -> None:
    until(lambda: len(asked(capsys, "matches", "--server", live.address)["matches"]) >= 10)
    matches = asked(capsys, "matches", "--server", live.address, "--limit", 1_000)["matches"]
    # The newest ones may belong to deals that are still being played.
    oldest = matches[-1]["match_id"]
    until(lambda: roost("replay", oldest, "--server", live.address, "--json").code == 0)
    line = roost("replay", oldest, "--server", live.address, "--json").out
    assert verify(Replay.from_line(line)) is None
    assert line == roost("replay", oldest, "--db", live.database, "--json").out
    told = roost("replay", oldest, "--server", live.address)
    assert told.out.endswith(f"Move by move: roost replay {oldest} --server {live.address} --show\n")
    assert roost("verify", "--db", live.database).out.endswith("no problems found\n")


def test_a_running_match_can_be_watched(live: Live, capsys: pytest.CaptureFixture[str], roost: Roost) -> None:
    """The newest match may be over before it is watched, so this tries until one is not."""

    def watched() -> bool:
        code, out, err = roost("watch", "--server", live.address)
        if code != 0:
            assert "no match " in err
        elif "was voided" not in out:  # an arena that is held up voids a match, and not by mistake
            drawn.append(out)
        return bool(drawn)

    drawn: list[str] = []
    until(watched)
    assert ", 2 players, match " in drawn[0]
    assert "The match is over" in drawn[0]
    assert not re.search(r"(?<!\ba )hand ", drawn[0]), "a hand is only named where it has run out"


def test_running_matches_are_listed(live: Live, capsys: pytest.CaptureFixture[str], roost: Roost) -> None:
    def slow_ones() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = asked(
            capsys, "matches", "--server", live.address, "--running", "--bot", "slow", "--game", "karteneck"
        )["matches"]
        running.extend(found)
        return found

    running: list[dict[str, Any]] = []
    until(lambda: bool(slow_ones()))
    match = running[0]
    assert "slow" in match["bots"]
    assert match["players"] == 2
    results = ("ended_ms", "termination", "places", "scores", "forfeits", "faults")
    assert [match[key] for key in results] == [None] * 6


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["replay", "nonsense"], "there is no match 'nonsense' on record"),
        (["watch", "nonsense"], "no match nonsense is running; if it is over: roost replay nonsense --show"),
    ],
)
def test_a_match_that_is_not_there(live: Live, roost: Roost, arguments: list[str], told: str) -> None:
    code, out, err = roost(*arguments, "--server", live.address)
    assert (code, out) == (2, "")
    assert err.startswith(f"roost: {told}")
    assert err.count("\n") == 1


def test_the_same_bot_cannot_play_twice(live: Live, tmp_path: Path) -> None:
    with roost_process("submit", "greedy", "--server", live.address, folder=tmp_path) as again:
        assert again.end() == 1
    assert again.err.lines[-1].startswith(f"roost: the arena at {live.address} refused: ")


def test_every_decision_can_be_logged(live: Live, tmp_path: Path) -> None:
    (tmp_path / "wordy.py").write_text(SLOW_BOT.format(seconds=0.0))
    with roost_process("submit", "wordy.py", "--server", live.address, "--verbose", folder=tmp_path) as wordy:
        begun = wordy.err.until(" begins: ")
        decided = wordy.err.until(" ms, latency ")
    assert " DEBUG " in begun
    assert " DEBUG " in decided
    assert not any(" DEBUG " in line for line in live.slow.err.lines)


def test_ctrl_c_lets_a_bot_leave_after_its_matches(live: Live, tmp_path: Path) -> None:
    bot = tmp_path / "talker.py"
    bot.write_text(
        "from roost_sdk import Bot\n"
        "class Talker(Bot):\n"
        "    def start(self):\n"
        "        print('a word')\n"
        "    def choose(self, view, legal):\n"
        "        raise ValueError('oh dear')\n"
    )
    with roost_process("submit", bot, "--server", live.address, folder=tmp_path) as talker:
        talker.out.until("talker, version ")
        talker.err.until("the bot crashed: ValueError: oh dear")
        talker.err.until("faults of the bot: crashed")
        talker.send(signal.SIGINT)
        assert talker.end() == 0
    assert talker.out.lines[-1].startswith("left: ")
    assert " crashed" in talker.out.lines[-1]
    assert "a word" not in talker.out.lines, "stdout is not the bot's"
    assert "a word" in talker.err.lines


@pytest.mark.long
def test_a_second_ctrl_c_does_not_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """First for a bot, then for the arena itself, which voids what is running."""
    for name in ("stuck", "lame"):
        (tmp_path / f"{name}.py").write_text(SLOW_BOT.format(seconds=3600))
    with (
        arena(tmp_path) as (serve, address),
        roost_process("submit", "stuck.py", "--server", address, folder=tmp_path) as stuck,
        roost_process("submit", "lame.py", "--server", address, folder=tmp_path),
    ):
        until(lambda: bool(asked(capsys, "matches", "--server", address, "--running")["matches"]))
        stuck.send(signal.SIGINT)
        stuck.err.until("leaving after ")
        stuck.press_until_end(signal.SIGINT)
        assert stuck.end() == 130
        assert "roost: interrupted" in stuck.err.lines
        serve.send(signal.SIGINT)
        serve.err.until('"shutting down"')
        serve.send(signal.SIGTERM)
        assert serve.end() == 0
        assert serve.out.lines[-1] == "stopped; everything is recorded"
    matches = asked(capsys, "matches", "--db", tmp_path / "roost.db")["matches"]
    assert {match["termination"] for match in matches} == {"voided"}


def test_ctrl_c_stops_an_arena_and_its_greeting_says_how_to_go_on(tmp_path: Path) -> None:
    with arena(tmp_path, "--log-level", "warning") as (serve, address):
        serve.out.until("Ctrl-C stops")
        serve.send(signal.SIGINT)
        assert serve.end() == 0
    assert serve.out.lines == [
        f"listening at {address}, recording in roost.db",
        f"  a bot joins with   roost submit mybot.py --server {address}",
        f"  the standings      roost standings --server {address}",
        "Ctrl-C stops the arena.",
        "stopped; everything is recorded",
    ]
    assert serve.err.lines == []
