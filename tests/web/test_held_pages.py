"""What a host holds back is on no page, and in no answer of the JSON API: both are asked in two worlds.

The worlds differ only in what is held back. The routes are those of the application, so that a new one needs a decision
here.
"""

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Route

from roost_server.competition import staging
from roost_server.serving.records import records_served
from roost_web.app import ROUTERS, create_app
from roost_web.settings import PageSettings
from tests.support.records.held_worlds import World, two_worlds

FILTERS = ("", "?competition=cup", "?competition=cup&phase=ladder", "?competition=cup&phase=finals", "?everything=1")
SEARCHES = (
    *FILTERS,
    "?bot=anna",
    "?bot=anna&opponent=bert",
    "?bot=anna&outcome=won",
    "?players=2",
    "?limit=3",
)
API = "/api/v1"


def with_filters(path: str, filters: Sequence[str] = FILTERS) -> Callable[[World], list[str]]:
    return lambda _: [f"{path}{each}" for each in filters]


def of_match(path: str) -> Callable[[World], list[str]]:
    return lambda world: [path.format(id=match) for match in world.finals[:2]]


ASKED: dict[str, Callable[[World], list[str]]] = {
    "/": with_filters("/", [""]),
    "/stage": with_filters("/stage", [""]),
    "/watch": with_filters("/watch", [""]),
    "/health": with_filters("/health", [""]),
    "/standings": with_filters("/standings"),
    "/standings/cross": with_filters("/standings/cross"),
    "/pair": with_filters("/pair?bot=anna&opponent=bert", ["", "&competition=cup", "&competition=cup&phase=finals"]),
    "/bots": with_filters("/bots", [""]),
    "/bots/": with_filters("/bots/?name=anna", ["", "&competition=cup&phase=finals"]),
    "/bots/{name}": lambda _: [f"/bots/{name}{each}" for name in ("anna", "bert") for each in FILTERS],
    "/matches": with_filters("/matches", [*SEARCHES, "?bot=anna&faults=1", "?since=2020-01-01"]),
    "/matches.jsonl": with_filters("/matches.jsonl", SEARCHES),
    "/matches/{match_id}": of_match("/matches/{id}"),
    "/matches/{match_id}/frames": of_match("/matches/{id}/frames"),
    "/matches/{match_id}/replay": of_match("/matches/{id}/replay"),
    "/matches/{match_id}/live": of_match("/matches/{id}/live"),
    "/embed/{match_id}": of_match("/embed/{id}"),
    "/competitions": with_filters("/competitions", [""]),
    "/competitions/": with_filters("/competitions/", ["?name=cup"]),
    "/competitions/export.zip": with_filters("/competitions/export.zip", ["?name=cup"]),
    "/competitions/{name}": with_filters("/competitions/cup", [""]),
    "/competitions/{name}/export.zip": with_filters("/competitions/cup/export.zip", [""]),
    f"{API}/arena": with_filters(f"{API}/arena", [""]),
    f"{API}/standings": with_filters(f"{API}/standings"),
    f"{API}/cross-table": with_filters(f"{API}/cross-table"),
    f"{API}/rating-history": with_filters(f"{API}/rating-history", FILTERS[:4]),
    f"{API}/bots": with_filters(f"{API}/bots", [""]),
    f"{API}/bots/{{bot}}": lambda _: [f"{API}/bots/{name}{each}" for name in ("anna", "bert") for each in FILTERS[:4]],
    f"{API}/matches": with_filters(f"{API}/matches", SEARCHES),
    f"{API}/running": with_filters(f"{API}/running", FILTERS[:4]),
    f"{API}/matches/{{match_id}}": of_match(f"{API}/matches/{{id}}"),
    f"{API}/matches/{{match_id}}/frames": of_match(f"{API}/matches/{{id}}/frames"),
    f"{API}/matches/{{match_id}}/replay": of_match(f"{API}/matches/{{id}}/replay"),
    f"{API}/competitions": with_filters(f"{API}/competitions", [""]),
    f"{API}/competitions/{{competition}}": with_filters(f"{API}/competitions/cup", [""]),
}
"""What a visitor asks, by route. A route that is not here, nor below, has no decision yet."""
OF_NO_MATCH = {
    "/rules",
    "/rules/{name}",
    "/docs",
    "/docs/{name:path}",
    "/not-here",
    "/open",
    "/frames",
    "/api",
    API,
    f"{API}/openapi.json",
    "/static/{digest}/{name:path}",
    "/favicon.ico",
    "/robots.txt",
}
"""These routes ask the arena for nothing."""
TELL_LITTLE = {
    "/competitions",
    f"{API}/competitions",
    "/health",
    "/watch",
    "/stage",
    "/embed/{match_id}",
    f"{API}/arena",
    f"{API}/running",
}
"""Routes that tell at most how much is played and who won, or leave the rest to the viewer: worlds may look alike."""
Told = dict[str, list[tuple[int, object]]]
TIMES = re.compile(r"<time [^>]*>[^<]*</time>|\d{1,2} \w{3} \d{4}, \d\d:\d\d UTC")
SEALS = re.compile(r"<code>[0-9a-f]{64}</code>")
OF_THE_CLOCK = {"now_ms", "begins_ms", "ends_ms", "seal"}
"""What differs in JSON because the worlds were played at other times, and what a commitment has to be: different."""


def paths_of(app: FastAPI) -> set[str]:
    routes = [*app.routes, *(route for router in ROUTERS for route in router.routes)]
    return {route.path for route in routes if isinstance(route, Route)}


def test_every_route_has_a_decision() -> None:
    assert paths_of(create_app(PageSettings("127.0.0.1:1"))) == ASKED.keys() | OF_NO_MATCH


async def told(world: World) -> Told:
    """What a visitor of the page is told, by route."""
    async with records_served(world.store) as address:
        app = create_app(PageSettings(address))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://page") as visitor:
            answers = {
                route: [plain(await visitor.get(url), world) for url in urls(world)] for route, urls in ASKED.items()
            }
        await app.state.site.close()
    return answers


def plain(response: httpx.Response, world: World) -> tuple[int, object]:
    """Status and answer, without what differs for other reasons."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    if kind == "application/zip":
        return response.status_code, files_in(response.content)
    text = response.text
    for match in world.finals:
        text = text.replace(match, "MATCH").replace(match[-6:], "MATCH")
    if kind == "application/json":
        return response.status_code, timeless(json.loads(text))
    return response.status_code, SEALS.sub("SEAL", TIMES.sub("TIME", text))


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in OF_THE_CLOCK}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def files_in(data: bytes) -> dict[str, object]:
    """The files of an export, without hashes and seals, and of phases without their times."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        files: dict[str, object] = {Path(name).name: packed.read(name).decode() for name in packed.namelist()}
    competition = json.loads(str(files["competition.json"]))
    competition["phases"] = [[name, actor] for name, _, actor in competition["phases"]]
    del files["manifest.json"], files["seals.jsonl"]
    return files | {"competition.json": competition}


async def told_before_and_after(world: World) -> tuple[Told, Told]:
    """What a visitor is told while results are held back, and after their release."""
    before = await told(world)
    staging.release(world.store, "cup", "", "host", everything=True)
    return before, await told(world)


@pytest.mark.long
@pytest.mark.parametrize(
    ("schedule", "results", "rounds", "over"),
    [
        ("knockout", '"rounds"', 1, False),
        ("swiss", '"held"', None, True),
    ],
)
def test_no_page_depends_on_what_is_held_back(
    schedule: str, results: str, rounds: int | None, over: bool, tmp_path: Path
) -> None:
    worlds = two_worlds(tmp_path, schedule, results, rounds, over=over)
    (one, one_after), (two, two_after) = (asyncio.run(told_before_and_after(world)) for world in worlds)
    for route in ASKED:
        assert one[route] == two[route], route
    alike = {route for route in ASKED if one_after[route] == two_after[route]}
    assert alike <= TELL_LITTLE, "after the release everything else shows how the worlds differ"
    statuses = {status for route, answers in one.items() if "{match_id}" in route for status, _ in answers}
    assert statuses == {409}, "a match that is held back is there, and not shown"
    others = {route: status for route, answers in one.items() if "{match_id}" not in route for status, _ in answers}
    assert set(others.values()) == {200}, others
