"""A match as one HTML page with the viewer in it, for a browser without a server, and for notebooks.

    show(replay)                      # in a notebook: the viewer
    show(replay).save("match.html")   # anywhere: a page to open, send or keep

The page asks no other host for anything. The viewer's modules are in it as `data:` URLs, and an import map gives each
the name under which the others import it. So they are the same files that a server would serve, with nothing but their
relative imports renamed, and browsers of 2023 or later run them from a file. The frames are compressed.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from posixpath import dirname, join, normpath
from string import Template

import roost_viewer
from roost_games.errors import UsageError
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_sdk.local import LocalMatch
from roost_sdk.viewing.frames import OPEN, Document, Eye, Recorded

ENTRY = "match.js"
IMPORT = re.compile(r'(\bfrom\s+|\bimport\s+|\bimport\()(["`])(\.{1,2}/[^"`]+)\2')
"""An import by a relative path: in quotes, or in backticks if a part of the path is computed, such as a game's name."""
FRAME_HEIGHT = 900
"""How high the viewer is in a notebook, in pixels."""
PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' data:; \
style-src 'unsafe-inline'; img-src data:">
<title>$title</title>
<style>
:root { color-scheme: light dark; background: light-dark(#faf8f4, #16171a); color: light-dark(#23201b, #ece8e1); \
font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 16px; max-width: 1320px; }
h1 { clip-path: inset(50%); height: 1px; margin: 0; overflow: hidden; position: absolute; width: 1px; }
</style>
<script type="importmap">$imports</script>
</head>
<body>
<main>
<h1>$title</h1>
<roost-match$attributes>This page needs a browser of 2023 or later, with JavaScript.</roost-match>
</main>
$documents
<script type="module">
import "$entry";
const found = {};
for (const { dataset, textContent } of document.querySelectorAll("script[data-documents]")) {
  const bytes = Uint8Array.from(atob(textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  found[dataset.documents] = await new Response(stream).json();
}
Object.assign(document.querySelector("roost-match"), found);
</script>
</body>
</html>
""")
LOADER = Template("""\
{
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify($imports);
  document.currentScript.after(map);
  import("$entry");
}
""")
DOCUMENTS = Template('<script type="text/plain" data-documents="$name" id="$name">$packed</script>')


class Shown:
    """A match to look at: the viewer in a notebook, or a page of its own."""

    def __init__(self, recorded: Recorded, eye: Eye = OPEN, step: int = 0, beside: Recorded | None = None) -> None:
        self._recorded = recorded
        self._beside = beside
        self._eye = eye
        self._step = step

    def html(self) -> str:
        """The page. It keeps the step in its address."""
        return self._page(" address")

    def save(self, file: str | Path) -> None:
        """Write the page. Raises `UsageError` if that is not possible."""
        try:
            Path(file).write_text(self.html(), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {file}: {error.strerror or error}") from None

    def __repr__(self) -> str:
        return f"<{self.title()}; show it in a notebook, or write a page with .save('match.html')>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame that can do nothing to the notebook."""
        return (
            f'<iframe srcdoc="{escape(self._page(""))}" title="{escape(self.title())}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'
        )

    def title(self) -> str:
        """The game and who plays it."""
        replay = self._recorded.replay
        return f"{get_game(replay.game).title}: {', '.join(seat.bot for seat in replay.seats)}"

    def _page(self, attributes: str) -> str:
        return PAGE.substitute(
            title=escape(self.title()),
            imports=_import_map(),
            entry=_name(ENTRY),
            attributes=f'{attributes} eye="{self._eye}" step="{self._step}"',
            documents="\n".join(self._documents()),
        )

    def _documents(self) -> Iterator[str]:
        for name, match in (("documents", self._recorded), ("besideDocuments", self._beside)):
            if match is not None:
                yield DOCUMENTS.substitute(name=name, packed=_packed(match.documents()))


def plain_script() -> str:
    """The viewer as one script. Browsers load modules from servers only; this they run from a disk, too."""
    return LOADER.substitute(imports=_import_map(), entry=_name(ENTRY))


Showable = LocalMatch | Replay | str
"""A match that was played here, a replay, or a line of a file of replays."""


def show(match: Showable, *, eye: Eye = OPEN, step: int = 0, beside: Showable | None = None) -> Shown:
    """Show a match in the viewer: one that was played here, a `Replay`, or a line of a file of replays.

    In a notebook the viewer appears where this is the last expression of a cell. `eye` and `step` say how it opens.
    `beside` is a match of the same deal under rotated seats, to be shown next to it.
    Raises `ReplayError` if a record is wrong.
    """
    recorded = _recorded(match)
    recorded.check(eye)
    return Shown(recorded, eye, step, None if beside is None else _recorded(beside))


def _recorded(match: Showable) -> Recorded:
    replay = Replay.from_line(match) if isinstance(match, str) else match
    return Recorded(replay.referee.replay() if isinstance(replay, LocalMatch) else replay)


def _packed(documents: Mapping[str, Document]) -> str:
    text = json.dumps(documents, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _import_map() -> str:
    modules = {_name(path): _data_url(path, source) for path, source in _modules(files(roost_viewer))}
    return json.dumps({"imports": modules}, separators=(",", ":"))


def _modules(folder: Traversable, prefix: str = "") -> list[tuple[str, str]]:
    """Path and source of every module of the viewer, in the order of their names."""
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            found += _modules(each, f"{prefix}{each.name}/")
        elif each.name.endswith(".js"):
            found.append((f"{prefix}{each.name}", each.read_text(encoding="utf-8")))
    return found


def _data_url(path: str, source: str) -> str:
    """A module as a URL. A relative import means nothing in it, so the names of the import map are used."""
    named = IMPORT.sub(lambda found: f"{found[1]}{found[2]}{_name(join(dirname(path), found[3]))}{found[2]}", source)
    return f"data:text/javascript;base64,{base64.b64encode(named.encode()).decode()}"


def _name(path: str) -> str:
    return f"roost-viewer/{normpath(path)}"
