"""Bots with coroutines, and bots that see every move, in local play: as at an arena, without one."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from roost_games.chance import seed_of
from roost_games.referee import Fault, Played
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Result
from roost_games.verify import verify
from roost_sdk import Bot, LoadedBot, LocalMatch, Trouble

SEED = seed_of("local coroutines")


class Plain(Bot):
    """Any legal move."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return self.rng.choice(legal)


class Waiting(Bot):
    """The same, and it waits in between."""

    async def start(self) -> None:
        await asyncio.sleep(0)
        self.loop = asyncio.get_running_loop()

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is self.loop, "one event loop for the whole match"
        return self.rng.choice(legal)


def match_of(*bots: type[Bot], game: str = "bratwurmeck", **settings: Any) -> tuple[LocalMatch, list[Trouble]]:
    troubles: list[Trouble] = []
    seats = [LoadedBot(bot.__name__, bot) for bot in bots]
    return LocalMatch(get_game(game), seats, SEED, tell=troubles.append, **settings), troubles


@pytest.mark.parametrize("game", GAME_NAMES)
def test_coroutines_play_as_plain_methods_do(game: str) -> None:
    records = []
    for bot in (Plain, Waiting):
        match, troubles = match_of(bot, bot, Plain, game=game)
        match.play()
        replay = match.referee.replay()
        assert verify(replay) is None
        assert troubles == []
        records.append([step._replace(ms=None) for step in replay.steps if isinstance(step, Decision)])
    assert records[0] == records[1]


def test_a_coroutine_that_raises_is_a_crash_of_its_bot() -> None:
    class Fragile(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            await asyncio.sleep(0)
            raise ValueError("no idea")

        async def end(self, result: Result) -> None:
            raise ValueError("too sad")

    match, troubles = match_of(Fragile, Plain)
    result = match.play()
    assert {(fault.seat, fault.kind) for fault in result.faults} == {(0, Fault.CRASHED)}
    assert [trouble.what for trouble in troubles] == [
        *["crashed: ValueError: no idea"] * 3,
        "crashed in end(), which changes nothing about the match: ValueError: too sad",
    ]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_bot_sees_every_move_of_every_seat(game: str) -> None:
    seen: dict[int, list[tuple[int, Any]]] = {0: [], 2: []}

    class Watching(Plain):
        def seen(self, seat: int, move: Any) -> None:
            seen[self.seat].append((seat, move))

    class WatchingLater(Plain):
        async def seen(self, seat: int, move: Any) -> None:
            await asyncio.sleep(0)
            seen[self.seat].append((seat, move))

    heard: list[object] = []
    match, troubles = match_of(Watching, Plain, WatchingLater, game=game, listener=heard.append)
    match.play()
    played = [(notice.seat, notice.move) for notice in heard if isinstance(notice, Played)]
    assert len(played) > 10
    assert seen == {0: played, 2: played}
    assert troubles == []


def test_a_crash_in_seen_is_told_and_changes_nothing() -> None:
    class Squeamish(Plain):
        def seen(self, seat: int, move: Any) -> None:
            raise ValueError("do not look")

    watched, troubles = match_of(Squeamish, Plain)
    unwatched, _ = match_of(Plain, Plain)
    assert watched.play() == unwatched.play()
    assert {trouble.what for trouble in troubles} == {
        "crashed in seen(), which changes nothing about the match: ValueError: do not look"
    }
