"""`roost web` and `roost serve --web`: the page over an arena, a database, an export; and what can go wrong with it."""

import errno
import json
import os
import re
import signal
import socket
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from roost_games.errors import Exit
from roost_server.serving.tls import make_certificate
from tests.support.commands.hosted_page import shown
from tests.support.commands.roost import Process, Roost, arena, guarded, roost_process, until
from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.ports import free_port
from tests.support.records.arena_world import recorded
from tests.support.records.export_world import play_and_export

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
ANY = "127.0.0.1:0"
DOCS = Path(__file__).parents[2] / "docs"


class Answer(NamedTuple):
    status: int
    text: str


def get(url: str) -> Answer:
    """What a browser gets. A page that is being started is waited for, because its socket is open."""
    try:
        with NO_PROXY.open(url, timeout=60) as answer:
            return Answer(answer.status, answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode())


@contextmanager
def page(*arguments: object, folder: Path) -> Iterator[tuple[Process, str]]:
    """`roost web` on a free port, and its address."""
    with roost_process("web", "--listen", ANY, *arguments, folder=folder) as process:
        yield process, process.out.until("the page is at ").removeprefix("the page is at ")


def page_of(serve: Process) -> str:
    return serve.out.until("  the page  ").split()[-1]


def refused(url: str) -> bool:
    """Whether nobody listens there any more."""
    address = urllib.parse.urlsplit(url)
    with socket.socket() as visitor:
        return visitor.connect_ex((address.hostname, address.port)) == errno.ECONNREFUSED


def pages_beside(address: str) -> list[int]:
    """The numbers of the pages whose command names an arena's address: that for authors."""
    return [number for number, command in guarded(address).items() if "roost_cli web" in command]


def stop(process: Process, number: signal.Signals = signal.SIGINT) -> None:
    process.send(number)
    assert process.end() == 0
    assert process.err.lines == []


@pytest.mark.long
def test_a_database_is_shown(tmp_path: Path) -> None:
    database = recorded(tmp_path / "roost.db").file
    with page("--db", database, folder=tmp_path) as (process, url):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
        assert get(url).status == 200
        assert "greedy" in get(f"{url}standings").text
        assert get(f"{url}nowhere").status == 404
        database.rename(tmp_path / "away.db")
        until(lambda: get(f"{url}standings").status == 503)
        (tmp_path / "away.db").rename(database)
        until(lambda: get(f"{url}standings").status == 200)
        process.send(signal.SIGINT)
        assert process.end() == 0
    assert process.out.lines == [f"the page is at {url}", "Ctrl-C stops it."]


@pytest.mark.long
def test_an_export_is_shown(tmp_path: Path) -> None:
    folder = play_and_export(tmp_path, "knockout")
    with page(folder, folder=tmp_path) as (process, url):
        assert get(url).status == 200
        answer = get(f"{url}standings")
        assert answer.status == 200
        assert "anna" in answer.text
        stop(process, signal.SIGTERM)


@pytest.mark.long
def test_an_arena_may_come_and_go(tmp_path: Path) -> None:
    """The page starts without one, tells visitors so, and recovers by itself."""
    listen = f"127.0.0.1:{free_port()}"
    with page("--server", listen, "--path-prefix", "arena/", folder=tmp_path) as (process, url):
        assert url.endswith("/arena/")
        assert get(url).status == 503
        for _ in range(2):
            with arena(tmp_path, "--listen", listen) as (serve, _address):
                until(lambda: get(f"{url}standings").status == 200)
                serve.send(signal.SIGTERM)
                assert serve.end() == 0
            until(lambda: get(f"{url}standings").status == 503)
        stop(process)


def test_the_page_beside_an_arena(tmp_path: Path) -> None:
    with arena(tmp_path, "--web", ANY, "--log-level", "warning") as (serve, address):
        url = page_of(serve)
        answer = get(url)
        assert answer.status == 200
        assert f"--server {address}" in answer.text, "authors are told the address for them, not the side door"
        serve.send(signal.SIGTERM)
        assert serve.end() == 0
        until(lambda: refused(url))
    assert serve.err.lines == []


@pytest.mark.long
def test_a_page_that_ends_is_restarted(tmp_path: Path) -> None:
    with arena(tmp_path, "--web", ANY, "--log-level", "warning") as (serve, address):
        url = page_of(serve)
        assert get(url).status == 200
        (first,) = pages_beside(address)
        os.kill(first, signal.SIGKILL)
        assert get(url).status == 200, "a visitor waits meanwhile"
        told = json.loads(serve.err.until("page exited and is restarted"))
        assert (told["level"], told["how"], told["restart_in_seconds"]) == ("warning", "signal SIGKILL", 1.0)
        (second,) = pages_beside(address)
        assert second != first
        matches = os.getpriority(os.PRIO_PROCESS, serve.popen.pid)
        assert os.getpriority(os.PRIO_PROCESS, second) > matches, "visitors wait where processors are few"


def test_the_page_does_not_outlive_its_arena(tmp_path: Path) -> None:
    with arena(tmp_path, "--web", ANY) as (serve, address):
        url = page_of(serve)
        assert get(url).status == 200
        serve.send(signal.SIGKILL)
        serve.end()
        until(lambda: not pages_beside(address))
        until(lambda: refused(url))


@pytest.mark.long
def test_an_arena_with_tls_has_a_page_too(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path, ["arena.example"])
    with arena(tmp_path, "--tls-cert", certificate, "--tls-key", key, "--web", ANY) as (serve, address):
        answer = get(page_of(serve))
        assert answer.status == 200
        assert f"--server {address} --tls" in answer.text


@pytest.mark.long
def test_authors_are_told_the_address_for_them(tmp_path: Path) -> None:
    public = ("--public-server", "arena.example:443", "--public-tls")
    with arena(tmp_path, "--web", ANY, *public) as (serve, _):
        assert "--server arena.example:443 --tls" in get(page_of(serve)).text


@pytest.mark.long
def test_two_cannot_have_one_port(tmp_path: Path, roost: Roost) -> None:
    database = recorded(tmp_path / "records.db").file
    with page("--db", database, folder=tmp_path) as (_, url):
        taken = url.removeprefix("http://").rstrip("/")
        told = f"roost: cannot listen at {taken}: it is in use, or not an address of this machine; give another one\n"
        for command in (("web", "--db", database, "--listen"), ("web", "--listen"), ("serve", "--web")):
            assert roost(*command, taken) == (2, "", told)
        assert get(url).status == 200
        with page("--db", database, folder=tmp_path) as (_, other):
            assert get(other).status == 200


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere is not the export of a competition; `roost export` writes one"),
        (["folder", "--db", "roost.db"], "FOLDER shows an export, --db a database and --server an arena; choose one"),
        (["--db", "roost.db", "--tls"], "the options about keys, TLS and authors are for an arena; leave them out"),
        (["--server", "arena"], "'arena' is not the address of an arena; write HOST:PORT, such as 127.0.0.1:50051"),
        (["--path-prefix", "a b"], "'a b' is not a path prefix; one is /arena, of letters, digits and - . _ ~"),
        (["--public-tls"], "--public-tls goes with --public-server, the address for authors"),
        (["--key-file", "nowhere.key"], "nowhere.key cannot be read: No such file or directory"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    arguments: list[str], told: str, roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert roost("web", "--listen", ANY, *arguments) == (Exit.USAGE, "", f"roost: {told}\n")


def test_a_database_that_cannot_be_read_is_named(roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.db").write_text("just text, and enough of it to be no database at all\n" * 10)
    missing, text = (roost("web", "--listen", ANY, "--db", name) for name in ("nowhere.db", "text.db"))
    assert missing == (Exit.FAILED, "", "roost: there is no file nowhere.db; name the database of an arena\n")
    assert text == (Exit.FAILED, "", "roost: text.db: it is not a database; give another file\n")


@pytest.mark.long
def test_the_page_about_it_is_true(tmp_path: Path) -> None:
    """docs/hosting/page.md: what its commands print, at other ports."""
    page_port, arena_port = free_port(), free_port()
    here = (("8080", str(page_port)), ("50051", str(arena_port)))
    text = (DOCS / "hosting/page.md").read_text(encoding="utf-8")
    followed = []
    for command in shown(text):
        words = command.words
        listens = ["--listen", f"127.0.0.1:{arena_port if words[0] == 'serve' else page_port}"]
        with roost_process(*(replaced(word, here) for word in words), *listens, folder=tmp_path) as process:
            process.out.until("Ctrl-C stops")
            assert process.out.lines == [replaced(line, here) for line in command.expected]
        followed.append(words[0])
    assert followed == ["serve", "web"]


def replaced(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def test_options_about_the_page_need_one(roost: Roost) -> None:
    for option in (("--path-prefix", "/x"), ("--public-server", "a:1"), ("--public-tls",)):
        outcome = roost("serve", *option)
        assert (outcome.code, outcome.err) == (
            2,
            "roost: --path-prefix, --public-server and --public-tls are about the page; add --web HOST:PORT\n",
        )


def test_a_key_of_the_environment_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roost: Roost) -> None:
    """It may be the host's own, with which every visitor would read."""
    seen: list[object] = []
    monkeypatch.setenv("ROOST_KEY", "roost_of_the_host")
    monkeypatch.setattr("roost_web.app.create_app", lambda settings: seen.append(settings.credentials.key))
    monkeypatch.setattr("roost_web.serving.serve_page", lambda *_: None)
    assert roost("web", "--listen", ANY).code == 0
    (tmp_path / "page.key").write_text("roost_of_the_page\n")
    assert roost("web", "--listen", ANY, "--key-file", tmp_path / "page.key").code == 0
    assert seen == [None, "roost_of_the_page"]


def test_an_arena_as_files(tmp_path: Path, roost: Roost) -> None:
    folder, fake = tmp_path / "site", FakeArena()
    fake.matches = []
    with serving(fake) as address:
        outcome = roost("web", "--server", address, "--static", folder)
    pages = sorted(folder.rglob("*.html"))
    assert outcome == (0, f"{len(pages)} pages written; {folder}/index.html is the first\n", "")
    assert folder / "index.html" in pages
    assert "greedy" in (folder / "standings.html").read_text()


def test_files_need_a_new_folder_and_no_prefix(tmp_path: Path, roost: Roost) -> None:
    (tmp_path / "something").touch()
    outcome = roost("web", "--static", tmp_path)
    assert (outcome.code, outcome.err) == (2, f"roost: {tmp_path} is not an empty folder; name a new one\n")
    outcome = roost("web", "--static", tmp_path / "new", "--path-prefix", "/x")
    told = "roost: files link to each other wherever they are; leave --path-prefix out\n"
    assert (outcome.code, outcome.err) == (2, told)
