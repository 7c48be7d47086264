"""The set-up of Häc Mäc: what is dealt, and what chance is asked for."""

from collections import Counter

import pytest

from roost_games.chance import Outcome, Recording, Tape
from roost_games.errors import UsageError
from roost_games.haecmaec import (
    GAME,
    Options,
)
from tests.support.games.haecmaec_deals import (
    BASIC,
    SLAP,
    Scripted,
    deal,
    hand,
    held,
)


@pytest.mark.parametrize(("players", "normal", "bottoms"), [(2, 8, 18), (3, 5, 18), (4, 4, 20), (5, 3, 20), (6, 2, 18)])
def test_everybody_gets_a_doubling_top_and_a_share_of_the_normal_ones(players: int, normal: int, bottoms: int) -> None:
    view = GAME.start(players, BASIC, Tape(b"set-up")).observe(None)
    assert view.normal_tops == (normal,) * players
    assert view.doubling_tops == (1,) * players
    assert view.bottoms == bottoms


def test_four_cards_are_dealt_to_each_seat_and_the_starter_draws_the_next() -> None:
    state = deal("P1 P2 P3 P4", "F F F C1", "T1 T1 T2 T2", draws="L5", starter=1)
    assert state.to_move == (1,)
    assert hand(state, 0) == held("P1 P2 P3 P4")
    assert hand(state, 1) == held("F F F C1 L5")
    assert hand(state, 2) == held("T1 T1 T2 T2")
    view = state.observe(0)
    assert (view.hand_sizes, view.pile, view.starter, view.turn, view.phase) == ((4, 5, 4), 75, 1, 1, "open")


def test_chance_is_asked_for_the_starter_and_then_for_the_whole_pile_in_the_order_of_the_sheet() -> None:
    chance = Scripted()
    GAME.start(3, BASIC, chance)
    (starter, seats), (deck, items) = chance.asked
    assert (starter, seats, deck) == ("starter", (0, 1, 2), "deck")
    assert items[:6] == ("patty-1",) * 5 + ("patty-2",)
    assert items[82:] == ("onion-4", "onion-5", "onion-5", "fly", "fly", "fly")
    assert Counter(str(item).partition("-")[0] for item in items) == {
        "patty": 17,
        "cheese": 17,
        "tomato": 17,
        "lettuce": 17,
        "onion": 17,
        "fly": 3,
    }
    assert sorted(items.count(f"cheese-{value}") for value in range(1, 6)) == [2, 2, 4, 4, 5]


def test_a_recorded_deal_is_in_replay_notation() -> None:
    outcomes: list[Outcome] = []
    GAME.start(2, BASIC, Recording(Tape(b"deal"), outcomes.append))
    assert [outcome.name for outcome in outcomes] == ["starter", "deck"]
    assert outcomes[0].value in (0, 1)
    assert Counter(outcomes[1].value)["fly"] == 3  # type: ignore[call-overload]


@pytest.mark.parametrize(("options", "counts"), [(BASIC, [2, 3, 4, 5, 6]), (SLAP, [3, 4, 5, 6])])
def test_player_counts(options: Options, counts: list[int]) -> None:
    assert list(GAME.players(options)) == counts
    for wrong in (counts[0] - 1, 7):
        with pytest.raises(UsageError, match=f"by {wrong}; it is for {counts[0]} to 6 players"):
            GAME.start(wrong, options, Tape(b""))
