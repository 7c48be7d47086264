"""When the pile of Karteneck is empty: the reshuffle, and what the trace lets everybody know from then on."""

from collections import Counter
from collections.abc import Sequence

import pytest

from roost_games.karteneck import GAME, Card, Drew, KarteneckState, Laid, Shuffled
from roost_games.karteneck.view import Trace
from tests.support.games.karteneck_deals import SHEET, asked, bag, bury, cards, hand, play, sparing_match, table, told


def purposes(state: KarteneckState) -> list[str]:
    return [question.purpose for question in asked(state)]


def reshuffled(state: KarteneckState) -> Counter[str]:
    """The cards of the last reshuffle, as chance was asked for them."""
    question = asked(state)[-1]
    assert question.purpose.startswith("reshuffle/")
    assert question.wanted == len(question.items)
    return Counter(map(str, question.items))


def last_shuffle(state: KarteneckState) -> Shuffled:
    return next(event for event in reversed(state.observe(None).trace) if isinstance(event, Shuffled))


# The reshuffle


def test_an_empty_pile_is_not_filled_before_a_card_must_be_drawn() -> None:
    state = table("1 2", "1 2", draws="5")
    bury(state, left=1)
    play(state, "0: 1")
    view = state.observe(None)
    assert view.pile_size == 0
    assert len(view.discard) == 110 - 12 - 1
    assert purposes(state) == ["starter", "portions", "deck"]
    assert view.trace == ()


def test_the_whole_discard_pile_becomes_the_pile_when_a_card_must_be_drawn() -> None:
    state = table("1 2 W1", "1 2 W2", draws="5", reshuffles=["W9 4"])
    bury(state, left=1)
    play(state, "0: 1")
    discarded = Counter(state.observe(None).discard)
    play(state, "1: 1")
    assert purposes(state)[3:] == ["reshuffle/1"]
    assert reshuffled(state) == discarded
    view = state.observe(None)
    assert view.discard == ()
    assert view.pile_size == 97 - 1
    assert hand(state, 1)["W9"] == 1
    play(state, "0: 2")
    assert hand(state, 0)["4"] > 0


def test_the_cards_are_given_to_chance_in_the_order_of_the_sheet() -> None:
    state = table("1 2", "1 2")
    bury(state, left=0)
    state.discard.reverse()
    play(state, "0: 1")
    items = [str(item) for item in asked(state)[-1].items]
    assert items == sorted(items, key=SHEET.index)


def test_the_order_of_a_custom_sheet_counts_too() -> None:
    signposts = [*range(25, 0, -1)]
    state = table("1 2", "1 2", options=GAME.options({"signposts": signposts}))
    bury(state, left=0)
    play(state, "0: 1")
    worms = [str(item) for item in asked(state)[-1].items if str(item).startswith("W")]
    assert worms == [f"W{signpost}" for signpost in signposts]


def test_a_reshuffle_can_fall_between_the_two_draws_of_a_pass() -> None:
    state = table("W1 1 1 1 1 1", "2", draws="3 3", reshuffles=["W7"])
    play(state, "0: W1", "1: 2")
    bury(state, left=1)
    assert state.observe(None).pile_size == 1
    [last] = [state.sheet.cards[code] for code in state.pile]
    play(state, "0: pass")
    assert hand(state, 0) == bag("1 1 1 1 1 3 W7") + Counter([str(last)])
    shuffle, drew = state.observe(None).trace
    assert isinstance(shuffle, Shuffled)
    assert shuffle.hand_sizes == (7, 6), "the first of the two cards was drawn before"
    assert drew == Drew(0)
    assert "W7" not in shuffle.held


def test_a_reshuffle_includes_the_invalid_display_just_discarded() -> None:
    state = table("4 4 4 1", "5 5", draws="2 2")
    play(state, "0: 4 4 4", "1: 5 5")
    bury(state, left=0)
    before = Counter(state.observe(None).discard)
    play(state, "0: pass")
    assert reshuffled(state) == before + bag("4 4 4")


def test_a_reshuffle_includes_no_display_that_is_still_on_the_table() -> None:
    state = table("W1 4 4 4", "W2 5 5", "3 3 W3", draws="2 2 2")
    play(state, "0: W1", "1: W2", "2: 3 3", "0: pass")
    bury(state, left=0)
    before = Counter(state.observe(None).discard)
    play(state, "1: 5 5")
    assert reshuffled(state) == before
    assert Counter(last_shuffle(state).cards) == before
    assert not {"W1", "W2"} & {str(card) for card in last_shuffle(state).held}
    displays = state.observe(None).displays
    assert displays == (cards("W1"), cards("W2 5 5"), cards("3 3"))


def test_the_last_to_pass_draws_nothing_so_nothing_is_shuffled() -> None:
    state = table("W1 4", "W2 5")
    play(state, "0: W1", "1: W2", "0: pass")
    bury(state, left=0)
    play(state, "1: pass")
    assert purposes(state)[3:] == []
    assert state.observe(None).pile_size == 0


def test_reshuffles_are_numbered() -> None:
    state = table("1 2 3", "1 2 3")
    bury(state, left=0)
    play(state, "0: 1")
    bury(state, left=0)
    play(state, "1: 1")
    assert purposes(state)[3:] == ["reshuffle/1", "reshuffle/2"]
    assert [type(event) for event in state.observe(None).trace] == [Shuffled, Drew, Laid, Shuffled, Drew]


def test_with_pile_and_discard_pile_empty_nothing_is_drawn() -> None:
    state = table("1 2 3", "W1 2 3")
    state.pile.clear()
    play(state, "0: 1", "1: W1")
    assert state.observe(None).hand_sizes == (5, 5)
    play(state, "0: 2", "1: pass")
    view = state.observe(None)
    assert view.hand_sizes == (4, 5)
    assert (view.pile_size, view.discard, view.trace) == (0, (), ())
    assert purposes(state)[3:] == []


def test_with_one_card_on_the_discard_pile_a_pass_draws_one() -> None:
    state = table("4 1 1 1 1 1", "2 2 2 3 3 3")
    state.pile.clear()
    play(state, "0: 4", "1: 2", "0: pass")
    assert hand(state, 0) == bag("1 1 1 1 1 4")
    shuffle = Shuffled(cards("4"), cards("1 1 1 1 1 2 2 3 3 3"), (5, 5))
    assert state.observe(None).trace == (shuffle, Drew(0))


# What the trace tells


def test_a_shuffle_tells_what_all_hands_hold_together() -> None:
    state = table("1 1 W3 4 4 4", "2 2 W4 5 5 5", "3 3 3 W5 W6 W7", draws="4 W8")
    play(state, "0: 4", "1: 5")
    bury(state, left=0)
    told(state)
    play(state, "2: W5 W7")
    shuffle = last_shuffle(state)
    assert Counter(shuffle.held) == bag("1 1 W3 4 4 4") + bag("2 2 W4 5 5 W8") + bag("3 3 3 W6")
    assert shuffle.hand_sizes == (6, 6, 4)
    assert list(shuffle.held) == sorted(shuffle.held, key=SHEET.index)
    assert list(shuffle.cards) == sorted(shuffle.cards, key=SHEET.index)
    assert told(state) == [shuffle], "everybody is told"


def test_everybody_sees_the_same_trace_and_only_its_own_draws() -> None:
    state = table("1 1 W3 4 4 4", "2 2 W4 5 5 5", reshuffles=["W9 W8 W7 W6"])
    bury(state, left=0)
    play(state, "0: 4", "1: 2", "0: 1", "1: 5 5")
    views = [state.observe(seat) for seat in (None, 0, 1)]
    shuffle = last_shuffle(state)
    expected: tuple[Trace, ...] = (
        shuffle,
        Drew(0),
        Laid(1, cards("2")),
        Drew(1),
        Laid(0, cards("1")),
        Drew(0),
        Laid(1, cards("5 5")),
        Drew(1),
    )
    assert [view.trace for view in views] == [expected] * 3
    assert [view.drawn for view in views] == [(), cards("W9 W7"), cards("W8 W6")]


def test_before_the_first_shuffle_there_is_no_trace() -> None:
    state = table("1 1 W3 4 4 4", "2 2 W4 5 5 5")
    play(state, "0: 4", "1: 2", "0: pass", "1: pass")
    for seat in (None, 0, 1):
        view = state.observe(seat)
        assert (view.trace, view.drawn) == ((), ())


def shuffling_match(players: int, seed: int) -> list[KarteneckState]:
    """The states of a sparing match from the first reshuffle on."""
    states = [state for state in sparing_match(players, seed) if state.trace]
    assert states
    return states


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_trace_the_draws_and_the_sizes_always_agree(players: int, seed: int) -> None:
    for state in shuffling_match(players, seed):
        views = [state.observe(seat) for seat in range(players)]
        trace = views[0].trace
        first, last = trace[0], last_shuffle(state)
        assert isinstance(first, Shuffled)
        since = trace[trace.index(last) :]
        assert views[0].pile_size == len(last.cards) - sum(isinstance(event, Drew) for event in since)
        for seat, view in enumerate(views):
            assert len(view.drawn) == trace.count(Drew(seat))
            kept = Counter(view.hand) + Counter(laid_by(seat, trace)) - Counter(view.drawn)
            assert not kept - Counter(first.held)
            assert kept.total() == first.hand_sizes[seat]


def laid_by(seat: int, trace: Sequence[Trace]) -> list[Card]:
    return [card for event in trace if isinstance(event, Laid) and event.seat == seat for card in event.cards]


@pytest.mark.parametrize("seed", range(6))
def test_with_two_players_the_rest_of_the_held_cards_is_the_opponents_hand(seed: int) -> None:
    state = shuffling_match(2, seed)[0]
    shuffle, *draws = state.observe(None).trace
    assert isinstance(shuffle, Shuffled)
    views = [state.observe(0), state.observe(1)]
    mine, theirs = (Counter(view.hand) - Counter(view.drawn) for view in views)
    assert Counter(shuffle.held) - mine == theirs
    assert len(draws) == len(views[0].drawn) + len(views[1].drawn)
