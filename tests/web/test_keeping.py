"""A thousand visitors cost the arena as much as a few: kept answers, ETags, compression."""

import time
from collections.abc import Iterator

import pytest

from roost_web.cache import Freshness, Kept, Stamp
from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.pages.visitor import Visitor, visiting


@pytest.fixture
def fake() -> FakeArena:
    return FakeArena()


@pytest.fixture
def visitor(fake: FakeArena) -> Iterator[Visitor]:
    with serving(fake) as address, visiting(address) as visitor:
        yield visitor


def test_many_visitors_at_once_are_one_question(fake: FakeArena, visitor: Visitor) -> None:
    answers = visitor.ask_at_once("/standings", 200)
    assert {answer.status_code for answer in answers} == {200}
    assert fake.asked["GetStandings"] == 1
    assert fake.asked["GetArena"] <= 3, "once a second, and that may have passed"


def test_an_answer_is_kept_while_nothing_has_changed(fake: FakeArena, visitor: Visitor) -> None:
    fake.about.running = False
    for _ in range(5):
        visitor.get("/standings")
        visitor.get("/api/v1/standings")
    assert fake.asked["GetStandings"] == 1


def test_records_that_change_are_asked_for_again() -> None:
    freshness = Freshness(changing=2, unchanged=10)
    made = Stamp("one", at=100.0)
    assert freshness.allows(made, "one", 109)
    assert not freshness.allows(made, "one", 111)
    assert freshness.allows(made, "two", 101)
    assert not freshness.allows(made, "two", 103)


def test_what_was_not_used_for_the_longest_time_is_forgotten_first() -> None:
    kept: Kept[str] = Kept(most_bytes=10)
    kept.put("a", "A", 4)
    kept.put("b", "B", 4)
    assert kept.get("a") == "A"
    kept.put("c", "C", 4)
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]


def test_a_browser_that_has_the_page_is_not_sent_it_again(visitor: Visitor) -> None:
    first = visitor.get("/standings")
    again = visitor.get("/standings", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_pages_are_compressed_for_those_who_can_read_that(visitor: Visitor) -> None:
    packed = visitor.get("/standings", headers={"Accept-Encoding": "gzip"})
    plain = visitor.get("/standings", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert packed.text == plain.text


def test_a_head_request_gets_the_headers_alone(visitor: Visitor) -> None:
    for path in ("/standings", "/matches.jsonl", "/api/v1/arena"):
        response = visitor.ask("HEAD", path)
        assert (response.status_code, response.content) == (200, b"")


def test_a_fragment_is_not_mistaken_for_its_page(visitor: Visitor) -> None:
    fragment = visitor.get("/standings", headers={"HX-Request": "true"})
    page = visitor.get("/standings")
    assert "<html" not in fragment.text
    assert "greedy" in fragment.text
    assert "<html" in page.text
    assert "HX-Request" in page.headers["vary"]


def test_new_results_show_within_seconds(fake: FakeArena, visitor: Visitor) -> None:
    visitor.get("/standings")
    fake.standings[0].name = "newcomer"
    fake.about.revision += 1
    deadline = time.monotonic() + 8
    while "newcomer" not in visitor.get("/standings").text:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_the_page_recovers_when_the_arena_is_back(fake: FakeArena) -> None:
    with serving(fake) as address:
        port = int(address.rpartition(":")[2])
        with visiting(address) as visitor:
            assert visitor.get("/standings").status_code == 200
    with visiting(address) as visitor:
        assert visitor.get("/standings").status_code == 503
        with serving(fake, port):
            deadline = time.monotonic() + 30
            while visitor.get("/standings").status_code != 200:
                assert time.monotonic() < deadline
                time.sleep(0.2)


def test_headers_keep_browsers_safe(visitor: Visitor) -> None:
    for path in ("/", "/nowhere", "/api/v1/arena", "/matches.jsonl"):
        headers = visitor.get(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_files_are_kept_for_ever_under_an_address_of_their_own(visitor: Visitor) -> None:
    page = visitor.get("/").text
    style = next(part for part in page.split('"') if part.endswith("page.css"))
    assert "immutable" in visitor.get(style).headers["cache-control"]
    assert visitor.get("/static/old/page.css").headers["cache-control"] == "no-cache"
    assert visitor.get("/static/old/%2e%2e/settings.py").status_code == 404
