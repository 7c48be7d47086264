"""An arena whose ladder demands a qualification, its opponent, and bots that have to qualify."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from roost.v1 import admin_pb2, arena_pb2, play_pb2
from roost_server.accounts import owners
from tests.support.arenas.hall import Hall, hall, settings, until
from tests.support.arenas.hosted import Hosted
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.cups import cup

QUALIFICATION = {"opponent": "house", "clean_matches": 4, "most_blocks": 3, "most_versions": 1}


def demanding(ladder: Mapping[str, object] | None, finals: Mapping[str, object] | None = None) -> str:
    """A competition whose ladder or finals demand a qualification."""
    phases = {"registration": None, "ladder": ladder, "freeze": None, "finals": finals, "done": None}
    return cup(
        *(phase if table is None else {"phase": phase, "qualification": table} for phase, table in phases.items()),
        clock={"decision_ms": 600_000},
        entry={"who": "open"},
        faults={"absence_seconds": 3600, "quarantine_after": 1000, "max_faults": 1000},
    )


CUP = demanding(ladder=QUALIFICATION)


class Faulty(RawBot):
    """Answers every question with nothing, which is a fault."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (play_pb2.Answer(match=decision.match, request=decision.request),)


class Qualifying(Hosted):
    """The arena, its host, and everybody's bots."""

    def __init__(self, place: Hall, stack: AsyncExitStack) -> None:
        super().__init__(place)
        self._stack = stack

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
        await self.accounts.ChangeEntry(request, metadata=self.shown_by("Host"))
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
        answer = await self.accounts.GetAccount(admin_pb2.GetAccountRequest(), metadata=self.shown_by(owner))
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
        AsyncExitStack() as stack,
    ):
        yield Qualifying(place, stack)
