"""The report: a page that is whole, safe and right, and the same as CSV and JSON."""

import csv
import json
import re
from importlib.resources import files
from io import StringIO

import pytest

from roost_games.errors import UsageError
from roost_ladder.rating import lottery
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from roost_ladder.report.markup import axis, element, spread
from roost_ladder.report.page import page
from roost_ladder.report.plain import as_csv, as_json
from roost_ladder.report.summary import RunNotes, Summary, summarise
from tests.support.ladders.worlds import simulated_facts
from tests.support.pages.markup import Markup
from tests.support.records.results import duels

EVIL = """<script>alert("x")</script>' & co"""
FACTS = simulated_facts(bots=6, blocks=90)
NAMES = {0: "greedy", 1: "random", 2: EVIL, 3: "cautious", 4: "Häc", 5: "late"}
ABOUT = RunNotes(EVIL, (("Seed", "0f3a"), ("Command", "roost ladder a.py <b>")))


def summary_of(facts: list[MatchFacts], rating: str = "fit") -> Summary:
    return summarise(facts, NAMES, ABOUT, rating=rating)


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summary_of(FACTS)


@pytest.fixture(scope="module")
def read(summary: Summary) -> Markup:
    return Markup(page(summary))


def test_names_are_only_text(summary: Summary, read: Markup) -> None:
    assert "<script" not in page(summary)
    assert "roost ladder a.py &lt;b&gt;" in page(summary)
    assert read.text.count(EVIL) >= 8, "title, heading and every table"


def test_nothing_comes_from_elsewhere(summary: Summary, read: Markup) -> None:
    assert not re.search(r"https?:|url\(|@import|<script|<link|<img|<iframe", page(summary))
    assert all(value.startswith("#") for _, name, value in read.attributes if name == "href")
    assert not [name for _, name, _ in read.attributes if name == "src" or name.startswith("on")]


def test_every_class_has_a_look(read: Markup) -> None:
    style = files("roost_ladder.report").joinpath("style.css").read_text(encoding="utf-8")
    plain = {"other", "rating", "number", "plot", "place1"}
    assert {name for name in read.classes - plain if f".{name}" not in style} == set()
    assert {f".shade{step}" for step in range(11)} <= set(re.findall(r"\.shade\d+", style))
    assert {f".colour{rank}" for rank in range(8)} <= set(re.findall(r"\.colour\d", style))


def test_the_table_has_the_standings(read: Markup) -> None:
    head, *rows = read.tables[0]
    assert [cell for cell in head if not cell[:1].isdigit()] == (
        ["rank", "bot", "rating", "above next", "matches", "of 2", "of 3", "of 4", "faults"]
    )
    for row, standing in zip(rows, standings(match.result() for match in FACTS), strict=True):
        best, worst = standing.best_rank, standing.worst_rank
        assert row[0] == (f"{best}" if best == worst else f"{best}–{worst}")
        assert row[1] == NAMES[standing.bot]
        assert row[3] == f"{standing.rating:.0f} ±{standing.high - standing.rating:.0f}"
        assert row[5] == str(sum(standing.bot in match.bots for match in FACTS))
        assert row[6] == f"{mean_place(standing.bot, 2):.2f}"
        assert row[9] == str(sum(match.faults[match.bots.index(standing.bot)] for match in of_bot(standing.bot)))


def of_bot(bot: int) -> list[MatchFacts]:
    return [match for match in FACTS if bot in match.bots]


def mean_place(bot: int, players: int) -> float:
    places = [match.places[match.bots.index(bot)] for match in of_bot(bot) if len(match.bots) == players]
    return sum(places) / len(places)


def test_dots_lie_where_the_ratings_are(summary: Summary, read: Markup) -> None:
    dots = [float(value.rstrip("%")) for tag, name, value in read.attributes if tag == "circle" and name == "cx"]
    ratings = [standing.rating for standing in summary.standings]
    scale = (dots[0] - dots[-1]) / (ratings[0] - ratings[-1])
    assert dots == pytest.approx([dots[0] + scale * (rating - ratings[0]) for rating in ratings], abs=0.02)
    assert scale > 0


def test_the_heat_map_has_who_beats_whom(summary: Summary, read: Markup) -> None:
    order = [standing.bot for standing in summary.standings]
    for row, one in zip(read.tables[1][1:], order, strict=True):
        assert row[1:] == ["" if one == other else f"{100 * ahead_share(one, other):.0f}" for other in order]


def ahead_share(one: int, other: int) -> float:
    results = []
    for match in FACTS:
        if one in match.bots and other in match.bots:
            own, theirs = (match.places[match.bots.index(bot)] for bot in (one, other))
            results.append((own < theirs) + (own == theirs) / 2)
    return sum(results) / len(results)


def test_one_game_of_one_size_has_no_views() -> None:
    duels = [match._replace(game="karteneck") for match in FACTS if match.players == 2]
    assert 'id="views"' in page(summary_of(FACTS))
    assert 'id="views"' not in page(summary_of(duels))


def test_the_other_rating() -> None:
    made = Markup(page(summary_of(FACTS, "elo")))
    assert len(made.tables[0]) == 7


@pytest.mark.parametrize("bots", [2, 30])
def test_few_and_many_bots(bots: int) -> None:
    facts = simulated_facts(bots, blocks=100)
    made = Markup(page(summarise(facts, {bot: f"bot {bot}" for bot in range(bots)}, RunNotes("many"))))
    assert len(made.tables[0]) == bots + 1


def in_a_circle() -> list[MatchFacts]:
    """Of each two of three bots, one wins both matches of 11 blocks of 50, and one match of the others."""
    return of_duels([each for pair in ((0, 1), (1, 2), (2, 0)) for each in duels([2] * 11 + [1] * 39, bots=pair)])


def of_duels(results: list[MatchResult]) -> list[MatchFacts]:
    nothing = (0, 0)
    return [
        MatchFacts(
            each.block_id, "karteneck", each.bots, each.places, nothing, nothing, (False, False), nothing, (0, 0)
        )
        for each in results
    ]


def test_a_circle_is_reported() -> None:
    made = summary_of(in_a_circle())
    assert made.circle_line().startswith(
        f"greedy beats random 61:39, random beats {EVIL} 61:39, {EVIL} beats greedy 61:39: "
    )
    assert made.circle_line() in Markup(page(made)).text
    found = json.loads(json.dumps(as_json(made)))["circularity"]
    assert [each["name"] for each in found["circle"]] == ["greedy", "random", EVIL]
    assert {each["ahead_of_next"] for each in found["circle"]} == {0.61}
    assert 0 < found["strength_low"] < found["strength"] < found["strength_high"] < 1


def test_the_second_ranking_is_reported_beside_a_circle() -> None:
    made = summary_of(in_a_circle())
    text = Markup(page(made)).text
    assert "The clone-proof ranking agrees" in text
    assert text.count("1–3: 50 % (") == 3
    assert as_json(made)["second_ranking"] == {"state": "ready", "matches": 300, "summary": made.lottery_line()}
    found = json.loads(json.dumps(as_json(made)))["clone_proof"]
    assert {each["name"] for each in found} == {"greedy", "random", EVIL}
    for each in found:
        assert (each["rank_low"], each["rank_high"]) == (1, 3)
        assert each["score"] == pytest.approx(0.5)
        assert 0 < each["score_low"] <= each["score"] <= each["score_high"]


@pytest.mark.parametrize("rating", ["fit", "elo"])
def test_nothing_is_said_of_circles_where_there_is_an_order(rating: str) -> None:
    made = summary_of(FACTS, rating)
    assert made.circle_line() == ""
    assert "circularity" not in as_json(made)
    assert "clone_proof" not in as_json(made)
    text, agrees = Markup(page(made)).text, "no circle shows: the clone-proof ranking agrees"
    sentence = "No circle shows: the clone-proof ranking agrees."
    assert (sentence in text) == (rating == "fit"), "Elo does not ask"
    assert "clone-proof" not in text.replace(sentence, ""), "the second ranking is left out of the table"
    second = {"state": "agrees", "matches": len(FACTS), "summary": agrees}
    assert as_json(made).get("second_ranking") == (second if rating == "fit" else None)


def test_a_circle_of_very_many_bots_has_no_second_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lottery, "MOST_BOTS", 2)
    found = as_json(summary_of(in_a_circle()))
    assert "clone_proof" not in found
    said = {"state": "too_many_bots", "matches": 300, "summary": lottery.TOO_MANY_BOTS}
    assert found["second_ranking"] == said


def test_too_few_matches_say_nothing_of_another_order() -> None:
    made = summary_of(FACTS[:8])
    assert made.lottery_line() == ""
    assert "second_ranking" not in as_json(made)


def test_a_pair_that_defies_the_ladder_is_named() -> None:
    """Five equal bots, of which one wins 150 of 200 matches against another, as if it were 191 points stronger."""
    pairs = [(one, other) for other in range(5) for one in range(other) if (one, other) != (0, 1)]
    even = [2] * 25 + [1] * 50 + [0] * 25
    results = [*duels([2] * 50 + [1] * 50, bots=(0, 1)), *(each for pair in pairs for each in duels(even, bots=pair))]
    made = summary_of(of_duels(results))
    (found,) = json.loads(json.dumps(as_json(made)))["defying"]
    assert (found["name"], found["opponent"], found["matches"], found["share"]) == ("greedy", "random", 200, 0.75)
    assert 0.5 < found["expected"] < found["share_low"] < 0.75 < found["share_high"]
    said = f"greedy defies the ladder against random: ahead in 75 % instead of {100 * found['expected']:.0f} %"
    assert said in made.lines()
    assert said in Markup(page(made)).text


def test_a_single_match() -> None:
    made = Markup(page(summary_of(FACTS[:1])))
    assert len(made.tables[0]) == 1 + FACTS[0].players


def test_nothing_to_report() -> None:
    empty = summary_of([])
    assert as_json(empty)["standings"] == []
    for report in (page, as_csv):
        with pytest.raises(UsageError, match="no match counts"):
            report(empty)


def test_forfeits_can_be_left_out() -> None:
    kept = [match for match in FACTS if not any(match.forfeited)]
    assert 0 < len(kept) < len(FACTS)
    assert summarise(FACTS, NAMES, ABOUT, forfeits=False).standings == summary_of(kept).standings


def test_csv(summary: Summary) -> None:
    rows = list(csv.DictReader(StringIO(as_csv(summary))))
    assert [row["name"] for row in rows] == [NAMES[standing.bot] for standing in summary.standings]
    for row, standing in zip(rows, summary.standings, strict=True):
        assert float(row["rating"]) == standing.rating
        assert float(row["mean_place_of_3"]) == pytest.approx(mean_place(standing.bot, 3))
        assert int(row["forfeits"]) == sum(
            match.forfeited[match.bots.index(standing.bot)] for match in of_bot(standing.bot)
        )
    assert rows[-1]["above_next"] == ""


def test_json(summary: Summary) -> None:
    read = json.loads(json.dumps(as_json(summary), allow_nan=False))
    assert (read["matches"], read["blocks"], read["notes"]["Seed"]) == (len(FACTS), 90, "0f3a")
    assert [row["name"] for row in read["standings"]] == [NAMES[standing.bot] for standing in summary.standings]
    assert read["standings"][0]["places"][0]["players"] == 2
    assert {(view["game"], view["players"]) for view in read["views"]} == {
        ("bratwurmeck", None),
        ("haecmaec", None),
        ("karteneck", None),
        (None, 2),
        (None, 3),
        (None, 4),
    }
    assert sum(row["matches"] for row in read["by_bot"]) == sum(match.players for match in FACTS)
    assert sum(row["matches"] for row in read["by_seat"] if row["seat"] == 0) == len(FACTS)
    assert read["elo_curve"]["after"][-1] == len(FACTS)
    met = read["head_to_head"]["met"]
    assert sum(map(sum, met)) == sum(match.players * (match.players - 1) for match in FACTS)


def test_faults_in_a_view_are_those_of_its_game(summary: Summary) -> None:
    views = json.loads(json.dumps(as_json(summary)))["views"]
    for view in views[:3]:
        faults = {row["name"]: row["faults"] for row in view["standings"]}
        assert faults["late"] == sum(
            match.faults[match.bots.index(5)] for match in of_bot(5) if match.game == view["game"]
        )


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(1420, 1580, (1450, 1500, 1550)), (0, 900, (0, 200, 400, 600, 800)), (0, 3, (0, 1, 2, 3))],
)
def test_ticks_are_round(low: float, high: float, ticks: tuple[float, ...]) -> None:
    assert axis(low, high).ticks == ticks


def test_an_axis_of_one_number() -> None:
    assert axis(5, 5).at(5) == 1
    assert axis(4, 6).at(5) == 0.5
    assert axis(4, 6).at(9) == 1


def test_labels_do_not_overlap() -> None:
    assert spread([0.1, 0.11, 0.5], 0.1) == pytest.approx([0.1, 0.2, 0.5])
    assert spread([0.9, 0.95, 1.0], 0.1) == pytest.approx([0.8, 0.9, 1.0])
    assert spread([0.0, 0.5, 1.0], 0.1, margin=0.05) == pytest.approx([0.05, 0.5, 0.95])


def test_elements() -> None:
    assert element("a", "x", class_="b c", text_anchor="<>", title="") == '<a class="b c" text-anchor="&lt;&gt;">x</a>'


def test_bots_that_do_not_play_are_named_with_the_reason() -> None:
    absent = ("left out: broken.py: SyntaxError: <b>", "hangs is benched: it had to be stopped in 3 matches")
    summary = summarise(FACTS, NAMES, RunNotes("Test", absent=absent))
    made = page(summary)
    assert "left out: broken.py: SyntaxError: &lt;b&gt;" in made
    assert "hangs is benched: it had to be stopped in 3 matches" in made
    assert as_json(summary)["absent"] == list(absent)
    assert "absent" not in as_json(summary_of(FACTS))
    assert "Not playing" not in page(summary_of(FACTS))
