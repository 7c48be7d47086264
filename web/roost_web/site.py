"""What every request needs: the arena's client, links, and templates that become pages."""

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from roost_games.wording import chance, counted
from roost_ladder.report.markup import element
from roost_web.client import ArenaClient
from roost_web.drawing import Drawing, game_title, milliseconds
from roost_web.frames import Frames
from roost_web.links import Links
from roost_web.live import Broadcasts
from roost_web.settings import PageSettings

FRAGMENT = "hx-request"
"""The header with which a page asks for the part of itself that changes."""


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("roost_web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        when=when,
        plain_time=plain_time,
        milliseconds=milliseconds,
        percent=percent,
        points=points,
        chance=chance,
        counted=counted,
        seconds=seconds,
        game_title=game_title,
    )
    return environment


class Site:
    """The page of one arena."""

    def __init__(self, settings: PageSettings, links: Links | None = None, *, written: bool = False) -> None:
        self.settings = settings
        self.written = written
        """Whether pages are written to files, which nothing can be asked later."""
        self.client = ArenaClient(settings, patient=written)
        self.frames = Frames(self.client)
        self.broadcasts = Broadcasts(self.client)
        self.links = links or Links(settings.path_prefix)
        self._always = {
            "link": self.links,
            "draw": Drawing(self.links),
            "settings": settings,
            "written": written,
        }

    async def close(self) -> None:
        """Leave the arena."""
        await self.broadcasts.close()
        await self.client.close()

    async def page(self, request: Request, template: str, **shown: Any) -> HTMLResponse:
        """A page; only the part of it that changes, if that is what was asked for."""
        shown.setdefault("arena", await self.client.arena())
        return self.bare_page(request, template, **shown)

    def bare_page(self, request: Request, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
        """A page that needs no arena."""
        layout = "fragment.html" if FRAGMENT in request.headers else "layout.html"
        shown.setdefault("arena", None)
        path = request.scope["path"]
        query = request.url.query
        this_page = f"{self.links.prefix}{quote(path)}{'?' if query else ''}{query}"
        given = {"layout": layout, "here": path, "this_page": this_page, **self._always, **shown}
        markup = _templates().get_template(template).render(given)
        return HTMLResponse(markup, status, headers={"Vary": "HX-Request"})


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site


def client_of(request: Request) -> ArenaClient:
    """The arena that a request is about."""
    return site_of(request).client


AnySite = Annotated[Site, Depends(site_of)]
AnyClient = Annotated[ArenaClient, Depends(client_of)]


def plain_time(at_ms: int | None) -> str:
    """A moment in words, for readers without scripts."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%-d %b %Y, %H:%M UTC") if at_ms else ""


def when(at_ms: int | None, style: str = "ago") -> Markup:
    """A moment that a script writes as `3 minutes ago`, or counts down to."""
    if not at_ms:
        return Markup("")
    exact = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
    made = element("time", plain_time(at_ms), datetime=exact, data_ms=at_ms, data_style=style)
    return Markup(made)  # noqa: S704  made of a number


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.0f} %"


def points(share: float) -> str:
    """A difference of shares, in points of a hundred."""
    return f"{100 * share:+.0f}"


def seconds(milliseconds: int) -> str:
    """A time in seconds, with a digit where it is short, or in milliseconds where it is very short."""
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    return f"{milliseconds / 1000:,.1f} s" if milliseconds < 10_000 else f"{milliseconds / 1000:,.0f} s"
