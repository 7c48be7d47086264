"""One bot as a process of its own: `python -m tests.chaos.bot_program NAME ADDRESS FOLDER`.

In the folder are its key and the arena's certificate, and it notes there what it is told.
"""

import asyncio
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import grpc

from roost.v1 import arena_pb2, play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost.v1.karteneck_pb2 import KarteneckMove
from roost_sdk.arena import client
from roost_sdk.arena.client import Client
from roost_sdk.arena.connection import CHANNEL_OPTIONS
from roost_sdk.arena.credentials import Credentials, read_credentials
from roost_sdk.arena.link import Link, LinkLost, OpenLink, Refused
from tests.chaos.notes import NotingLink
from tests.chaos.strategies import FLOODER, RESTLESS, SILENT, VERSION, bot_class
from tests.chaos.world import CERTIFICATE, key_of, notes_of
from tests.support.arenas.raw_http2 import RawConnection

MATCHES_AT_ONCE = 2
VISIT_SECONDS = (0.4, 1.5)
"""How long the restless bot stays, in turn, before it goes for a moment."""
FLOOD_SECONDS = 0.1
PAUSE_SECONDS = 0.7
HALF_CALLS = 50
NONSENSE = [play_pb2.Answer(match=match, request=match) for match in range(10_000, 10_500)]
LARGE = [play_pb2.Answer(match=1, request=1, move=play_pb2.Move(karteneck=KarteneckMove(lay=[1] * (1 << 20))))]
"""A move of a megabyte."""


def new_client(name: str) -> Client:
    # It is silent in many matches at once, so that it is found out soon.
    return Client(bot_class(name), name=name, version=VERSION, max_matches=MATCHES_AT_ONCE * (1 + (name == SILENT)))


async def come_and_go(open_link: OpenLink) -> None:
    """Keep joining and leaving, with and without a goodbye."""
    visit = 0
    while True:
        guest = new_client(RESTLESS)
        staying = asyncio.create_task(guest.run(open_link))
        await asyncio.sleep(VISIT_SECONDS[visit % len(VISIT_SECONDS)])
        if visit % 2:
            await guest.leave(0.5)
        guest.stop()
        await asyncio.gather(staying, return_exceptions=True)
        visit += 1


async def flood(address: str, credentials: Credentials, open_link: OpenLink, ca: Path) -> None:
    """Say what nobody wants to hear, and ask what nobody wants to know, as fast as it goes, again and again."""
    async with credentials.aio_channel(address, CHANNEL_OPTIONS) as channel:
        for said in cycle((NONSENSE, LARGE)):
            stub = ArenaStub(channel)
            await asyncio.gather(shout(await open_link(), said), pester(stub, credentials), clog(address, ca))
            await asyncio.sleep(PAUSE_SECONDS)


async def shout(link: Link, said: list[play_pb2.Answer]) -> None:
    """Answer questions that nobody has put, until the arena has had enough."""
    try:
        await link.send(play_pb2.BotMessage(hello=play_pb2.Hello(name=FLOODER, version=VERSION)))
        async with asyncio.timeout(FLOOD_SECONDS):
            while True:
                await link.send(play_pb2.BotMessage(answers=said))
    except (LinkLost, Refused, TimeoutError):
        pass
    finally:
        await link.close()


async def pester(stub: ArenaStub, credentials: Credentials) -> None:
    """Ask for standings, many at a time."""
    ask = arena_pb2.GetStandingsRequest(game="karteneck")
    calls = [stub.GetStandings(ask, metadata=credentials.metadata(), timeout=5.0) for _ in range(50)]  # type: ignore[call-arg,unused-ignore]
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, grpc.aio.AioRpcError):
            raise result


async def clog(address: str, ca: Path) -> None:
    """Without a key: begin calls and send nothing, ask and read nothing, and take other calls back."""
    with suppress(OSError):
        async with RawConnection(address, window=0, ca=ca) as connection:
            for _ in range(HALF_CALLS):
                connection.begin("/roost.v1.Arena/GetStandings")
                connection.ask("/grpc.health.v1.Health/Watch", b"")
                connection.reset(connection.begin("/roost.v1.Arena/Play"))
            await connection.sent()
            await asyncio.sleep(FLOOD_SECONDS)


async def main(name: str, address: str, folder: Path) -> None:
    credentials = read_credentials(key_of(folder, name), tls_ca=folder / CERTIFICATE)

    async def open_link() -> Link:
        return NotingLink(address, credentials, notes_of(folder, name))

    if name == FLOODER:
        await flood(address, credentials, open_link, folder / CERTIFICATE)
    elif name == RESTLESS:
        await come_and_go(open_link)
    else:
        await new_client(name).run(open_link)


if __name__ == "__main__":
    client.LONGEST_PAUSE = 0.4  # an arena that was killed is there again soon
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
