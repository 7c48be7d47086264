"""The frames of a match that is watched at a real arena are those that its record gives later."""

from pathlib import Path
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_games.registry import GAME_NAMES
from roost_sdk.viewing.frames import SPECTATOR, Recorded
from roost_sdk.viewing.live import LiveMatch
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_watched_match_has_the_frames_of_its_record(game: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(game, 3)) as place:
            x = HesitantBot(place.address, "x", max_matches=1)
            async with x, RawBot(place.address, "y"), RawBot(place.address, "z"):
                await until(lambda: x.decisions)
                match_id = x.started[1].match_id
                request = arena_pb2.WatchMatchRequest(match_id=match_id, from_beginning=True)
                watching = aiter(place.stub.WatchMatch(request))
                live = LiveMatch()
                live.hear(await anext(watching))
                await x.go_on()
                async for update in watching:
                    live.hear(update)
                [replay] = await place.matches(1, lambda replay: replay.match == match_id)
                seen: Any = live.document()
                recorded: Any = Recorded(replay).document(SPECTATOR)
                assert seen["result"] == recorded["result"]
                assert seen["commitment"] == recorded["commitment"]
                assert [frame["view"] for frame in seen["frames"]] == [frame["view"] for frame in recorded["frames"]]
                assert [frame["step"] for frame in seen["frames"]] == [frame["step"] for frame in recorded["frames"]]

    bounded(script)
