"""What only a running arena knows: what is going on, running matches with their block, and why a bot does not play."""

from pathlib import Path
from typing import Any

from roost.v1 import arena_pb2, records_pb2
from tests.support.arenas.hall import Hall, bounded, hall, refusal, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.waiting_match import waiting_match


async def presences(place: Hall) -> dict[str, str]:
    bots = (await place.stub.ListBots(arena_pb2.ListBotsRequest())).bots
    return {f"{bot.name} {bot.version}": arena_pb2.Presence.Name(bot.presence)[9:] for bot in bots}


def test_the_arena_says_what_is_going_on(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=2, spectator_delay_seconds=1.5)
        async with (
            hall(tmp_path, chosen) as place,
            HesitantBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: x.decisions)
            now = await place.stub.GetArena(records_pb2.GetArenaRequest())
            assert now.running
            assert (now.connected_bots, now.running_matches, now.matches) == (2, 1, 0)
            assert [(each.game, list(each.player_counts)) for each in now.games] == [("karteneck", [2])]
            assert (now.accounts, now.invited_only, now.names_hidden) == (False, False, False)
            assert now.spectator_delay_ms == 1500
            assert now.version
            assert now.now_ms > x.started[1].clock.decision_ms
            await x.go_on()
            await place.matches(1)
            then = await place.stub.GetArena(records_pb2.GetArenaRequest())
            assert then.matches >= 1
            assert then.revision != now.revision

    bounded(script)


def test_a_running_match_is_told_with_its_block(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            HesitantBot(place.address, "x", max_matches=2) as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: len(x.started) == 2)
            ids = [started.match_id for started in x.started.values()]
            told = await place.stub.GetMatch(arena_pb2.GetMatchRequest(match_id=ids[0]))
            assert (told.running, told.replay_ready) == (True, False)
            assert list(told.block) == ids
            assert told.commitment == x.started[1].commitment
            assert list(told.match.bots) == list(x.started[1].bots)
            assert sorted(told.match.version_ids) == [1, 2]
            assert not told.match.HasField("result")
            await until(lambda: len(x.decisions) == 2)
            x.holding = False
            await x.send(answers=[x.honest_answer(decision) for decision in x.decisions])
            await until(lambda: ids[0] in [reveal.match_id for reveal in x.reveals])
            over = await place.stub.GetMatch(arena_pb2.GetMatchRequest(match_id=ids[0]))
            assert (over.running, over.replay_ready, list(over.block)) == (False, True, ids)
            assert over.commitment == told.commitment
            assert over.match.version_ids == told.match.version_ids
            assert sum(over.match.decisions) > 10
            status, _ = await refusal(place.stub.GetMatch(arena_pb2.GetMatchRequest(match_id="none")))
            assert status == "NOT_FOUND"

    bounded(script)


def test_running_matches_are_filtered(tmp_path: Path) -> None:
    async def script() -> None:
        async with waiting_match(tmp_path) as match:
            stub = match.place.stub

            async def running(**fields: Any) -> int:
                request = arena_pb2.ListMatchesRequest(running=True, **fields)
                return len((await stub.ListMatches(request)).matches)

            assert await running(bot="x", opponent="y", players=2, version_id=1) == 1
            assert await running(opponent="y") == 1
            assert await running(bot="x", opponent="x") == await running(opponent="z") == await running(players=3) == 0
            assert await running(version_id=9) == 0
            for wrong in ({"with_faults": True}, {"since_ms": 1}, {"bot": "x", "outcome": 1}):
                request = arena_pb2.ListMatchesRequest(running=True, **wrong)
                assert (await refusal(stub.ListMatches(request)))[0] == "INVALID_ARGUMENT"

    bounded(script)


def test_hidden_names_stay_hidden(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, hide_names=True)) as place,
            HesitantBot(place.address, "x", max_matches=2) as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: len(x.started) == 2)
            assert all(sorted(started.bots) == ["", "x"] for started in x.started.values())
            assert all(sorted(started.versions) == ["", "v1"] for started in x.started.values())
            match_id = x.started[1].match_id
            told = await place.stub.GetMatch(arena_pb2.GetMatchRequest(match_id=match_id))
            assert list(told.match.bots) == ["", ""]
            assert not told.match.version_ids
            assert not told.match.versions
            assert list(told.block) == [match_id]
            listed = arena_pb2.ListMatchesRequest(running=True)
            assert not any(match.version_ids for match in (await place.stub.ListMatches(listed)).matches)
            for wanted in ({"bot": "x"}, {"opponent": "x"}, {"version_id": 1}):
                asked = arena_pb2.ListMatchesRequest(running=True, **wanted)
                assert not (await place.stub.ListMatches(asked)).matches
            assert (await place.stub.GetArena(records_pb2.GetArenaRequest())).names_hidden

    bounded(script)


def test_why_a_bot_does_not_play(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(players=2, grace_seconds=0.1)) as place:
            async with RawBot(place.address, "old", version="v1"):
                assert await presences(place) == {"old v1": "WAITING"}
            async with (
                RawBot(place.address, "old", version="v2"),
                RawBot(place.address, "other", player_counts=[3]),
            ):
                now = await presences(place)
                assert now["old v1"] == "REPLACED"
                assert now["old v2"] == "WAITING"
                assert now["other v1"] == "NO_MATCHES"
                async with HesitantBot(place.address, "x") as x:
                    await until(lambda: x.decisions)
                    now = await presences(place)
                    assert (now["old v2"], now["x v1"]) == ("PLAYING", "PLAYING")
            await until(lambda: not place.arena.lobby.sessions)
            bots = (await place.stub.ListBots(arena_pb2.ListBotsRequest())).bots
            gone = next(bot for bot in bots if bot.name == "other")
            assert gone.presence == arena_pb2.PRESENCE_NOT_CONNECTED
            assert gone.presence_since_ms >= gone.last_seen_ms

    bounded(script)
