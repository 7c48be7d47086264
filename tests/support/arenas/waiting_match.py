"""A running match that waits for a bot, so that there is time to look at it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from roost.v1 import arena_pb2
from tests.support.arenas.hall import Hall, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot


class WaitingMatch(NamedTuple):
    """The first match of an arena, in which `x` has been asked and does not answer yet."""

    place: Hall
    x: HesitantBot

    @property
    def match_id(self) -> str:
        """Its name."""
        return self.x.started[1].match_id

    @property
    def to_watch(self) -> arena_pb2.WatchMatchRequest:
        """A spectator's request."""
        return arena_pb2.WatchMatchRequest(match_id=self.match_id)


@asynccontextmanager
async def waiting_match(folder: Path, players: int = 2, game: str = "karteneck") -> AsyncIterator[WaitingMatch]:
    """Between `x`, `y` and, at a table of three, `z`."""
    async with (
        hall(folder, settings(game, players)) as place,
        HesitantBot(place.address, "x", max_matches=1) as x,
        AsyncExitStack() as stack,
    ):
        for name in "yz"[: players - 1]:
            await stack.enter_async_context(RawBot(place.address, name))
        await until(lambda: x.decisions)
        yield WaitingMatch(place, x)
