"""The bracket of a knockout: who meets whom, who goes on, and that it comes to an end."""

import pytest

from roost_games.errors import UsageError
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.knockout import EXTRA, Knockout, Tie, bracket
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past

DUEL = Kind("karteneck", 2)


def field(bots: int, *kinds: Kind) -> Participants:
    return Participants(tuple(range(1, bots + 1)), kinds or (DUEL,))


def play(past: Past, pairings: list[Pairing], *, level: bool = False) -> None:
    """Both matches of every block: the one with the lower number wins, unless all are level."""
    for pairing in pairings:
        past.give(pairing)
        block = f"b{past.given}"
        one, other = sorted(pairing.group)
        places = (1, 1) if level else (1, 2)
        past.finish(
            [
                MatchResult(block, pairing.kind.game, (one, other), places),
                MatchResult(block, pairing.kind.game, (other, one), places[::-1]),
            ]
        )


def met(pairings: list[Pairing]) -> list[set[int]]:
    return [set(pairing.group) for pairing in pairings]


def test_the_bracket_of_eight() -> None:
    past, knockout = Past(), Knockout(b"s")
    first = list(knockout.next_round(field(8), past))
    assert met(first) == [{1, 8}, {4, 5}, {2, 7}, {3, 6}]
    play(past, first)
    second = list(knockout.next_round(field(8), past))
    assert met(second) == [{1, 4}, {2, 3}]
    play(past, second)
    final = list(knockout.next_round(field(8), past))
    assert met(final) == [{1, 2}]
    play(past, final)
    assert knockout.next_round(field(8), past) == []
    assert bracket(field(8), past, 1)[-1] == [Tie(1, 2, 2.0, 0.0, winner=1)]


def test_the_best_have_a_bye() -> None:
    past = Past()
    first = list(Knockout().next_round(field(5), past))
    assert met(first) == [{4, 5}]
    play(past, first)
    assert met(list(Knockout().next_round(field(5), past))) == [{1, 4}, {2, 3}]


def test_an_upset_counts() -> None:
    past = Past()
    past.give(Pairing(DUEL, (1, 2)))
    past.finish([MatchResult("b", "karteneck", (1, 2), (2, 1)), MatchResult("b", "karteneck", (2, 1), (1, 2))])
    assert Knockout().next_round(field(2), past) == []
    assert bracket(field(2), past, 1) == [[Tie(1, 2, 0.0, 2.0, winner=2)]]


def test_a_level_tie_goes_on_and_then_the_seeding_decides() -> None:
    past = Past()
    for _ in range(1 + EXTRA):
        pairings = list(Knockout().next_round(field(2), past))
        assert met(pairings) == [{1, 2}]
        play(past, pairings, level=True)
    assert Knockout().next_round(field(2), past) == []
    assert bracket(field(2), past, 1)[0][0].winner == 1


def test_every_game_and_so_many_blocks() -> None:
    kinds = (DUEL, Kind("karteneck", 4), Kind("haecmaec", 2))
    pairings = list(Knockout(blocks=3).next_round(field(2, *kinds), Past()))
    assert [pairing.kind for pairing in pairings] == [DUEL] * 3 + [Kind("haecmaec", 2)] * 3


def test_nobody_to_play_against() -> None:
    assert Knockout().next_round(field(1), Past()) == []
    assert Knockout().next_round(field(0), Past()) == []


def test_it_needs_duels() -> None:
    with pytest.raises(UsageError, match="played in duels"):
        Knockout().next_round(field(4, Kind("karteneck", 4)), Past())
