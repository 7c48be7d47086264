"""Evading the host: playing on after a ban, a withdrawal or a disqualification, at a real arena in its finals.

The finals must end without the bot that is out, although they would wait for an absent one for an hour, and the export
must prove what happened.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from roost.v1 import admin_pb2, arena_pb2, play_pb2
from roost_games.replay import Replay
from roost_server.accounts import keys
from roost_server.accounts.keys import Scope
from roost_server.export.writer import export
from tests.support.arenas.hall import Hall, bounded, hall, replays, settings, until
from tests.support.arenas.hosted import Hosted
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.cups import cup
from tests.support.records.export_world import complaints

PATIENT = {
    "clock": {"decision_ms": 600_000},
    "entry": {"who": "open"},
    "faults": {"absence_seconds": 3600},
}
FINALS = {"phase": "finals", "rounds": 2}
CUP = cup("registration", FINALS, "done", **PATIENT)
LADDER = cup("ladder", FINALS, "done", **PATIENT)
BLOCKS = 6
"""Three pairs, twice."""
OWNERS = {"a": "Ann", "b": "Bob", "c": "Cid"}


class Held(RawBot):
    """Answers nothing until it is let go, so that matches are running when something happens."""

    def __init__(self, *given: Any, **hello: Any) -> None:
        super().__init__(*given, **hello)
        self._held: list[play_pb2.Answer] = []
        self._free = False

    def answers(self, decision: play_pb2.Decision) -> Answers:
        answer = self.honest_answer(decision)
        if self._free:
            return (answer,)
        self._held.append(answer)
        return ()

    async def let_go(self) -> None:
        """Answer from now on. A bot whose stream has ended is left alone."""
        self._free = True
        if not self.playing.done():
            await self.send(answers=self._held)


class Finals(Hosted):
    """Finals of three bots that are held, and a host."""

    def __init__(self, place: Hall, folder: Path) -> None:
        super().__init__(place)
        self._folder = folder
        self.keys = {name: self.key_of(owner) for name, owner in OWNERS.items()}
        self.bots: dict[str, Held] = {}

    async def rule(self, method: str, **fields: Any) -> Any:
        """Have the host do something."""
        request = getattr(admin_pb2, f"{method}Request")(**fields)
        return await getattr(self.admin, method)(request, metadata=self.host)

    async def come(self, stack: AsyncExitStack, max_matches: int = 4) -> None:
        for name, key in self.keys.items():
            held = Held(self.place.address, name, key=key, max_matches=max_matches)
            self.bots[name] = await stack.enter_async_context(held)

    async def begin(self) -> None:
        """Return when a match of `a` is running."""
        await self.rule("ChangePhase", competition="cup", phase="finals")
        await until(lambda: self.bots["a"].started)

    async def play_out(self) -> list[Replay]:
        """Let everybody go. The matches on record when the competition is done, and its export is right."""
        for bot in self.bots.values():
            await bot.let_go()

        async def done() -> bool:
            listed = await self.place.stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())
            return bool(listed.competitions[0].phase == "done")

        await until(done, pause=0.1)
        export(self.place.store, "cup", self._folder / "export")
        assert complaints(self._folder / "export") == []
        return replays(self.place.store)

    async def standings(self) -> dict[str, int]:
        answer = await self.place.stub.GetStandings(arena_pb2.GetStandingsRequest(competition="cup"))
        return {row.name: row.matches for row in answer.standings}


@asynccontextmanager
async def finals(folder: Path) -> AsyncIterator[Finals]:
    async with (
        hall(folder, settings(grace_seconds=3600.0), CUP) as place,
        AsyncExitStack() as stack,
    ):
        there = Finals(place, folder)
        await there.come(stack)
        await there.begin()
        yield there


def attack(folder: Path, script: Callable[[Finals], Awaitable[None]]) -> None:
    async def run() -> None:
        async with finals(folder) as there:
            await script(there)

    bounded(run)


async def refusal(bot: RawBot) -> tuple[str, str]:
    with pytest.raises(ConnectionRefusedError) as refused:
        await bot.connect()
    status, details = refused.value.args
    return status.name, details


def forfeited(played: list[Replay], name: str) -> list[bool]:
    """Of the matches of a bot, which it forfeited."""
    return [
        any(replay.seats[seat].bot == name for seat in replay.result.forfeits)
        for replay in played
        if replay.result.termination != "voided" and name in [seat.bot for seat in replay.seats]
    ]


def test_a_banned_owner_is_out_at_once_with_every_key(tmp_path: Path) -> None:
    async def script(there: Finals) -> None:
        other_key = keys.make_key(there.place.store, Scope.BOT, "test", bot="a")
        await there.rule("BanOwner", owner="Ann", reason="two accounts")
        await there.bots["a"].playing
        assert there.bots["a"].status is grpc.StatusCode.UNAUTHENTICATED
        assert "has banned the owner of this key" in there.bots["a"].details
        for key in (there.keys["a"], other_key):
            for version in ("v1", "v2"):
                again = await refusal(RawBot(there.place.address, "a", version, key=key))
                assert again == ("UNAUTHENTICATED", "the host has banned the owner of this key; ask the host why")
        token = there.bots["a"].welcome.resume_token
        back = RawBot(there.place.address, "a", key=there.keys["a"])
        with pytest.raises(ConnectionRefusedError):
            await back.connect(token)
        with pytest.raises(grpc.aio.AioRpcError, match="the owner 'ann' looks like 'Ann'; choose another name"):
            await there.accounts.Register(admin_pb2.RegisterRequest(owner="ann"))
        played = await there.play_out()
        assert set(forfeited(played, "a")) == {True}, "also what it was playing"
        assert forfeited(played, "c").count(True) == 0
        assert await there.standings() == {"a": 8, "b": 8, "c": 8}, "a ban strikes nothing"

    attack(tmp_path, script)


def test_an_owner_who_is_unbanned_plays_on(tmp_path: Path) -> None:
    async def script(there: Finals) -> None:
        await there.rule("BanOwner", owner="Ann")
        await there.bots["a"].playing
        await there.rule("UnbanOwner", owner="Ann")
        async with Held(there.place.address, "a", key=there.keys["a"], max_matches=4) as again:
            there.bots["a"] = again
            played = await there.play_out()
        assert set(forfeited(played, "a")) == {True, False}

    attack(tmp_path, script)


def test_a_bot_that_was_withdrawn_and_stays(tmp_path: Path) -> None:
    """It ends the match that it is playing, forfeits all others, and cannot come back."""

    async def script(there: Finals) -> None:
        shown = there.shown_by("Ann")
        leave = admin_pb2.ChangeEntryRequest(competition="cup", bot="a")
        await there.accounts.ChangeEntry(leave, metadata=shown)
        session = there.place.arena.lobby.session_named("a")
        running = sum(session in table.players for table in there.place.arena.seating.tables)
        for back in (leave, admin_pb2.ChangeEntryRequest(competition="cup", bot="a", enter=True)):
            with pytest.raises(grpc.aio.AioRpcError, match=r"does not take part|takes no entries"):
                await there.accounts.ChangeEntry(back, metadata=shown)
        played = await there.play_out()
        assert forfeited(played, "a").count(False) == running
        assert not any(forfeited(played, "b") + forfeited(played, "c"))

    attack(tmp_path, script)


def test_a_disqualified_bot_counts_for_nobody_even_after_a_restart(tmp_path: Path) -> None:
    async def script() -> None:
        async with finals(tmp_path) as there:
            await there.rule("DisqualifyBot", competition="cup", bot="a", reason="reads the dice")
            with pytest.raises(grpc.aio.AioRpcError, match="a is already disqualified in cup"):
                await there.rule("DisqualifyBot", competition="cup", bot="a")
        async with (
            hall(tmp_path, settings(), CUP) as place,
            AsyncExitStack() as stack,
        ):
            there = Finals(place, tmp_path)
            await there.come(stack)
            played = await there.play_out()
            assert set(forfeited(played, "a")) == {True}
            assert await there.standings() == {"b": 4, "c": 4}

    bounded(script)


def test_a_bot_that_is_disqualified_on_the_ladder_plays_nothing_more(tmp_path: Path) -> None:
    """What waited for it is not played, because it would not count. The block that it had begun ends."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(), LADDER) as place,
            AsyncExitStack() as stack,
        ):
            there = Finals(place, tmp_path)
            await there.come(stack, max_matches=1)
            await until(lambda: there.bots["a"].started)
            await there.rule("DisqualifyBot", competition="cup", bot="a", reason="reads the dice")
            for bot in there.bots.values():
                await bot.let_go()
            await until(lambda: len(there.bots["b"].started) > 12)
            assert len(there.bots["a"].started) <= 2

    bounded(script)


def test_two_admins_void_a_running_match(tmp_path: Path) -> None:
    """One of them does. The match is played again on another deal, and nobody is blamed for it."""

    async def script(there: Finals) -> None:
        match = there.bots["a"].started[1].match_id
        ended = await asyncio.gather(
            *(there.rule("VoidMatch", match_id=match, reason="power cut") for _ in range(2)), return_exceptions=True
        )
        refused = [each for each in ended if isinstance(each, grpc.aio.AioRpcError)]
        assert [each.code() for each in refused] == [grpc.StatusCode.INVALID_ARGUMENT]
        played = await there.play_out()
        voided = [replay for replay in played if replay.result.termination == "voided"]
        assert [(each.match, each.result.reason, each.result.asked) for each in voided] == [
            (match, "by the host: power cut", ())
        ]
        assert len(played) == 2 * BLOCKS + 1
        assert await there.standings() == {"a": 8, "b": 8, "c": 8}
        with pytest.raises(grpc.aio.AioRpcError, match="is already void"):
            await there.rule("VoidMatch", match_id=match)

    attack(tmp_path, script)


def test_a_bot_that_is_renamed_while_it_plays(tmp_path: Path) -> None:
    """It plays on, and may come back under either name. Nobody else may."""

    async def script(there: Finals) -> None:
        await there.rule("RenameBot", bot="a", name="better", reason="rude")
        assert await refusal(RawBot(there.place.address, "a", "v2", key=there.keys["b"])) == (
            "PERMISSION_DENIED",
            "the bot a belongs to another owner; choose another name",
        )
        async with RawBot(there.place.address, "a", "v2", key=there.keys["a"]):
            pass
        await there.play_out()
        assert await there.standings() == {"better": 8, "b": 8, "c": 8}

    attack(tmp_path, script)


def test_a_bot_cannot_change_its_owner_in_the_finals(tmp_path: Path) -> None:
    async def script(there: Finals) -> None:
        with pytest.raises(grpc.aio.AioRpcError, match="a was frozen for cup as a bot of Ann, and stays theirs"):
            await there.rule("MoveBot", bot="a", owner="Bob")
        await there.play_out()

    attack(tmp_path, script)


def test_a_bot_that_is_moved_while_it_is_connected(tmp_path: Path) -> None:
    """Its former owner is out at once, and the new one can play it."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(), CUP) as place,
            AsyncExitStack() as stack,
        ):
            there = Finals(place, tmp_path)
            await there.come(stack)
            await there.rule("MoveBot", bot="a", owner="Bob")
            await there.bots["a"].playing
            assert there.bots["a"].details == "this bot was given to another owner"
            assert (await refusal(RawBot(place.address, "a", key=there.keys["a"])))[0] == "PERMISSION_DENIED"
            async with RawBot(place.address, "a", key=there.keys["b"]) as bobs:
                assert bobs.welcome.version_id == there.bots["a"].welcome.version_id

    bounded(script)
