"""The page on loopback, for a browser or a program that wants a real address."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import uvicorn

from roost_web.app import create_app
from roost_web.serving import listen, url_of
from roost_web.settings import PageSettings


class _Server(uvicorn.Server):
    """Says when it answers. Signals are for the test's own thread."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.answers.set()


@contextmanager
def hosted(arena: str, **settings: Any) -> Iterator[str]:
    """The address of the page of the arena at `arena`, without a slash at the end. It is served by another thread."""
    app = create_app(PageSettings(arena, **settings))
    server = _Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=0))
    with listen("127.0.0.1:0") as listener:
        thread = Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            assert server.answers.wait(30)
            yield url_of(listener).rstrip("/")
        finally:
            server.should_exit = True
            thread.join()
