"""What a competition will take, against counts by hand."""

from math import comb

import pytest

from roost_games.errors import UsageError
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.forecast import Forecast, PhaseForecast, check, forecast

CUP = """
name = "cup"
[[games]]
game = "karteneck"
players = [PLAYERS]
[entry]
bots_per_owner = 2
[[phases]]
phase = "ladder"
starts = 2027-03-01T18:00:00Z
[[phases]]
phase = "finals"
starts = 2027-03-02T18:00:00Z
FINALS
[[phases]]
phase = "done"
"""


def found(finals: str, bots: int, players: str = "2", pace: float = 1_000.0) -> Forecast:
    file = parse_competition(CUP.replace("FINALS", finals).replace("PLAYERS", players))
    return forecast(file, [f"owner {number}" for number in range(bots)], pace)


def finals_of(found: Forecast) -> PhaseForecast:
    (finals,) = (each for each in found.phases if each.phase is PhaseName.FINALS)
    return finals


@pytest.mark.parametrize(
    ("finals", "bots", "players", "blocks", "matches"),
    [
        ("rounds = 3", 10, "2", 3 * comb(10, 2), 3 * comb(10, 2) * 2),
        ("", 10, "2, 4", comb(10, 2) + comb(10, 4), comb(10, 2) * 2 + comb(10, 4) * 4),
        ('schedule = "swiss"\nrounds = 5', 10, "2", 5 * 5, 5 * 5 * 2),
        ('schedule = "knockout"\nblocks_per_pairing = 2', 500, "2, 3", 499 * 2, 499 * 2 * 2),
        ('schedule = "sure"\nbudget = 300', 20, "2", 300, 600),
    ],
)
def test_blocks_and_matches(finals: str, bots: int, players: str, blocks: int, matches: int) -> None:
    plan = finals_of(found(finals, bots, players))
    assert (plan.blocks, plan.matches, plan.hours) == (blocks, matches, matches / 1_000)


def test_a_ladder_lasts_as_long_as_its_time() -> None:
    ladder = found("", 5).phases[0]
    assert (ladder.hours, ladder.matches, ladder.blocks) == (24, 24_000, None)


def test_a_knockout_may_need_four_times_as_many_matches() -> None:
    plan = finals_of(found('schedule = "knockout"', 8))
    assert (plan.matches, plan.most_matches) == (14, 56)


def test_a_sample_is_said_with_its_size() -> None:
    (note,) = finals_of(found("", 60, "4")).notes
    assert note == (
        "karteneck at tables of 4: a balanced sample of 3,540 of 487,635 groups; every pair meets 12 times a round"
    )


def test_what_cannot_be_filled_is_left_out_and_said() -> None:
    whole = found("", 3, "2, 4")
    check(whole)
    assert finals_of(whole).notes == ("karteneck at tables of 4 is not played: no such table can be filled",)


def test_finals_that_cannot_be_played_are_refused() -> None:
    with pytest.raises(UsageError, match="with 1 bot not even a table of 2 can be filled"):
        check(found("", 1))
    file = parse_competition(CUP.replace("FINALS", "").replace("PLAYERS", "3"))
    with pytest.raises(UsageError, match="with 4 bots of 2 owners not even a table of 3 can be filled"):
        check(forecast(file, ["ann", "ann", "bob", "bob"]))


def test_finals_that_take_weeks_are_refused() -> None:
    with pytest.raises(UsageError, match="would take 1,225 hours at 20 matches an hour, more than 336: play fewer"):
        check(found("rounds = 10", 50, pace=20.0))


def test_the_longest_hold_up_by_hand() -> None:
    """A knockout in duels: two matches for each bot. In each it may be away for 600 s, then take its 140 s."""
    assert found('schedule = "knockout"', 8).hold_up_seconds == 2 * (600 + 140)
