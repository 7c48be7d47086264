"""Whole matches at a real arena: every game and seat count, with SDK bots; what is told, recorded and revealed."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from roost.v1 import arena_pb2
from roost_bots import SAMPLES
from roost_games.registry import GAME_NAMES
from roost_games.replay import Decision, Replay
from roost_ladder.blocks import Deals
from roost_ladder.rating.facts import MatchFacts
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import grpc_links
from roost_server.store import BlockState, Change, FinishedMatch, Store, StoreError, queries
from roost_server.store.lookups import matches as lookups
from roost_server.store.records import BlockClosed
from roost_server.store.results import Rule
from tests.support.arenas.hall import Hall, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.records.matches import counted, on_record


@asynccontextmanager
async def sdk_bots(place: Hall, count: int) -> AsyncIterator[list[Client]]:
    """Random bots of the SDK, connected. They leave at the end."""
    clients = [Client(SAMPLES["random"], name=f"sdk{number}", version="v1", max_matches=4) for number in range(count)]
    running = [asyncio.create_task(client.run(grpc_links(place.address))) for client in clients]
    try:
        await until(lambda: all(client.stats.connected for client in clients))
        yield clients
    finally:
        for client in clients:
            client.stop()
        await asyncio.gather(*running)


def done_rows(store: Store) -> list[MatchFacts]:
    """The matches of all blocks that are over."""
    return [row.facts for row in counted(store, rule=Rule.FINAL) if row.facts]


@pytest.mark.short(3)
@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_sdk_bots_play_whole_blocks(tmp_path: Path, game: str, players: int) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(game, players)) as place, sdk_bots(place, players) as clients:
            await until(lambda: done_rows(place.store), pause=0.05)
            await until(lambda: all(client.stats.matches >= players for client in clients))
            assert not any(client.stats.faults for client in clients)
            done = done_rows(place.store)
            assert {(row.game, row.players) for row in done} == {(game, players)}
            blocks = defaultdict(list)
            for row in done:
                blocks[row.block_id].append(row.bots)
            for seatings in blocks.values():
                assert len(seatings) == players
                assert all(len(set(seat)) == players for seat in zip(*seatings, strict=True))
            for replay in await place.matches(players):
                assert replay.result.faults == ()
                assert replay.result.termination in ("finished", "horizon")

    bounded(script)


def test_quick_bots_are_soon_given_all_the_matches_that_they_ask_for(tmp_path: Path) -> None:
    """Nobody has set a number. A bot that has answered nothing yet keeps the one match that it began with."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(matches_at_once=None)) as place,
            RawBot(place.address, "x", max_matches=8),
            RawBot(place.address, "y", max_matches=8),
            HesitantBot(place.address, "z", max_matches=8),
        ):
            lobby = place.arena.lobby

            def at_once() -> dict[str, int]:
                return {session.name: session.places.at_once for session in lobby.sessions}

            await until(lambda: at_once() == {"x": 8, "y": 8, "z": 1})
            bots = {bot.name: bot for bot in (await place.stub.ListBots(arena_pb2.ListBotsRequest())).bots}
            assert {name: bot.matches_at_once for name, bot in bots.items()} == {"x": 8, "y": 8, "z": 1}

    bounded(script)


def test_what_a_bot_is_told(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings("haecmaec", 2)) as place,
            RawBot(place.address, "x", wants_events=True, max_matches=1) as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: len(x.ended) >= 2)
            replays = {replay.match: replay for replay in await place.matches(2)}
            for number, (match_id, ended) in enumerate(x.ended[:2], 1):
                started, replay = x.started[number], replays[match_id]
                assert started.commitment.hex() == replay.commitment
                assert list(started.bots) == [seat.bot for seat in replay.seats]
                assert started.bots[started.seat] == "x"
                assert (started.clock.decision_ms, started.clock.bank_ms) == (5_000, 60_000)
                assert tuple(ended.result.places) == replay.result.places
                assert tuple(ended.result.scores) == replay.result.scores
                decided = [step.seat for step in replay.steps if isinstance(step, Decision)]
                assert [event.seat for event in x.events if event.match == number] == decided
                asked = [decision for decision in x.decisions if decision.match == number]
                assert len(asked) == decided.count(started.seat)
                assert len({decision.request for decision in asked}) == len(asked)
                assert all(decision.view.seat == started.seat for decision in asked)

    bounded(script)


def test_a_deal_of_its_own_is_revealed_when_the_match_has_ended(tmp_path: Path) -> None:
    """The first match of a block is over, the second one waits for a bot. They have nothing in common."""

    async def script() -> None:
        async with hall(tmp_path, settings(players=2)) as place:
            x = HesitantBot(place.address, "x", max_matches=1)
            x.hold_from = 2
            async with x, RawBot(place.address, "y") as y:
                await until(lambda: x.reveals and y.reveals and 2 in [decision.match for decision in x.decisions])
                match_id, _ = x.ended[0]
                (reveal,) = x.reveals
                assert reveal.match_id == match_id == y.reveals[0].match_id
                assert hashlib.sha256(reveal.seed).digest() == x.started[1].commitment != x.started[2].commitment
                answer = await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=match_id))
                assert Replay.from_line(answer.replay).seed == reveal.seed.hex()
                (block,) = queries.unfinished_blocks(place.store)
                assert reveal.seed == hashlib.sha256(f"roost-match/1:{block.seed}:0:0".encode()).digest()

    bounded(script)


def test_a_shared_deal_is_revealed_after_the_last_match_of_the_block(tmp_path: Path) -> None:
    """The first match of a block is over, the second one waits for a bot: nobody may learn the seed."""

    async def script() -> None:
        async with hall(tmp_path, settings(players=2, deals=Deals.DUPLICATE)) as place:
            x = HesitantBot(place.address, "x", max_matches=1)
            x.hold_from = 2
            async with x, RawBot(place.address, "y") as y:
                await until(lambda: x.ended and 2 in [decision.match for decision in x.decisions])
                match_id, _ = x.ended[0]
                commitment = x.started[1].commitment
                assert x.started[2].commitment == commitment
                assert x.reveals == y.reveals == []
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=match_id))
                assert refused.value.code() == grpc.StatusCode.FAILED_PRECONDITION
                assert "still being played" in (refused.value.details() or "")
                await x.go_on()
                await until(lambda: len(x.reveals) >= 2 and len(y.reveals) >= 2)
                for reveal in x.reveals[:2]:
                    assert hashlib.sha256(reveal.seed).digest() == commitment
                assert [reveal.match_id for reveal in x.reveals[:2]] == [each for each, _ in x.ended[:2]]
                answer = await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=match_id))
                assert Replay.from_line(answer.replay).seed == x.reveals[0].seed.hex()

    bounded(script)


def test_results_are_told_only_after_they_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = True
    tried = 0
    commit = Store.commit

    def faulty_commit(store: Store, changes: list[Change]) -> None:
        nonlocal tried
        tried += 1
        if broken:
            raise StoreError("the disk is full; free some space")
        commit(store, changes)

    monkeypatch.setattr(Store, "commit", faulty_commit)
    monkeypatch.setattr("roost_server.play.recorder.RETRY_SECONDS", 0.05)

    async def script() -> None:
        nonlocal broken
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x") as x,
            RawBot(place.address, "y") as y,
        ):
            await until(lambda: all(table.referee.over for table in place.arena.seating.tables) and x.decisions)
            waiting = {table.match_id for table in place.arena.seating.tables}
            so_far = tried
            await until(lambda: tried >= so_far + 3)
            assert x.ended == y.ended == []
            assert {table.match_id for table in place.arena.seating.tables} == waiting
            assert replays_of(place.store) == set()
            broken = False
            await until(lambda: waiting <= dict(x.ended).keys() & dict(y.ended).keys())
            assert waiting <= replays_of(place.store)

    bounded(script)


def replays_of(store: Store) -> set[str]:
    return {Replay.from_line(line).match for line in queries.replays(store)}


def test_the_last_match_of_a_block_and_its_end_are_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit, commits = Store.commit, []

    def noted_commit(store: Store, changes: list[Change]) -> None:
        commits.append(list(changes))
        commit(store, changes)

    monkeypatch.setattr(Store, "commit", noted_commit)

    def ended_in_one() -> bool:
        """Not always: if the disk takes as long as a match, the last two matches may be recorded together."""
        blocks = [{each.block_id for each in changes if isinstance(each, FinishedMatch)} for changes in commits]
        closed = [{each.id for each in changes if isinstance(each, BlockClosed)} for changes in commits]
        return any(some & ended for some, ended in zip(blocks, closed, strict=True))

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=1),
        ):
            await until(ended_in_one)
            await until(lambda: len(x.reveals) >= 4)

    bounded(script)


def test_a_hurried_shutdown_does_not_wait_for_a_broken_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0

    def faulty_commit(store: Store, changes: list[Change]) -> None:
        nonlocal tried
        tried += 1
        raise StoreError("the disk is full; free some space")

    monkeypatch.setattr(Store, "commit", faulty_commit)
    monkeypatch.setattr("roost_server.play.recorder.RETRY_SECONDS", 0.05)

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x") as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: any(table.referee.over for table in place.arena.seating.tables))
            stopping = asyncio.create_task(place.server.stop())
            so_far = tried
            await until(lambda: tried >= so_far + 3)
            assert not stopping.done()
            place.server.hurry()
            await stopping
            assert x.ended == []

    bounded(script, logged=["not recorded"])


async def stop_after_this_match(place: Hall, bot: HesitantBot) -> None:
    """Let the bot play its first match to the end, and nothing be started after that."""
    await until(lambda: bot.decisions)
    place.arena._matchmaker.stopped = True
    await bot.go_on()
    await until(lambda: bot.ended)


def test_a_block_goes_on_after_a_restart(tmp_path: Path) -> None:
    """One match of a block is on record when the arena stops. The next run plays the other, on its second take."""

    async def script() -> None:
        chosen = settings(players=2)
        async with (
            hall(tmp_path, chosen) as place,
            HesitantBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=1),
        ):
            await stop_after_this_match(place, x)
        async with hall(tmp_path, chosen) as place:
            (left,) = queries.unfinished_blocks(place.store)
            again = RawBot(place.address, "x", max_matches=1)
            async with again, RawBot(place.address, "y", max_matches=1):
                await until(lambda: again.reveals)
                assert again.started[1].seat != x.started[1].seat
                assert again.reveals[0].seed == hashlib.sha256(f"roost-match/1:{left.seed}:1:1".encode()).digest()
                rows = [row for row in counted(place.store) if row.block_id == left.id]
                assert [row.block_state for row in rows] == [BlockState.DONE] * 2

    bounded(script)


def test_a_block_with_a_shared_deal_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The next run plays the other match with the same deal, which is a secret until then."""

    async def script() -> None:
        chosen = settings(players=2, deals=Deals.DUPLICATE)
        async with (
            hall(tmp_path, chosen) as place,
            HesitantBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=1),
        ):
            await stop_after_this_match(place, x)
        commitment = x.started[1].commitment
        async with hall(tmp_path, chosen) as place:
            (left,) = queries.unfinished_blocks(place.store)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=x.ended[0][0]))
            assert refused.value.code() == grpc.StatusCode.FAILED_PRECONDITION
            again = RawBot(place.address, "x", max_matches=1)
            async with again, RawBot(place.address, "y", max_matches=1):
                await until(lambda: len(again.reveals) >= 2)
                assert again.started[1].commitment == commitment
                assert again.started[1].seat != x.started[1].seat
                assert x.ended[0][0] in [reveal.match_id for reveal in again.reveals]
                rows = [row for row in counted(place.store) if row.block_id == left.id]
                assert [row.block_state for row in rows] == [BlockState.DONE] * 2

    bounded(script)


def test_a_block_ends_with_what_was_played_when_a_bot_is_gone_for_good(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, grace_seconds=0.3)) as place,
            RawBot(place.address, "y", max_matches=1) as y,
        ):
            async with HesitantBot(place.address, "x", max_matches=1) as x:
                await stop_after_this_match(place, x)
            await until(lambda: y.reveals)
            await until(lambda: not queries.unfinished_blocks(place.store))
            assert len(lookups.matches(place.store)) == len(counted(place.store)) == 1

    bounded(script)


@pytest.mark.parametrize(("last", "state"), [("finished", BlockState.DONE), ("voided", BlockState.VOIDED)])
def test_a_block_that_only_had_to_be_closed_is_closed_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, state: BlockState
) -> None:
    """The arena died between the last match of a block and the note that the block is over.

    That can be where a block is voided, or where its last two matches ended at the same time.
    """

    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    chosen = settings(players=2, deals=Deals.DUPLICATE)

    async def script() -> None:
        with monkeypatch.context() as patch:
            patch.setattr("roost_server.store.GroupWriter.close_block", never)
            patch.setattr("roost_server.play.contest.OpenBlock.ends_with", lambda *_: False)
            async with hall(tmp_path, chosen) as place:
                x = HesitantBot(place.address, "x", max_matches=1)
                x.hold_from = 2 if last == "finished" else 1
                async with x, RawBot(place.address, "y", max_matches=1):
                    await until(lambda: x.hold_from in [decision.match for decision in x.decisions])
                    place.arena._matchmaker.stopped = True
                    if last == "voided":
                        next(iter(place.arena.seating.tables)).void("for a test")
                    else:
                        await x.go_on()
                    await until(lambda: len(x.ended) == x.hold_from)
                for task in place.arena._tasks.running:
                    task.cancel()
        async with hall(tmp_path, chosen) as place:
            assert queries.unfinished_blocks(place.store) == []
            for row in on_record(place.store):
                assert row.block_state == state
                await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=row.id))

    bounded(script)
