"""What a bot has to learn from its losses: costs by kind of decision, with intervals that hold together."""

from collections.abc import Sequence
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_ladder.workshop.guests import TrustedBot
from roost_ladder.workshop.lessons import LostMatch, Study, clustered_mean
from roost_ladder.workshop.lessons_page import lessons_page
from roost_ladder.workshop.losses import Lessons
from roost_sdk import Bot, LoadedBot
from tests.support.records.matches import recorded

CAREFUL = SAMPLES["careful"]
MATCHES = 6


class Accuser(CAREFUL):  # type: ignore[misc,valid-type]  # a class from a dictionary
    """Plays as `careful` does, but accuses every card in Häc Mäc: an honest one costs twice its value each time."""

    def haecmaec(self, view: Any, legal: Sequence[Any]) -> Any:
        accusing = [move for move in legal if getattr(move, "suspect", False)]
        return accusing[0] if accusing else super().haecmaec(view, legal)


def asked(bot: type[Bot]) -> TrustedBot:
    return TrustedBot(LoadedBot(bot.__name__, bot))


@pytest.fixture(scope="module")
def study() -> Study:
    study = Study(asked(Accuser), asked(CAREFUL), lambda game: CAREFUL, worlds=2)
    for number in range(MATCHES):
        replay = recorded("haecmaec", [LoadedBot("accuser", Accuser), LoadedBot("careful", CAREFUL)], str(number))
        study.add(LostMatch(replay, 0))
    return study


def test_accusing_the_honest_costs_places_by_name(study: Study) -> None:
    (only,) = study.lessons()
    assert only.kind == "accuses an honest card"
    assert only.cost.mean > 0
    assert only.matches == study.losses == MATCHES
    assert only.times == only.made < study.decisions
    assert only.instead == (("believes an honest card", only.times),)


def test_an_example_can_be_found_again(study: Study) -> None:
    example = study.lessons()[0].example
    assert (example.played, example.step >= 0, example.cost > 0) == ("suspect", True, True)


def test_a_bot_has_nothing_to_learn_from_itself() -> None:
    study = Study(asked(CAREFUL), asked(CAREFUL), lambda game: CAREFUL, worlds=2)
    replay = recorded("bratwurmeck", [LoadedBot("careful", CAREFUL)] * 2)
    study.add(LostMatch(replay, 1))
    assert study.decisions > 0
    assert study.lessons() == []


def test_the_interval_of_single_values_is_student_s() -> None:
    """By hand: the mean of 1 to 4 is 2.5, the standard error 1.29099 / 2, and Student's 97.5 % point is 3.1824."""
    found = clustered_mean([[1.0], [2.0], [3.0], [4.0]])
    assert found.mean == 2.5
    assert found.high == pytest.approx(2.5 + 3.1824 * 0.645497, rel=0.01)
    assert found.low == pytest.approx(5 - (found.high or 0))


def test_copies_within_a_match_tell_nothing_new() -> None:
    singles = clustered_mean([[1.0], [2.0], [4.0]])
    assert clustered_mean([[1.0] * 9, [2.0] * 9, [4.0] * 9]) == pytest.approx(singles)


def test_looking_at_many_kinds_makes_each_interval_wider() -> None:
    """With 98 degrees of freedom the 95 % point is 1.984, and the 99.5 % point, for ten kinds, is 2.873."""
    clusters = [[float(number % 7)] for number in range(99)]
    one, ten = clustered_mean(clusters), clustered_mean(clusters, 0.05 / 10)
    widths = [(each.high or 0) - each.mean for each in (one, ten)]
    assert widths[1] / widths[0] == pytest.approx(2.873 / 1.984, rel=0.01)


def test_one_match_has_no_interval() -> None:
    assert clustered_mean([[1.0, 2.0]]) == (1.5, None, None)


def test_the_page_names_everything_and_escapes_it(study: Study) -> None:
    page = lessons_page(
        Lessons("<b>accuser", "careful", study, study.lessons(), ["6 matches & more"], interrupted=False)
    )
    assert "accuses an honest card" in page
    assert "&lt;b&gt;accuser" in page
    assert "6 matches &amp; more" in page
    assert "<b>accuser" not in page
    assert "http" not in page
