"""An arena with a competition as a process of its own, to be killed: `python -m … DB LISTEN FILE`.

Its first line of output is the address.
"""

import asyncio
import sys
from pathlib import Path

from roost_server.competition.file import read_competition
from roost_server.competition.ledger import draw_up
from roost_server.serving.logs import configure_logging
from roost_server.serving.server import Hosting, serve
from roost_server.store import open_store
from tests.support.arenas.hall import settings


def main(database: str, listen: str, file: str) -> None:
    configure_logging("warning")
    with open_store(f"sqlite:///{database}") as store:
        hosting = Hosting(competitions=(draw_up(store, *read_competition(Path(file))),))
        asyncio.run(serve(store, settings(), listen, lambda server: print(server.address, flush=True), hosting))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
