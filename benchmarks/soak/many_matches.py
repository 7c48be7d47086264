"""Bots that play one match after the other, without any trouble: `python -m benchmarks.soak.many_matches ADDRESS`.

They think for a moment over every move, which leaves room on the machine for something else.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import grpc_links

BOTS = 4
MATCHES_AT_ONCE = 16
THINKING_SECONDS = 0.01


class Busy(Bot):
    """Plays the last legal move, after a while."""

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        await asyncio.sleep(THINKING_SECONDS)
        return legal[-1]


async def main(address: str) -> None:
    """Play until the process ends."""
    async with asyncio.TaskGroup() as group:
        for number in range(BOTS):
            client = Client(Busy, name=f"busy-{number}", version="1", max_matches=MATCHES_AT_ONCE)
            group.create_task(client.run(grpc_links(address)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
