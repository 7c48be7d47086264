"""Every field that a bot meets has a docstring, and docs/bots/reference.md says what the code says."""

import inspect

import pytest

import roost_sdk
from roost_games.registry import GAME_NAMES
from roost_games.replay import FaultEntry, Result
from tests.client_sdk.reference_page import PAGE, fields_of, methods_of, page
from tests.support.games.values import moves_and_parts

CLASSES = [(game, kind) for game in GAME_NAMES for kind in moves_and_parts(game)]
MET = [*CLASSES, ("all", Result), ("all", FaultEntry), ("all", roost_sdk.Bot)]


@pytest.mark.parametrize(("game", "kind"), MET, ids=lambda each: getattr(each, "__name__", each))
def test_every_field_has_a_docstring_and_a_type(game: str, kind: type) -> None:
    fields = fields_of(kind)
    declared = getattr(kind, "_fields", ())
    assert {field.name for field in fields} >= set(declared)
    for field in fields:
        assert field.doc, f"{kind.__name__}.{field.name} of {game} is not explained"
        assert field.type
    assert kind.__doc__
    assert not kind.__doc__.startswith(f"{kind.__name__}("), f"{kind.__name__} has no docstring of its own"
    for name, _, doc in methods_of(kind):
        assert doc, f"{kind.__name__}.{name}"


def test_the_view_of_each_game_is_among_them() -> None:
    """The test above looks at what it should: the views, and values inside values."""
    names = {(game, kind.__name__) for game, kind in CLASSES}
    assert {(game, "View") for game in GAME_NAMES} < names
    assert {("karteneck", "Portion"), ("karteneck", "Shuffled"), ("bratwurmeck", "Tile")} < names
    assert {("haecmaec", "ClosedBurger"), ("haecmaec", "Row"), ("haecmaec", "React"), ("karteneck", "Card")} < names


@pytest.mark.parametrize("name", roost_sdk.__all__)
def test_everything_that_is_exported_is_explained(name: str) -> None:
    assert inspect.getdoc(getattr(roost_sdk, name))


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make reference"
