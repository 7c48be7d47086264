"""The export of a competition: complete, checked as a whole, and whatever is changed in it is noticed."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from structlog.testing import capture_logs

from roost_games.errors import UsageError
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import Method
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.export.checker import check_export, difference, verify_folder
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    MANIFEST_FILE,
    MATCHES_FILE,
)
from roost_server.export.reader import read_competition
from roost_server.export.reports import ReportMatches, derived
from roost_server.export.writer import export
from roost_server.play.block import OpenBlock
from roost_server.store import BlockState, open_store, queries
from roost_server.store.measures.holds import Held
from tests.support.records.export_world import CUP, NAMES, Play, change, complaints, play_and_export, sign_again


@pytest.fixture(params=["round-robin", "swiss", "knockout"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), request.param)


def test_an_export_is_in_order(exported: Path) -> None:
    assert complaints(exported) == []
    whole = json.loads((exported / COMPETITION_FILE).read_text())
    assert [phase for phase, *_ in whole["phases"]] == ["ladder", "finals", "done"]
    assert [bot["name"] for bot in whole["bots"] if bot["pinned"]] == list(NAMES)
    assert len(whole["seed"]) == 64


@pytest.mark.short(1)
def test_a_changed_file_and_a_strange_one_are_named(exported: Path) -> None:
    (exported / "standings-finals.csv").write_text("rank\n1\n")
    (exported / "more.txt").write_text("")
    (exported / "README.txt").unlink()
    missing, unlisted, unknown, line, changed = sorted(complaints(exported))
    assert missing == "README.txt: is missing"
    assert unlisted == "more.txt: is not in the manifest"
    assert unknown == "more.txt: is not part of this export"
    assert line.startswith("standings-finals.csv: line 1 says 'rank', the matches say 'rank_low,rank_high,name,")
    assert changed == "standings-finals.csv: was changed: its hash is not that of the manifest"


@pytest.mark.short(1)
def test_another_master_seed_is_noticed(exported: Path) -> None:
    change(exported, COMPETITION_FILE, lambda lines: lines[0].update(seed="00" * 32))
    found = complaints(exported)
    assert found[0] == "competition.json: the master seed is not the one that was promised by the commitment"
    assert any("its deal does not follow from the master seed" in each for each in found)


@pytest.mark.short(1)
def test_a_deal_of_ones_own_is_noticed(exported: Path) -> None:
    change(exported, BLOCKS_FILE, lambda lines: lines[0].update(seed="11" * 32))
    found = complaints(exported)
    assert any("its deal does not follow from the master seed" in each for each in found)
    assert any("its deal does not follow from block" in each for each in found)


@pytest.mark.short(1)
def test_a_changed_result_is_noticed(exported: Path) -> None:
    def swap(lines: list[dict[str, Any]]) -> None:
        result = next(line["result"] for line in lines if sorted(line["result"]["places"]) == [1, 2])
        result["places"] = result["places"][::-1]

    change(exported, MATCHES_FILE, swap)
    found = complaints(exported)
    assert any(each.startswith("match m") for each in found)
    assert any(each.startswith("standings-") for each in found)


@pytest.mark.short(1)
def test_a_match_that_is_left_out_is_noticed(exported: Path) -> None:
    change(exported, MATCHES_FILE, lambda lines: lines.pop())
    found = complaints(exported)
    assert any("is missing in matches.jsonl" in each for each in found)
    assert any("is called done, but 1 of its matches were not played" in each for each in found)


def strike(exported: Path, which: Callable[[list[int]], int]) -> None:
    """Strike a block of the finals from the record, one of these numbers, with its matches: the rest is in order."""
    gone: set[str] = set()

    def strike_block(lines: list[dict[str, Any]]) -> None:
        finals = {int(line["serial"]): line for line in lines if line["phase"] == "finals"}
        block = finals[which(list(finals))]
        gone.update(match for match, _ in block["matches"])
        lines.remove(block)

    def strike_matches(lines: list[dict[str, Any]]) -> None:
        lines[:] = [line for line in lines if line["match"] not in gone]

    change(exported, BLOCKS_FILE, strike_block)
    change(exported, MATCHES_FILE, strike_matches)


def test_a_pairing_that_the_schedule_does_not_have_is_noticed(exported: Path) -> None:
    strike(exported, min)
    assert "finals: block 0 is missing" in complaints(exported)


def test_finals_that_were_cut_short_are_noticed(exported: Path) -> None:
    """No number is missing."""
    strike(exported, max)
    assert any(each.startswith("finals: karteneck with") and "was not" in each for each in complaints(exported))


@pytest.mark.short(1)
def test_finer_ratings_are_noticed(exported: Path) -> None:
    change(exported, "standings-finals.json", lambda lines: lines[0]["standings"][0].update(rating=2000.0))
    (found,) = complaints(exported)
    assert re.match(
        r"standings-finals\.json: line \d+ says '\"rating\": 2000.0,', the matches say '\"rating\": 1", found
    )


@pytest.mark.short(1)
def test_standings_of_an_unreleased_version_are_not_compared_and_that_is_said(exported: Path) -> None:
    change(exported, COMPETITION_FILE, lambda lines: lines[0].update(ratings=Method.EACH_OPPONENT.value))
    change(exported, "standings-finals.json", lambda lines: lines[0]["standings"][0].update(rating=2000.0))
    assert not [each for each in complaints(exported) if each.startswith("standings-")]
    (remark,) = verify_folder(exported).remarks
    assert "standings" in remark
    assert "were not compared" in remark


def swap(text: str, one: str, other: str) -> str:
    return re.sub(f"{one}|{other}", lambda found: other if found[0] == one else one, text)


REPORTS = [f"standings-{form}" for form in ("finals.json", "finals.csv", "finals.html", "ladder.json")] + [
    "crosstable-finals.csv",
    "ratings-finals.csv",
]


@pytest.mark.short(6)
@pytest.mark.parametrize("name", REPORTS)
def test_another_winner_is_noticed(exported: Path, name: str) -> None:
    """Two bots change places, and all numbers stay where they are."""
    file = exported / name
    file.write_text(swap(file.read_text(), "anna", "carl"))
    sign_again(exported)
    (found,) = complaints(exported)
    assert re.match(rf"{name}: line \d+ says .*(anna|carl).*, the matches say .*(anna|carl)", found)


@pytest.mark.short(6)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_that_was_struck_from_the_manifest_too_is_missing(exported: Path, name: str) -> None:
    (exported / name).unlink()
    change(exported, MANIFEST_FILE, lambda lines: lines[0]["sha256"].pop(name))
    assert complaints(exported) == [f"{name}: is missing"]


@pytest.mark.short(1)
def test_a_file_that_belongs_to_nothing_is_noticed(exported: Path) -> None:
    (exported / "more.txt").write_text("")
    change(exported, MANIFEST_FILE, lambda lines: lines[0]["sha256"].update({"more.txt": ""}))
    assert complaints(exported) == ["more.txt: is not part of this export"]


@pytest.mark.short(1)
def test_another_owner_is_noticed(exported: Path) -> None:
    change(exported, COMPETITION_FILE, lambda lines: lines[0]["bots"][0].update(owner="me"))
    first, *others = complaints(exported)
    assert first == f"{COMPETITION_FILE}: says that anna belongs to 'me', the matches say 'owner of anna'"
    assert [each.split(":")[0] for each in others] == ["result.csv"], "the result names owners"


@pytest.mark.short(1)
def test_a_number_may_end_otherwise_and_nothing_else(exported: Path) -> None:
    """As on a machine whose arithmetic rounds otherwise."""

    def round_ratings(lines: list[dict[str, Any]]) -> None:
        for standing in lines[0]["standings"]:
            standing["rating"] += 1e-9

    change(exported, "standings-finals.json", round_ratings)
    assert complaints(exported) == []


@pytest.mark.parametrize(
    ("said", "true", "agree"),
    [
        ("1500.25,3", "1500.2500000001,3", True),
        ("1500.25,3", "1500.26,3", False),
        ("1500.25,3", "1500.25,4", False),
        ("0.0", "1e-16", True),
        ("-0.1", "0.1", False),
        ("bot (1.0)", "bot (1.00)", False),
        ("bot-1.0", "bot-1.00", False),
        ("a\n", "a", False),
    ],
)
def test_what_counts_as_the_same(said: str, true: str, agree: bool) -> None:
    assert (difference(said, true) is None) is agree


def test_the_explanations_of_a_page_may_be_worded_differently() -> None:
    """Another version of Roost may explain a table in other words, but not have other numbers or more in it."""
    page = '<p class="say">{}</p><td>{}</td>'
    assert difference(page.format("A tie is half.", 50), page.format("Ties are half.", 50), page=True) is None
    assert difference(page.format("A tie is half.", 50), page.format("A tie is half.", 60), page=True) is not None
    assert difference(page.format("<b>Ann won.</b>", 50), page.format("A tie is half.", 50), page=True) is not None
    assert difference(page.format("A tie is half.", 50), page.format("Ties are half.", 50)) is not None


def test_a_page_may_look_different() -> None:
    """Other versions of Roost have other style sheets and other markup. The words stay what they are."""
    one = "<style>th { color: red }</style>\n<table><tr><th>anna</th><td>1,520</td></tr></table>"
    other = "<style>th { color: blue }</style><table><tr><th scope='row'><bdi>anna</bdi></th><td>{}</td></tr></table>"
    assert difference(one, other.replace("{}", "1,520"), page=True) is None
    assert difference(one, other.replace("{}", "1,530"), page=True) is not None
    assert difference(one, one.replace("anna", "bert"), page=True) is not None


def test_matches_that_do_not_count_have_no_report(exported: Path) -> None:
    file = parse_competition(CUP.replace("SCHEDULE", "swiss") + "[faults]\nforfeits = 'ignore'\n")
    forfeited = MatchFacts("b", "karteneck", (1, 2), (1, 2), (1, 0), (0, 3), (False, True), (5, 2), (1.0, 1.0))
    played = ReportMatches({"finals": [forfeited]}, [], [], {})
    reports = derived(file, replace(read_competition(exported), winner=None), played)
    assert list(reports) == []


def test_a_result_that_does_not_follow_is_noticed(exported: Path) -> None:
    result = (exported / "result.csv").read_text().splitlines(keepends=True)
    (exported / "result.csv").write_text("".join([result[0], result[2], result[1], *result[3:]]))
    winner = json.loads((exported / COMPETITION_FILE).read_text())["winner"]
    change(exported, COMPETITION_FILE, lambda lines: lines[0].update(winner="me"))
    said, line = complaints(exported)
    assert said == f"{COMPETITION_FILE}: says that me won, the matches say {winner}"
    assert line.startswith("result.csv: line 2 says '2,")


@pytest.mark.short(1)
def test_an_export_without_a_result_is_in_order(exported: Path) -> None:
    """As exports of before are."""
    manifest = json.loads((exported / MANIFEST_FILE).read_text())
    del manifest["sha256"]["result.csv"]
    (exported / MANIFEST_FILE).write_text(json.dumps(manifest))
    (exported / "result.csv").unlink()
    change(exported, COMPETITION_FILE, lambda lines: lines[0].pop("winner"))
    assert complaints(exported) == []


def test_what_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not the export of a competition: it has no manifest\.json"):
        list(check_export(tmp_path))


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        ledger.draw_up(store, parse_competition(CUP.replace("SCHEDULE", "swiss")), CUP.replace("SCHEDULE", "swiss"))
        with pytest.raises(UsageError, match="already exists; name a new folder"):
            export(store, "cup", tmp_path)
        with pytest.raises(UsageError, match="there is no competition 'cap'; the competitions are: cup"):
            export(store, "cap", tmp_path / "new")


def test_before_the_end_nothing_is_told_that_would_help_a_player(tmp_path: Path) -> None:
    """Of a running competition neither the master seed nor deals that are still to be played are in the export."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, capture_logs():
        play = Play(store, "round-robin")

        async def begin() -> list[OpenBlock]:
            planned = await play.plan_ladder()
            await play.match(planned[0], 0)
            await play.recorder.aclose()
            return planned

        planned = asyncio.run(begin())
        export(store, "cup", tmp_path / "cup")
        seed = ledger.find(store, "cup").seed.hex()
    everything = "".join(file.read_text() for file in (tmp_path / "cup").iterdir())
    assert seed not in everything
    assert all(open_block.block.seed.hex() not in everything for open_block in planned)
    assert complaints(tmp_path / "cup") == []


def test_an_export_fits_together_while_the_arena_plays_on(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More blocks end after the list of blocks was read, and before the matches are."""
    with open_store(database_url) as store, capture_logs():
        play = Play(store, "round-robin")

        async def begin() -> list[OpenBlock]:
            planned = await play.plan_ladder()
            for open_block in planned:
                for rotation in open_block.to_play:
                    await play.match(open_block, rotation)
            await play.recorder.close(planned[0])
            await play.recorder.aclose()
            return planned

        _, *others = asyncio.run(begin())
        read_blocks = queries.finished_blocks

        def read_and_play_on(connection: Connection, competition_id: int, held: Held) -> list[queries.BlockOnRecord]:
            blocks = read_blocks(connection, competition_id, held)
            for open_block in others:
                store.close_block(open_block.block.block_id, BlockState.DONE)
            return blocks

        monkeypatch.setattr(queries, "finished_blocks", read_and_play_on)
        export(store, "cup", tmp_path / "cup")
    assert complaints(tmp_path / "cup") == []
    assert len((tmp_path / "cup" / BLOCKS_FILE).read_text().splitlines()) == 1


@pytest.mark.parametrize("schedule", ["round-robin", "swiss", "knockout"])
def test_a_bot_that_was_withdrawn_before_the_finals_is_not_missed_there(schedule: str, tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, capture_logs():
        play = Play(store, schedule)

        async def play_and_withdraw() -> None:
            await play.begin()
            await play.phase(PhaseName.LADDER, rounds=2)
            await play.director.withdraw(4, "test")
            await play.phase(PhaseName.FINALS)
            await play.end()

        asyncio.run(play_and_withdraw())
        export(store, "cup", tmp_path / "cup")
    assert complaints(tmp_path / "cup") == []
    whole = read_competition(tmp_path / "cup")
    assert [bot.name for bot in whole.bots if bot.pinned] == ["anna", "bert", "carl"]


@pytest.mark.parametrize("phase", ["ladder", "finals"])
def test_one_phase_alone(exported: Path, tmp_path: Path, phase: str) -> None:
    """It verifies by itself, its reports are those of the whole, and nothing of the other phase is in it."""
    with open_store(f"sqlite:///{exported.parent}/roost.db", read_only=True) as store:
        export(store, "cup", tmp_path / "part", phase)
    assert complaints(tmp_path / "part") == []
    blocks = [json.loads(line) for line in (tmp_path / "part" / BLOCKS_FILE).read_text().splitlines()]
    assert {block["phase"] for block in blocks} == {phase}
    matches = (tmp_path / "part" / MATCHES_FILE).read_text().splitlines()
    assert len(matches) == sum(len(block["matches"]) for block in blocks)
    name = f"standings-{phase}.csv"
    assert (tmp_path / "part" / name).read_bytes() == (exported / name).read_bytes()


def test_another_seeding_in_the_export_of_the_finals_is_noticed(exported: Path, tmp_path: Path) -> None:
    """It may be any order, but a knockout or a plan with byes was played by one of them, and everybody is in it."""
    with open_store(f"sqlite:///{exported.parent}/roost.db", read_only=True) as store:
        export(store, "cup", tmp_path / "part", "finals")
    change(tmp_path / "part", COMPETITION_FILE, lambda lines: lines[0]["seeding"].pop())
    assert "competition.json: the seeding does not name every finalist once" in complaints(tmp_path / "part")


def test_a_block_of_the_other_phase_is_noticed(exported: Path) -> None:
    change(exported, COMPETITION_FILE, lambda lines: lines[0].update(only="finals"))
    assert any("is of the ladder, and the export of the finals alone" in each for each in complaints(exported))


@pytest.mark.short(1)
def test_a_block_of_an_epoch_that_never_was_is_noticed(exported: Path) -> None:
    change(exported, BLOCKS_FILE, lambda lines: lines[0].update(epoch=5))
    found = complaints(exported)
    assert any(each.endswith("there was no epoch 5") for each in found)
    assert any("its deal does not follow from the master seed" in each for each in found)
    assert any("was dealt in epoch 0, after a block of a later one" in each for each in found)
