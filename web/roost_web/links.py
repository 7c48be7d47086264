"""Where everything is: the addresses of pages and files, below the path prefix."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from urllib.parse import quote, urlencode

from markupsafe import Markup

from roost_ladder.report.page import style_sheet
from roost_web.rows.filters import MatchSearch

PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""A name that can be a part of a path. Others, such as `..`, are given in the query."""
SHARED_STYLE = "ladder.css"
VIEWER = "viewer/"


class Links:
    """Makes addresses. `prefix` is where the page begins on its host."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def to(self, path: str, query: Mapping[str, object] | None = None) -> str:
        """A page. `path` begins with a slash; what is empty or false is left out of the query."""
        given = {key: _written(value) for key, value in (query or {}).items() if value}
        return f"{self.prefix}{path}{'?' if given else ''}{urlencode(given)}"

    def file(self, name: str) -> str:
        """A file of ours, under an address that changes with the files: so browsers may keep it."""
        return f"{self.prefix}/static/{files_digest()}/{quote(name)}"

    def script(self, name: str) -> Markup:
        """What loads one of our scripts."""
        return Markup('<script src="{}" type="module"></script>').format(self.file(name))

    def bot(self, name: str) -> str:
        """A bot's page."""
        return self.named("/bots", name)

    def named(self, path: str, name: str, rest: str = "") -> str:
        """The page of a thing that has a name."""
        where, query = place_of(path, name, rest)
        return self.to(where, query)

    def pair(self, bot: str, opponent: str) -> str:
        """The page of two bots."""
        return self.to("/pair", {"bot": bot, "opponent": opponent})

    def matches(self, wanted: MatchSearch, before: str = "") -> str:
        """A list of matches."""
        return self.to("/matches", {**wanted.query(), "before": before})

    def match(self, match_id: str, rest: str = "") -> str:
        """A match, or what belongs to it."""
        return self.to(f"/matches/{quote(match_id, safe='')}{rest}")


def place_of(path: str, name: str, rest: str = "") -> tuple[str, dict[str, object]]:
    """The path and the query of a thing that has a name."""
    if PLAIN_NAME.fullmatch(name):
        return f"{path}/{quote(name)}{rest}", {}
    return f"{path}/{rest}", {"name": name}


def _written(value: object) -> str:
    return "1" if value is True else str(value)


def own_files() -> dict[str, bytes]:
    """Everything that browsers load: scripts, styles, pictures, the viewer. By name."""
    ours = dict(_walk(files("roost_web").joinpath("static")))
    viewer = {
        f"{VIEWER}{name}": data for name, data in _walk(files("roost_viewer")) if not name.endswith((".py", ".typed"))
    }
    return {**ours, **viewer, SHARED_STYLE: style_sheet().encode()}


def _walk(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.name.startswith(("_", ".")):
            continue
        if each.is_dir():
            yield from _walk(each, f"{path}{each.name}/")
        else:
            yield f"{path}{each.name}", each.read_bytes()


@cache
def files_digest() -> str:
    """Changes with any of the files."""
    digest = hashlib.blake2b(digest_size=6)
    for name, data in sorted(own_files().items()):
        digest.update(f"{name} {len(data)} ".encode())
        digest.update(data)
    return digest.hexdigest()
