"""The pages over made-up answers: what they say, what they link to, and that strangers' names are only text."""

import re
import time
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import grpc
import pytest

from roost.v1 import arena_pb2, play_pb2, records_pb2
from tests.support.pages.fake_arena import HOSTILE, FakeArena, serving
from tests.support.pages.markup import Markup
from tests.support.pages.visitor import Visitor, visiting

PAGES = (
    "/",
    "/stage",
    "/standings",
    "/standings?game=karteneck&players=3&competition=spring&phase=ladder",
    "/standings/cross",
    "/bots",
    "/bots/greedy",
    "/bots/?name=..",
    "/pair?bot=greedy&opponent=..",
    "/matches",
    "/matches?bot=greedy&opponent=&game=&players=&outcome=won&faults=1&since=2026-09-01&until=",
    "/competitions",
    "/competitions/spring",
    "/watch",
    "/rules",
    "/rules/karteneck",
    "/docs",
    "/docs/bots/start",
    "/api",
)


@pytest.fixture
def fake() -> FakeArena:
    return FakeArena(("greedy", *HOSTILE))


@pytest.fixture
def visitor(fake: FakeArena) -> Iterator[Visitor]:
    with serving(fake) as address, visiting(address) as visitor:
        yield visitor


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_whole_and_strangers_names_are_only_text(visitor: Visitor, path: str) -> None:
    response = visitor.get(path)
    assert response.status_code == 200
    markup = Markup(response.text)
    assert "<script>alert" not in response.text
    assert "<img src=x" not in response.text
    handlers = [name for _, name, _ in markup.attributes if name.startswith("on") or name in ("style", "srcdoc")]
    assert handlers == [], "a strict policy forbids them"
    assert not re.search(r"<script(?![^>]* src=)|<style", response.text)
    assert all(not urlsplit(value).netloc for _, name, value in markup.attributes if name in ("href", "src", "action"))


@pytest.mark.short(5)
@pytest.mark.parametrize("path", PAGES)
def test_every_link_of_a_page_leads_to_a_page(visitor: Visitor, path: str) -> None:
    links = {link.partition("#")[0] for link in Markup(visitor.get(path).text).links} - {""}
    wanted = {link for link in links if not re.match(r"/(matches/|open|matches\?)", link)}
    missing = {link for link in sorted(wanted)[:40] if visitor.get(link).status_code not in (200, 307)}
    assert missing == set()


def test_names_of_strangers_do_not_turn_the_direction_of_the_page(visitor: Visitor) -> None:
    turned = HOSTILE[1]
    for path in ("/", "/standings", "/bots", "/matches", "/watch"):
        text = visitor.get(path).text
        bare = [at.start() for at in re.finditer(turned, text) if not text[: at.start()].endswith(("<bdi>", 'title="'))]
        assert bare == [], path


def test_standings_say_how_sure_they_are(visitor: Visitor) -> None:
    rows = Markup(visitor.get("/standings").text).rows
    assert [words(cell) for cell in rows[1]][:2] == ["1–2", "greedy"]
    assert [words(cell) for cell in rows[1]][3:6] == ["1620 ±30", "90 %", "80"]
    assert [words(cell) for cell in rows[1]][-3:] == ["0", "2.5", "▲ 2"], "faults, 1000 ms for 400 moves, trend of 2.3"
    assert [words(cell) for cell in rows[2]][-1] == "▼ 8"


def test_numbers_of_matches_link_to_those_matches(visitor: Visitor) -> None:
    links = Markup(visitor.get("/standings?game=karteneck&players=3").text).links
    assert "/matches?game=karteneck&players=3&bot=greedy&version_id=1" in links


def test_filters_are_links_that_keep_the_others(visitor: Visitor) -> None:
    links = Markup(visitor.get("/standings?game=karteneck&players=3").text).links
    assert "/standings?game=karteneck&players=4" in links
    assert "/standings?game=haecmaec&players=3" in links
    assert "/standings?players=3" in links


def test_games_have_the_names_that_people_use(fake: FakeArena, visitor: Visitor) -> None:
    fake.about.games.append(records_pb2.PlayedGame(game="chess", player_counts=[2]))
    text = words(Markup(visitor.get("/standings").text).text)
    assert "Game all Karteneck Häc Mäc chess Table of" in text, (
        "a game that the page does not know is named all the same"
    )


def test_a_bots_page_says_first_why_it_does_not_play(fake: FakeArena, visitor: Visitor) -> None:
    fake.bots[0].presence = arena_pb2.PRESENCE_QUARANTINED
    fake.bots[0].quarantine_reason = "late in <9> of 10 matches, the last in 0123456789abcdef0123"
    markup = Markup(visitor.get("/bots/greedy").text)
    text = words(markup.text)
    assert "In quarantine" in text
    assert "late in <9> of 10 matches, the last in ef0123" in text
    assert "/matches/0123456789abcdef0123" in markup.links
    assert text.index("In quarantine") < text.index("Record")


def test_a_fault_links_to_its_position(visitor: Visitor) -> None:
    assert "/matches/match-7#step=12" in Markup(visitor.get("/bots/greedy").text).links


def test_counts_of_a_bot_lead_to_its_matches(visitor: Visitor) -> None:
    links = Markup(visitor.get("/bots/greedy").text).links
    assert {"/matches?bot=greedy&version_id=1", "/matches?bot=greedy&game=karteneck&players=3&faults=1"} <= set(links)


def test_a_match_says_what_went_wrong_and_where(visitor: Visitor) -> None:
    """In match-7 the bot in seat 1 sent something that was not allowed."""
    markup = Markup(visitor.get("/matches/match-7").text)
    assert "/matches/match-7#step=12" in markup.links
    [told] = [[words(cell) for cell in row] for row in markup.rows if words(row[0]) == "illegal"]
    assert told == ["illegal", HOSTILE[0], "step 12", "<img src=x onerror=alert(1)>"]
    [row] = visitor.get("/api/v1/matches/match-7").json()["faults"]
    assert (row["seat"], row["step"], row["position"], row["kind"]) == (1, 14, 12, "illegal")


def test_pairs_that_defy_the_ladder_are_named(visitor: Visitor) -> None:
    text = words(Markup(visitor.get("/standings/cross").text).text)
    assert "Pairs that defy the ladder" in text
    assert text.count("70 %") >= 4, "one for each pair two places apart"


def test_a_bot_defies_the_ladder_against_the_one_two_places_below(fake: FakeArena, visitor: Visitor) -> None:
    """It sees the pair from its own side, and so does the other one."""
    text = words(Markup(visitor.get("/bots/greedy").text).text)
    assert f"It defies the ladder against {fake.names[2]} 3f9ac07d: ahead in 70 % instead of 55 %." in text
    fake.pairs = [records_pb2.Pair(version_id=3, opponent_version_id=1, share=0.7, expected=0.55, defies=True)]
    [seen] = visitor.get("/api/v1/bots/greedy?players=2").json()["surprises"]
    assert seen["bot"] == fake.names[2]
    assert (seen["share"], seen["expected"]) == pytest.approx((0.3, 0.45))


def test_a_bot_does_best_and_worst_against_different_opponents(fake: FakeArena, visitor: Visitor) -> None:
    """Five opponents: two are named on either side, and the one in the middle is not."""
    text = words(Markup(visitor.get("/bots/greedy").text).text)
    first, second, _, fourth, fifth = fake.names[1:]
    assert f"It does best against {first}, {second} and worst against {fifth}, {fourth}." in text


def test_a_bracket_leads_to_the_bots_and_their_matches(fake: FakeArena, visitor: Visitor) -> None:
    fake.finish("autumn")
    markup = Markup(visitor.get("/competitions/autumn").text)
    assert {"/bots/greedy", "/matches?competition=autumn&phase=finals&bot=greedy&opponent=" + "W" * 40} <= set(
        markup.links
    )
    assert "Champion: greedy" in words(markup.text)
    assert "cd" * 32 in markup.text, "the seed is no secret any more"


def test_the_whole_suspicion_report_is_shown_with_its_false_alarms(fake: FakeArena, visitor: Visitor) -> None:
    fake.finish("autumn")
    markup = Markup(visitor.get("/competitions/autumn").text)
    rows, text, other = [[words(cell) for cell in row] for row in markup.rows], words(markup.text), HOSTILE[0]
    assert "anything is over a line in at most 5 % of all reports" in text
    for part in ("Collusion", "Faults and voids", "Memory of deals", "Thinking time"):
        assert f"{part} false alarms: at most 1.25 %" in text
    pair = ["greedy", other, "60 %", "50 %", "+10 (+5 to +15)", "-20 (-30 to -10)", "40", "under 0.1 %", "1 of 4"]
    assert pair in rows
    assert "Presence changes results often here, so the line is 1.4 times as high as by chance." in text
    assert "41 voided matches, at 40 moments when a bot was being asked." in text
    assert [f"{other} 1.0", other, "70", "7", "1", "33", "11.7", "under 0.1 % over the line"] in rows
    assert f"{other} 1.0 leaves 89 % of its opponents behind in later matches of a deal, and 42 % in the first" in text
    assert "takes 156 ms for a decision since 7 Jan 2027, 00:00 UTC, and took 41 ms before. By chance: 0.4 %." in text
    assert f"{'ab' * 8} greedy of greedy, {other} of {other}" in text
    assert f"greedy, {other} have the same code" in text
    named = f"competition=autumn&bot={other}&version_id=2"
    filtered = {f"/matches?{named}{also}" for also in ("", "&faults=1", "&outcome=forfeited", "&outcome=voided")}
    assert filtered <= {unquote(link) for link in markup.links}


def test_a_report_that_names_nobody_says_so(fake: FakeArena, visitor: Visitor) -> None:
    fake.finish("autumn")
    fake.collusion = records_pb2.GetCollusionResponse(
        blocks=8, clearest=records_pb2.Suspicion(bot="greedy", helped="other", gain=0.04, gain_low=-0.1, p=1.0)
    )
    text = words(Markup(visitor.get("/competitions/autumn").text).text)
    assert "No pair is over the line. The clearest is other with greedy at the table: +4 (-10 to +0)" in text
    assert "No bot made a fault, forfeited, or was being asked when a match was voided." in text
    assert "No duplicate deals were played" in text
    assert "No version's thinking time has changed" in text
    assert text.count("Bots have no owners here.") == 2


def test_a_competition_that_goes_on_keeps_its_seed_and_report(fake: FakeArena, visitor: Visitor) -> None:
    text = words(Markup(visitor.get("/competitions/spring").text).text)
    assert "Master seed revealed when the competition is done" in text
    assert "Suspicions" not in text
    assert "Matches of the phase ladder only." in text


def test_lists_of_matches_go_on_by_key(visitor: Visitor) -> None:
    first = Markup(visitor.get("/matches").text).links
    assert "/matches?before=match-71" in first
    second = visitor.get("/matches?before=match-71").text
    assert "match-70" in second
    assert "match-71&" not in second


def test_replays_are_one_a_line(visitor: Visitor) -> None:
    response = visitor.get("/matches.jsonl?bot=greedy")
    assert response.text == "{}\n" * 120
    assert "attachment" in response.headers["content-disposition"]


def test_a_competition_shows_what_keeps_it_waiting(fake: FakeArena, visitor: Visitor) -> None:
    fake.competitions[0].problem = "with 1 bot not even a table of 2 can be filled"
    assert "not even a table of 2 can be filled" in Markup(visitor.get("/competitions/spring").text).text


def test_a_competition_shows_its_result(fake: FakeArena, visitor: Visitor) -> None:
    fake.finish("autumn")
    fake.bracket.champion, fake.bracket.winner = "", "greedy"
    rated = {"rating": 1512.4, "rating_low": 1472.4, "rating_high": 1552.4, "score": 0.5}
    fake.bracket.result.add(place=1, bot="greedy", owner="Ann", decided_by="seeding", seed=1, **rated)
    fake.bracket.result.add(place=2, bot=HOSTILE[0], owner="Bob", seed=2, lost_in=1, lost_to="greedy")
    markup = Markup(visitor.get("/competitions/autumn").text)
    assert "Winner: greedy" in markup.text
    assert ["1", "greedy", "Ann", "rating 1512 ±40, then seeding"] in markup.rows
    assert ["2", HOSTILE[0], "Bob", "lost to greedy in round 1"] in markup.rows


def test_lists_of_competitions_name_the_winner(fake: FakeArena, visitor: Visitor) -> None:
    fake.finish("autumn")
    fake.bracket.winner = "greedy"
    for path in ("/", "/competitions"):
        text = words(Markup(visitor.get(path).text).text)
        assert text.count("won by greedy") == 1, "the other one goes on"


def test_the_front_page_shows_the_latest_match_while_none_is_running(fake: FakeArena, visitor: Visitor) -> None:
    fake.running, fake.about.running_matches = [], 0
    fake.matches[0].result.termination = play_pb2.TERMINATION_VOIDED
    for path in ("/", "/stage"):
        markup = Markup(visitor.get(path).text)
        assert "The latest match: Karteneck" in words(markup.text)
        assert ("roost-match", "src", "/matches/match-119/frames?eye={eye}") in markup.attributes
    assert visitor.get("/stage?waiting=1").status_code == 204, (
        "nobody is thrown out of the match that they step through"
    )
    fake.replay_ready = False
    assert "No match is running now" in visitor.get("/stage").text


def test_an_export_is_a_folder_in_an_archive(fake: FakeArena, visitor: Visitor) -> None:
    response = visitor.get("/competitions/spring/export.zip")
    with ZipFile(BytesIO(response.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "spring/README.md": b"# The cup\n",
            "spring/matches.jsonl": b"{}\n",
        }
    fake.export = [("../../evil", b"x")]
    assert visitor.get("/competitions/spring/export.zip").status_code == 502


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/bots/nobody", 404),
        ("/standings?competition=autumn", 404),
        ("/standings?game=chess", 404),
        ("/rules/chess", 404),
        ("/docs/bots/chess", 404),
        ("/docs/../pyproject", 404),
        ("/matches?before=nothing", 404),
        ("/standings?players=many", 400),
        ("/standings?players=-1", 400),
        ("/matches?outcome=won", 400),
        ("/matches?outcome=splendid", 400),
        ("/matches?since=yesterday", 400),
        ("/pair?bot=greedy&opponent=greedy", 400),
        ("/pair?bot=greedy", 400),
    ],
)
def test_bad_addresses_get_a_clear_page(visitor: Visitor, path: str, status: int) -> None:
    response = visitor.get(path)
    assert response.status_code == status
    assert "<h1>" in response.text
    assert "Traceback" not in response.text


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (grpc.StatusCode.UNAVAILABLE, 503),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, 429),
        (grpc.StatusCode.UNIMPLEMENTED, 502),
        (grpc.StatusCode.PERMISSION_DENIED, 403),
    ],
)
def test_an_arena_that_refuses_becomes_a_page_with_the_right_status(
    fake: FakeArena, visitor: Visitor, failure: grpc.StatusCode, status: int
) -> None:
    fake.failing = failure
    response = visitor.get("/standings")
    assert response.status_code == status
    assert visitor.get("/api/v1/standings").json()["status"] == status
    assert ("retry-after" in response.headers) == (status in (429, 503))


def test_a_page_without_an_arena_tries_again_by_itself(visitor: Visitor, fake: FakeArena) -> None:
    fake.failing = grpc.StatusCode.UNAVAILABLE
    assert 'http-equiv="refresh"' in visitor.get("/").text


def test_an_empty_arena_says_what_to_do() -> None:
    fake = FakeArena(())
    fake.matches, fake.running, fake.about.running_matches = [], [], 0
    with serving(fake) as address, visiting(address, public_server="arena.example:50051") as visitor:
        for path in ("/", "/standings", "/bots"):
            assert "--server arena.example:50051" in visitor.get(path).text
        assert "No match has ended yet" in visitor.get("/matches").text
        assert "No match is running now" in visitor.get("/watch").text
        assert "No two bots have met" in visitor.get("/standings/cross").text


def test_a_page_below_a_prefix_links_only_below_it(fake: FakeArena) -> None:
    with serving(fake) as address, visiting(address, path_prefix="/arena") as visitor:
        for path in ("/arena/standings", "/standings"):
            response = visitor.get(path)
            assert response.status_code == 200
            markup = Markup(response.text)
            found = [value for _, name, value in markup.attributes if name in ("href", "src", "action", "hx-get")]
            assert [value for value in found if value and not value.startswith(("/arena/", "#"))] == []
        files = [value for _, name, value in markup.attributes if name == "src"]
        assert [visitor.get(file).status_code for file in files] == [200] * len(files)


@pytest.mark.parametrize("path", ["/standings", "/standings/cross"])
def test_without_a_choice_the_current_phase_is_shown_and_named(visitor: Visitor, fake: FakeArena, path: str) -> None:
    fake.current = ("spring", "ladder")
    markup = Markup(visitor.get(path).text)
    chosen = [value for tag, name, value in markup.attributes if (tag, name) == ("a", "href") and "phase=" in value]
    phases = {
        value.partition("phase=")[2].partition("&")[0]
        for value in chosen
        if value.startswith(f"{path}?competition=spring&phase=")
    }
    assert phases == {"ladder", "finals"}, "nothing is played while bots register"
    assert f"{path}?everything=1" in markup.links, "all competitions"
    assert "/competitions/spring" not in Markup(visitor.get(f"{path}?everything=1").text).links


def test_the_standings_and_the_front_page_name_the_current_phase(visitor: Visitor, fake: FakeArena) -> None:
    fake.current = ("spring", "ladder")
    text = words(Markup(visitor.get("/standings").text).text)
    assert "These are the ratings of spring, ladder: what is being played, or was played last." in text
    assert "In spring, ladder. The line around each rating" in words(Markup(visitor.get("/").text).text)
    assert "These are the ratings of" not in visitor.get("/standings?everything=1").text
    asked = words(Markup(visitor.get("/standings?competition=spring").text).text)
    assert "These are the ratings of spring, ." not in asked


def test_circles_are_named_below_the_standings(visitor: Visitor, fake: FakeArena) -> None:
    circle = [
        arena_pb2.InCircle(version_id=number, name=fake.names[number - 1], version="v1", ahead_of_next=share)
        for number, share in ((1, 0.61), (2, 0.63), (3, 0.6))
    ]
    fake.circularity = arena_pb2.Circularity(strength=0.21, strength_low=0.15, strength_high=0.27, circle=circle)
    one, two, three = fake.names[:3]
    assert words(
        f"{one} beats {two} 61:39, {two} beats {three} 63:37, {three} beats {one} 60:40: "
        "no single order fits; cycle strength 0.21 (0.15–0.27)."
    ) in words(Markup(visitor.get("/standings").text).text)
    found = visitor.get("/api/v1/standings").json()["circularity"]
    assert (found["strength"], found["strength_low"], found["strength_high"]) == (0.21, 0.15, 0.27)
    assert found["circle"][1] == {"version_id": 2, "bot": two, "version": "v1", "ahead_of_next": 0.63}


def test_the_second_ranking_has_a_column_and_a_line(visitor: Visitor, fake: FakeArena) -> None:
    score = arena_pb2.SecondScore(version_id=1, score=0.5, score_low=0.466, score_high=0.5, rank_low=1, rank_high=3)
    fake.second = arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_READY, scores=[score], summary="it <b>differs")
    text = words(Markup(visitor.get("/standings").text).text)
    assert "1–3: 50 % 47–50" in text
    assert "it <b>differs." in text
    rows = visitor.get("/api/v1/standings").json()["rows"]
    assert [row["clone_proof"] for row in rows if row["version_id"] == 1] == [
        {"score": 0.5, "score_low": 0.466, "score_high": 0.5, "rank_low": 1, "rank_high": 3}
    ]


def test_specialists_are_named(visitor: Visitor, fake: FakeArena) -> None:
    about: Any = {"rank": 2, "rank_there": 4, "points": -95.0, "points_low": -135.0, "points_high": -55.0}
    fake.specialists = [arena_pb2.Specialist(version_id=2, players=4, **about)]
    name = fake.standings[1].name
    said = f"{name}: rank 2 overall, 4 at tables of 4 (95 ±40 points weaker than elsewhere)."
    assert said in words(Markup(visitor.get("/standings").text).text)
    assert visitor.get("/api/v1/standings").json()["specialists"] == [
        {"version_id": 2, "bot": name, "version": fake.standings[1].version, "game": None, "players": 4, **about}
    ]


def test_a_second_ranking_that_is_being_worked_out_is_asked_for_again(visitor: Visitor, fake: FakeArena) -> None:
    """Nothing else has changed at the arena."""
    state = arena_pb2.SECOND_STATE_BEING_WORKED_OUT
    fake.second = arena_pb2.SecondRanking(state=state, summary="ask again")
    assert "ask again" in visitor.get("/standings").text
    fake.second = arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_READY, summary="it is here")
    until = time.monotonic() + 30
    while "it is here" not in visitor.get("/standings").text:
        assert time.monotonic() < until


def test_nothing_is_said_where_one_order_may_fit(visitor: Visitor) -> None:
    assert "order fits" not in visitor.get("/standings").text
    assert visitor.get("/api/v1/standings").json()["circularity"] is None


def test_the_json_api_names_the_current_phase(visitor: Visitor, fake: FakeArena) -> None:
    fake.current = ("spring", "ladder")
    shown = visitor.get("/api/v1/standings?game=karteneck").json()["filter"]
    assert shown == {"game": "karteneck", "players": 0, "competition": "spring", "phase": "ladder", "everything": False}
    assert visitor.get("/api/v1/cross-table").json()["standings"]["filter"]["competition"] == "spring"
    assert visitor.get("/api/v1/standings?everything=1").json()["filter"]["competition"] == ""
