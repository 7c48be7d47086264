"""`roost try stdio:PROGRAM`: what is wrong with the lines of a program is said in its author's words."""

import shlex
import sys
from pathlib import Path

import pytest

from roost_cli.options import opponents
from roost_ladder.workshop.doctor import Effort, examine
from roost_ladder.workshop.findings import Finding, Mark
from roost_ladder.workshop.program import program_findings
from tests.support.commands.stdio_programs import HEAD, LOOP

PATIENT = 60.0
ANSWERS = "        say('0')\n"


def found(folder: Path, text: str, patience: float = PATIENT) -> Finding:
    (finding,) = program_findings(named(folder, text), ("bratwurmeck",), patience)
    return finding


def named(folder: Path, text: str) -> str:
    (folder / "mybot.py").write_text(HEAD + text, encoding="utf-8")
    return f"stdio:{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'mybot.py'))}"


def test_a_program_that_does_everything_right(tmp_path: Path) -> None:
    finding = found(tmp_path, LOOP + ANSWERS)
    assert (finding.mark, finding.details) == (Mark.FINE, ())
    assert "10 answers" in finding.title


def test_its_last_word_on_stderr_is_shown(tmp_path: Path) -> None:
    finding = found(tmp_path, LOOP + "        log('three dice left'); say('0')\n")
    assert (finding.mark, finding.details) == (Mark.FINE, ("stderr: three dice left",))


WRONG = {
    "garbage": (LOOP + "        say('hello')\n", "line 'hello' is not an answer: it is not JSON"),
    "too high": (LOOP + "        say('4711')\n", "line '4711' is not an answer: the legal moves are numbered 0 to"),
    "greeting": ("say('ready')\n" + LOOP + ANSWERS, "line 'ready' is not an answer"),
    "ends": (
        "log('no weights.bin')\nsys.exit(3)\n",
        "the program ended with exit code 3 after writing: no weights.bin",
    ),
    "ends later": (
        LOOP + "        if line['match'] == 2: raise KeyError('W')\n" + ANSWERS,
        "the program ended with exit code 1 after writing: KeyError: 'W'",
    ),
    "closes": ("os.close(1)\nfor line in asked(): pass\n", "the program closed its input or output, and did not end"),
}


@pytest.mark.short(3)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_its_lines_is_named(name: str, tmp_path: Path) -> None:
    text, told = WRONG[name]
    finding = found(tmp_path, text)
    assert finding.mark is Mark.DEFECT
    assert told in finding.title


def test_a_program_that_does_not_answer(tmp_path: Path) -> None:
    finding = found(tmp_path, LOOP + "        log('thinking')\n", patience=1.0)
    assert (finding.mark, finding.title) == (Mark.DEFECT, "does not answer within 1 s")
    assert "flush" in finding.details[0]


@pytest.mark.long
def test_a_program_that_does_not_end(tmp_path: Path) -> None:
    finding = found(tmp_path, LOOP + ANSWERS + "time.sleep(1000)\n")
    assert finding.mark is Mark.WARNING
    assert "still running 2 s after its input has ended" in finding.title


def test_nothing_else_is_examined_of_a_program_whose_lines_are_wrong(tmp_path: Path) -> None:
    report = examine(named(tmp_path, LOOP + "        say('hello')\n"), opponents(), effort=Effort(1, 600.0, PATIENT))
    assert [finding.check for finding in report.findings] == ["loads", "program"]
    assert report.loads
    assert not report.healthy


@pytest.mark.parametrize(("name", "told"), [("./nobody", "there is no program './nobody'"), ("./file", "chmod +x")])
def test_a_program_that_cannot_start(name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    report = examine(f"stdio:{name}", opponents())
    assert not report.loads
    assert told in report.findings[0].details[0]
