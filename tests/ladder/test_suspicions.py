"""Memory, voids and thinking time: figures by hand, what must not be named, and simulated fields."""

from math import comb, erfc, exp, sqrt

import pytest

from benchmarks.simulations.suspicions import (
    DEALT,
    Field,
    Memory,
    Thinking,
    Voids,
    found,
    innocent_accused,
    shares,
)
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions import DOUBT, QUESTIONS, SHARE
from roost_ladder.suspicions.memory import find_memory
from roost_ladder.suspicions.thinking import find_thinking
from roost_ladder.suspicions.voids import VoidedMatch, find_voids

A, B, C = 11, 22, 33


def duel(block: int, *winners: int) -> list[MatchResult]:
    """A block of A and B, with the winner of each match."""
    return [MatchResult(f"block {block}", "karteneck", (A, B), (1, 2) if won == A else (2, 1)) for won in winners]


def facts(block: int, *times: float, bots: tuple[int, ...] = (A, B), game: str = "karteneck") -> MatchFacts:
    """A match with these milliseconds for one decision each."""
    none = (0,) * len(bots)
    places = tuple(range(1, len(bots) + 1))
    return MatchFacts(f"block {block}", game, bots, places, places, none, (False,) * len(bots), (1,) * len(bots), times)


def test_the_questions_share_the_doubt() -> None:
    assert len(QUESTIONS) * SHARE == pytest.approx(DOUBT)


def test_memory_by_hand() -> None:
    """A wins the first match of 10 of 40 deals, and the second of 30: 20 gains of 1, 20 deals without a change."""
    blocks = [duel(number, B if number < 30 else A, A if number < 20 or number >= 30 else B) for number in range(40)]
    report = find_memory(blocks, 0.05)
    assert (report.blocks, report.judged) == (40, 2)
    (gain,) = report.findings
    assert (gain.bot, gain.blocks, gain.share_first, gain.share_later) == (A, 40, 0.25, 0.75)
    assert gain.chance == pytest.approx(2 * erfc(20 / sqrt(20) / sqrt(2)) / 2), "two bots, and one side of the normal"
    published_t, spread = 2.023, sqrt(40 / 39) / 2
    assert gain.gain.high == pytest.approx(0.5 + published_t * spread / sqrt(40), rel=1e-3)


def test_memory_needs_blocks_and_several_matches() -> None:
    assert find_memory([duel(number, B, A) for number in range(19)], 1.0).judged == 0
    assert find_memory([duel(number, A) for number in range(50)], 1.0).blocks == 0


def test_voids_by_hand() -> None:
    """A and B think as long. A is asked in 9 of 10 voids, 5 are expected."""
    voided = [VoidedMatch(60_000 * number, "karteneck", (A, B), (0 if number < 9 else 1,)) for number in range(10)]
    report = find_voids(voided, [facts(0, 10.0, 10.0)], 0.05)
    assert (report.voided, report.moments) == (10, 10)
    assert report.shares[A].moments == 9
    assert report.shares[A].expected == pytest.approx(5)
    assert report.shares[A].chance == pytest.approx(2 * (comb(10, 9) + 1) / 2**10), "two bots are judged"
    assert [share.bot for share in report.findings] == [A]


def test_a_slow_bot_is_expected_to_be_asked_more_often() -> None:
    """B takes 1 + 1 ms for a decision, A 17 + 1: nine of ten voids are due to it."""
    voided = [VoidedMatch(60_000 * number, "karteneck", (A, B), (0 if number < 9 else 1,)) for number in range(10)]
    share = find_voids(voided, [facts(0, 17.0, 1.0)], 0.05).shares[A]
    assert share.expected == pytest.approx(9)
    assert share.chance == 1


def test_what_one_delay_voids_is_one_observation() -> None:
    at_once = [VoidedMatch(10 * number, "karteneck", (A, B), (0,)) for number in range(10)]
    report = find_voids(at_once, [facts(0, 10.0, 10.0)], 0.05)
    assert (report.voided, report.moments, report.shares[A].moments) == (10, 1, 1)
    assert report.shares[A].chance == 1
    assert report.findings == ()


def test_voids_when_several_are_asked_or_nobody() -> None:
    """All three are asked: that says nothing. Of two that are asked, the slowest is one for sure."""
    all_asked = find_voids([VoidedMatch(0, "g", (A, B, C), (0, 1, 2))], [], 0.05)
    assert {share.expected for share in all_asked.shares.values()} == {1}
    times = [facts(0, 99.0, 9.0, 4.0, bots=(A, B, C), game="g")]
    two = find_voids([VoidedMatch(0, "g", (A, B, C), (0, 1))], times, 0.05)
    assert [two.shares[bot].expected for bot in (A, B, C)] == pytest.approx([1, 10 / 15, 5 / 15])
    nobody = find_voids([VoidedMatch(0, "g", (A, B), ())], [], 0.05)
    assert (nobody.voided, nobody.moments, nobody.shares) == (1, 0, {})


def steps(block: int, change: float) -> float:
    """A time that goes up and down, and is longer by a factor from the 60th of 120 blocks on."""
    return (9.0 + block % 3) * (change if block >= 60 else 1.0)


def test_a_change_of_thinking_time_is_found_where_it_is() -> None:
    matches = [facts(block, steps(block, 3.0), steps(block, 1.0)) for block in range(120)]
    (change,) = find_thinking(matches, 0.05).findings
    assert (change.bot, change.since, change.blocks_before, change.blocks_after) == (A, "block 60", 60, 60)
    assert change.before_ms == pytest.approx(10, rel=0.02)
    assert change.after_ms == pytest.approx(30, rel=0.02)
    faster = [match._replace(thinking_ms=match.thinking_ms[::-1]) for match in reversed(matches)]
    (other,) = find_thinking(faster, 0.05).findings
    assert (other.bot, other.before_ms > other.after_ms) == (B, True)


def test_thinking_longer_in_another_game_is_no_change() -> None:
    """From the middle on, only the game in which everybody thinks ten times as long is played."""
    short = [facts(block, steps(block, 1.0), 5.0 + block % 2) for block in range(60)]
    long = [facts(block, 10 * steps(block, 1.0), 50.0 + block % 2, game="haecmaec") for block in range(60, 120)]
    report = find_thinking([*short, *long], 0.05)
    assert (report.judged, report.findings) == (2, ())


def test_small_changes_and_short_records_are_not_reported() -> None:
    assert find_thinking([facts(block, steps(block, 1.2), 5.0) for block in range(120)], 1.0).findings == ()
    assert find_thinking([facts(block, exp(block), 5.0) for block in range(59)], 1.0).judged == 0


@pytest.mark.parametrize(
    "field",
    [
        Memory("deals", 8, 3, 120, DEALT),
        Voids("voids", 8, 30, at_once=2),
        Thinking("thinking", 6, 60, tails=0.05),
        Thinking("a loaded arena", 6, 120, daily=0.7),
    ],
    ids=lambda field: field.name,
)
def test_false_alarms_in_honest_fields(field: Field) -> None:
    """Somebody is named in 1.25 % of the fields at most: more than 3 of 40 have a chance of 0.2 %."""
    assert shares(field, 40, bool)[0] <= 3 / 40


@pytest.mark.parametrize(
    "field",
    [
        Memory("deals", 8, 4, 150, DEALT, gain=300),
        Voids("voids", 8, 10, caused=30),
        Thinking("thinking", 6, 100, factor=3.0),
    ],
    ids=lambda field: field.name,
)
def test_the_guilty_are_found(field: Field) -> None:
    seen, innocent = shares(field, 20, found, innocent_accused)
    assert seen >= 0.8
    assert innocent <= 2 / 20
