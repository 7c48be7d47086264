"""Two examples played through: the rulebook's, with a portion stolen and stolen back, and that of our rules page."""

import json
import re
from collections import Counter
from importlib.resources import files

from roost_games.karteneck import GAME, KarteneckState, Revealed, Stole, Took
from tests.support.games.karteneck_deals import bag, cards, grill, hand, play, portion, stack, table, told

KAREN, FLOYD, NICK, EVE = range(4)

HANDS = ("W20 1 4 4 3 3", "W10 W11 5 5 5 4", "W1 W2 W3 W4 5 5", "5 5 4 3 3 2")
FIRST_ROUND_DRAWS = "3 2 3 3 1 1 3 3"
"""Karen, Floyd (a 2), Nick twice, Eve twice (the 1s), Karen twice."""
SECOND_ROUND_DRAWS = "3 2 3 3 3 2 3 3 5 5 W9 4 4 4 4 4 1 2 2"
"""Floyd gets two more 2s and, when he lays the 2s, the worm."""


def before_the_example() -> KarteneckState:
    """After a first round that leaves the 30 on top of Floyd's stack and lets Karen begin."""
    state = table(
        *HANDS,
        values=(20, 30, 16, 17, 33, 18, 25, 21),
        draws=f"{FIRST_ROUND_DRAWS} {SECOND_ROUND_DRAWS}",
        starter=KAREN,
    )
    play(state, "0: W20", "1: W10 W11", "2: pass", "3: pass", "0: pass", "1: pass")
    assert [stack(state, seat) for seat in range(4)] == [[20], [30], [16], [17]]
    assert grill(state) == [18, 21, 25, 33]
    return state


def test_the_example_of_the_rulebook() -> None:
    state = before_the_example()
    play(state, "0: 1", "1: 5 5 5", "2: W1 W2 W3 W4", "3: 5 5")
    play(state, "0: 4", "1: 4", "2: 5 5", "3: 4")
    assert state.observe(None).totals == (5, 19, 30, 14)
    told(state)

    karens = hand(state, KAREN)
    play(state, "0: pass")
    assert told(state) == [Took(KAREN, portion(18), False)]
    assert stack(state, KAREN) == [20, 18]
    assert hand(state, KAREN) == karens + bag("5 5")
    assert state.observe(None).displays[KAREN] == ()

    play(state, "1: 2 2 2")
    assert state.observe(None).totals[FLOYD] == 25

    nicks = state.observe(None).hand_sizes[NICK]
    play(state, "2: steal")
    assert told(state) == [Stole(NICK, FLOYD, portion(30))]
    assert [stack(state, FLOYD), stack(state, NICK)] == [[], [16, 30]]
    assert state.observe(None).hand_sizes[NICK] == nicks + 2
    assert Counter(state.observe(None).displays[NICK]) == bag("W1 W2 W3 W4 5 5")

    play(state, "3: 3 3", "1: W9", "3: 2")
    assert state.observe(None).totals[FLOYD] == 30
    floyds = state.observe(None).hand_sizes[FLOYD]
    play(state, "1: steal")
    assert told(state) == [Stole(FLOYD, NICK, portion(30))]
    assert [stack(state, FLOYD), stack(state, NICK)] == [[30], [16]]
    assert state.observe(None).hand_sizes[FLOYD] == floyds + 2

    play(state, "3: 1 1")
    eves = hand(state, EVE)
    assert not any(card.startswith("W") for card in eves)
    assert grill(state) == [21, 25, 33]
    assert len(state.legal(EVE)) == 1, "five kinds lie there and she has no worm"
    play(state, "3: pass")
    assert hand(state, EVE) == eves
    assert told(state) == [
        Took(EVE, portion(21), False),
        Took(FLOYD, portion(33), True),
        Took(NICK, portion(25), True),
        Revealed(3, NICK, state.observe(None).grill),
    ]
    assert [stack(state, seat) for seat in range(4)] == [[20, 18], [30, 33], [16, 25], [17, 21]]
    assert state.to_move == (NICK,)
    assert state.observe(None).displays == ((), (), (), ())


def test_the_discard_pile_after_the_example() -> None:
    state = before_the_example()
    assert Counter(state.observe(None).discard) == Counter(cards("W20 W10 W11"))
    play(state, "0: 1", "1: 5 5 5", "2: W1 W2 W3 W4", "3: 5 5", "0: 4", "1: 4", "2: 5 5", "3: 4")
    play(state, "0: pass", "1: 2 2 2", "2: steal", "3: 3 3", "1: W9", "3: 2", "1: steal", "3: 1 1", "3: pass")
    laid = "W20 W10 W11 1 4 5 5 5 4 2 2 2 W9 W1 W2 W3 W4 5 5 5 5 4 3 3 2 1 1"
    assert Counter(state.observe(None).discard) == bag(laid)


def test_without_the_higher_signpost_nick_takes_the_higher_portion() -> None:
    """The same story with Nick's worms above Floyd's: the two totals of 30 change places."""
    state = table(
        HANDS[0],
        HANDS[1],
        "W1 W2 W3 W14 5 5",
        HANDS[3],
        values=(20, 30, 16, 17, 33, 18, 25, 21),
        draws=f"{FIRST_ROUND_DRAWS} {SECOND_ROUND_DRAWS}",
        starter=KAREN,
    )
    play(state, "0: W20", "1: W10 W11", "2: pass", "3: pass", "0: pass", "1: pass")
    play(state, "0: 1", "1: 5 5 5", "2: W1 W2 W3 W14", "3: 5 5", "0: 4", "1: 4", "2: 5 5", "3: 4")
    play(state, "0: pass", "1: 2 2 2", "2: steal", "3: 3 3", "1: W9", "3: 2", "1: steal", "3: 1 1", "3: pass")
    assert [stack(state, seat) for seat in range(4)] == [[20, 18], [30, 25], [16, 33], [17, 21]]
    assert state.to_move == (FLOYD,)


# The example on the project's own rules page


def rules_page() -> str:
    return files("roost_games.karteneck").joinpath("rules.md").read_text(encoding="utf-8")


def example_turns() -> list[tuple[str, int | None]]:
    """The turns of the page's example as `play` wants them, each with the total that is printed beside it."""
    turns = []
    for line in re.findall(r"^    (seat .*)$", rules_page(), re.MULTILINE):
        found = re.fullmatch(r"seat (\d)  (?:lays (.+?) +total (\d+)|passes( and steals)?)", line)
        assert found, line
        seat, laid, total, steals = found.groups()
        move = laid or ("steal" if steals else "pass")
        turns.append((f"{seat}: {move}", int(total) if total else None))
    return turns


def test_the_example_of_the_rules_page_goes_as_the_page_says() -> None:
    state = table(
        "W1 5 5 5 W3 W20",
        "W7 W12 3 3 3 3",
        "W24 W25 4 4 2 1",
        values=(16, 25, 20, 17, 24, 33),
        draws="1 3 1 1 1 1",
    )
    play(state, "0: W1", "1: pass", "2: W24 W25", "0: pass", "2: pass")
    assert (grill(state), stack(state, 2)) == ([17, 24, 33], [25])
    told(state)
    turns = example_turns()
    assert len(turns) == 9
    for turn, total in turns:
        seat = int(turn[0])
        sizes = state.observe(None).hand_sizes
        play(state, turn)
        if total is not None:
            assert state.observe(None).totals[seat] == total
        elif turn != turns[-1][0]:
            assert state.observe(None).hand_sizes[seat] == sizes[seat] + 2
        else:
            assert state.observe(None).hand_sizes[seat] == sizes[seat]
    assert told(state)[:-1] == [
        Stole(0, 2, portion(25)),
        Took(2, portion(17), False),
        Took(0, portion(33), True),
        Took(1, portion(24), True),
    ]
    assert state.to_move == (1,)


def test_the_rules_page_shows_moves_that_can_be_read() -> None:
    shown = re.findall(r"`(\{.*?\})`", rules_page())
    assert len(shown) == 3
    for text in shown:
        assert GAME.encode_move(GAME.decode_move(json.loads(text))) == json.loads(text)


def test_the_rules_page_marks_every_assumption_with_its_option() -> None:
    marked = set(re.findall(r"\(assumed,\s+option\s+`(\w+)`\)", rules_page()))
    assert marked == {row.option for row in GAME.components if row.source == "assumed"}
