"""The page as an application: routes, errors, and the headers that keep browsers safe."""

import logging
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roost_web.api import routes as api
from roost_web.errors import ArenaAwayError, BadRequestError, NotThereError, PageError
from roost_web.pages import bots, competitions, documents, files, home, matches, standings, viewing
from roost_web.responses import KeepResponses
from roost_web.settings import PageSettings
from roost_web.site import Site, site_of

log = logging.getLogger("roost_web")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
EMBEDDED = "/embed/"
"""Pages below this path may be shown inside pages of others."""
FOR_PROGRAMS = ("/api/", "/frames")
ROUTERS = (
    home.router,
    standings.router,
    bots.router,
    matches.router,
    viewing.router,
    competitions.router,
    documents.router,
    api.router,
    files.router,
)


def create_app(settings: PageSettings) -> FastAPI:
    """The page of the arena at `settings.server`."""
    return app_of(Site(settings))


def app_of(site: Site) -> FastAPI:
    """The application that shows a site."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        yield
        await site.close()

    app = FastAPI(
        title="Roost",
        version="1",
        description="What an arena shows to everybody, as JSON: the same rows as its pages.",
        servers=[{"url": site.settings.path_prefix}] if site.settings.path_prefix else None,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=living,
    )
    app.state.site = site
    for router in ROUTERS:
        app.include_router(router)
    _handle_errors(app)
    app.add_middleware(SafeHeaders)
    app.add_middleware(KeepResponses, state=lambda: _state(site))
    app.add_middleware(BelowPrefix, prefix=site.settings.path_prefix)
    return app


async def _state(site: Site) -> tuple[Hashable, float]:
    return await site.client.state(), await site.client.unchanged_seconds()


def _handle_errors(app: FastAPI) -> None:
    @app.exception_handler(PageError)
    async def tell(request: Request, error: PageError) -> Response:
        return _told(request, error)

    @app.exception_handler(RequestValidationError)
    async def refuse(request: Request, error: RequestValidationError) -> Response:
        return _told(request, BadRequestError(_what_is_wrong(error)))

    @app.exception_handler(HTTPException)
    async def miss(request: Request, error: HTTPException) -> Response:
        path: str = request.scope["path"]
        if error.status_code == NotThereError.status and path.endswith("/"):
            return RedirectResponse(site_of(request).links.to(path.rstrip("/")))
        if error.status_code == NotThereError.status:
            return _told(request, NotThereError("There is no page at this address."))
        told = PageError(str(error.detail))
        told.status, told.title = error.status_code, str(error.detail)
        response = _told(request, told)
        response.headers.update(error.headers or {})
        return response


def _what_is_wrong(error: RequestValidationError) -> str:
    first = error.errors()[0]
    return f"{first['loc'][-1]}: {first['msg']}."


def _told(request: Request, error: PageError) -> Response:
    headers = {"Cache-Control": "no-store"}
    if error.retry_seconds:
        headers["Retry-After"] = str(error.retry_seconds)
    response: Response
    if any(part in request.url.path for part in FOR_PROGRAMS):
        response = JSONResponse(api.ShownError(status=error.status, error=str(error)).model_dump(), error.status)
    else:
        again = error.retry_seconds if isinstance(error, ArenaAwayError) else 0
        response = site_of(request).bare_page(request, "error.html", error.status, error=error, again=again)
    response.headers.update(headers)
    return response


class BelowPrefix:
    """Middleware: the same page with the path prefix and without it, since some proxies take it off."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if self._prefix and f"{path}/".startswith(f"{self._prefix}/"):
            scope = {**scope, "path": path.removeprefix(self._prefix) or "/"}
        await self._app(scope, receive, send)


class SafeHeaders:
    """Middleware: what a browser may do with our pages is written in their headers, on a page about our errors too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        policy = POLICY + ("*" if EMBEDDED in scope["path"] else "'self'")
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy
                headers.update(HEADERS)
            await send(message)

        try:
            await self._app(scope, receive, send_safely)
        except Exception:
            if started:
                raise
            log.exception("page_failed path=%s", scope["path"])
            told = PageError("The page could not be made. Its host can find the reason in the log.")
            await _told(Request(scope), told)(scope, receive, send_safely)
