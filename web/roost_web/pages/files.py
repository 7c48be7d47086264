"""Files of ours, the icon, and what machines ask for."""

import mimetypes
from functools import cache

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from roost_web.errors import NotThereError
from roost_web.links import files_digest, own_files
from roost_web.site import AnySite

IMMUTABLE = "public, max-age=31536000, immutable"
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".md": "text/markdown"}
router = APIRouter(include_in_schema=False)


@cache
def _files() -> dict[str, bytes]:
    return own_files()


@router.get("/static/{digest}/{name:path}")
async def file(digest: str, name: str) -> Response:
    """A script, a style sheet, a picture."""
    data = _files().get(name)
    if data is None:
        raise NotThereError("There is no such file.")
    lasting = IMMUTABLE if digest == files_digest() else "no-cache"
    return Response(data, media_type=_kind(name), headers={"Cache-Control": lasting})


def _kind(name: str) -> str:
    ending = f".{name.rpartition('.')[2]}"
    return KINDS.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"


@router.get("/favicon.ico")
async def icon(site: AnySite) -> RedirectResponse:
    """Browsers ask for it by this name where a page does not name it."""
    return RedirectResponse(site.links.file("favicon.svg"))


@router.get("/robots.txt")
async def robots() -> PlainTextResponse:
    """Everything may be indexed but endless lists."""
    return PlainTextResponse("User-agent: *\nDisallow: /api/\nDisallow: /matches?\nDisallow: /embed/\n")


@router.get("/health")
async def health(site: AnySite) -> PlainTextResponse:
    """Whether the page reaches its arena."""
    await site.client.arena()
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})
