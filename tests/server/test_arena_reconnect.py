"""Lost connections: coming back with the token, coming back without it, staying away, and not reading."""

from pathlib import Path

import grpc
import pytest

from roost_games.replay import Replay
from roost_server.play import stream as play_stream
from tests.support.arenas.hall import HARD_CLOCK, bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import DeafBot, HesitantBot
from tests.support.arenas.raw_bot import RawBot


def seat_of(replay: Replay, bot: str) -> int:
    return [seat.bot for seat in replay.seats].index(bot)


def test_a_bot_comes_back_to_its_matches_and_open_decisions(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            HesitantBot(place.address, "lost", max_matches=2) as lost,
            RawBot(place.address, "x", max_matches=2),
        ):
            await until(lambda: len(lost.decisions) == 2)
            token, former, asked = lost.welcome.resume_token, lost.started, lost.decisions
            await lost.disconnect()
            await until(lambda: not place.arena.lobby.sessions[0].connected)
            await lost.connect(token)
            assert sorted(lost.welcome.resumed) == [1, 2]
            assert lost.welcome.resume_token == token
            await until(lambda: len(lost.decisions) == 2)
            assert lost.started == former
            for before in asked:
                (now,) = [each for each in lost.decisions if each.match == before.match]
                assert (now.request, now.view, now.legal) == (before.request, before.view, before.legal)
                assert now.time_left_ms <= before.time_left_ms  # the arena's own delay is not counted
            lost.holding = False
            await lost.send(answers=map(lost.honest_answer, lost.decisions))
            played = {started.match_id for started in former.values()}
            for replay in await place.matches(2, lambda replay: replay.match in played):
                assert replay.result.termination == "finished"
                assert replay.result.faults == ()

    bounded(script)


def test_a_bot_that_was_not_ready_yet_is_told_again(tmp_path: Path) -> None:
    class Pensive(RawBot):
        def ready(self, started: object) -> tuple[int, ...]:
            return ()

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            Pensive(place.address, "lost", max_matches=1) as lost,
            RawBot(place.address, "x"),
        ):
            await until(lambda: lost.started)
            await lost.disconnect()
            await lost.connect(lost.welcome.resume_token)
            assert list(lost.welcome.resumed) == [1]
            await until(lambda: lost.started)
            await lost.send(ready=[1])
            replay, *_ = await place.matches(1)
            assert replay.result.faults == ()

    bounded(script)


def test_a_newer_stream_takes_over(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, ping_seconds=60.0)) as place,
            HesitantBot(place.address, "bot", max_matches=1) as stale,
            RawBot(place.address, "x"),
        ):
            await until(lambda: stale.decisions)
            newer = RawBot(place.address, "bot")
            await newer.connect(stale.welcome.resume_token)
            assert list(newer.welcome.resumed) == [1]
            await stale.playing
            assert stale.status == grpc.StatusCode.ABORTED
            assert "its new stream" in stale.details
            (session,) = [each for each in place.arena.lobby.sessions if each.name == "bot"]
            assert session.connected
            (replay, *_) = await place.matches(1)
            assert replay.result.faults == ()
            await newer.disconnect()

    bounded(script)


def test_who_stays_away_forfeits_and_the_others_go_on(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=3, grace_seconds=0.3)) as place,
            HesitantBot(place.address, "lost", max_matches=1) as lost,
            RawBot(place.address, "x"),
            RawBot(place.address, "y") as y,
        ):
            await until(lambda: lost.decisions)
            (match_id,) = [started.match_id for started in lost.started.values()]
            await lost.disconnect()
            (replay, *_) = await place.matches(1, lambda replay: replay.match == match_id)
            assert replay.result.forfeits == (seat_of(replay, "lost"),)
            assert replay.result.places[seat_of(replay, "lost")] == 3
            assert replay.result.termination == "finished"
            await until(lambda: match_id in dict(y.ended))
            assert {session.name for session in place.arena.lobby.sessions} == {"x", "y"}
            with pytest.raises(ConnectionRefusedError) as refused:
                await lost.connect(lost.welcome.resume_token)
            assert refused.value.args[0] == grpc.StatusCode.PERMISSION_DENIED
            await lost.connect()
            assert list(lost.welcome.resumed) == []

    bounded(script)


def test_who_comes_back_without_its_token_has_forgotten_its_matches(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            HesitantBot(place.address, "lost", max_matches=1) as lost,
            RawBot(place.address, "x", max_matches=1),
        ):
            await until(lambda: lost.decisions)
            token, version_id = lost.welcome.resume_token, lost.welcome.version_id
            (match_id,) = [started.match_id for started in lost.started.values()]
            await lost.disconnect()
            await until(lambda: not place.arena.lobby.sessions[0].connected)
            await lost.connect()
            assert lost.welcome.version_id == version_id
            assert lost.welcome.resume_token != token
            assert list(lost.welcome.resumed) == []
            replay, *_ = await place.matches(1)
            assert replay.match == match_id
            assert replay.result.forfeits == (seat_of(replay, "lost"),)
            # It goes on with the next match of the block.
            await until(lambda: lost.decisions)

    bounded(script)


def test_the_clock_runs_on_while_a_bot_is_away(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=2, clock=HARD_CLOCK, max_faults=2, grace_seconds=60.0)
        async with (
            hall(tmp_path, chosen) as place,
            HesitantBot(place.address, "lost", max_matches=1) as lost,
            RawBot(place.address, "x"),
        ):
            await until(lambda: lost.decisions)
            await lost.disconnect()
            replay, *_ = await place.matches(1)
            away = seat_of(replay, "lost")
            assert [(fault.seat, str(fault.kind)) for fault in replay.result.faults] == [(away, "gone")] * 2
            await lost.connect(lost.welcome.resume_token)
            assert list(lost.welcome.resumed) == []

    bounded(script)


def test_a_bot_that_does_not_read_is_late(tmp_path: Path) -> None:
    """What it is asked waits behind what it does not read. The others must not wait with it."""

    async def script() -> None:
        chosen = settings(players=3, clock=HARD_CLOCK, max_faults=1)
        async with (
            hall(tmp_path, chosen) as place,
            DeafBot(place.address, "deaf"),
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
        ):
            for replay in (await place.matches(2))[:2]:
                assert replay.result.forfeits == (seat_of(replay, "deaf"),)
                assert [str(fault.kind) for fault in replay.result.faults] == ["late"]

    bounded(script)


def test_a_bot_that_does_not_read_loses_its_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "STALLED_SECONDS", 0.5)

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, grace_seconds=0.3)) as place,
            DeafBot(place.address, "deaf") as deaf,
            RawBot(place.address, "x"),
        ):
            for replay in await place.matches(2):
                assert replay.result.forfeits == (seat_of(replay, "deaf"),)
            assert [session.name for session in place.arena.lobby.sessions] == ["x"]
            await deaf.read_on()
            assert deaf.status == grpc.StatusCode.ABORTED
            assert "has read nothing" in deaf.details

    bounded(script)
