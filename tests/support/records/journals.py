"""Matches that a bot plays over the wire and keeps, and an arena that has the record of one."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from roost_bots import SAMPLES
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_sdk import Bot, Client
from roost_sdk.arena.journal import Journal
from roost_sdk.arena.kept import KeptMatch, read_kept
from roost_sdk.arena.reader import Reader
from roost_sdk.testing import ScriptedLink, ScriptedMatch, _host


def play_kept(bot_class: type[Bot], game: str, folder: Path, players: int = 2, **options: Any) -> Replay:
    """A match over the wire in which the bot has every seat, and is kept."""
    match = ScriptedMatch(game, players, options=get_game(game).options(options))

    async def play() -> None:
        with Journal(folder) as journal:
            link = ScriptedLink()
            client = Client(bot_class, name="kept", version="v7", max_matches=players, journal=journal)
            await asyncio.gather(client.run(link.open), _host(client, link, match))

    asyncio.run(play())
    return match.referee.replay()


class OneMatch(Reader):
    """An arena that knows one record."""

    def __init__(self, replay: Replay) -> None:
        self.line = replay.to_line()

    def ask(self, request: Any) -> Any:
        raise AssertionError(request)

    def export(self, competition: str, folder: Path, phase: str = "", *, most_bytes: int | None = None) -> list[Path]:
        raise AssertionError

    def replay(self, match_id: str) -> str:
        return self.line


def kept_of(folder: Path, game: str = "karteneck", bot: str = "random") -> tuple[Replay, KeptMatch]:
    """A match that was played and kept, as seat 1."""
    played = play_kept(SAMPLES[bot], game, folder)
    (kept,) = [each for each in map(read_kept, folder.glob("*.jsonl")) if each.about.seat == 1]
    return replace(played, match=kept.about.match), kept
