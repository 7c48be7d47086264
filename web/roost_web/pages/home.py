"""The front page, the wall of running matches, and the API's description."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roost_web.documents import inline
from roost_web.rows import home as rows
from roost_web.rows.filters import Filter
from roost_web.rows.standings import standings
from roost_web.site import AnySite

TOP = 8
"""How many bots the front page shows."""
WALL = 60
"""How many running matches the wall shows."""
router = APIRouter(include_in_schema=False)


@router.get("/")
async def front(request: Request, site: AnySite) -> HTMLResponse:
    """What is on."""
    home = await rows.home(site.client)
    return await site.page(request, "home.html", home=home, stage=home.stage, top=TOP)


@router.get("/stage")
async def stage(request: Request, site: AnySite, waiting: bool = False) -> Response:
    """The part of the front page with the best running match, when the last one is over.

    A visitor who is `waiting` for a match to begin keeps what is there until then.
    """
    found = await rows.stage(site.client)
    if waiting and found.best is None:
        return Response(status_code=204)
    return await site.page(request, "stage.html", stage=found)


@router.get("/watch")
async def watch(request: Request, site: AnySite) -> HTMLResponse:
    """The running matches, the best first."""
    rated = await standings(site.client, Filter.model_validate({}))
    running = await rows.best_running(site.client, rated)
    ratings = {row.version_id: row.rating for row in rated.rows}
    return await site.page(request, "watch.html", running=running[:WALL], more=len(running) > WALL, ratings=ratings)


@router.get("/api")
async def api(request: Request, site: AnySite) -> HTMLResponse:
    """What programs may ask."""
    described = request.app.openapi()
    asked = {path: methods["get"] for path, methods in described["paths"].items() if "get" in methods}
    questions = [(path, inline(each["description"]), each.get("parameters", ())) for path, each in asked.items()]
    return site.bare_page(request, "api.html", questions=questions)


@router.get("/api/v1")
async def api_root(site: AnySite) -> RedirectResponse:
    """The description, for people who shorten addresses."""
    return RedirectResponse(site.links.to("/api"))
