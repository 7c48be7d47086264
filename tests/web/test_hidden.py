"""What a spectator's browser receives while matches are played: every byte of it, searched for what is hidden."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from roost_games.playback import Playback
from roost_games.referee import Played
from roost_games.registry import get_game
from roost_games.replay import Decision, Replay
from roost_sdk.arena.credentials import Credentials
from roost_sdk.plain import plain_view
from roost_sdk.viewing.frames import Recorded
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.settings import Rules
from roost_server.store import Store
from roost_web.app import create_app
from roost_web.settings import PageSettings
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot

TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "karteneck": ("karteneck", {}),
    "bratwurmeck": ("bratwurmeck", {"tiles": [[value, 1] for value in range(21, 26)]}),
    "haecmaec": ("haecmaec", {}),
    "slap": ("haecmaec", {"slap": True}),
}
CARD = re.compile(r"\bW\d+\b|\b(?:patty|cheese|tomato|lettuce|onion)-\d\b")
"""Cards that can be told from other words. There are no two of Karteneck's worm cards."""
PLAYERS = 3
PAGES = (
    "/",
    "/stage",
    "/watch",
    "/bots",
    "/matches",
    "/standings",
    "/bots/x",
    "/matches/{id}",
    "/matches/{id}/replay",
    "/matches/{id}/frames?eye=open",
    "/matches/{id}/frames?eye=0",
    "/embed/{id}",
    "/api/v1/matches",
    "/api/v1/matches/{id}",
    "/api/v1/bots",
)


class Received:
    """An application, and every byte that it sends to browsers, by the path that was asked for.

    Only the header ETag is left out: a digest of the page, in which any letters may follow each other.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self.bytes: dict[str, bytes] = {}

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        async def sent(message: Any) -> None:
            headers = b"".join(b"%s: %s\n" % header for header in message.get("headers", ()) if header[0] != b"etag")
            self.bytes[scope["path"]] = self.bytes.get(scope["path"], b"") + headers + message.get("body", b"")
            await send(message)

        await self._app(scope, receive, sent)


def events(received: Mapping[str, bytes]) -> list[Any]:
    """The pieces of the live match, each as its browser got it."""
    [stream] = [sent for path, sent in received.items() if path.endswith("/live")]
    return [json.loads(line.removeprefix(b"data: ")) for line in stream.splitlines() if line.startswith(b"data: ")]


def frames(pieces: list[Any]) -> list[Any]:
    """The frames of the document and those after it."""
    return [*pieces[0]["frames"], *(piece for piece in pieces[1:] if "step" in piece)]


def public_views(replay: Replay) -> list[Any]:
    """By the number of decisions, the table as the rules show it to everybody."""
    playback = Playback(replay)
    views = [plain_view(playback.view(None))]
    playback.play(lambda heard: views.append(plain_view(playback.view(None))) if isinstance(heard, Played) else None)
    return [json.loads(json.dumps(view)) for view in views]


def public_cards(replay: Replay) -> list[set[str]]:
    """By the number of decisions, the cards that everybody has seen: on the table, or in a move that was made."""
    moves = [json.dumps(dict(step.move)) for step in replay.steps if isinstance(step, Decision)]
    known: set[str] = set()
    found = []
    for view, move in zip(public_views(replay), ["", *moves], strict=True):
        known = known | set(CARD.findall(json.dumps(view))) | set(CARD.findall(move))
        found.append(known)
    return found


def leaks(received: Mapping[str, bytes], replay: Replay, halted: int, secrets: list[str]) -> Iterator[str]:
    """What was sent and should not have been. While pages were read, the match stood still after `halted` decisions."""
    known, views = public_cards(replay), public_views(replay)
    for path, sent in received.items():
        yield from (f"{path}: secret" for secret in [*secrets, str(replay.seed)] if secret.encode() in sent)
        if not path.endswith("/live"):
            early = set(CARD.findall(sent.decode(errors="replace"))) - known[halted]
            yield from (f"{path}: {card}" for card in early)
    for frame in frames(events(received)):
        step, view = frame["step"], dict(frame["view"])
        yield from (f"step {step}: {card}" for card in set(CARD.findall(json.dumps(frame))) - known[step])
        for private in ("hands", "answers"):
            yield from (f"step {step}: {private}" for shown in view.pop(private, ()) if shown is not None)
        yield from (f"step {step}: {field}" for field, value in view.items() if value != views[step].get(field))


def people(store: Store) -> tuple[str, list[str]]:
    """An admin's key, and the keys of the bots x, y and z."""
    owners.add_owner(store, "Ann", "test")
    for bot in "xyz":
        owners.add_bot(store, "Ann", bot, "test")
    return keys.make_key(store, Scope.ADMIN, "test"), [
        keys.make_key(store, Scope.BOT, "test", bot=bot) for bot in "xyz"
    ]


def watched_by_a_browser(table: str, folder: Path) -> tuple[dict[str, bytes], Replay, int, list[str]]:
    """What was received during a match, its record, when it stood still, and the keys that were in use."""
    game, options = TABLES[table]
    rules = Rules(game, PLAYERS, get_game(game).options(options))
    found: list[Any] = []

    async def script() -> None:
        async with hall(folder, settings(tables=(rules,))) as place:
            admin, (key, *others) = people(place.store)
            received = Received(create_app(PageSettings(place.address, Credentials(admin))))
            transport = httpx.ASGITransport(received)
            x = HesitantBot(place.address, "x", key=key, max_matches=1)
            y, z = (RawBot(place.address, bot, key=given) for bot, given in zip("yz", others, strict=True))
            plain = {"Accept-Encoding": "identity"}  # in compressed bytes nothing would be found
            client = httpx.AsyncClient(transport=transport, base_url="http://page", headers=plain)
            async with client as browser, x, y, z:
                await until(lambda: x.decisions)
                started = x.started[1]
                for page in PAGES:
                    await browser.get(page.format(id=started.match_id))
                live = f"/matches/{started.match_id}/live"
                watching = asyncio.create_task(browser.get(live))
                await until(lambda: b"data: " in received.bytes.get(live, b""))
                await x.go_on()
                await watching
                during = dict(received.bytes)
                [replay] = await place.matches(1, lambda replay: replay.match == started.match_id)
                found.extend((during, replay, first_decision(replay, started.seat), [admin, key, *others]))
            await received._app.state.site.close()

    bounded(script)
    during, replay, halted, secrets = found
    return during, replay, halted, secrets


def first_decision(replay: Replay, seat: int) -> int:
    """How many decisions were made before the first of `seat`."""
    decisions = [step for step in replay.steps if isinstance(step, Decision)]
    return next(number for number, step in enumerate(decisions) if step.seat == seat)


@pytest.mark.short(2)
@pytest.mark.parametrize("table", TABLES)
def test_a_browser_receives_nothing_that_is_hidden(table: str, tmp_path: Path) -> None:
    received, replay, halted, secrets = watched_by_a_browser(table, tmp_path)
    assert set(received) == {page.format(id=replay.match).split("?")[0] for page in PAGES} | {
        f"/matches/{replay.match}/live"
    }
    told = frames(events(received))
    assert not any(b"content-encoding" in sent for sent in received.values())
    assert [frame["step"] for frame in told] == [frame["step"] for frame in frames_on_record(replay)]
    assert list(leaks(received, replay, halted, secrets)) == []
    if table != "bratwurmeck":
        check_that_leaks_are_found(received, replay, halted, secrets)


def frames_on_record(replay: Replay, eye: Any = "spectator") -> list[Any]:
    found: Any = Recorded(replay).document(eye)["frames"]
    return list(found)


def check_that_leaks_are_found(received: dict[str, bytes], replay: Replay, halted: int, secrets: list[str]) -> None:
    """The search is able to fail: with a seat's frame in the stream, unseen cards in a page, and a key in a header."""
    [live] = [path for path in received if path.endswith("/live")]
    seats = frames_on_record(replay, 0)[1]
    assert seats["view"]["hands"][0]
    stream = received[live] + b"\n\ndata: " + json.dumps(seats).encode() + b"\n\n"
    assert "step 1: hands" in leaks(received | {live: stream}, replay, halted, secrets)
    # Of the whole deck: now and then there is no such card in all hands.
    hidden = sorted(set(CARD.findall(replay.to_line())) - public_cards(replay)[halted])
    page = received["/"] + " ".join(hidden).encode()
    assert f"/: {hidden[0]}" in leaks(received | {"/": page}, replay, halted, secrets)
    header = received["/"] + secrets[-1].encode()
    assert "/: secret" in leaks(received | {"/": header}, replay, halted, secrets)
