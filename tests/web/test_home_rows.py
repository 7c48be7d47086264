"""Which running match is worth a look: one that can be followed, then the one between the strongest."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from roost_web.rows import home

NOW_MS = 1_000_000


def running(match_id: str, lasts_ms: int, *bots: str) -> SimpleNamespace:
    seats = [SimpleNamespace(version_id=None, bot=bot) for bot in bots]
    return SimpleNamespace(match_id=match_id, started_ms=NOW_MS - lasts_ms, seats=seats)


def test_a_match_that_can_be_followed_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = {"strong": 1700.0, "fair": 1500.0, "weak": 1300.0}
    rated: Any = SimpleNamespace(
        rows=[SimpleNamespace(version_id=n, bot=bot, rating=each) for n, (bot, each) in enumerate(ratings.items(), 1)]
    )
    matches = [
        running("quick", 100, "strong", "fair"),
        running("weak", 60_000, "fair", "weak"),
        running("slow", 5_000, "strong", "weak"),
        running("large", 5_000, "fair", "fair", "fair"),
    ]

    async def all_of_them(*_: object) -> SimpleNamespace:
        return SimpleNamespace(rows=matches)

    async def arena() -> SimpleNamespace:
        return SimpleNamespace(running_matches=len(matches), now_ms=NOW_MS)

    monkeypatch.setattr(home, "running_matches", all_of_them)
    client: Any = SimpleNamespace(arena=arena)
    found = asyncio.run(home.best_running(client, rated))
    assert [match.match_id for match in found] == ["large", "slow", "weak", "quick"]
