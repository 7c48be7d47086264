"""Metrics as a monitoring system gets them, and docs/hosting/operations.md, which explains every one."""

import asyncio
import re
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_server.metrics import Metrics
from tests.support.arenas.foreign_bots import UNHURRIED
from tests.support.arenas.hall import bounded, hall, refusal, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.cups import cup
from tests.support.ports import free_port
from tests.support.records.matches import counted

PAGE = (Path(__file__).parents[2] / "docs/hosting/operations.md").read_text(encoding="utf-8")
CUP = cup("registration", "ladder", "done")


def scrape(address: str) -> dict[str, dict[tuple[str, ...], float]]:
    """By metric and the values of its labels."""
    with urlopen(f"http://{address}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_what_is_counted(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"

    async def script() -> None:
        async with (
            hall(tmp_path, settings(), metrics=address) as place,
            RawBot(place.address, "x") as x,
            RawBot(place.address, "y") as y,
        ):
            await until(lambda: len(x.ended) >= 4)
            await refusal(place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id="none")))
            for bot in (x, y):
                await bot.send(leaving=True)
            await asyncio.wait([x.playing, y.playing])
            await until(lambda: not place.arena.seating.tables)
            seen = await asyncio.to_thread(scrape, address)
            recorded = counted(place.store)
            assert seen["roost_matches_total"] == {("karteneck", "finished"): len(recorded)}
            assert seen["roost_decisions_total"][("karteneck",)] > 10 * len(recorded)
            assert seen["roost_commit_seconds_count"][()] == len(recorded)
            assert seen["roost_refused_calls_total"] == {("GetReplay", "NOT_FOUND"): 1}
            assert seen["roost_connected_bots"][()] == 0
            assert seen["roost_running_matches"][()] == 0
            assert seen["roost_database_bytes"][()] > 10_000

    bounded(script)


def test_how_many_matches_a_bot_is_given_and_why(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"

    async def script() -> None:
        async with (
            hall(tmp_path, settings(clock=UNHURRIED), metrics=address) as place,
            RawBot(place.address, "x", max_matches=8),
            RawBot(place.address, "y", max_matches=8),
            HesitantBot(place.address, "z", max_matches=1),
        ):
            places = {session.name: session.places for session in place.arena.lobby.sessions}
            await until(lambda: places["x"].width.is_measured and places["y"].width.is_measured)
            seen = await asyncio.to_thread(scrape, address)
            assert seen["roost_bot_matches_at_once"].keys() == {("x",), ("y",), ("z",)}
            assert seen["roost_bot_decision_seconds"].keys() == {("x",), ("y",)}
            places["z"].width.note_answer(3.0, 1000.0)
            places["z"].width.look(playing=1)
            seen = await asyncio.to_thread(scrape, address)
            assert seen["roost_bot_decision_seconds"][("z",)] == 0.003

    bounded(script)


def test_every_metric_is_explained_and_nothing_else(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    names: set[str] = set()

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP, metrics=address) as place:
            place.arena.metrics.call_refused("x", "y")
            seen = await asyncio.to_thread(scrape, address)
            assert seen["roost_competition_phase"] == {("cup", "registration"): 1}
            with urlopen(f"http://{address}/metrics", timeout=30) as answer:
                names.update(family.name for family in text_string_to_metric_families(answer.read().decode()))

    bounded(script)
    explained = {name.removesuffix("_total") for name in re.findall(r"^\| `(roost_\w+)` \|", PAGE, re.MULTILINE)}
    assert {name for name in names if not name.endswith("_created")} == explained


@pytest.mark.parametrize("address", ["9464", "127.0.0.1:", "127.0.0.1:99999", "192.0.2.1:9464"])
def test_where_metrics_cannot_be_served(address: str) -> None:
    with pytest.raises(UsageError, match="metrics"):
        Metrics().serve(address)
