"""Bots of the SDK in their own process: `python -m tests.support.arenas.bots_program ADDRESS`.

They reconnect by themselves, and each match whose end they were told is a line of output.
"""

import asyncio
import sys
from collections.abc import AsyncIterator

from roost.v1.play_pb2 import ArenaMessage
from roost_bots import SAMPLES
from roost_sdk.arena import client
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import GrpcLink

BOTS = 4


class TellingLink(GrpcLink):
    """Writes down which matches ended."""

    async def __aiter__(self) -> AsyncIterator[ArenaMessage]:
        names: dict[int, str] = {}
        async for message in super().__aiter__():
            names.update({started.match: started.match_id for started in message.started})
            for ended in message.ended:
                if ended.match in names:
                    print(names[ended.match], flush=True)  # noqa: T201
            yield message


async def play(address: str) -> None:
    async def open_link() -> TellingLink:
        return TellingLink(address)

    bots = [Client(SAMPLES["random"], name=f"bot{number}", version="v1", max_matches=4) for number in range(BOTS)]
    await asyncio.gather(*(bot.run(open_link) for bot in bots))


if __name__ == "__main__":
    client.LONGEST_PAUSE = 0.4  # an arena that was killed is there again soon
    asyncio.run(play(sys.argv[1]))
