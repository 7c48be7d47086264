"""Matches in the viewer: recorded ones, running ones for many viewers, and files of visitors."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_games.registry import get_game
from roost_web.errors import TooManyError
from roost_web.frames import FILES_A_MINUTE, MOST_BYTES, FileRate
from roost_web.live import Broadcasts
from tests.support.games.spectated import Update, watched
from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.pages.visitor import Visitor, visiting

LIVE = "match-999"
RECORDED = "match-7"


def spectated(game: str = "karteneck") -> tuple[list[Update], str]:
    """What spectators of a match are told, and its record."""
    variant, players = next(iter(get_game(game).tables()))
    updates, referee = watched(game, variant, players, f"{game} of the page")
    return updates, referee.replay().to_line()


@pytest.fixture
def fake() -> FakeArena:
    fake = FakeArena()
    updates, fake.replay = spectated()
    fake.watched = lambda: updates
    return fake


@pytest.fixture
def visitor(fake: FakeArena) -> Iterator[Visitor]:
    with serving(fake) as address, visiting(address) as visitor:
        yield visitor


def events_of(text: str) -> list[Any]:
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


def test_a_recorded_match_opens_in_the_viewer(visitor: Visitor) -> None:
    page = visitor.get(f"/matches/{RECORDED}").text
    assert f'src="/matches/{RECORDED}/frames?eye={{eye}}"' in page
    document = visitor.get(f"/matches/{RECORDED}/frames?eye=open").json()
    assert document["format"] == "roost-frames/1"
    assert document["eyes"] == ["open", "spectator", 0, 1]
    spectators = visitor.get(f"/matches/{RECORDED}/frames?eye=spectator").json()
    assert all(hand is None for frame in spectators["frames"] for hand in frame["view"]["hands"])


def test_a_match_is_played_back_once_for_all_eyes(fake: FakeArena, visitor: Visitor) -> None:
    for eye in ("open", "spectator", "0", "1", "open"):
        assert visitor.get(f"/matches/{RECORDED}/frames?eye={eye}").status_code == 200
    assert fake.asked["GetReplay"] == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/matches/nothing", 404),
        ("/matches/nothing/frames", 404),
        ("/matches/nothing/live", 404),
        ("/matches/nothing/replay", 404),
        ("/embed/nothing", 404),
        (f"/matches/{RECORDED}/frames?eye=7", 404),
        (f"/matches/{RECORDED}/frames?eye=third", 404),
    ],
)
def test_what_is_not_there_is_said_to_be_missing(visitor: Visitor, path: str, status: int) -> None:
    assert visitor.get(path).status_code == status


def test_a_match_whose_deal_is_still_played_is_not_shown(fake: FakeArena, visitor: Visitor) -> None:
    fake.replay_ready = False
    assert "cannot be shown yet" in visitor.get(f"/matches/{RECORDED}").text
    response = visitor.get(f"/matches/{RECORDED}/frames")
    assert response.status_code == 409
    assert "still being played" in response.json()["error"]
    assert visitor.get(f"/matches/{RECORDED}/live").status_code == 204


def test_a_running_match_is_sent_piece_by_piece(visitor: Visitor) -> None:
    assert f'live="/matches/{LIVE}/live"' in visitor.get(f"/matches/{LIVE}").text
    response = visitor.get(f"/matches/{LIVE}/live")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store"
    events = events_of(response.text)
    assert events[0]["eye"] == "spectator"
    assert events[-1]["result"]["termination"] == "finished"


def test_who_comes_too_late_is_told_everything_and_the_result(visitor: Visitor) -> None:
    document, ending = events_of(visitor.get(f"/matches/{RECORDED}/live").text)
    assert document["eye"] == "spectator"
    assert ending == {"result": document["result"]}


class HeldArena:
    """A client whose running match goes on when it is told to."""

    def __init__(self, updates: list[Update]) -> None:
        self.streams = 0
        self._updates = updates
        self.told = 3
        self.more = asyncio.Event()

    async def watch(self, match_id: str) -> AsyncIterator[arena_pb2.WatchMatchResponse]:
        self.streams += 1
        for update in self._updates[: self.told]:
            yield update
        await self.more.wait()
        for update in self._updates[self.told :]:
            yield update


def frames_seen(events: list[Any]) -> list[int]:
    """The steps that a viewer has, first those of the document."""
    document, *pieces = events
    return [frame["step"] for frame in document["frames"]] + [piece["step"] for piece in pieces if "step" in piece]


def test_500_viewers_share_one_stream_and_miss_nothing() -> None:
    updates, _ = spectated()

    async def view(broadcasts: Broadcasts, arrived: list[int]) -> bytes:
        text = b""
        async for piece in broadcasts.watch(LIVE):
            text += piece
            if text.count(b"data: ") == 1:
                arrived.append(1)
        return text

    async def many() -> tuple[int, set[bytes], int]:
        arena = HeldArena(updates)
        broadcasts = Broadcasts(arena)  # type: ignore[arg-type]
        arrived: list[int] = []
        viewers = [asyncio.create_task(view(broadcasts, arrived)) for _ in range(500)]
        while len(arrived) < 500:
            await asyncio.sleep(0.01)
        arena.more.set()
        seen = await asyncio.gather(*viewers)
        return arena.streams, set(seen), broadcasts.matches

    streams, seen, left = asyncio.run(many())
    assert streams == 1
    assert left == 0
    told = [events_of(text.decode()) for text in seen]
    steps = frames_seen(told[0])
    assert steps == sorted(set(steps))
    assert all(frames_seen(events) == steps for events in told)
    assert all("result" in events[-1] for events in told)


def test_when_nobody_watches_the_arena_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_web.live.LINGER_SECONDS", 0.01)
    updates, _ = spectated()

    async def one() -> int:
        broadcasts = Broadcasts(HeldArena(updates))  # type: ignore[arg-type]
        events = broadcasts.watch(LIVE)
        await anext(events)
        await events.aclose()  # type: ignore[attr-defined]
        while broadcasts.matches:
            await asyncio.sleep(0.01)
        return broadcasts.matches

    assert asyncio.run(asyncio.wait_for(one(), 20)) == 0


def test_a_reader_who_is_far_behind_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_web.live.FAR_BEHIND", 1000)
    updates, _ = spectated()

    async def slow() -> bytes:
        arena = HeldArena(updates)
        broadcasts = Broadcasts(arena)  # type: ignore[arg-type]
        text = b""
        async for piece in broadcasts.watch(LIVE):
            text += piece
            if b"data: " in piece:
                arena.more.set()
                while broadcasts.matches:
                    await asyncio.sleep(0.01)
        return text

    assert b'"termination"' not in asyncio.run(asyncio.wait_for(slow(), 20))


def test_an_embedded_match_may_be_shown_in_other_pages(visitor: Visitor) -> None:
    response = visitor.get(f"/embed/{RECORDED}")
    assert "frame-ancestors *" in response.headers["content-security-policy"]
    assert "<roost-match embed" in response.text
    assert f'link="/matches/{RECORDED}"' in response.text


def test_a_file_is_played_back_and_not_kept(fake: FakeArena, visitor: Visitor) -> None:
    made = visitor.ask("POST", "/frames", content=f"{fake.replay}\n{fake.replay}\n").json()
    assert made["matches"] == 2
    assert list(made["documents"]) == ["open", "spectator", "0", "1"]
    assert not fake.asked["GetReplay"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"not a replay", 400),
        (b"\xff\xfe", 400),
        (b'{"format": "roost-replay/9"}', 400),
        (b"[" * 100_000, 400),
        (b" " * (MOST_BYTES + 1), 413),
    ],
)
def test_files_that_are_not_replays_are_refused_in_words(visitor: Visitor, content: bytes, status: int) -> None:
    response = visitor.ask("POST", "/frames", content=content)
    assert response.status_code == status
    assert response.json()["error"].endswith(".")


def test_nobody_may_have_too_many_files_played_back() -> None:
    rate = FileRate()
    for _ in range(FILES_A_MINUTE):
        rate.check("anna")
    with pytest.raises(TooManyError):
        rate.check("anna")
    rate.check("ben")


def test_a_stream_of_a_browser_that_wants_headers_only_ends(fake: FakeArena, visitor: Visitor) -> None:
    over = threading.Event()

    def endless() -> Iterator[Update]:
        yield from spectated()[0][:3]
        over.wait(20)

    fake.watched = endless
    try:
        assert visitor.ask("HEAD", f"/matches/{LIVE}/live").status_code == 200
    finally:
        over.set()
