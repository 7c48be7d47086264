"""Lists of matches, and downloads of them as replays."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import BeforeValidator, Field

from roost_web.client import ArenaClient
from roost_web.errors import PageError, TooEarlyError
from roost_web.rows import matches as rows
from roost_web.rows.filters import BotOutcome, MatchSearch, choices
from roost_web.site import AnySite

PER_PAGE = 50
MOST_REPLAYS = 1000
"""How many replays a download has at most. `roost export` has no such limit."""
AT_ONCE = 100
router = APIRouter(include_in_schema=False)
Day = Annotated[date | None, BeforeValidator(lambda value: value or None)]


class MatchForm(MatchSearch):
    """What the form above the list sends: days instead of moments."""

    since: Day = None
    until: Day = None
    before: Annotated[str, Field(max_length=100)] = ""

    def wanted(self) -> MatchSearch:
        """The filter that is meant, with days in UTC, the last one included."""
        given = self.model_dump(exclude={"since", "until", "before"})
        if self.since:
            given["since_ms"] = _midnight_ms(self.since)
        if self.until:
            given["until_ms"] = _midnight_ms(self.until) + int(timedelta(days=1).total_seconds() * 1000)
        return MatchSearch(**given)


def _midnight_ms(day: date) -> int:
    return max(0, int(datetime.combine(day, time(), UTC).timestamp() * 1000))


Asked = Annotated[MatchForm, Query()]


@router.get("/matches")
async def matches(request: Request, site: AnySite, asked: Asked) -> HTMLResponse:
    """Recorded matches, the newest first."""
    wanted = asked.wanted()
    chosen = await choices(site.client, wanted)
    shown = await rows.matches(site.client, wanted, PER_PAGE, asked.before)
    return await site.page(
        request,
        "matches.html",
        shown=shown,
        wanted=wanted,
        choices=chosen,
        asked=asked,
        outcomes=[outcome for outcome in BotOutcome if outcome.value],
        most_replays=MOST_REPLAYS,
    )


@router.get("/matches.jsonl")
async def replays(site: AnySite, asked: Asked) -> StreamingResponse:
    """The newest matches as replays, one a line."""
    wanted = asked.wanted()
    await choices(site.client, wanted)
    first = await rows.matches(site.client, wanted, AT_ONCE, asked.before)
    return StreamingResponse(
        _replays(site.client, wanted, first),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": 'attachment; filename="matches.jsonl"', "Cache-Control": "no-store"},
    )


async def _replays(client: ArenaClient, wanted: MatchSearch, page: rows.MatchPage) -> AsyncIterator[str]:
    left = MOST_REPLAYS
    while True:
        for match in page.rows[:left]:
            try:
                yield f"{(await client.replay(match.match_id)).strip()}\n"
            except TooEarlyError:
                continue  # its deal is still being played
            except PageError:
                return
        left -= len(page.rows)
        if page.next is None or left <= 0:
            return
        page = await rows.matches(client, wanted, AT_ONCE, page.next)
