"""The questions of the JSON API, below `/api/v1`."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from roost_web.rows import bots, competitions, home, matches, standings
from roost_web.rows.filters import Filter, MatchSearch, StandingsFilter, VersionId
from roost_web.site import AnyClient, AnySite

MOST_MATCHES = 200
router = APIRouter(prefix="/api/v1", tags=["arena"])
Limit = Annotated[int, Query(ge=1, le=MOST_MATCHES, description="The largest number of rows.")]
Named = Annotated[str, Path(max_length=100)]
Wanted = Annotated[Filter, Query()]
Eye = Annotated[str, Query(max_length=20, description="`open`, `spectator` or the number of a seat.")]


class MatchParameters(MatchSearch):
    """Which page of matches."""

    before: Annotated[str, Query(max_length=100, description="Only matches older than this one.")] = ""
    limit: Limit = 50


class RunningParameters(MatchSearch):
    """Which running matches."""

    limit: Limit = 50


class VersionParameters(Filter):
    """Everything, or one bot version."""

    version_id: Annotated[VersionId, Query(description="Only this bot version.")] = 0


class CrossParameters(StandingsFilter):
    """Everybody, or one bot version."""

    version_id: Annotated[VersionId, Query(description="Only this bot version.")] = 0


class ShownError(BaseModel):
    """Why there is no answer."""

    status: int = Field(description="The HTTP status.")
    error: str = Field(description="What is wrong, in words.")


def may_answer(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of these statuses. Every question may find the arena away or busy."""
    words = {
        400: "A parameter is wrong.",
        403: "The arena does not show it to this page.",
        404: "There is no such thing.",
        409: "Not yet: the match or its deal is still being played.",
        413: "The file is larger than any replay.",
        429: "Too many requests; see Retry-After.",
        502: "The arena is of a version that cannot answer this.",
        503: "The arena does not answer now; see Retry-After.",
    }
    return {status: {"model": ShownError, "description": words[status]} for status in (*statuses, 403, 429, 502, 503)}


@router.get("/arena", responses=may_answer(400))
async def get_arena(client: AnyClient) -> home.ShownArena:
    """What is going on."""
    return await home.shown_arena(client)


@router.get("/standings", responses=may_answer(400, 404))
async def get_standings(client: AnyClient, wanted: Annotated[StandingsFilter, Query()]) -> standings.Standings:
    """The ratings with their 95 % intervals, the strongest bot first; by default of the current competition."""
    return await standings.standings(client, wanted)


@router.get("/cross-table", responses=may_answer(400, 404))
async def get_cross_table(client: AnyClient, wanted: Annotated[CrossParameters, Query()]) -> standings.CrossTable:
    """Every pair of bots that have met; by default in the current competition."""
    return await standings.cross_table(client, wanted, wanted.version_id)


@router.get("/rating-history", responses=may_answer(400, 404))
async def get_rating_history(
    client: AnyClient, wanted: Annotated[VersionParameters, Query()]
) -> standings.RatingHistory:
    """The ratings at several moments."""
    return await standings.rating_history(
        client, Filter(**wanted.model_dump(exclude={"version_id"})), wanted.version_id
    )


@router.get("/bots", responses=may_answer(400))
async def list_bots(client: AnyClient) -> bots.Bots:
    """Every bot, the strongest first."""
    return await bots.bots(client)


@router.get("/bots/{bot}", responses=may_answer(400, 404))
async def get_bot(client: AnyClient, bot: Named, wanted: Wanted) -> bots.BotDetails:
    """One bot: versions, record, opponents, faults, latest matches."""
    return await bots.bot_details(client, bot, wanted)


@router.get("/matches", responses=may_answer(400, 404))
async def list_matches(client: AnyClient, wanted: Annotated[MatchParameters, Query()]) -> matches.MatchPage:
    """Recorded matches, the newest first, page by page."""
    kind = MatchSearch(**wanted.model_dump(exclude={"before", "limit"}))
    return await matches.matches(client, kind, wanted.limit, wanted.before)


@router.get("/running", responses=may_answer(400, 404))
async def list_running(client: AnyClient, wanted: Annotated[RunningParameters, Query()]) -> matches.RunningMatches:
    """Matches that are being played."""
    return await matches.running_matches(client, MatchSearch(**wanted.model_dump(exclude={"limit"})), wanted.limit)


@router.get("/matches/{match_id}", responses=may_answer(400, 404))
async def get_match(client: AnyClient, match_id: Named) -> matches.MatchInFull:
    """One match, running or recorded."""
    return await matches.match_details(client, match_id)


@router.get("/matches/{match_id}/frames", responses=may_answer(400, 404, 409), response_class=JSONResponse)
async def get_frames(site: AnySite, match_id: Named, eye: Eye = "open") -> Response:
    """The positions of a recorded match as an eye saw them: a document of the format `roost-frames/1`."""
    return Response(await site.frames.document(match_id, eye), media_type="application/json")


@router.get("/matches/{match_id}/replay", responses=may_answer(400, 404, 409), response_class=JSONResponse)
async def get_replay(client: AnyClient, match_id: Named) -> Response:
    """The record of a match: a document of the format `roost-replay/1`."""
    return Response(await client.replay(match_id), media_type="application/json")


@router.get("/competitions", responses=may_answer(400))
async def list_competitions(client: AnyClient) -> competitions.Competitions:
    """Every competition, the newest first."""
    return await competitions.competitions(client)


@router.get("/competitions/{competition}", responses=may_answer(400, 404))
async def get_competition(client: AnyClient, competition: Named) -> competitions.CompetitionDetails:
    """One competition: rules, phases, entries, bracket."""
    return await competitions.competition_details(client, competition)
