"""The page as files for any web host: every page that a link leads to, with relative links and the frames inside.

There are lists by bot, pair and competition but no free filters, and nothing is live.
"""

import asyncio
import posixpath
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from fastapi import FastAPI
from markupsafe import Markup
from starlette.types import Message

from roost_games.errors import RoostError, UsageError
from roost_sdk.viewing.html import plain_script
from roost_web.app import app_of
from roost_web.client import ArenaClient
from roost_web.errors import ArenaAwayError, PageError, TooManyError
from roost_web.links import VIEWER, Links, own_files
from roost_web.rows.filters import MatchSearch
from roost_web.settings import PageSettings
from roost_web.site import Site

MOST_MATCHES = 2000
"""How many matches, the newest, have pages of their own."""
AT_ONCE = 200
PAGE_FILES = "static"
OWN_SCRIPTS = ("page.js", "curve.js")
FRONT = "/"
LEFT_OUT = "/not-here"
"""The page that stands for matches that are too old."""
KEPT_FILTERS = {
    "/": (),
    "/standings": ("game", "players", "competition", "phase", "everything"),
    "/standings/cross": ("game", "players", "competition", "phase", "everything"),
    "/matches": ("bot", "opponent", "competition", "before"),
    "/pair": ("bot", "opponent"),
    "/bots/": ("name",),
    "/competitions/": ("name",),
    LEFT_OUT: (),
}
"""What can be asked for by an address. Everything else in a query is left out."""
PAGES = re.compile(
    r"/|/(standings|standings/cross|bots|matches|pair|competitions|rules|not-here)"
    r"|/(bots|competitions|rules|matches)/[^/]*"
)
Address = tuple[str, tuple[tuple[str, str], ...]]


class FileLinks(Links):
    """Links between files, relative to the file that is being written. It notes what is linked to."""

    def __init__(self, matches: frozenset[str]) -> None:
        super().__init__("")
        self._matches = matches
        self.current = "index.html"
        self.wanted: list[Address] = []
        self._known: set[Address] = set()

    def to(self, path: str, query: Mapping[str, object] | None = None) -> str:
        address = self._address(path, query or {})
        if address not in self._known:
            self._known.add(address)
            self.wanted.append(address)
        return self._relative(file_of(address))

    def _address(self, path: str, query: Mapping[str, object]) -> Address:
        if not PAGES.fullmatch(path):
            return FRONT, ()
        if path.startswith("/matches/") and path.removeprefix("/matches/") not in self._matches:
            return LEFT_OUT, ()
        kept = [(key, str(query[key])) for key in KEPT_FILTERS.get(path, ()) if query.get(key)]
        if path == "/matches" and len(kept) > 1 and kept[-1][0] == "before":
            return path, tuple(kept[:-1])  # only the list of all matches goes on
        return path, tuple(kept)

    def file(self, name: str) -> str:
        return self._relative(f"{PAGE_FILES}/{name}")

    def script(self, name: str) -> Markup:
        return Markup('<script src="{}" defer></script>').format(self.file(name))

    def _relative(self, file: str) -> str:
        return posixpath.relpath(file, posixpath.dirname(self.current) or ".")


def file_of(address: Address) -> str:
    """The file of a page: its path, and what is in the query."""
    path, query = address
    base = "/".join(_plain(part) for part in path.strip("/").split("/")) or "index"
    given = "_".join(f"{key}-{_plain(value)}" for key, value in query)
    return f"{base}/{given}.html" if given else f"{base}.html"


def _plain(text: str) -> str:
    """Letters that every file system takes and tells apart: `A.b` is `~a~.b`. Others are written as numbers."""
    return re.sub(r"[^a-z0-9_-]", lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    return f"~{letter.lower()}" if letter.isascii() and (letter.isupper() or letter == ".") else f"~~{ord(letter):x}~"


def write_site(settings: PageSettings, folder: Path, *, most_matches: int = MOST_MATCHES) -> int:
    """Write the page into a new or empty folder, and return the number of pages. Raises `RoostError`."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder; name a new one")
    try:
        return asyncio.run(_write(settings, folder, most_matches))
    except ArenaAwayError:
        raise RoostError(f"the arena at {settings.server} does not answer; nothing was written") from None
    except PageError as error:
        raise RoostError(f"{error.title}: {error}") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}; name a new folder") from None


@contextmanager
def _whole_or_not_at_all(folder: Path) -> Iterator[None]:
    """Half a site looks like a whole one until somebody follows the wrong link."""
    existed = folder.exists()
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if existed:
            folder.mkdir()
        raise


async def _write(settings: PageSettings, folder: Path, most_matches: int) -> int:
    client = ArenaClient(settings)
    try:
        matches = await _newest(client, most_matches)
    finally:
        await client.close()
    links = FileLinks(matches)
    site = Site(settings, links, written=True)
    try:
        with _whole_or_not_at_all(folder):
            return await _crawl(app_of(site), links, folder)
    finally:
        await site.close()


async def _newest(client: ArenaClient, most: int) -> frozenset[str]:
    """The matches that have a page."""
    found: list[str] = []
    everything = MatchSearch.model_validate({})
    while len(found) < most:
        asked = everything.matches(min(AT_ONCE, most - len(found)), found[-1] if found else "")
        page = [each.match_id for each in (await client.matches(asked)).matches]
        found += page
        if len(page) < asked.limit:
            break
    return frozenset(found)


def plain_files() -> dict[str, bytes]:
    """What the pages load, without modules: browsers load them from servers only, and not from a disk."""
    loaded = {name: data for name, data in own_files().items() if not name.startswith(VIEWER)}
    for name in OWN_SCRIPTS:
        loaded[name] = b"(() => {\n" + loaded[name] + b"})();\n"  # they must not share their names
    return {**loaded, f"{VIEWER}match.js": plain_script().encode()}


async def _crawl(app: FastAPI, links: FileLinks, folder: Path) -> int:
    for name, data in plain_files().items():
        _save(folder / PAGE_FILES / name, data)
    links.to(FRONT)
    pages = 0
    while pages < len(links.wanted):
        address = links.wanted[pages]
        links.current = file_of(address)
        _save(folder / links.current, await _page(app, address))
        pages += 1
    return pages


def _save(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


async def _page(app: FastAPI, address: Address) -> bytes:
    """What a browser would get, waiting if the arena wants that."""
    while True:
        status, body = await _get(app, address)
        if status == TooManyError.status:
            await asyncio.sleep(TooManyError.retry_seconds)
        elif status == ArenaAwayError.status:
            raise ArenaAwayError
        elif status >= 500:
            raise RoostError(f"the page {file_of(address)} cannot be made; nothing was written")
        else:
            return body


async def _get(app: FastAPI, address: Address) -> tuple[int, bytes]:
    """A request to the application, without a network."""
    path, query = address
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": urlencode(query).encode(),
        "root_path": "",
        "headers": [],
        "server": ("localhost", 80),
    }
    status, body = 0, bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        body.extend(message.get("body", b""))

    await app(scope, receive, send)
    return status, bytes(body)
