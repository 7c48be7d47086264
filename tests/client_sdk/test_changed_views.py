"""Views as they are handed to a bot's process: as what has changed since the last one, in batches."""

from random import Random
from typing import Any, NamedTuple

import pytest

from roost_games.chance import seed_of
from roost_games.referee import Referee, Seat
from roost_games.registry import GAME_NAMES, get_game
from roost_sdk.bot_process.batches import REMEMBERED, BatchReader, BatchWriter
from roost_sdk.bot_process.views import changed, changes_of


class Shown(NamedTuple):
    """A small view."""

    turn: int
    cards: tuple[str, ...]
    seats: tuple[int, ...] = (1, 2)


@pytest.mark.parametrize(
    ("last", "view", "changes"),
    [
        (None, Shown(1, ("a",)), Shown(1, ("a",))),
        (Shown(1, ("a",)), Shown(1, ("a",)), []),
        (Shown(1, ("a",)), Shown(2, ("a",)), [0, 2]),
        (Shown(1, ("a",)), Shown(1, ("a", "b", "c")), [~1, ("b", "c")]),
        (Shown(1, ("a", "b")), Shown(1, ("a", "c", "d")), [1, ("a", "c", "d")]),
        (Shown(1, ("a", "b")), Shown(1, ("a",)), [1, ("a",)]),
        (Shown(1, ()), Shown(1, ("a",)), [1, ("a",)]),
        (Shown(1, ("a",)), Shown(1, ()), [1, ()]),
    ],
)
def test_only_what_has_changed_is_told(last: Any, view: Any, changes: Any) -> None:
    assert changes_of(view, last) == changes
    assert changed(changes, last) == view


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_views_of_a_match_arrive_whole(game: str) -> None:
    rules, players = get_game(game), 3
    referee: Referee[Any, Any] = Referee(rules, [Seat("")] * players, seed_of("changed views", 1))
    shown: list[Any] = [None] * players
    read: list[Any] = [None] * players
    random = Random(1)
    writer, reader = BatchWriter(), BatchReader()
    while referee.waiting:
        seat = referee.waiting[0]
        view = referee.view(seat)
        (handed_over,) = reader.read(writer.write([changes_of(view, shown[seat])]))
        read[seat] = changed(handed_over, read[seat])
        shown[seat] = view
        assert read[seat] == view
        assert type(read[seat]) is type(view)
        assert list(rules.legal(read[seat])) == list(referee.legal(seat))
        referee.answer(seat, random.choice(referee.legal(seat)))
    assert all(shown)


def test_what_recurs_is_written_once_and_forgotten_after_some_batches() -> None:
    writer, reader = BatchWriter(), BatchReader()
    name = "a long name " * 20
    sizes = []
    for number in range(2 * REMEMBERED):
        data = writer.write([(number, name)])
        assert reader.read(data) == [(number, name)]
        sizes.append(len(data))
    with_name = [number for number, size in enumerate(sizes) if size > len(name)]
    assert with_name == [0, REMEMBERED]
