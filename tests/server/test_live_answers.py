"""Standings that are kept up to date equal those worked out from all records, whatever was recorded meanwhile."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import update

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_server.answers.ratings import MOST_REMEMBERED, Ratings, everything
from roost_server.answers.standings import LiveAnswers
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.store import BlockState, Planned, Store
from roost_server.store.models import PHASE_CHANGE
from tests.support.records.matches import block, finished, sketch, two_competitions
from tests.support.records.random_record import QUESTIONS, RandomRecord, check_answer, worked_out


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


def test_what_is_kept_up_to_date_is_what_the_records_say(store: Store) -> None:
    world, live = RandomRecord(store), LiveAnswers(store)
    compared = 0
    for step in range(150):
        world.happen()
        if step % 6 == 0:
            request = arena_pb2.GetStandingsRequest(**world.rng.choice(QUESTIONS))
            compared += check_answer(live.standings_of(request), worked_out(store, request)) > 1
    assert compared > 10
    for question in QUESTIONS:
        request = arena_pb2.GetStandingsRequest(**question)
        assert check_answer(live.standings_of(request), worked_out(store, request)) > 0


def test_nothing_is_fitted_again_as_long_as_nothing_is_new(store: Store) -> None:
    world, ratings = RandomRecord(store), Ratings(store)
    live = LiveAnswers(store, ratings)
    for _ in range(50):
        world.happen()
    request = arena_pb2.GetStandingsRequest(everything=True)
    first = live.standings_of(request)
    rated = ratings.rated(everything())
    assert live.standings_of(request) == first
    assert ratings.rated(everything()) is rated
    while ratings.rated(everything()) is rated:
        world.happen()
    assert live.standings_of(request) != first


def test_what_there_is_not_is_refused(store: Store) -> None:
    live = LiveAnswers(store)
    unknown: list[dict[str, Any]] = [
        {"game": "chess"},
        {"competition": "none"},
        {"competition": "all", "phase": "freeze"},
        {"competition": "all", "everything": True},
        {"phase": "ladder"},
    ]
    for wrong in unknown:
        with pytest.raises(UsageError):
            live.standings_of(arena_pb2.GetStandingsRequest(**wrong))


def test_whatever_is_asked_not_everything_is_remembered(store: Store) -> None:
    ratings = Ratings(store)
    live = LiveAnswers(store, ratings)
    for players in range(2 * MOST_REMEMBERED):
        live.standings_of(arena_pb2.GetStandingsRequest(players=players))
    assert ratings.remembered == MOST_REMEMBERED


def enter_phase(store: Store, name: str, phase: PhaseName, at_ms: int) -> None:
    """The competition enters a phase at that time."""
    competition = ledger.change_phase(store, ledger.find(store, name), phase, "test")
    with store.writing() as connection:
        of_change = (PHASE_CHANGE.c.competition_id == competition.id) & (PHASE_CHANGE.c.phase == phase)
        connection.execute(update(PHASE_CHANGE).where(of_change).values(at_ms=at_ms))


def play_duel(store: Store, id: str, plan: Planned | None) -> None:
    """A block of one match between the bots 1 and 2."""
    planned = block(store, id, 1, 2, plan=plan)
    store.commit([finished(sketch(f"m-{id}", (1, 2)), planned)])
    store.close_block(id, BlockState.DONE)


def shown(store: Store, **request: Any) -> tuple[str, str, int]:
    """What the standings are about, and the number of matches that count."""
    answer = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest(**request))
    return answer.competition, answer.phase, answer.matches


def test_standings_are_those_of_the_current_phase_and_say_so(store: Store) -> None:
    assert shown(store) == ("", "", 0), "nothing was played, and no competition has begun"
    play_duel(store, "open", None)
    assert shown(store) == ("", "", 1), "an arena without a competition that plays shows everything"
    enter_phase(store, "all", PhaseName.LADDER, at_ms=2_000)
    assert shown(store) == ("all", "ladder", 0)
    play_duel(store, "ladder1", Planned(1, "ladder", 0))
    play_duel(store, "ladder2", Planned(1, "ladder", 1))
    assert shown(store) == ("all", "ladder", 2)
    assert shown(store, game="haecmaec") == ("all", "ladder", 0), "the game is asked for, the phase is not"
    assert shown(store, everything=True) == ("", "", 3)
    enter_phase(store, "all", PhaseName.FREEZE, at_ms=3_000)
    assert shown(store) == ("all", "ladder", 2), "nothing is played in a freeze"
    enter_phase(store, "all", PhaseName.FINALS, at_ms=4_000)
    assert shown(store) == ("all", "finals", 0)
    assert shown(store, competition="all", phase="ladder") == ("all", "ladder", 2)
    assert shown(store, competition="some") == ("some", "ladder", 0), "the answer names its phase"


def test_of_several_competitions_the_one_that_plays_is_shown(store: Store) -> None:
    enter_phase(store, "all", PhaseName.LADDER, at_ms=2_000)
    enter_phase(store, "some", PhaseName.REGISTRATION, at_ms=500)
    assert shown(store)[:2] == ("all", "ladder"), "the other one does not play yet"
    enter_phase(store, "some", PhaseName.LADDER, at_ms=1_000)
    assert shown(store)[:2] == ("all", "ladder"), "both play, and this phase began later"
    enter_phase(store, "some", PhaseName.FINALS, at_ms=4_000)
    assert shown(store)[:2] == ("some", "finals"), "both play, and now this phase began later"


def test_if_nothing_is_played_what_was_played_last_is_shown(store: Store) -> None:
    play_duel(store, "one", Planned(1, "finals", 0))
    play_duel(store, "two", Planned(2, "finals", 0))
    enter_phase(store, "some", PhaseName.DONE, at_ms=2_000)
    enter_phase(store, "all", PhaseName.DONE, at_ms=3_000)
    assert shown(store) == ("some", "finals", 1), "its match is the newest, although the other one ended later"
    play_duel(store, "open", None)
    assert shown(store) == ("", "", 3), "after the competitions the arena is an open one"


def play_circle(store: Store, bots: tuple[int, int, int]) -> None:
    """Each beats the next in 61 of 100 matches: 11 blocks are won 2:0, and 39 split."""
    for one, other in zip(bots, (*bots[1:], bots[0]), strict=True):
        for number in range(50):
            planned = block(store, f"{one} {other} {number}", one, other)
            places = ((1, 2), (1, 2) if number < 11 else (2, 1))
            matches = [sketch(f"{planned.id} {turn}", each) for turn, each in enumerate(places)]
            store.commit([finished(match, planned, turn) for turn, match in enumerate(matches)])
            store.close_block(planned.id, BlockState.DONE)


def test_a_circle_is_named_with_its_shares(store: Store) -> None:
    play_circle(store, (2, 4, 5))
    answer = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest())
    found = answer.circularity
    assert [(each.version_id, each.name, each.version) for each in found.circle] == [
        (2, "bot2", "v1"),
        (4, "bot4", "v1"),
        (5, "bot5", "v1"),
    ]
    assert [each.ahead_of_next for each in found.circle] == pytest.approx([0.61] * 3)
    # What is beyond a half, beside the standard deviation of a match, which is a half.
    assert found.strength == pytest.approx(0.22, abs=0.01)
    assert 0 < found.strength_low < found.strength < found.strength_high < 1


def answer_with_second(answers: LiveAnswers) -> arena_pb2.GetStandingsResponse:
    """Ask until the second ranking is there."""
    while True:
        answer = answers.standings_of(arena_pb2.GetStandingsRequest())
        if answer.second.state != arena_pb2.SECOND_STATE_BEING_WORKED_OUT:
            return answer


def test_the_second_ranking_comes_later_and_is_of_the_bots_in_the_table(store: Store) -> None:
    play_circle(store, (2, 4, 5))
    answers = LiveAnswers(store)
    first = answers.standings_of(arena_pb2.GetStandingsRequest())
    assert (len(first.standings), first.second.state) == (3, arena_pb2.SECOND_STATE_BEING_WORKED_OUT)
    assert (len(first.second.scores), "ask again" in first.second.summary) == (0, True)
    second = answer_with_second(answers).second
    assert (second.state, second.matches) == (arena_pb2.SECOND_STATE_READY, 300)
    assert [each.version_id for each in second.scores] == [2, 4, 5]
    assert [each.score for each in second.scores] == pytest.approx([0.5] * 3)
    assert [(each.rank_low, each.rank_high) for each in second.scores] == [(1, 3)] * 3
    assert second.summary == "the clone-proof ranking agrees: it puts no two bots surely in another order"


def test_while_newer_matches_are_worked_in_the_older_second_ranking_is_shown(store: Store) -> None:
    play_circle(store, (2, 4, 5))
    answers = LiveAnswers(store)
    answer_with_second(answers)
    play_duel(store, "one more", None)
    answer = answers.standings_of(arena_pb2.GetStandingsRequest())
    assert (answer.matches, answer.second.matches) == (301, 300)
    assert answer.second.summary.endswith(" (after 300 matches)")


def test_where_the_pairs_follow_an_order_a_line_says_that_the_second_ranking_agrees(store: Store) -> None:
    for pair in ((2, 4), (2, 5), (4, 5)):
        for number in range(16):
            planned = block(store, f"{pair} {number}", *pair)
            places = ((1, 2), (1, 2) if number < 8 else (2, 1))
            matches = [sketch(f"{planned.id} {turn}", each) for turn, each in enumerate(places)]
            store.commit([finished(match, planned, turn) for turn, match in enumerate(matches)])
            store.close_block(planned.id, BlockState.DONE)
    second = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest()).second
    assert (second.state, len(second.scores)) == (arena_pb2.SECOND_STATE_AGREES, 0)
    assert second.summary == "no circle shows: the clone-proof ranking agrees"


def test_where_one_order_may_fit_nothing_is_said_of_circles(store: Store) -> None:
    for number in range(6):
        play_duel(store, f"block {number}", None)
    answer = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest())
    assert not answer.HasField("circularity")
    assert not answer.HasField("second"), "too few pairs have met to say anything"


def play_block(store: Store, name: str, bots: tuple[int, ...], *places: tuple[int, ...]) -> None:
    """A block with a match for each of these places, which are in the order of the bots."""
    planned = block(store, name, *bots)
    matches = [sketch(f"{name} {turn}", each, players=len(bots)) for turn, each in enumerate(places)]
    store.commit([finished(match, planned, turn) for turn, match in enumerate(matches)])
    store.close_block(planned.id, BlockState.DONE)


def play_a_specialist(store: Store) -> None:
    """Bot 1 wins three of four matches at tables of two, and is last in three of four at tables of four."""
    others = (2, 4, 5)
    for number in range(12):
        for other in others:
            play_block(store, f"1 {other} {number}", (1, other), (1, 2), (1, 2) if number % 2 else (2, 1))
        for pair in combinations(others, 2):
            play_block(store, f"{pair} {number}", pair, (1, 2), (2, 1))
        play_block(store, f"four {number}", (1, *others), (4, 1, 2, 3), (4, 2, 3, 1), (4, 3, 1, 2), (1, 2, 3, 4))


def test_a_specialist_is_named_and_remembered_while_little_is_new(store: Store) -> None:
    play_a_specialist(store)
    answers = LiveAnswers(store)
    (found,) = answers.standings_of(arena_pb2.GetStandingsRequest()).specialists
    # 191 points above each of the others at tables of two, and as far below at tables of four.
    assert (found.version_id, found.game, found.players) in ((1, "", 2), (1, "", 4))
    assert 200 < abs(found.points) < 500
    assert found.points_low * found.points_high > 0
    play_block(store, "one more", (2, 4), (1, 2))
    again = answers.standings_of(arena_pb2.GetStandingsRequest())
    assert list(again.specialists) == [found], "193 matches instead of 192"
    play_block(store, "many more", (2, 4), *[(1, 2), (2, 1)] * 10)
    (later,) = answers.standings_of(arena_pb2.GetStandingsRequest()).specialists
    assert later != found


def test_at_one_kind_of_table_there_are_no_specialists(store: Store) -> None:
    play_circle(store, (2, 4, 5))
    assert not LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest()).specialists
