"""How bots come in, and who is refused: the right status, with a text that helps."""

import asyncio
from pathlib import Path

import grpc
import pytest

from roost.v1 import arena_pb2, play_pb2
from roost_server.play import stream as play_stream
from roost_server.store import Store, StoreError
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.raw_stream import hello, raw_stream

QUIET = settings(ping_seconds=60.0, max_message_bytes=20_000)


def refused(folder: Path, *messages: bytes) -> tuple[str, str]:
    """Status and text of a stream on which these messages were sent."""
    outcome: list[tuple[str, str]] = []

    async def script() -> None:
        async with hall(folder, QUIET) as place, raw_stream(place.address) as stream:
            for message in messages:
                await stream.send(message)
            status, text = await stream.end()
            outcome.append((status.name, text))

    bounded(script)
    return outcome[0]


@pytest.mark.parametrize(
    ("first", "text"),
    [
        (b"\xff\xff\xff", "these bytes are not a BotMessage"),
        (b"", "the first message of a stream is a hello"),
        (play_pb2.BotMessage(pong=1).SerializeToString(), "the first message of a stream is a hello"),
        (hello(""), "1 to 40 letters"),
        (hello("x" * 41), "1 to 40 letters"),
        (hello("a b"), "1 to 40 letters"),
        (hello("a\n"), "1 to 40 letters"),
        (hello("Hähnchen"), "1 to 40 letters"),
        (hello(version=""), "1 to 80 letters"),
        (hello(version="v" * 81), "1 to 80 letters"),
        (hello(version="v 1"), "1 to 80 letters"),
        (
            hello(games=["karteneck", "chess"]),
            "there is no game 'chess'; the games are: karteneck, bratwurmeck, haecmaec",
        ),
    ],
)
def test_a_bad_hello(tmp_path: Path, first: bytes, text: str) -> None:
    status, details = refused(tmp_path, first)
    assert status == "INVALID_ARGUMENT"
    assert text in details


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (b"\x1a\xff garbage", "these bytes are not a BotMessage"),
        (hello(), "a second hello"),
        (hello("another"), "a second hello"),
    ],
)
def test_a_bad_second_message(tmp_path: Path, second: bytes, text: str) -> None:
    status, details = refused(tmp_path, hello(), second)
    assert status == "INVALID_ARGUMENT"
    assert text in details


def test_a_stream_that_is_refused_while_it_is_welcomed(tmp_path: Path) -> None:
    """The refusal must arrive even if the welcome is still being written."""

    async def visit(address: str, number: int) -> grpc.StatusCode:
        async with raw_stream(address) as stream:
            await stream.send(hello(f"bot{number}"))
            await stream.send(b"\xff")
            return (await stream.end())[0]

    async def script() -> None:
        async with hall(tmp_path, QUIET) as place:
            statuses = await asyncio.gather(*(visit(place.address, number) for number in range(40)))
            assert set(statuses) == {grpc.StatusCode.INVALID_ARGUMENT}

    bounded(script)


def test_a_stream_on_which_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_stream, "HELLO_SECONDS", 0.1)
    status, details = refused(tmp_path)
    assert status == "INVALID_ARGUMENT"
    assert "begins with a hello" in details


def test_a_stream_that_ends_before_it_began(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, QUIET) as place, raw_stream(place.address) as stream:
            await stream.call.done_writing()
            assert (await stream.end())[0] == grpc.StatusCode.INVALID_ARGUMENT

    bounded(script)


@pytest.mark.parametrize("begin", [[], [hello()]])
def test_a_huge_message(tmp_path: Path, begin: list[bytes]) -> None:
    status, details = refused(tmp_path, *begin, bytes(20_001))
    assert status == "RESOURCE_EXHAUSTED"
    assert "send at most 20000 at once" in details


def test_unknown_fields_are_tolerated(tmp_path: Path) -> None:
    async def script() -> None:
        unknown = b"\xfa\x7f\x03new"  # field 2047, three bytes
        async with hall(tmp_path, QUIET) as place, raw_stream(place.address) as stream:
            await stream.send(hello() + unknown)
            message = await stream.read()
            assert message is not None
            assert message.HasField("welcome")
            await stream.send(play_pb2.BotMessage(pong=message.ping).SerializeToString() + unknown)
            await stream.send(play_pb2.BotMessage(leaving=True).SerializeToString() + unknown)
            assert (await stream.end())[0] == grpc.StatusCode.OK

    bounded(script)


def test_a_welcome(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(grace_seconds=12.5, max_matches_per_bot=5)
        async with (
            hall(tmp_path, chosen) as place,
            RawBot(place.address, "few", max_matches=0) as few,
            RawBot(place.address, "many", max_matches=2**32 - 1) as many,
        ):
            assert few.welcome.max_matches == 1
            assert many.welcome.max_matches == 5
            assert many.welcome.grace_ms == 12_500
            assert (few.welcome.version_id, many.welcome.version_id) == (1, 2)
            assert few.welcome.resume_token != many.welcome.resume_token

    bounded(script)


def test_the_same_version_twice(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, QUIET) as place,
            RawBot(place.address, "one"),
            raw_stream(place.address) as second,
        ):
            await second.send(hello("one"))
            status, details = await second.end()
            assert status == grpc.StatusCode.ALREADY_EXISTS
            assert "use another name" in details
            async with RawBot(place.address, "one", version="v2") as other:
                assert other.welcome.version_id == 2

    bounded(script)


@pytest.mark.parametrize(("name", "version", "token"), [("one", "v2", 0), ("two", "v1", 0), ("one", "v1", 1)])
def test_a_resume_token_fits_one_bot_only(tmp_path: Path, name: str, version: str, token: int) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, QUIET) as place,
            RawBot(place.address, "one") as one,
            RawBot(place.address, "two") as two,
        ):
            tokens = (one.welcome.resume_token, two.welcome.resume_token)
            async with raw_stream(place.address) as liar:
                await liar.send(hello(name, version, resume_token=tokens[token]))
                status, details = await liar.end()
                assert status == grpc.StatusCode.PERMISSION_DENIED
                assert "connect without one" in details
            assert not one.playing.done()
            assert not two.playing.done()

    bounded(script)


def test_an_arena_that_shuts_down_takes_nobody(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, QUIET) as place:
            place.arena.entrance.closed = True
            async with raw_stream(place.address) as stream:
                await stream.send(hello())
                status, details = await stream.end()
                assert status == grpc.StatusCode.UNAVAILABLE
                assert "shutting down" in details

    bounded(script)


def test_a_disk_in_trouble_is_worth_another_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> int:
        raise StoreError("the disk is full; free some space")

    monkeypatch.setattr(Store, "register_version", fail)
    status, details = refused(tmp_path, hello())
    assert status == "UNAVAILABLE"
    assert "the disk is full" in details


def test_a_bot_leaves_when_its_matches_are_over(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x", max_matches=3) as x,
            RawBot(place.address, "y") as y,
        ):
            await until(lambda: x.decisions)
            await x.send(leaving=True)
            await x.playing
            assert x.status == grpc.StatusCode.OK
            assert len(x.ended) == len(x.started) > 0
            assert all(ended.result.places for _, ended in x.ended)
            assert [session.name for session in place.arena.lobby.sessions] == ["y"]
            # There is nobody to play with: the arena hears from y, and seats nobody.
            played, pings = len(y.started), y.pings
            await until(lambda: y.pings >= pings + 2)
            assert len(y.started) == played

    bounded(script)


def test_a_bot_that_leaves_plays_the_whole_block(tmp_path: Path) -> None:
    """Otherwise a bot could leave after a good first match, and never sit in the other seats."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=3)) as place,
            HesitantBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=1),
            RawBot(place.address, "z", max_matches=1),
        ):
            await until(lambda: x.decisions)
            await x.send(leaving=True)
            await until(lambda: place.arena.lobby.session_of(x.welcome.version_id).leaving)  # type: ignore[union-attr]
            await x.go_on()
            await x.playing
            assert x.status == grpc.StatusCode.OK
            assert len(x.ended) == 3
            assert {started.seat for started in x.started.values()} == {0, 1, 2}

    bounded(script)


def test_a_bot_that_leaves_does_not_wait_for_one_that_is_gone(tmp_path: Path) -> None:
    """Both have a match before them, and one of them will not come back for it."""

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2, ping_seconds=60.0, grace_seconds=0.3)) as place,
            HesitantBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=1) as y,
        ):
            await until(lambda: x.decisions)
            place.arena._matchmaker.stopped = True
            await x.go_on()
            await until(lambda: x.ended and not place.arena.seating.tables)
            (session,) = [each for each in place.arena.lobby.sessions if each.name == "x"]
            session.promised = 1
            await y.disconnect()
            await until(lambda: not all(each.connected for each in place.arena.lobby.sessions))
            place.arena._matchmaker.stopped = False
            await x.send(leaving=True)
            await x.playing
            assert x.status == grpc.StatusCode.OK
            assert len(x.ended) == 1
            # What was played of the deal is no secret any more.
            await until(lambda: not place.arena.seating._secret)
            await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=x.ended[0][0]))

    bounded(script)


def test_a_bot_without_matches_leaves_at_once(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, QUIET) as place, RawBot(place.address, "x") as x:
            await x.send(leaving=True)
            await x.playing
            assert x.status == grpc.StatusCode.OK

    bounded(script)


def test_a_bot_that_ends_its_side_of_the_stream_is_away(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, QUIET) as place:
            async with raw_stream(place.address) as stream:
                await stream.send(hello("x"))
                assert await stream.read() is not None
                await stream.call.done_writing()
                assert (await stream.end())[0] == grpc.StatusCode.OK
            (session,) = place.arena.lobby.sessions
            assert not session.connected

    bounded(script)
