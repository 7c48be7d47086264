"""The sample configurations of `deploy/`: nginx passes on page and bots, the units are valid, the commands exist."""

import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
from pathlib import Path
from typing import Any

import pytest
import typer

from roost_cli.main import app
from tests.support.commands.nginx import DEPLOY, needs_nginx, nginx
from tests.support.commands.roost import PATIENCE, Roost, arena, roost_process, until
from tests.support.ports import free_port


@pytest.mark.long
@needs_nginx
def test_page_and_bots_reach_an_arena_through_nginx(tmp_path: Path, roost: Roost) -> None:
    """On one host name, with TLS, and a second page under a path."""
    port, prefixed = free_port(), free_port()
    beside = ("--web", f"127.0.0.1:{port}", "--public-server", "arena.example:443", "--public-tls")
    (tmp_path / "nginx").mkdir()
    with (
        arena(tmp_path, *beside, "--games", "karteneck", "--players", 2) as (_, address),
        roost_process(
            *("web", "--server", address, "--listen", f"127.0.0.1:{prefixed}", "--path-prefix", "/arena"),
            folder=tmp_path,
        ),
        nginx(tmp_path / "nginx", address, port, prefixed) as site,
    ):
        connection = ("--server", f"localhost:{site.port}", "--tls-ca", site.certificate)
        with (
            roost_process("submit", "greedy", *connection, folder=tmp_path),
            roost_process("submit", "random", *connection, folder=tmp_path),
        ):
            until(lambda: "greedy" in roost("standings", *connection).out)
        assert "--server arena.example:443 --tls" in site.text("/")
        until(lambda: "greedy" in site.text("/standings"))
        until(lambda: "greedy" in site.text("/arena/standings"))
        links = re.findall(r'(?:href|src|action)="(/[^"]*)"', site.text("/arena/standings"))
        assert links
        assert [link for link in links if not link.startswith("/arena/")] == []
        for link in {link for link in links if "/static/" in link}:
            with site.open(link) as file:
                assert file.status == 200
        with pytest.raises(urllib.error.HTTPError) as caught:
            site.open("/nowhere")
        with caught.value as missing:
            assert missing.code == 404


@pytest.mark.long
@needs_nginx
def test_a_live_match_is_not_held_back(tmp_path: Path) -> None:
    """Events arrive while the match is running, though the stream is far from its end."""
    from tests.support.commands.roost import SLOW_BOT

    port = free_port()
    (tmp_path / "nginx").mkdir()
    (tmp_path / "slow.py").write_text(SLOW_BOT.format(seconds=0.5))
    beside = ("--web", f"127.0.0.1:{port}", "--bots", "slow.py,greedy", "--games", "karteneck", "--players", 2)
    with arena(tmp_path, *beside) as (_, address), nginx(tmp_path / "nginx", address, port, port) as site:
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"/matches/(\w+)", site.text("/watch"))):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        with site.open(f"/matches/{found[1]}/live") as stream:
            assert stream.headers["Content-Type"].startswith("text/event-stream")
            heard = [line for line in (stream.readline() for _ in range(6)) if line.startswith(b"data:")]
            assert heard


def commands_in(text: str) -> list[list[str]]:
    """The words of every `roost` command in a configuration."""
    shown = re.findall(r"(?:^#\s+|^# .*: |^ExecStart=\S*/)roost ((?:serve|web) .*)$", text, re.MULTILINE)
    found = [shlex.split(line) for line in shown]
    return found + [re.findall(r'"([^"]*)"', line) for line in re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)]


def test_every_command_exists() -> None:
    files = sorted(DEPLOY.iterdir())
    words = [each for file in files for each in commands_in(file.read_text())]
    assert len(words) >= 6
    group: Any = typer.main.get_command(app)
    for command, *arguments in words:
        group.commands[command].make_context(command, arguments, resilient_parsing=False).close()


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed: apt-get install systemd"
)
@pytest.mark.parametrize("unit", ["roost-arena.service", "roost-bot@.service", "roost-page.service"])
def test_the_units_are_valid(unit: str, tmp_path: Path) -> None:
    roost = Path(sys.executable).with_name("roost")
    # A template is checked as the unit of an instance.
    installed = tmp_path / unit.replace("@.", "@mybot.")
    installed.write_text((DEPLOY / unit).read_text().replace("/opt/roost/bin/roost", str(roost)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", installed], capture_output=True, text=True, check=False
    )
    told = [line for line in done.stderr.splitlines() if installed.name in line]
    assert told == []


def test_the_pages_for_hosts_name_every_file() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DEPLOY.parent / "docs/hosting").glob("*.md"))
    for file in DEPLOY.iterdir():
        assert f"../../deploy/{file.name}" in pages, file.name
