"""The page as a web server: where it listens, what it is called there, and that it stops when told to."""

import asyncio
import os
import socket
import sys
import urllib.request
from pathlib import Path

import pytest

from roost_games.errors import UsageError
from roost_sdk.processes import Processes
from roost_web.serving import listen, url_of
from roost_web.settings import PageSettings, checked_prefix

NEVER_ENDS = """
import asyncio, sys
from roost_web.serving import listen, serve_page

async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"on and on\\n", "more_body": True})
            await asyncio.sleep(0.05)

with listen(sys.argv[1]) as listener:
    serve_page(app, listener)
print("stopped", flush=True)
"""


def test_a_port_that_is_taken_is_told() -> None:
    with listen("127.0.0.1:0") as first:
        taken = f"127.0.0.1:{first.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"cannot listen at {taken}: it is in use"):
            listen(taken)


@pytest.mark.parametrize("text", ["8080", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ":8080"])
def test_what_is_no_address_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is not an address to listen at"):
        listen(text)


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(UsageError, match="not an address of this machine"):
        listen("192.0.2.1:0")


def test_an_open_socket_is_taken_over() -> None:
    with listen("127.0.0.1:0") as first, listen(f"fd:{first.fileno()}") as second:
        assert second.getsockname() == first.getsockname()


@pytest.mark.parametrize("text", ["fd:", "fd:x", "fd:9999", "fd:-1"])
def test_what_is_no_open_socket_is_told(text: str) -> None:
    with pytest.raises(UsageError, match=f"{text} is not a socket that listens"):
        listen(text)


def test_a_socket_that_does_not_listen_is_told() -> None:
    with socket.socket() as idle, pytest.raises(UsageError, match="is not a socket that listens"):
        listen(f"fd:{idle.fileno()}")


def test_the_address_for_a_browser() -> None:
    with listen("127.0.0.1:0") as listener:
        port = listener.getsockname()[1]
        assert url_of(listener) == f"http://127.0.0.1:{port}/"
        assert url_of(listener, "/arena") == f"http://127.0.0.1:{port}/arena/"
    with listen("0.0.0.0:0") as listener:
        assert url_of(listener).startswith(f"http://{os.uname().nodename}:")


@pytest.mark.skipif(not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists(), reason="no IPv6 here")
def test_the_address_for_a_browser_with_ipv6() -> None:
    with listen("[::1]:0") as listener:
        assert url_of(listener) == f"http://[::1]:{listener.getsockname()[1]}/"


@pytest.mark.parametrize(
    ("text", "prefix"),
    [("", ""), ("/", ""), ("arena", "/arena"), ("/arena/", "/arena"), ("/a/b-2", "/a/b-2"), ("/~ann/x.y", "/~ann/x.y")],
)
def test_a_path_prefix_has_one_form(text: str, prefix: str) -> None:
    assert checked_prefix(text) == prefix


@pytest.mark.parametrize(
    "text", ["a b", "/a//b", "/ä", "/<script>", "/a?b", "/..", "/a/../b", "/a;b", "/a\n"[:-1] + '"']
)
def test_what_is_no_path_prefix_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is not a path prefix; one is /arena"):
        checked_prefix(text)


def test_settings_name_an_arena() -> None:
    assert PageSettings.checked("arena.example:50051", path_prefix="x/").path_prefix == "/x"
    with pytest.raises(UsageError, match="is not the address of an arena"):
        PageSettings.checked("arena.example")
    with pytest.raises(UsageError, match="'nowhere' is not the address of an arena"):
        PageSettings.checked("arena.example:50051", public_server="nowhere")


def test_a_live_stream_does_not_hold_up_the_end(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(NEVER_ENDS)
    with listen("127.0.0.1:0") as listener, Processes() as processes:
        descriptor = listener.fileno()
        words = [sys.executable, str(tmp_path / "page.py"), f"fd:{descriptor}"]
        process = processes.start("page", words, pass_fds=[descriptor])
        with urllib.request.urlopen(url_of(listener), timeout=60) as stream:  # noqa: S310  our own address
            assert stream.readline() == b"on and on\n"
            process.ask_to_stop()
            assert process.first_line() == "stopped"
        assert process.code == 0
        assert process.last_words() == "stopped"


def test_small_pieces_are_sent_at_once() -> None:
    """Otherwise every page that a browser asks for on an open connection would be held back for some 40 ms."""
    seen: list[int] = []

    class Accepted(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted = transport.get_extra_info("socket")
            seen.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    async def script() -> None:
        with listen("127.0.0.1:0") as listener:
            async with await asyncio.get_running_loop().create_server(Accepted, sock=listener):
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                await reader.read()
                writer.close()

    asyncio.run(script())
    assert seen == [1]
