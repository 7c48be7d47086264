"""The boards draw what a frame says: every card, die and tile, who decides, and nothing that the eye cannot see."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.game import JsonValue
from roost_games.registry import get_game
from roost_sdk import LoadedBot, LocalMatch
from roost_sdk.viewing.frames import Document, Recorded

OpenPage = Callable[[int], Page]
Options = Mapping[str, JsonValue]

MANY_WORMS: Options = {
    "signposts": [*range(1, 25), 9999],
    "portions": [[0, 0]] * 3 + [[value, 1000 if value > 30 else 5] for value in range(16, 43)],
}
FEW_TILES: Options = {"tiles": [[21, 0], [22, 7], [23, 1000], [40, 4]]}
STRANGE_FOOD: Options = {"ingredients": [["anchovies", 99, 40], ["patty", 1, 25], ["constructor", 3, 20]]}
MATCHES: list[tuple[str, int, Options]] = [
    ("karteneck", 2, {}),
    ("karteneck", 4, {}),
    ("karteneck", 3, MANY_WORMS),
    ("bratwurmeck", 2, {}),
    ("bratwurmeck", 7, FEW_TILES),
    ("haecmaec", 2, {}),
    ("haecmaec", 4, STRANGE_FOOD),
    ("haecmaec", 3, {"slap": True}),
    ("haecmaec", 6, {"slap": True}),
]

PREPARE = (Path(__file__).parent / "drawn.js").read_text(encoding="utf-8")


def document_of(game: str, players: int, options: Options, eye: Any = "open") -> Document:
    """A match between bots that play at random, as `eye` sees it.

    In Bratwurmeck that would go on for a thousand decisions; there they are greedy.
    """
    return deepcopy(recorded(game, players, json.dumps(dict(options))).document(eye))  # tests rename its bots


@cache
def recorded(game: str, players: int, options: str) -> Recorded:
    rules = get_game(game)
    bot = SAMPLES["greedy" if game == "bratwurmeck" else "random"]
    bots = [LoadedBot(f"bot-{seat}", bot) for seat in range(players)]
    match = LocalMatch(rules, bots, seed_of(f"boards {game}", players), options=rules.options(json.loads(options)))
    match.play()
    return Recorded(match.referee.replay())


def prepare(page: Page, document: Document) -> None:
    """Makes a board. Values travel as text, because Playwright takes seconds for thousands of objects."""
    page.evaluate(PREPARE, json.dumps(document))


def drawings(page: Page, document: Document, stride: int = 1) -> Iterator[tuple[Any, Any]]:
    """Every frame, or one in `stride`, and what is on the page when it is drawn."""
    prepare(page, document)
    frames: Any = document["frames"]
    drawn = json.loads(page.evaluate("(stride) => JSON.stringify(allShown(stride))", stride))
    assert len(frames) > 10
    return zip(frames[::stride], drawn, strict=True)


def lying(game: str, view: Any) -> dict[str, list[str]]:
    """By place, the things that lie openly on the table of `view`."""
    places: dict[str, list[str]] = {}
    if game == "haecmaec":
        places["burger"] = view["burger"]
        for seat in range(view["players"]):
            places[f"penalties/{seat}"] = view["penalties"][seat]
            for number, burger in enumerate(view["closed"][seat]):
                places[f"closed/{seat}/{number}/cards"] = burger["cards"]
        for number, burger in enumerate(view["spoiled"]):
            places[f"spoiled/{number}/cards"] = burger["cards"]
    else:
        places["grill"] = [str(tile["value"]) for tile in view["grill"]]
        for seat, stack in enumerate(view["stacks"]):
            places[f"stacks/{seat}"] = [str(tile["value"]) for tile in stack]
    if game == "karteneck":
        places["discard"] = view["discard"][-1:]
        places |= {f"displays/{seat}": display for seat, display in enumerate(view["displays"])}
    if game == "bratwurmeck":
        places |= {"roll": view["roll"], "aside": view["aside"]}
        places["turned"] = [str(tile["value"]) for tile in view["turned"]]
    places |= {f"hands/{seat}": hand for seat, hand in enumerate(view.get("hands", ())) if hand is not None}
    return {place: things for place, things in places.items() if things}


def by_place(things: list[list[Any]]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    for place, card, *_ in things:
        places.setdefault(place, []).append(card)
    return places


def in_value_order(places: dict[str, list[str]]) -> dict[str, list[str]]:
    """Tiles that were turned over keep their spots on the grill, so they are drawn by value."""
    return {place: sorted(things) if place == "turned" else things for place, things in places.items()}


@pytest.mark.short(3)
@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.long), 7])
@pytest.mark.parametrize(("game", "players", "options"), MATCHES)
def test_frames_are_drawn_as_they_are(
    game: str, players: int, options: Options, stride: int, open_page: OpenPage
) -> None:
    for frame, drawn in drawings(open_page(1000), document_of(game, players, options), stride):
        view = frame["view"]
        assert in_value_order(by_place(drawn["things"])) == in_value_order(lying(game, view))
        assert drawn["deciding"] == len(view["to_move"])
        assert {seat for seat in range(players) if decides(drawn, seat)} == set(view["to_move"])
        assert drawn["nameless"] == 0
        assert all(f"bot-{seat}" in drawn["words"] for seat in range(players))


def decides(drawn: Any, seat: int) -> bool:
    (label,) = (label for label in drawn["seats"] if label.startswith(f"seat {seat} "))
    return bool(label.endswith("decides now"))


@pytest.mark.short(3)
@pytest.mark.parametrize("eye", [0, 2, "spectator"])
@pytest.mark.parametrize(("game", "options"), [("karteneck", {}), ("haecmaec", {}), ("haecmaec", {"slap": True})])
def test_a_hidden_hand_is_drawn_face_down(game: str, options: Options, eye: Any, open_page: OpenPage) -> None:
    for frame, drawn in drawings(open_page(1000), document_of(game, 3, options, eye), 6):
        view = frame["view"]
        for seat in range(3):
            zone = f"hands/{seat}"
            seen = [card for place, card, *_ in drawn["things"] if place == zone]
            if seat == eye:
                assert seen == view["hands"][seat]
                assert drawn["backs"][zone] == 0
            else:
                assert seen == []
                assert drawn["backs"][zone] == view["hand_sizes"][seat]
                assert "face down" in drawn["zones"][zone]


def test_a_die_has_as_many_pips_as_it_counts(open_page: OpenPage) -> None:
    pips: dict[str, set[int]] = {}
    names: dict[str, str] = {}
    for _, drawn in drawings(open_page(1000), document_of("bratwurmeck", 3, {}), 4):
        for place, face, name, circles in drawn["things"]:
            if place in ("roll", "aside"):
                pips.setdefault(face, set()).add(circles)
                names[face] = name
    assert {face: pips[face] for face in "12345"} == {face: {int(face)} for face in "12345"}
    assert names == {"W": "die, worm", **{face: f"die, {face}" for face in "12345"}}


@pytest.mark.long
def test_totals_are_those_of_the_view(open_page: OpenPage) -> None:
    totals = 0
    for frame, drawn in drawings(open_page(1000), document_of("karteneck", 3, {}), 2):
        for seat, total in enumerate(frame["view"]["totals"]):
            expected = f"total {total}" if frame["view"]["displays"][seat] else "empty"
            assert drawn["zones"][f"displays/{seat}"] == f"display of seat {seat}, {expected}"
            totals += total > 0
    assert totals > 20
    for frame, drawn in drawings(open_page(1000), document_of("bratwurmeck", 3, {}), 4):
        expected = f"total {frame['view']['total']}" if frame["view"]["aside"] else "no dice"
        assert drawn["zones"]["aside"] == f"set aside, {expected}"


@pytest.mark.long
def test_names_say_what_is_printed(open_page: OpenPage) -> None:
    printed: dict[str, str] = {}
    for game, options in (("karteneck", MANY_WORMS), ("bratwurmeck", {}), ("haecmaec", STRANGE_FOOD)):
        for _, drawn in drawings(open_page(1000), document_of(game, 4, options), 3):
            printed |= {f"{place.split('/')[0]} {card}": name for place, card, name, _ in drawn["things"]}
    assert printed["hands 3"] == "number card 3"
    assert printed["hands W9999"] == "worm card, signpost 9999"
    assert printed["stacks 42"] == "portion 42, 1000 worms"
    assert printed["grill 0"] == "portion 0, 0 worms"
    assert printed["grill 21"] == "tile 21, 1 worm"
    assert printed["turned 36"] == "tile 36, 4 worms, turned over"
    assert printed["hands anchovies-99"] == "anchovies 99"
    assert printed["hands constructor-3"] == "constructor 3"
    assert printed["hands fly"] == "fly"


def test_the_last_move_is_marked(open_page: OpenPage) -> None:
    laid = 0
    for frame, drawn in drawings(open_page(1000), document_of("karteneck", 2, {})):
        for made in frame["moves"]:
            place = f"displays/{made['seat']}"
            if cards := made["move"].get("lay"):
                marked = [card for where, card in drawn["fresh"] if where == place]
                assert Counter(marked) == Counter(cards)
                laid += 1
    assert laid > 10


def test_what_moved_glides_and_a_call_ends_the_motion(open_page: OpenPage) -> None:
    page = open_page(1000)
    prepare(page, document_of("karteneck", 2, {}))
    running = "() => document.getAnimations().length"
    page.evaluate("() => { shown(0); shown(1, 60_000); }")
    assert page.evaluate(running) > 0
    page.evaluate("() => shown(2)")
    assert page.evaluate(running) == 0
    page.evaluate("() => { shown(3, 60_000); board.close(); }")
    assert page.evaluate(running) == 0


@pytest.mark.long
@pytest.mark.parametrize(("game", "players", "options"), [MATCHES[1], MATCHES[4], MATCHES[6], MATCHES[8]])
def test_a_board_is_never_wider_than_its_place(game: str, players: int, options: Options, open_page: OpenPage) -> None:
    page = open_page(1400)
    document: Any = document_of(game, players, options)
    document["seats"][0]["bot"] = "W" * 40
    prepare(page, document)
    for width in (320, 360, 620, 700, 820, 1100, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        for index in (0, len(document["frames"]) // 2, len(document["frames"]) - 1):
            page.evaluate("index => { shown(index); }", index)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_a_name_is_text_whatever_it_looks_like(open_page: OpenPage) -> None:
    page = open_page(1000)
    document: Any = document_of("haecmaec", 3, {})
    document["seats"][0]["bot"] = "<img src=x onerror=alert(1)>"
    document["seats"][1]["bot"] = ""
    prepare(page, document)
    drawn = page.evaluate("() => shown(0)")
    assert "<img src=x onerror=alert(1)>" in drawn["text"]
    assert page.locator("img").count() == 0
    assert any(label.startswith("seat 1, ") for label in drawn["seats"])
    assert page.locator("bdi.name").count() == 3
