"""An arena whose ladder demands a qualification, its opponent, and bots that have to qualify."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from roost.v1 import admin_pb2, arena_pb2, play_pb2
from roost.v1.admin_pb2_grpc import AccountsStub, AdminStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from tests.support.arenas.hall import Hall, hall, settings, until
from tests.support.arenas.raw_bot import Answers, RawBot

CUP = """
name = "cup"
[[games]]
game = "karteneck"
players = [2]
[clock]
decision_ms = 600000
[entry]
who = "open"
[faults]
absence_seconds = 3600
quarantine_after = 1000
max_faults = 1000
[[phases]]
phase = "registration"
[[phases]]
phase = "ladder"
[phases.qualification]
opponent = "house"
clean_matches = 4
most_blocks = 3
most_versions = 1
[[phases]]
phase = "freeze"
[[phases]]
phase = "finals"
[[phases]]
phase = "done"
"""


class Faulty(RawBot):
    """Answers every question with nothing, which is a fault."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (play_pb2.Answer(match=decision.match, request=decision.request),)


class Qualifying:
    """The arena, its host, and everybody's bots."""

    def __init__(self, place: Hall, channel: grpc.aio.Channel, stack: AsyncExitStack) -> None:
        self.place = place
        self._stack = stack
        self.admin: Any = AdminStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
        self.accounts: Any = AccountsStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
        self.host = Credentials(keys.make_key(place.store, Scope.ADMIN, "test", label="host")).metadata()
        self.keys: dict[str, str] = {}

    def key_of(self, owner: str) -> str:
        """An owner's key."""
        if owner not in self.keys:
            owners.add_owner(self.place.store, owner, "test")
            self.keys[owner] = keys.make_key(self.place.store, Scope.OWNER, "test", owner=owner)
        return self.keys[owner]

    def use_keys_of(self, *known: str) -> None:
        """These owners are on record already, from an earlier run. They get other keys."""
        for owner in known:
            self.keys[owner] = keys.make_key(self.place.store, Scope.OWNER, "test", owner=owner)

    async def come(
        self, name: str, owner: str, kind: type[RawBot] = RawBot, version: str = "v1", **hello: Any
    ) -> RawBot:
        """A bot connects."""
        bot = kind(self.place.address, name, version, key=self.key_of(owner), **{"max_matches": 4, **hello})
        return await self._stack.enter_async_context(bot)

    async def open_house(self) -> RawBot:
        """The host's opponent comes, and does not take part itself."""
        self.key_of("Host")
        owners.add_bot(self.place.store, "Host", "house", "test")
        house = await self.come("house", "Host")
        request = admin_pb2.ChangeEntryRequest(competition="cup", bot="house", enter=False)
        await self.accounts.ChangeEntry(request, metadata=Credentials(self.key_of("Host")).metadata())
        return house

    async def phase(self, wanted: str) -> None:
        """The host changes the phase."""
        request = admin_pb2.ChangePhaseRequest(competition="cup", phase=wanted)
        await self.admin.ChangePhase(request, metadata=self.host)

    async def status(self) -> arena_pb2.CompetitionStatus:
        """Of the competition."""
        listed = await self.place.stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())
        return listed.competitions[0]  # type: ignore[no-any-return]

    async def account(self, owner: str) -> Any:
        """How far the owner's bot is."""
        shown = Credentials(self.key_of(owner)).metadata()
        answer = await self.accounts.GetAccount(admin_pb2.GetAccountRequest(), metadata=shown)
        return answer.entries[0].qualification

    async def qualified(self, owner: str) -> None:
        """Wait until the owner's bot has qualified."""

        async def is_so() -> bool:
            return bool((await self.account(owner)).qualified)

        await until(is_so, pause=0.05)

    async def in_phase(self, wanted: str) -> None:
        """Wait for a phase."""

        async def is_so() -> bool:
            return (await self.status()).phase == wanted

        await until(is_so, pause=0.1)


@asynccontextmanager
async def qualifying(folder: Path, text: str = CUP) -> AsyncIterator[Qualifying]:
    async with (
        hall(folder, settings(grace_seconds=0.1), text) as place,
        grpc.aio.insecure_channel(place.address) as channel,
        AsyncExitStack() as stack,
    ):
        yield Qualifying(place, channel, stack)
