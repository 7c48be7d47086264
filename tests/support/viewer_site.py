"""A small site on loopback that serves the viewer's files under a strict policy, and what a page there must not do."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread

from playwright.sync_api import ConsoleMessage, Error, Page, Request

VIEWER = Path(str(files("roost_viewer")))
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the site's pages, and with the viewer's files below `/viewer/`."""

    protocol_version = "HTTP/1.1"
    site: "Site"

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        found = self.site.pages.get(self.path, self.site.pages.get(path))
        if callable(found):
            found(self)
        elif found is not None:
            self.reply(200, found, TYPES.get(Path(path).suffix, TYPES[".html"]))
        elif path.startswith("/viewer/") and (file := VIEWER / path.removeprefix("/viewer/")).is_file():
            self.reply(200, file.read_bytes(), TYPES[file.suffix])
        else:
            self.reply(404, b'{"error": "There is nothing at this address."}', TYPES[".json"])

    def do_HEAD(self) -> None:
        self.do_GET()

    def reply(self, status: int, body: bytes, kind: str) -> None:
        """Sends a whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class Site:
    """Pages on loopback, by path."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes | Answer] = {
            "/page.css": b":root { color-scheme: light dark } body { margin: 8px }",
            "/favicon.ico": b"",
        }
        handler = type("SiteHandler", (Handler,), {"site": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def add_json(self, path: str, value: object) -> None:
        """Serves `value` at `path`."""
        self.pages[path] = json.dumps(value).encode()

    def add_page(self, path: str, body: str) -> str:
        """Serves a page with the viewer's script and `body`; returns its address."""
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A match</title>'
        links = '<link rel="stylesheet" href="/page.css"><script type="module" src="/viewer/match.js"></script>'
        text = f'<!doctype html><html lang="en"><head>{head}{links}</head><body><main>{body}</main></body></html>'
        self.pages[path] = text.encode()
        return self.address + path


@contextmanager
def serving() -> Iterator[Site]:
    """A site that listens until the end of the block."""
    site = Site()
    thread = Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        site.server.shutdown()
        site.server.server_close()
        thread.join()


class Complaints:
    """What a page must not do: report errors, break its policy, or ask another host."""

    def __init__(self, page: Page, host: str) -> None:
        self.page = page
        self.found: list[str] = []
        self.allowed: tuple[str, ...] = ()
        self._hosts = (host, "data:", "blob:", "about:")
        page.on("console", self._hear)
        page.on("pageerror", self._catch)
        # Only noted: what is intercepted passes through this process, request by request, and is never cached.
        page.on("request", self._note)

    def close(self) -> None:
        """Hear nothing more: the page is going to be used by another test."""
        self.page.remove_listener("console", self._hear)
        self.page.remove_listener("pageerror", self._catch)
        self.page.remove_listener("request", self._note)

    def allow(self, *parts: str) -> None:
        """Lets messages with one of these texts pass, in a test that provokes them."""
        self.allowed = parts

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self.allowed):
            self.found.append(message.text)

    def _catch(self, error: Error) -> None:
        self.found.append(str(error))

    def _note(self, request: Request) -> None:
        if not request.url.startswith(self._hosts):
            self.found.append(f"asked for {request.url}")
