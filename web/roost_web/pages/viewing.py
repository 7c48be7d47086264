"""A match in the viewer: recorded or live, embedded elsewhere, or from a visitor's file."""

import gzip
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from roost_web.client import ArenaClient
from roost_web.errors import BadRequestError, NotThereError, TooLargeError
from roost_web.frames import MOST_BYTES, Frames
from roost_web.rows.matches import MatchInFull, match_details
from roost_web.site import AnySite

router = APIRouter(include_in_schema=False)
LASTING = "public, max-age=600, immutable"
"""A recorded match does not change."""
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
EVENTS = "text/event-stream"
Eye = Annotated[str, Query(max_length=20)]


@router.get("/matches/{match_id}")
async def match(request: Request, site: AnySite, match_id: str) -> HTMLResponse:
    """One match."""
    details = await match_details(site.client, match_id)
    beside = await _beside(site.client, details)
    embedded = await _documents(site.frames, match_id, beside) if site.written and details.replay_ready else {}
    return await site.page(request, "match.html", shown=details, beside=beside, documents=embedded)


async def _documents(frames: Frames, match_id: str, beside: str) -> dict[str, str]:
    """What a page that is a file has in it, by the name under which the viewer takes it."""
    wanted = {"documents": match_id, "besideDocuments": beside}
    return {name: await frames.packed(each) for name, each in wanted.items() if each}


@router.get("/not-here")
async def not_here(request: Request, site: AnySite) -> HTMLResponse:
    """Stands for matches that are left out when the page is written to files."""
    return site.bare_page(request, "not_here.html")


async def _beside(client: ArenaClient, details: MatchInFull) -> str:
    """Another match of the block with the same cards in other seats, if that can be shown; otherwise nothing."""
    if not details.replay_ready or not details.commitment:
        return ""
    for match_id in details.block:
        with suppress(NotThereError):
            other = await client.match(match_id)
            same = other.replay_ready and other.commitment.hex() == details.commitment
            if same and match_id != details.match.match_id:
                return match_id
    return ""


@router.get("/embed/{match_id}")
async def embed(request: Request, site: AnySite, match_id: str) -> HTMLResponse:
    """A match alone, for a frame in somebody else's page."""
    return await site.page(request, "embed.html", shown=await match_details(site.client, match_id))


@router.get("/matches/{match_id}/frames")
async def frames(site: AnySite, match_id: str, eye: Eye = "open") -> Response:
    """The positions of a recorded match, as an eye saw them."""
    document = await site.frames.document(match_id, eye)
    return Response(document, media_type="application/json", headers={"Cache-Control": LASTING})


@router.get("/matches/{match_id}/replay")
async def replay(site: AnySite, match_id: str) -> PlainTextResponse:
    """The record of a match, as a file."""
    line = (await site.client.replay(match_id)).strip()
    name = "".join(letter for letter in match_id if letter.isalnum() or letter in "-_")
    headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"', "Cache-Control": LASTING}
    return PlainTextResponse(f"{line}\n", media_type="application/x-ndjson", headers=headers)


@router.get("/matches/{match_id}/live")
async def live(site: AnySite, match_id: str) -> Response:
    """A running match as it goes on, as server-sent events; one that has just ended, from its record."""
    details = await match_details(site.client, match_id)
    if details.match.running:
        return StreamingResponse(site.broadcasts.watch(match_id), media_type=EVENTS, headers=UNBUFFERED)
    if not details.replay_ready:
        return Response(status_code=204, headers=UNBUFFERED)
    return Response(await site.frames.ended(match_id), media_type=EVENTS, headers=UNBUFFERED)


@router.get("/open")
async def open_file(request: Request, site: AnySite) -> HTMLResponse:
    """Where a replay file is dropped."""
    return site.bare_page(request, "open.html")


@router.post("/frames")
async def frames_of_file(
    request: Request, site: AnySite, number: Annotated[int, Query(ge=1, le=100_000)] = 1
) -> Response:
    """The positions of a match in the file that is sent, for every eye. The file is played back and forgotten."""
    visitor = request.client.host if request.client else ""
    made = await site.frames.of_file(await _text(request), number, visitor)
    headers = {"Cache-Control": "no-store"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        made, headers["Content-Encoding"] = gzip.compress(made, 5), "gzip"
    return Response(made, media_type="application/json", headers=headers)


async def _text(request: Request) -> str:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"Only files up to {MOST_BYTES // 1_000_000} MB are played back here.")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise BadRequestError("This is not a replay file: it is not text.") from None
