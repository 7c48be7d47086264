"""The standings, the cross-table, and the page of a pair of bots."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from roost_web.errors import BadRequestError
from roost_web.rows import standings as rows
from roost_web.rows.bots import bot_details
from roost_web.rows.filters import Filter, MatchSearch, Name, StandingsFilter, choices
from roost_web.rows.matches import matches
from roost_web.site import AnySite

PAIR_MATCHES = 20
router = APIRouter(include_in_schema=False)
Wanted = Annotated[Filter, Query()]
WantedStandings = Annotated[StandingsFilter, Query()]


@router.get("/standings")
async def standings(request: Request, site: AnySite, wanted: WantedStandings) -> HTMLResponse:
    """Who leads, and how sure that is."""
    shown = await rows.standings(site.client, wanted)
    return await site.page(
        request,
        "standings.html",
        shown=shown,
        choices=await choices(site.client, shown.filter),
        wanted=shown.filter,
        chosen_here=not wanted.competition,
    )


@router.get("/standings/cross")
async def cross(request: Request, site: AnySite, wanted: WantedStandings) -> HTMLResponse:
    """Everybody against everybody."""
    shown = await rows.cross_table(site.client, wanted)
    about = shown.standings.filter
    return await site.page(request, "cross.html", shown=shown, choices=await choices(site.client, about), wanted=about)


@router.get("/pair")
async def pair(
    request: Request,
    site: AnySite,
    bot: Annotated[Name, Query()],
    opponent: Annotated[Name, Query()],
    wanted: Wanted,
) -> HTMLResponse:
    """Two bots against each other."""
    if bot == opponent:
        raise BadRequestError("A pair is two bots; name two different ones.")
    details = await bot_details(site.client, bot, wanted)
    other = await bot_details(site.client, opponent, wanted)
    kind = MatchSearch(bot=bot, opponent=opponent, **wanted.model_dump())
    latest = await matches(site.client, kind, PAIR_MATCHES)
    return await site.page(
        request,
        "pair.html",
        one=details,
        other=other,
        met=next((row for row in details.opponents if row.bot == opponent), None),
        between=_between(await rows.cross_table(site.client, wanted), bot, opponent),
        latest=latest,
        wanted=wanted,
        choices=await choices(site.client, wanted),
    )


Meeting = tuple[rows.ShownStanding, rows.ShownStanding, rows.ShownPair]


def _between(table: rows.CrossTable, bot: str, opponent: str) -> list[Meeting]:
    """Every version of the one against every version of the other."""
    by_id = {row.version_id: row for row in table.standings.rows}
    found = [
        (by_id[one], by_id[other], pair)
        for (one, other), pair in table.meetings().items()
        if one in by_id and other in by_id and by_id[one].bot == bot and by_id[other].bot == opponent
    ]
    return sorted(found, key=lambda each: -each[2].matches)
