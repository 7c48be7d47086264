"""The rules of the games, and the documentation."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from roost_games.registry import GAME_NAMES, get_game
from roost_web.documents import INDEX, document_page, documents, rules_page
from roost_web.errors import NotThereError
from roost_web.site import AnySite

router = APIRouter(include_in_schema=False)


@router.get("/rules")
async def rules(request: Request, site: AnySite) -> HTMLResponse:
    """The games that Roost knows."""
    return site.bare_page(request, "rules.html", games=_games(), title="", rules=None)


@router.get("/rules/{name}")
async def rules_of_game(request: Request, site: AnySite, name: str) -> HTMLResponse:
    """The rules of one game."""
    if name not in GAME_NAMES:
        raise NotThereError(f"There is no game {name} here.")
    return site.bare_page(request, "rules.html", games=_games(), title=get_game(name).title, rules=rules_page(name))


def _games() -> list[tuple[str, str, str]]:
    """The name, the title and the summary of each game."""
    return [(name, get_game(name).title, get_game(name).summary) for name in GAME_NAMES]


@router.get("/docs")
async def docs(request: Request, site: AnySite) -> HTMLResponse:
    """What there is to read, by what one wants to do."""
    return await document(request, site, INDEX)


@router.get("/docs/{name:path}")
async def document(request: Request, site: AnySite, name: str) -> HTMLResponse:
    """A page of the documentation."""
    if name not in documents():
        raise NotThereError(f"The documentation has no page {name}.")
    title, text = document_page(name, site.links)
    return site.bare_page(request, "docs.html", title=title, text=text, whole=name == INDEX)
