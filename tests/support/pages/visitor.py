"""Somebody who looks at a page: requests to the application itself, without a server or a browser."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import httpx
from fastapi import FastAPI

from roost_web.app import create_app
from roost_web.settings import PageSettings


class Visitor:
    """Asks one application, one request after the other."""

    def __init__(self, app: FastAPI) -> None:
        self._runner = asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://page")
        self._app = app

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.run(self._leave())
        self._runner.close()

    async def _leave(self) -> None:
        await self._client.aclose()
        await self._app.state.site.close()

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.ask("GET", path, **given)

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._runner.run(self._client.request(method, path, **given))

    def ask_at_once(self, path: str, times: int) -> list[httpx.Response]:
        """The same request from several visitors at the same time."""

        async def ask() -> list[httpx.Response]:
            return list(await asyncio.gather(*(self._client.get(path) for _ in range(times))))

        return self._runner.run(ask())


@contextmanager
def visiting(address: str, **settings: Any) -> Iterator[Visitor]:
    """A visitor of the page of the arena at `address`."""
    with Visitor(create_app(PageSettings(address, **settings))) as visitor:
        yield visitor
