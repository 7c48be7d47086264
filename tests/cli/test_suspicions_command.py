"""`roost suspicions`: who is guilty is named, honest bots are not, and docs/why/suspicions.md is true."""

import json
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roost_server.store import BlockState, open_store
from roost_server.store.results import facts
from tests.support.commands.roost import Roost
from tests.support.records import suspicion_world
from tests.support.records.collusion_world import BOTS, recorded
from tests.support.records.matches import block, finished, sketch

PAGE = (Path(__file__).parents[2] / "docs/why/suspicions.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("collusion") / "spring.db")


@pytest.fixture(scope="module")
def guilty(database: Path) -> Path:
    """Beside the other one: the page uses both."""
    return suspicion_world.recorded(database.parent / "arena.db", suspicion_world.GUILTY)


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_utc")
def test_the_commands_of_the_page(roost: Roost, guilty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(guilty.parent)
    shown = re.findall(r"^```console\n\$ roost (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for command, expected in shown:
        code, out, err = roost(*shlex.split(command))
        assert (code, err) == (0, "")
        assert [line.rstrip() for line in out.splitlines()] == expected.splitlines()


def test_a_helper_is_named_for_programs(roost: Roost, database: Path) -> None:
    code, out, err = roost("suspicions", "--db", database, "--competition", "spring", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["competition"], answer["phase"], answer["game"]) == ("spring", None, None)
    found = answer["collusion"]
    assert (found["blocks"], found["bots"], found["pairs"]) == (300, 8, 56)
    (finding,) = found["findings"]
    assert finding["with"] == {"version_id": 1, "name": "crow", "version": "1.0"}
    assert finding["bot"]["name"] == "magpie"
    assert 0 < finding["change_low"] < finding["change"] < finding["change_high"]
    assert finding["change"] == pytest.approx(finding["share_with"] - finding["share_without"])
    assert finding["chance"] < 0.0125
    assert (finding["back"]["with"], finding["back"]["bot"]) == (finding["bot"], finding["with"])
    assert finding["back"]["change"] < 0
    assert finding["others"] == 6


def named(report: dict[str, Any]) -> dict[str, list[str]]:
    """Who is over a line in each part."""
    conduct = [row["bot"]["name"] for row in report["conduct"]["bots"] if row["suspicious"]]
    parts = {part: [each["bot"]["name"] for each in report[part]["findings"]] for part in ("memory", "thinking")}
    code = [each["bot"] for shared in report["shared_code"] for each in shared["owners"]]
    pairs = [each["bot"]["name"] for each in report["collusion"]["findings"]]
    return {"collusion": pairs, "conduct": conduct, **parts, "shared_code": code}


def test_everybody_who_is_guilty_is_named_and_nobody_else(roost: Roost, guilty: Path) -> None:
    report = json.loads(roost("suspicions", "--db", guilty, "--json").out)
    expected = {"collusion": [], "conduct": ["heron"], "memory": ["crow"], "thinking": ["magpie"]}
    assert named(report) == expected | {"shared_code": ["robin", "swift"]}
    (cluster,) = report["clusters"]
    assert cluster["owners"] == ["Dan", "Eve"]
    (change,) = report["thinking"]["findings"]
    assert change["after_ms"] / change["before_ms"] == pytest.approx(suspicion_world.GUILTY.slower, rel=0.2)
    half_way = suspicion_world.BEGAN_MS + 4 * suspicion_world.MINUTE_MS * suspicion_world.BLOCKS // 2
    assert change["since_ms"] == pytest.approx(
        half_way, abs=4 * suspicion_world.MINUTE_MS * suspicion_world.BLOCKS / 20
    )
    kite = next(row for row in report["conduct"]["bots"] if row["bot"]["name"] == "kite")
    assert (kite["owner"], kite["forfeits"], kite["suspicious"]) == ("Hal", 0, False)
    assert 0 < kite["faults"] < kite["matches"]


def test_nobody_is_named_where_nobody_is_guilty(roost: Roost, tmp_path: Path) -> None:
    honest = suspicion_world.recorded(tmp_path / "arena.db", suspicion_world.HONEST)
    report = json.loads(roost("suspicions", "--db", honest, "--json").out)
    assert not any(named(report).values())
    assert report["clusters"] == []
    assert (report["memory"]["judged"], report["thinking"]["judged"]) == (8, 8)
    assert report["conduct"]["voided"] == suspicion_world.VOIDS_BY_CHANCE


def test_an_export_gives_the_same_report(roost: Roost, guilty: Path, tmp_path: Path) -> None:
    assert roost("export", tmp_path / "export", "--db", guilty).code == 0
    from_folder = roost("suspicions", tmp_path / "export", "--json")
    assert from_folder.code == 0
    assert json.loads(from_folder.out) == json.loads(roost("suspicions", "--db", guilty, "--json").out)


def test_rates_of_the_parts_add_up(roost: Roost, guilty: Path) -> None:
    report = json.loads(roost("suspicions", "--db", guilty, "--json").out)
    parts = [report[part]["false_alarm_rate"] for part in ("collusion", "conduct", "memory", "thinking")]
    assert report["false_alarm_rate"] == 0.05
    assert sum(parts) == pytest.approx(0.05)


def test_the_keys_of_the_page(roost: Roost, database: Path, guilty: Path) -> None:
    spring = json.loads(roost("suspicions", "--db", database, "--competition", "spring", "--json").out)
    report = json.loads(roost("suspicions", "--db", guilty, "--json").out)
    assert documented("Key") == sorted(report)
    assert documented("Key of a pair") == sorted(spring["collusion"]["findings"][0])
    for part, of_each, each in (
        ("conduct", "Key of a bot in `conduct`", report["conduct"]["bots"][0]),
        ("memory", "Key of a bot in `memory`", report["memory"]["findings"][0]),
        ("thinking", "Key of a version in `thinking`", report["thinking"]["findings"][0]),
    ):
        assert documented(f"Key of `{part}`") == sorted(report[part])
        assert documented(of_each) == sorted(each)
    assert documented("Key of `collusion`") == sorted(report["collusion"])


def documented(head: str) -> list[str]:
    """The keys in the first column of the table with this head."""
    (table,) = re.findall(rf"^\| {re.escape(head)} \| \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return sorted(key for row in rows for key in re.findall(r"`(\w+)`", row))


def test_the_options_of_the_page(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    offered = set(re.findall(r"(--[a-z-]+)", roost("suspicions", "--help").out)) - {"--help"}
    assert set(re.findall(r"`(--[a-z-]+)[ `]", PAGE)) == offered


def test_a_competition_a_phase_and_a_game_can_be_chosen(roost: Roost, database: Path) -> None:
    def blocks(*arguments: str) -> int:
        return int(json.loads(roost("suspicions", "--db", database, "--json", *arguments).out)["collusion"]["blocks"])

    assert blocks() == 600
    assert blocks("--game", "karteneck") == 600
    assert blocks("--game", "haecmaec") == 0
    assert blocks("--competition", "autumn", "--phase", "ladder") == 299
    assert blocks("--competition", "autumn", "--phase", "finals") == 1


def test_too_little_to_judge_is_said(roost: Roost, database: Path) -> None:
    code, out, err = roost("suspicions", "--db", database, "--competition", "spring", "--phase", "finals")
    assert (code, err) == (0, "")
    assert "\n1 block at tables of three or more, 4 bots\n0 of 12 ordered pairs" in out
    assert "\nNo pair can be judged yet.\n" in out
    assert "\n0 versions can be judged" in out


def test_what_is_wrong_is_said(roost: Roost, database: Path) -> None:
    assert roost("suspicions", "--db", database, "--competition", "winter") == (
        *(2, "", "roost: there is no competition 'winter'; the competitions are: spring, autumn\n"),
    )
    code, _, err = roost("suspicions", "--db", database, "--phase", "finals")
    assert code == 2
    assert "--competition" in err
    code, _, err = roost("suspicions", database.parent, "--db", database)
    assert code == 2
    assert "leave out --server and --db" in err
    code, _, err = roost("suspicions", database.parent)
    assert code == 2
    assert "is not the export of a competition" in err


def test_versions_of_a_bot_are_told_apart(roost: Roost, tmp_path: Path) -> None:
    database = recorded(tmp_path / "arena.db")
    with open_store(f"sqlite:///{database}") as store:
        store.register_version("crow", "0123456789abcdef", 5)
    out = roost("suspicions", "--db", database, "--competition", "spring").out
    assert re.search(r"^crow 1\.0 +magpie ", out, re.MULTILINE)


def test_only_matches_that_count_are_results(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        for name in BOTS[:3]:
            store.register_version(name, "1.0", 5)
        done, running, gone = (block(store, name, 1, 2, 3) for name in ("done", "running", "gone"))
        store.commit(
            [
                finished(sketch("m1", (2, 1, 3), players=3, forfeits=(2,)), done, 0),
                finished(sketch("m2", (), players=3, termination="voided"), done, 1),
                finished(sketch("m3", (1, 1, 3), players=3), done, 1),
                finished(sketch("m4", (1, 2, 3), players=3), running, 0),
                finished(sketch("m5", (1, 2, 3), players=3), gone, 0),
            ]
        )
        store.close_block("done", BlockState.DONE)
        store.close_block("gone", BlockState.VOIDED)
        with store.reading() as reading:
            results = [match.result() for match in facts(reading)]
        assert results == [
            ("done", "karteneck", (1, 2, 3), (2, 1, 3), True),
            ("done", "karteneck", (1, 2, 3), (1, 1, 3), False),
        ]
