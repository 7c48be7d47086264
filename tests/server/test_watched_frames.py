"""The frames of a match that is watched at a real arena are those that its record gives later."""

from pathlib import Path
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_games.registry import GAME_NAMES
from roost_sdk.viewing.frames import SPECTATOR, Recorded
from roost_sdk.viewing.live import LiveMatch
from tests.support.arenas.hall import bounded
from tests.support.arenas.waiting_match import waiting_match


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_watched_match_has_the_frames_of_its_record(game: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with waiting_match(tmp_path, 3, game) as match:
            request = arena_pb2.WatchMatchRequest(match_id=match.match_id, from_beginning=True)
            watching = aiter(match.place.stub.WatchMatch(request))
            live = LiveMatch()
            live.hear(await anext(watching))
            await match.x.go_on()
            async for update in watching:
                live.hear(update)
            [replay] = await match.place.matches(1, lambda replay: replay.match == match.match_id)
            seen: Any = live.document()
            recorded: Any = Recorded(replay).document(SPECTATOR)
            assert seen["result"] == recorded["result"]
            assert seen["commitment"] == recorded["commitment"]
            assert [frame["view"] for frame in seen["frames"]] == [frame["view"] for frame in recorded["frames"]]
            assert [frame["step"] for frame in seen["frames"]] == [frame["step"] for frame in recorded["frames"]]

    bounded(script)
