"""The list of competitions, the page of each, and its files."""

import asyncio
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import PurePosixPath
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from roost_web.client import ArenaClient
from roost_web.errors import ForeignArenaError
from roost_web.rows import competitions as rows
from roost_web.rows.filters import Filter, Name
from roost_web.rows.standings import standings
from roost_web.site import AnySite, Site

router = APIRouter(include_in_schema=False)
IN_MEMORY = 8 << 20
"""A larger export waits on disk until it is sent."""
PIECE = 1 << 16
one_export_at_a_time = asyncio.Lock()
"""An export is the most work that anybody can ask for."""


@router.get("/competitions")
async def competitions(request: Request, site: AnySite) -> HTMLResponse:
    """Every competition."""
    return await site.page(request, "competitions.html", shown=await rows.competitions(site.client))


@router.get("/competitions/")
async def oddly_named(request: Request, site: AnySite, name: Annotated[Name, Query()] = "") -> Response:
    """A competition whose name cannot be a part of a path."""
    if not name:
        return RedirectResponse(site.links.to("/competitions"))
    return await _competition(request, site, name)


@router.get("/competitions/export.zip", name="oddly_named_export")
async def oddly_named_export(site: AnySite, name: Annotated[Name, Query()]) -> StreamingResponse:
    """The files of a competition whose name cannot be a part of a path."""
    return await _export(site.client, name)


@router.get("/competitions/{name}/export.zip")
async def export(site: AnySite, name: str) -> StreamingResponse:
    """Everything about a competition, from which anybody can recompute its result."""
    return await _export(site.client, name)


async def _export(client: ArenaClient, name: str) -> StreamingResponse:
    async with one_export_at_a_time:
        packed = await _packed(client, name)
    headers = {"Content-Disposition": f'attachment; filename="{quote(name, safe="")}.zip"', "Cache-Control": "no-store"}
    return StreamingResponse(_pieces(packed), media_type="application/zip", headers=headers)


async def _packed(client: ArenaClient, name: str) -> IO[bytes]:
    packed = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  closed when it is sent
    try:
        await _pack(client, name, packed)
    except BaseException:
        packed.close()
        raise
    packed.seek(0)
    return packed


async def _pack(client: ArenaClient, name: str, packed: IO[bytes]) -> None:
    """Write the files into one archive. Names that lead out of a folder are refused."""
    current: str | None = None
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, ExitStack() as opened:
        async for piece in client.export(name):
            if piece.file != current:
                if PurePosixPath(piece.file).name != piece.file:
                    raise ForeignArenaError(f"The arena sent a file named {piece.file!r}.")
                opened.close()
                current = piece.file
                file = opened.enter_context(archive.open(f"{name}/{current}", "w", force_zip64=True))
            file.write(piece.data)


def _pieces(packed: IO[bytes]) -> Iterator[bytes]:
    with packed:
        while piece := packed.read(PIECE):
            yield piece


@router.get("/competitions/{name}")
async def competition(request: Request, site: AnySite, name: str) -> HTMLResponse:
    """One competition."""
    return await _competition(request, site, name)


async def _competition(request: Request, site: Site, name: str) -> HTMLResponse:
    details = await rows.competition_details(site.client, name)
    table = await standings(site.client, Filter.model_validate({"competition": name}))
    return await site.page(request, "competition.html", shown=details, standings=table)
