"""Places and what decides them, by hand."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import pytest

from roost_ladder.rating.results import MatchResult
from roost_server.competition.file import parse_competition
from roost_server.competition.finals import Finalist, finals_field
from roost_server.competition.ranking import Criterion
from roost_server.competition.result import CompetitionResult, result_of
from tests.support.cups import cup

KNOCKOUT = {"phase": "finals", "schedule": "knockout"}


def block(number: int, winner: int, loser: int) -> list[MatchResult]:
    """Two matches in both seatings, both with the same winner."""
    return [
        MatchResult(f"b{number}", "karteneck", (winner, loser), (1, 2)),
        MatchResult(f"b{number}", "karteneck", (loser, winner), (2, 1)),
    ]


def result(
    bots: int,
    finals: Sequence[tuple[int, int]],
    phase: str | Mapping[str, object] = "finals",
    ladder: Sequence[tuple[int, int]] = (),
    disqualified: Collection[int] = (),
    top: str = "",
) -> CompetitionResult:
    """Of bots 1, 2, … in the order of entry. Every block is a winner and a loser. Some are disqualified at the end."""
    file = parse_competition(f"{top}\n" + cup("ladder", phase, "done"))
    entered = [Finalist(number, f"owner {number}") for number in range(1, bots + 1)]
    blocks = [block(number, *pair) for number, pair in enumerate(ladder)]
    played = [each for number, pair in enumerate(finals, 1000) for each in block(number, *pair)]
    deciding = played or [each for results in blocks for each in results]
    counted = [each for each in deciding if not set(each.bots).intersection(disqualified)]
    return result_of(file, finals_field(file, entered, blocks), played, counted, disqualified)


def test_by_rating() -> None:
    found = result(3, [(3, 1), (3, 2), (2, 1)])
    assert [(row.version_id, row.place, row.decided_by) for row in found.places] == [
        (3, 1, "rating"),
        (2, 2, "rating"),
        (1, 3, ""),
    ]
    assert found.winner == 3
    assert scores(found) == [1.0, 0.5, 0.0]


def scores(found: CompetitionResult) -> list[float | None]:
    return [row.measures.of[Criterion.SCORE] if row.measures else None for row in found.places]


def test_a_circle_is_decided_by_the_seeding() -> None:
    """Everybody beats one and loses to one, so ratings and scores are equal. The ladder was won by 3, then 2."""
    found = result(3, [(1, 2), (2, 3), (3, 1)], ladder=[(3, 2), (3, 1), (2, 1)])
    assert [(row.version_id, row.decided_by, row.seed) for row in found.places] == [
        (3, "seeding", 1),
        (2, "seeding", 2),
        (1, "", 3),
    ]


ROCK, PAPER, SCISSORS, WEAK, COPY, COPY_2 = range(1, 7)
CLONE_PROOF = 'ranking = "clone-proof"'


def circle(*copies: int) -> list[tuple[int, int]]:
    """Each beats the next by 7, 8 or 9 blocks of 10, and all beat the weak one by 9. Copies of scissors are even."""
    all_scissors = [SCISSORS, *copies]
    pairs = [
        (PAPER, ROCK, 8),
        *((ROCK, each, 9) for each in all_scissors),
        *((each, PAPER, 7) for each in all_scissors),
    ]
    pairs += [(each, WEAK, 9) for each in (ROCK, PAPER, *all_scissors)]
    pairs += [(one, other, 5) for one, other in combinations(all_scissors, 2)]
    return [pair for one, other, won in pairs for pair in [(one, other)] * won + [(other, one)] * (10 - won)]


def places(found: CompetitionResult) -> list[int]:
    return [row.version_id for row in found.places]


def test_copies_move_others_in_the_ratings_and_not_in_the_clone_proof_ranking() -> None:
    """The worst of rock is 20 % against paper, of paper 30 % against scissors, of scissors 10 % against rock."""
    assert places(result(4, circle())) == [ROCK, PAPER, SCISSORS, WEAK]
    assert places(result(6, circle(COPY, COPY_2)))[:2] == [ROCK, SCISSORS], "paper falls behind"
    alone, copied = result(4, circle(), top=CLONE_PROOF), result(6, circle(COPY, COPY_2), top=CLONE_PROOF)
    assert places(alone) == [PAPER, ROCK, SCISSORS, WEAK]
    assert places(copied) == [PAPER, ROCK, SCISSORS, COPY, COPY_2, WEAK]
    assert [row.decided_by for row in copied.places] == [
        "worst-pair",
        "worst-pair",
        "seeding",
        "seeding",
        "clone-proof",
        "",
    ]
    by_bot = {row.version_id: row.measures.of for row in copied.places if row.measures}
    assert [by_bot[bot][Criterion.CLONE_PROOF] for bot in (ROCK, PAPER, SCISSORS, COPY)] == [0.5] * 4
    # Three in 21 matches of two seats: each pair has one more match that went as the ratings say.
    assert by_bot[PAPER][Criterion.WORST_PAIR] == pytest.approx(6.5 / 21, abs=0.02)


def test_the_host_says_what_breaks_ties() -> None:
    by_rating = result(4, circle(), top=f'{CLONE_PROOF}\nties = ["rating"]')
    assert places(by_rating) == places(result(4, circle()))
    # Rock and paper won 11 of 20 blocks in the circle, scissors 8.
    assert [row.decided_by for row in by_rating.places] == ["seeding", "rating", "clone-proof", ""]
    by_seed = result(
        4, circle(), top=f"{CLONE_PROOF}\nties = []", ladder=[(SCISSORS, WEAK), (WEAK, ROCK), (ROCK, PAPER)]
    )
    assert places(by_seed) == [SCISSORS, ROCK, PAPER, WEAK]


def test_the_ranking_decides_the_seeding_too() -> None:
    played = [(PAPER, ROCK)]
    assert [row.seed for row in result(4, played, ladder=circle()).places] == [2, 1, 3, 4]
    assert [row.seed for row in result(4, played, ladder=circle(), top=CLONE_PROOF).places] == [1, 2, 3, 4]


def test_who_did_not_play_is_last() -> None:
    found = result(4, [(2, 1)])
    assert [row.version_id for row in found.places] == [2, 1, 3, 4]
    assert [row.measures is None for row in found.places] == [False, False, True, True]


def test_without_finals_the_ladder_decides() -> None:
    assert result(3, [], ladder=[(2, 1), (1, 3), (2, 3)]).winner == 2


def test_in_a_bracket_who_lost_to_the_better_bot_is_ahead() -> None:
    """1–4 and 2–3 meet first. 4 beats 1, 2 beats 3, and 4 wins the final: 1 lost to the champion, so it is third."""
    found = result(4, [(4, 1), (2, 3), (4, 2)], KNOCKOUT)
    assert [(row.version_id, row.place, row.lost_to, row.lost_in) for row in found.places] == [
        (4, 1, None, None),
        (2, 2, 4, 2),
        (1, 3, 4, 1),
        (3, 4, 2, 1),
    ]
    assert found.winner == 4
    assert [row.decided_by for row in found.places] == ["bracket", "bracket", "bracket", ""]


def test_a_bracket_with_a_bye() -> None:
    found = result(3, [(2, 3), (1, 2)], KNOCKOUT)
    assert [(row.version_id, row.lost_in) for row in found.places] == [(1, None), (2, 2), (3, 1)]


def test_a_bracket_that_was_ended_before_its_final_has_no_winner() -> None:
    found = result(4, [(4, 1), (2, 3)], KNOCKOUT)
    assert found.winner is None
    assert [row.version_id for row in found.places] == [2, 4, 3, 1]


def test_who_is_disqualified_has_no_place() -> None:
    """3 beat everybody, and 2 beat 1. The ladder had 3 first, so the seeds stay 2 and 3."""
    found = result(3, [(3, 1), (3, 2), (2, 1)], ladder=[(3, 2), (3, 1), (2, 1)], disqualified=[3])
    assert [(row.version_id, row.place, row.seed) for row in found.places] == [(2, 1, 2), (1, 2, 3)]
    assert scores(found) == [1.0, 0.0]
    assert found.winner == 2


def test_a_rating_in_the_result_has_its_interval() -> None:
    """Of two bots that met once each is 1500 on average, one above the other, and both as uncertain."""
    first, second = (row.measures for row in result(2, [(1, 2)]).places)
    assert first
    assert second
    assert first.low < first.of[Criterion.RATING] < first.high
    assert first.low == pytest.approx(3000 - second.high)


def test_finals_that_do_not_count_are_not_replaced_by_the_ladder() -> None:
    """2 won the only match of the finals, and was disqualified. What 3 won on the ladder does not put it ahead."""
    found = result(3, [(2, 1)], ladder=[(3, 1), (1, 2)], disqualified=[2])
    assert [(row.version_id, row.measures, row.decided_by) for row in found.places] == [
        (3, None, "seeding"),
        (1, None, ""),
    ]


def test_behind_a_champion_who_is_disqualified_the_others_move_up() -> None:
    """The bracket stays as it was played: 4 won it against 2."""
    found = result(4, [(4, 1), (2, 3), (4, 2)], KNOCKOUT, disqualified=[4])
    assert [(row.version_id, row.place, row.lost_to, row.decided_by) for row in found.places] == [
        (2, 1, 4, "bracket"),
        (1, 2, 4, "bracket"),
        (3, 3, 2, ""),
    ]
    assert found.winner == 2
    assert result(2, [(1, 2)], KNOCKOUT, disqualified=[1, 2]) == CompetitionResult((), None)


def test_nobody() -> None:
    assert result(0, []) == CompetitionResult((), None)
