"""Programs as bots: they play whole matches of every game, and whatever they do wrong has its name."""

import asyncio
import gc
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.chance import Tape, seed_of
from roost_games.errors import UsageError
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Fault, Result
from roost_sdk import LoadedBot, LocalMatch, Trouble, fingerprint, load_bot
from roost_sdk.seat import seat_bot
from roost_sdk.stdio import Programs, StdioBot, answer_seconds
from roost_sdk.testing import play_scripted
from tests.support.commands.roost import until
from tests.support.commands.stdio_programs import program, whole_program

RANDOM = LoadedBot("random", SAMPLES["random"])
LAST = "say(str(line['legal_count'] - 1))"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long enough for a program to start on a busy machine; tests of hanging programs set less."""
    monkeypatch.setenv("ROOST_STDIO_SECONDS", "60")


def played(game: str, bots: Sequence[LoadedBot], seed: str = "stdio", **options: Any) -> tuple[Result, list[Trouble]]:
    troubles: list[Trouble] = []
    found = get_game(game)
    match = LocalMatch(found, bots, seed_of(seed), options=found.options(options), tell=troubles.append)
    result = match.play()
    return result, troubles


def kinds(result: Result, seat: int = 0) -> list[Fault]:
    return [fault.kind for fault in result.faults if fault.seat == seat]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_indices_and_moves_mean_the_same(game: str, tmp_path: Path) -> None:
    by_index = program(tmp_path, "by_index", "say(str(len(line['legal']) // 2))")
    by_move = program(tmp_path, "by_move", "say(json.dumps(line['legal'][len(line['legal']) // 2]))")
    assert played(game, [by_index, RANDOM, RANDOM]) == played(game, [by_move, RANDOM, RANDOM])


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_program_plays_over_the_wire(game: str, tmp_path: Path) -> None:
    bot = program(tmp_path, "wired", LAST)
    replay = play_scripted(bot.bot_class, game, players=3)
    assert replay.result.faults == ()
    assert replay.result.termination in ("finished", "horizon")


def test_what_a_program_is_told(tmp_path: Path) -> None:
    """The lines of a match, in their order, with the fields of the Python view."""
    heard = tmp_path / "heard.jsonl"
    bot = whole_program(
        tmp_path,
        "listener",
        f"for line in asked():\n"
        f"    with open({str(heard)!r}, 'a') as file: file.write(json.dumps(line) + '\\n')\n"
        f"    if line['type'] == 'decide': say('0')\n",
    )
    result, _ = played("haecmaec", [RANDOM, RANDOM, bot], slap=True)
    until(lambda: '"end"' in heard.read_text())
    lines = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [line["type"] for line in lines] == ["start", *["decide"] * (len(lines) - 2), "end"]
    assert {(line["match"], line["game"], line["seat"], line["players"]) for line in lines} == {(1, "haecmaec", 2, 3)}
    assert lines[0]["options"]["slap"] is True
    assert lines[0]["clock"] == {"decision_ms": 1_000, "bank_ms": 10_000}
    assert {"kind": "onion", "value": 5, "copies": 2} in lines[0]["options"]["ingredients"]
    fields = get_game("haecmaec").start(3, get_game("haecmaec").options({}), Tape(seed_of("stdio"))).observe(0)._fields
    assert [*lines[1]["view"]] == [name for name in fields if name != "options"]
    assert all(line["legal_count"] == len(line["legal"]) > 0 for line in lines[1:-1])
    assert lines[-1]["place"] == result.places[2]
    assert lines[-1]["result"]["scores"] == list(result.scores)


def test_a_program_without_a_clock_is_told_so(tmp_path: Path) -> None:
    bot = whole_program(
        tmp_path,
        "clocked",
        "for line in asked():\n"
        "    if line['type'] == 'start': log(json.dumps(line['clock']))\n"
        "    if line['type'] == 'decide': say('0')\n",
    )
    heard: list[str] = []
    bot.bot_class.hear = lambda self, line: heard.append(line)  # type: ignore[attr-defined]
    game = get_game("karteneck")
    LocalMatch(game, [bot, RANDOM], seed_of("stdio"), clock=Clock(250.0, math.inf)).play()
    until(lambda: len(heard) > 0)
    assert json.loads(heard[0]) == {"decision_ms": 250.0, "bank_ms": None}


def test_a_program_gets_randomness_that_repeats(tmp_path: Path) -> None:
    text = "import random\nfor line in asked():\n    if line['type'] == 'start': rng = random.Random(line['random'])\n"
    text += "    if line['type'] == 'decide': say(str(rng.randrange(line['legal_count'])))\n"
    bot = whole_program(tmp_path, "repeats", text)
    first = played("karteneck", [bot, bot])
    assert first == played("karteneck", [bot, bot])
    assert first != played("karteneck", [bot, bot], seed="another")


def test_one_program_plays_match_after_match(tmp_path: Path) -> None:
    bot = program(tmp_path, "lasting", "log(str(os.getpid()))\nsay('0')")
    heard: list[str] = []
    bot.bot_class.hear = lambda self, line: heard.append(line)  # type: ignore[attr-defined]
    for seed in "abc":
        played("karteneck", [bot, RANDOM], seed)
    until(lambda: len(heard) > 0)
    assert len(set(heard)) == 1
    played("karteneck", [bot, bot])
    until(lambda: len(set(heard)) == 2)


WRONG = {
    "exits": ("sys.exit(3)", Fault.CRASHED, "the program ended with exit code 3"),
    "dies": ("os.kill(os.getpid(), 9)", Fault.CRASHED, "the program ended with signal SIGKILL"),
    "raises": ("raise ValueError('oops')", Fault.CRASHED, "the program ended with exit code 1"),
    "talks": ("say('hello')", Fault.MALFORMED, "'hello'"),
    "says nothing much": ("say('')", Fault.MALFORMED, "malformed"),
    "counts too far": ("say(str(line['legal_count']))", Fault.MALFORMED, "malformed"),
    "counts backwards": ("say('-1')", Fault.MALFORMED, "'-1'"),
    "counts in fractions": ("say('0.0')", Fault.MALFORMED, "'0.0'"),
    "sends another game's move": ('say(\'{"play": "fly"}\')', Fault.MALFORMED, "fly"),
    "sends bytes": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", Fault.MALFORMED, "malformed"),
    "sends no end": ("sys.stdout.write('1' * 200_000); sys.stdout.flush()", Fault.MALFORMED, "malformed"),
    "nests": ("say('[' * 60_000)", Fault.MALFORMED, "malformed"),
    "steals nothing": ('say(\'{"pass": true, "steal": true}\')', Fault.ILLEGAL, "Pass(steal=True)"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_program_has_the_fault_that_names_it(wrong: str, tmp_path: Path) -> None:
    answer, fault, told = WRONG[wrong]
    result, troubles = played("karteneck", [program(tmp_path, "wrong", answer), RANDOM])
    assert kinds(result) == [fault] * 3
    assert result.forfeits == (0,)
    assert told in troubles[0].what


def test_a_program_that_hangs_is_late_and_the_next_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOST_STDIO_SECONDS", "0.3")
    result, troubles = played("karteneck", [program(tmp_path, "hangs", "time.sleep(600)"), RANDOM])
    assert kinds(result) == [Fault.LATE] * 3
    assert "does it flush its output" in troubles[0].what


def test_a_program_that_never_reads_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_STDIO_SECONDS", "0.3")
    result, _ = played("karteneck", [whole_program(tmp_path, "deaf", "time.sleep(600)"), RANDOM])
    assert kinds(result) == [Fault.LATE] * 3


def test_a_line_too_many_is_never_taken_for_the_next_answer(tmp_path: Path) -> None:
    """It comes with the first answer, so it is there before the second question."""
    twice = program(tmp_path, "twice", "sys.stdout.write('0\\n0\\n'); sys.stdout.flush()\nlog('asked')")
    heard: list[str] = []
    twice.bot_class.hear = lambda self, line: heard.append(line)  # type: ignore[attr-defined]
    result, _ = played("bratwurmeck", [twice, RANDOM])
    assert kinds(result) == [Fault.MALFORMED] * 3
    assert any("before anything was asked" in line for line in heard)


def test_the_same_mistake_is_explained_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    talks = program(tmp_path, "talks", "say('hello')")
    for seed in "ab":
        played("karteneck", [talks, RANDOM], seed)
    assert capfd.readouterr().err.count("'hello' is not an answer: it is not JSON") == 1


def test_after_a_fault_a_fresh_program_plays_on_from_the_view(tmp_path: Path) -> None:
    """One bad line in the whole match: one fault, and every later decision is the program's own."""
    flag = tmp_path / "once"
    answer = f"if os.path.exists({str(flag)!r}): {LAST}\nelse:\n    open({str(flag)!r}, 'w').close(); say('oops')"
    result, _ = played("haecmaec", [program(tmp_path, "stumbles", answer), RANDOM])
    assert kinds(result) == [Fault.MALFORMED]
    assert result.forfeits == ()


def test_stderr_is_the_authors_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bot = program(tmp_path, "chatty", "log('thinking hard')\nsay('0')")
    played("karteneck", [bot, RANDOM])
    bot.bot_class.programs.close()  # type: ignore[attr-defined]
    captured = capfd.readouterr()
    assert "thinking hard" in captured.err
    assert captured.out == ""


def test_a_dropped_match_stops_its_program(tmp_path: Path) -> None:
    bot_class = program(tmp_path, "dropped", LAST).bot_class
    bot = bot_class()
    bot.start()
    assert isinstance(bot, StdioBot)
    process = bot._program._process  # type: ignore[union-attr]
    assert not process.ended
    del bot
    gc.collect()
    assert process.ended


def test_no_program_outlives_its_user(tmp_path: Path) -> None:
    """Not even one that has stopped to listen."""
    pid = tmp_path / "pid"
    stubborn = f"""
open({str(pid)!r}, "w").write(str(os.getpid()))
for line in asked():
    if line["type"] == "decide": say("0")
    if line["type"] == "end": time.sleep(600)
"""
    whole_program(tmp_path, "stubborn", stubborn)
    subprocess.run(
        [sys.executable, "-m", "roost_cli", "play", "karteneck", f"stdio:{sys.executable} stubborn.py", "random"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_programs_end_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits at the end of its input until the others are there as well."""
    monkeypatch.setattr("roost_sdk.stdio.SECONDS_TO_END", 60.0)
    waits = (
        "import os, sys, time\n"
        "sys.stdin.read()\n"
        "open(f'{sys.argv[1]}/{os.getpid()}', 'w').close()\n"
        "while len(os.listdir(sys.argv[1])) < 3: time.sleep(0.01)\n"
        "sys.stderr.write('all are there\\n')\n"
    )
    said: list[str] = []
    programs = Programs([sys.executable, "-c", waits, str(tmp_path)])
    for each in [programs.take(said.append) for _ in range(3)]:
        programs.give_back(each, said.append)
    programs.close()
    until(lambda: len(said) == 3)


def test_a_forked_process_starts_programs_of_its_own(tmp_path: Path) -> None:
    """As the workers of a ladder do: what is idle here must not be asked from there."""
    bot = program(tmp_path, "forked", "log(str(os.getpid()))\nsay('0')")
    heard: list[str] = []
    bot.bot_class.hear = lambda self, line: heard.append(line)  # type: ignore[attr-defined]
    played("karteneck", [bot, RANDOM])
    programs = bot.bot_class.programs  # type: ignore[attr-defined]
    (idle,) = programs._idle
    until(lambda: len(heard) > 0)
    idle._process._parent = os.getpid() + 1
    played("karteneck", [bot, RANDOM])
    until(lambda: len(set(heard)) == 2)
    idle._process._parent = os.getpid()
    idle.kill()


def test_a_long_list_is_cut_but_every_move_has_its_number(tmp_path: Path) -> None:
    """With 10 worm cards in the hand there are 1023 ways to lay some."""
    seen = tmp_path / "seen"
    bot = program(
        tmp_path, "long", f"open({str(seen)!r}, 'w').write(str((len(line['legal']), line['legal_count'])))\n{LAST}"
    )
    game = get_game("karteneck")
    view = game.start(2, game.options({}), Tape(seed_of("stdio"))).observe(0)
    worms = tuple(view.options.worm_cards()[:10])
    view = view._replace(hand=worms, hand_sizes=(10, 6), to_move=(0,))
    legal = game.legal(view)
    seated = seat_bot(bot.bot_class, "karteneck", 0, 2, Random(1))
    seated.start()
    move = asyncio.run(seated.choose(view, legal))
    assert seen.read_text() == "(200, 1024)"
    assert sorted(move.cards) == sorted(worms)


def test_the_version_is_that_of_the_authors_file(tmp_path: Path) -> None:
    def version(answer: str) -> str:
        return fingerprint(program(tmp_path, "aging", answer).bot_class)

    first = version("say('0')")
    assert first == version("say('0')")
    assert first != version("say('1')")


def test_names_and_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my bot.py").write_text("import sys\nfor line in sys.stdin: pass\n")
    script = Path("clever")
    script.write_text("#!/bin/sh\nexec cat >/dev/null\n")
    script.chmod(0o755)
    assert load_bot(f"stdio:{sys.executable} 'my bot.py' --depth 3", {}).name == "my bot"
    assert load_bot("stdio:./clever", {}).name == "clever"
    assert fingerprint(load_bot("stdio:./clever", {}).bot_class) != fingerprint(
        load_bot("stdio:./clever --hard", {}).bot_class
    )


REFUSED = {
    "nothing": ("", "name the program that plays"),
    "a quote that is open": ("'./mybot", "cannot split"),
    "what is not there": ("./nobody", "there is no program './nobody'"),
    "a file without its path": ("plain.txt", "plain.txt cannot be run; chmod +x plain.txt"),
    "a program without its path": ("nobody", "a file in this folder is written ./nobody"),
    "a file in Python": ("script.py", "write 'stdio:python script.py'"),
    "a file that is no program": ("./plain.txt", "chmod +x ./plain.txt"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_started_is_refused_before_any_match(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.txt").write_text("not a program")
    Path("script.py").write_text("pass")
    command, told = REFUSED[case]
    with pytest.raises(UsageError) as refused:
        load_bot(f"stdio:{command}", {})
    assert told in str(refused.value)


@pytest.mark.parametrize("given", ["soon", "-1", "0"])
def test_a_limit_that_is_none_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_STDIO_SECONDS", given)
    with pytest.raises(UsageError, match="ROOST_STDIO_SECONDS"):
        answer_seconds()
