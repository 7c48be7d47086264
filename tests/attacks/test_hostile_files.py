"""The attack: files from somebody else that hang who checks them, fill the memory, or lead out of their folder.

Every check runs in a process of its own, with little memory and little processor time.
"""

import json
import lzma
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from roost_server.export.files import BLOCKS_FILE, COMPETITION_FILE, MANIFEST_FILE, MATCHES_FILE, digest
from tests.support.records.export_world import play_and_export

MEMORY = 1 << 30
CPU_SECONDS = 30
HIDDEN = "what the host hides"


@pytest.fixture
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


@pytest.fixture
def line(exported: Path) -> bytes:
    return (exported / MATCHES_FILE).read_bytes().splitlines()[0]


def roost(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """What the command says within limits that it would not survive if it followed the file."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        signal.alarm(300)  # a command that waits for a pipe uses no processor time

    command = [sys.executable, "-m", "roost_cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that found something wrong has said."""
    assert done.returncode in (1, 2), (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done.stdout + done.stderr


def sign(folder: Path) -> None:
    """Let the manifest name what is there, as the sender of an export can."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    manifest["sha256"] = {file.name: digest(file) for file in folder.iterdir() if file.name != MANIFEST_FILE}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def endless_zeros(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def a_link_out(file: Path) -> None:
    (secret := file.parent.parent / "secret").write_text(HIDDEN)
    file.unlink()
    file.symlink_to(secret)


def a_terabyte(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(1 << 40)


@pytest.mark.short(1)
@pytest.mark.parametrize("name", [MATCHES_FILE, MANIFEST_FILE, "standings-ladder.html"])
@pytest.mark.parametrize("change", [a_pipe, endless_zeros, a_link_out, a_terabyte])
def test_a_file_of_an_export_that_is_none_is_named(exported: Path, change: Callable[[Path], None], name: str) -> None:
    change(exported / name)
    said = refused(roost("verify", exported))
    assert f"{exported / name}: " in said
    assert HIDDEN not in said
    assert refused(roost("web", exported, "--static", exported.parent / "page")).count("\n") == 1


def test_a_manifest_leads_nowhere_else(exported: Path) -> None:
    (exported.parent / "secret").write_text(HIDDEN)
    manifest = json.loads((exported / MANIFEST_FILE).read_text())
    for name in ("../secret", "/dev/zero", str(exported.parent / "secret"), "..", ""):
        manifest["sha256"][name] = "00"
    (exported / MANIFEST_FILE).write_text(json.dumps(manifest))
    said = refused(roost("verify", exported))
    assert f"{MANIFEST_FILE}: names '../secret', which is not a file of an export" in said
    assert "names '/dev/zero'" in said


def change_block(exported: Path, **changed: object) -> None:
    """Change the last block of an export."""
    lines = (exported / BLOCKS_FILE).read_text().splitlines()
    lines[-1] = json.dumps({**json.loads(lines[-1]), **changed})
    (exported / BLOCKS_FILE).write_text("\n".join(lines) + "\n")
    sign(exported)


@pytest.mark.long
def test_a_block_with_a_huge_number_does_not_count_to_it(exported: Path) -> None:
    change_block(exported, serial=10**12)
    assert f"to {10**12 - 1} are missing" in refused(roost("verify", exported))
    text = (exported / BLOCKS_FILE).read_text()
    (exported / BLOCKS_FILE).write_text(text.replace(str(10**12), "9" * 5_000))
    sign(exported)
    assert BLOCKS_FILE in refused(roost("verify", exported))


@pytest.mark.long
def test_a_block_with_a_huge_table_is_not_rotated(exported: Path) -> None:
    competition = json.loads((exported / COMPETITION_FILE).read_text())
    bots = [{**competition["bots"][0], "version_id": 1000 + number} for number in range(13)]
    (exported / COMPETITION_FILE).write_text(json.dumps({**competition, "bots": [*competition["bots"], *bots]}))
    change_block(exported, version_ids=[bot["version_id"] for bot in bots], rotation="full", matches=[], times=[])
    assert BLOCKS_FILE in refused(roost("verify", exported))


@pytest.mark.long
def test_millions_of_wrong_parts_are_not_collected(exported: Path) -> None:
    competition = json.loads((exported / COMPETITION_FILE).read_text())
    text = json.dumps({**competition, "bots": "here"}).replace('"here"', "[" + "1," * 4_000_000 + "1]")
    (exported / COMPETITION_FILE).write_text(text)
    sign(exported)
    assert COMPETITION_FILE in refused(roost("verify", exported))


@pytest.mark.long
def test_a_page_full_of_brackets_is_compared_at_once(exported: Path) -> None:
    (exported / "standings-ladder.html").write_text("<style>" * 1_000_000)
    sign(exported)
    assert "standings-ladder.html" in refused(roost("verify", exported))


def a_bomb(line: bytes) -> bytes:
    """4 GiB of nothing in a few hundred kilobytes."""
    nothing = lzma.compress(b" " * (64 << 20))
    return lzma.compress(line + b"\n") + nothing * 64


RECORDS: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("m.jsonl.xz", a_bomb, "it has a line of more than"),
    (
        "m.jsonl.xz",
        lambda line: lzma.compress(line + b"\n") + lzma.compress(b"\n" * (64 << 20)) * 40,
        "unpacks to more",
    ),
    ("m.jsonl.xz", lambda line: lzma.compress(line + b"\n")[:-20], "it ends within a compressed part"),
    ("m.jsonl", lambda line: line + b"\n" + b"x" * (64 << 20), "it has a line of more than"),
    ("m.jsonl", lambda line: line + b"\n" + b"[" * 1_000_000, "nested too deeply"),
    ("m.jsonl", lambda line: line + b"\n" + b"{}\n" * 200_000, "the check was stopped after 1,000 findings"),
    ("m.jsonl", lambda line: b"1\n" * 200_000, "holds no replays"),
    ("m.jsonl", lambda line: line.replace(b'"seat":0', b'"seat":' + b"9" * 5_000, 1) + b"\n", "too many digits"),
    ("m.jsonl", lambda line: line.replace(b'"ms":', b'"ms":1e999,"x":', 1) + b"\n", "not a finite number"),
]


@pytest.mark.short(2)
@pytest.mark.parametrize(("name", "made", "said"), RECORDS)
def test_a_hostile_file_of_replays_is_refused(
    tmp_path: Path, line: bytes, name: str, made: Callable[[bytes], bytes], said: str
) -> None:
    (tmp_path / name).write_bytes(made(line))
    assert said in refused(roost("verify", tmp_path / name))


@pytest.mark.parametrize("made", [a_pipe, endless_zeros])
def test_a_file_of_replays_that_is_none_is_refused(tmp_path: Path, made: Callable[[Path], None]) -> None:
    (file := tmp_path / "m.jsonl").touch()
    made(file)
    for command in ("verify", "replay"):
        assert refused(roost(command, file)) == f"roost: cannot read {file}: it is not a regular file\n"


@pytest.mark.long
def test_a_long_line_is_not_shown(tmp_path: Path, line: bytes) -> None:
    (file := tmp_path / "m.jsonl").write_bytes(b"{" + b" " * (64 << 20))
    assert "it has a line of more than 4,194,304 bytes" in refused(roost("replay", file))
    file.write_bytes(line + b"\n")
    assert roost("replay", file).returncode == 0
