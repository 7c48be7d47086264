"""The list of bots, and the page of each."""

import json
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roost_web.client import ArenaClient
from roost_web.errors import ForeignArenaError
from roost_web.links import place_of
from roost_web.rows import bots as rows
from roost_web.rows.filters import Filter, Name, choices
from roost_web.rows.standings import RatingHistory, rating_history
from roost_web.site import AnySite, Site

router = APIRouter(include_in_schema=False)
Wanted = Annotated[Filter, Query()]
EXTREMES = 3
"""How many best and worst opponents are named."""


@router.get("/bots")
async def bots(request: Request, site: AnySite) -> HTMLResponse:
    """Every bot."""
    return await site.page(request, "bots.html", bots=await rows.bots(site.client))


@router.get("/bots/")
async def oddly_named(request: Request, site: AnySite, wanted: Wanted, name: Annotated[Name, Query()] = "") -> Response:
    """A bot whose name cannot be a part of a path."""
    if not name:
        return RedirectResponse(site.links.to("/bots"))
    return await _bot(request, site, name, wanted)


@router.get("/bots/{name}")
async def bot(request: Request, site: AnySite, name: str, wanted: Wanted) -> HTMLResponse:
    """One bot."""
    return await _bot(request, site, name, wanted)


async def _bot(request: Request, site: Site, name: str, wanted: Filter) -> HTMLResponse:
    details = await rows.bot_details(site.client, name, wanted)
    curve = await _curve(site.client, wanted, details.current.version_id)
    path, also = place_of("/bots", name)
    named = min(EXTREMES, len(details.met_often) // 2)
    return await site.page(
        request,
        "bot.html",
        path=path,
        also=also,
        bot=details,
        choices=await choices(site.client, wanted),
        wanted=wanted,
        curve=curve,
        best=details.met_often[:named],
        worst=details.met_often[: -named - 1 : -1],
    )


async def _curve(client: ArenaClient, wanted: Filter, version_id: int) -> str:
    """An older arena, which has no history, still shows the rest of the page."""
    try:
        return curve_numbers(await rating_history(client, wanted, version_id), version_id)
    except ForeignArenaError:
        return ""


def curve_numbers(history: RatingHistory, version_id: int) -> str:
    """The numbers that a chart draws, as JSON: times in seconds, ratings, and both ends of their intervals."""
    moments = [
        (moment.at_ms, each) for moment in history.moments for each in moment.ratings if each.version_id == version_id
    ]
    if len(moments) < 2:
        return ""
    return json.dumps(
        [
            [at_ms / 1000 for at_ms, _ in moments],
            [round(each.rating, 1) for _, each in moments],
            [round(each.rating_low, 1) for _, each in moments],
            [round(each.rating_high, 1) for _, each in moments],
        ]
    )
