"""The check of the deal in the browser: against the vectors of the documentation, and with matches that were played."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.shown_matches import MATCHES, documents
from tests.support.viewer_site import Site

CHANCE = Path(__file__).parents[2] / "docs" / "formats" / "chance.md"
SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
GAMES = ("karteneck", "bratwurmeck", "haecmaec")
ASK = """async ([game, options, vectors, seed]) => {
  const { Tape, deckOf } = await import("/viewer/chance.js");
  const tape = new Tape(seed);
  return vectors.map((vector) => {
    const items = vector.items === "deck" ? deckOf(game, options) : vector.items;
    if (vector.ask === "pick") return tape.pick(vector.purpose, items);
    if (vector.ask === "draw") return tape.draw(vector.purpose, items, vector.count);
    return tape.dice(vector.purpose, vector.count);
  });
}"""


def vectors() -> dict[str, list[dict[str, Any]]]:
    """The vectors of the page about chance, by game."""
    blocks = re.findall(r"```json\n(.*?)```", CHANCE.read_text(encoding="utf-8"), re.S)
    return {game: json.loads(block) for game, block in zip(GAMES, blocks, strict=True)}


@pytest.mark.short(1)
@pytest.mark.parametrize("game", GAMES)
def test_outcomes_are_those_of_the_documentation(page: Page, site: Site, game: str) -> None:
    page.goto(site.add_page("/empty", ""))
    known = vectors()[game]
    computed = page.evaluate(ASK, [game, documents(game)["open"]["options"], known, SEED])
    assert len(known) > 2
    for vector, outcome in zip(known, computed, strict=True):
        assert outcome == vector["outcome"], vector["purpose"]


def test_the_commitment_is_that_of_the_documentation(page: Page, site: Site) -> None:
    page.goto(site.add_page("/empty", ""))
    commitment = page.evaluate(f"import('/viewer/chance.js').then(({{ commitmentOf }}) => commitmentOf('{SEED}'))")
    assert commitment in CHANCE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("message", "digest"),
    [("", "46b9dd2b0ba88d13233b3feb743eeb24"), ("abc", "483366601360a8771c6863080cc4114d")],
)
def test_shake_256_has_the_values_that_its_authors_published(page: Page, site: Site, message: str, digest: str) -> None:
    page.goto(site.add_page("/empty", ""))
    script = """async (message) => {
      const { shake256, toHex } = await import("/viewer/hashing.js");
      const stream = shake256(new TextEncoder().encode(message));
      return toHex(Array.from({ length: 16 }, () => stream.next().value));
    }"""
    assert page.evaluate(script, message) == digest


def check(page: Page) -> None:
    page.get_by_role("tab", name="Deal").click()
    page.get_by_role("button", name="Check the deal").click()


@pytest.mark.short(1)
@pytest.mark.parametrize("name", MATCHES)
def test_a_deal_that_was_played_is_in_order(page: Page, site: Site, name: str) -> None:
    page.goto(f"{site.address}/{name}")
    check(page)
    expect(page.locator(".verdict")).to_have_text("The deal is correct.")
    expect(page.locator(".findings li")).to_have_count(len(page.locator(".findings li.good").all()))


def test_a_seat_can_check_the_whole_deal_too(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/karteneck#step=4&eye=1")
    check(page)
    expect(page.locator(".findings")).to_contain_text("Portions: correct")


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"commitment": "00" * 32}, "The seed and its commitment: wrong"),
        ({"seed": "11" * 32}, "Deck: wrong"),
    ],
)
def test_an_exchanged_seed_is_found_out(page: Page, site: Site, change: dict[str, str], finding: str) -> None:
    site.add_json("/frames/forged/open", {**documents("karteneck")["open"], **change})
    page.goto(site.add_page("/forged", '<roost-match src="/frames/forged/"></roost-match>'))
    check(page)
    expect(page.locator(".verdict")).to_contain_text("wrong")
    expect(page.locator(".findings")).to_contain_text(finding)


def test_one_exchanged_card_is_found_out(page: Page, site: Site) -> None:
    document = json.loads(json.dumps(documents("haecmaec")["open"]))
    deck = next(entry for entry in document["chance"] if entry["purpose"] == "deck")["outcome"]
    other = next(index for index, card in enumerate(deck) if card != deck[0])
    deck[0], deck[other] = deck[other], deck[0]
    site.add_json("/frames/forged/open", document)
    page.goto(site.add_page("/forged", '<roost-match src="/frames/forged/"></roost-match>'))
    check(page)
    expect(page.locator(".findings")).to_contain_text("Deck: wrong")


def test_a_seed_that_is_still_secret_cannot_be_checked(page: Page, site: Site) -> None:
    site.add_json("/frames/secret/open", {**documents("karteneck")["open"], "seed": None, "chance": None})
    page.goto(site.add_page("/secret", '<roost-match src="/frames/secret/"></roost-match>'))
    page.get_by_role("tab", name="Deal").click()
    expect(page.get_by_role("button", name="Check the deal")).to_be_disabled()
