"""`roost collusion`: a helper is named, honest bots are not, and docs/why/collusion.md is true."""

import json
import re
import shlex
from pathlib import Path

import pytest

from roost_server.store import BlockState, open_store
from roost_server.store.results import facts
from tests.support.commands.roost import Roost
from tests.support.records.collusion_world import BOTS, recorded
from tests.support.records.matches import block, finished, sketch

PAGE = (Path(__file__).parents[2] / "docs/why/collusion.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("collusion") / "arena.db")


def test_the_commands_of_the_page(roost: Roost, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)
    shown = re.findall(r"^```console\n\$ roost (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for command, expected in shown:
        code, out, err = roost(*shlex.split(command))
        assert (code, err) == (0, "")
        assert [line.rstrip() for line in out.splitlines()] == expected.splitlines()


def test_a_helper_is_named_for_programs(roost: Roost, database: Path) -> None:
    code, out, err = roost("collusion", "--db", database, "--competition", "spring", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["competition"], answer["phase"], answer["game"]) == ("spring", None, None)
    assert (answer["blocks"], answer["bots"], answer["pairs"], answer["false_alarm_rate"]) == (300, 8, 56, 0.05)
    (finding,) = answer["findings"]
    assert finding["with"] == {"version_id": 1, "name": "crow", "version": "1.0"}
    assert finding["bot"]["name"] == "magpie"
    assert 0 < finding["change_low"] < finding["change"] < finding["change_high"]
    assert finding["change"] == pytest.approx(finding["share_with"] - finding["share_without"])
    assert finding["chance"] < 0.05
    assert (finding["back"]["with"], finding["back"]["bot"]) == (finding["bot"], finding["with"])
    assert finding["back"]["change"] < 0
    assert finding["others"] == 6


def test_the_keys_of_the_page(roost: Roost, database: Path) -> None:
    answer = json.loads(roost("collusion", "--db", database, "--competition", "spring", "--json").out)
    first, second = PAGE.split("## For programs", 1)[1].split("A pair has these keys")
    assert documented(first) == sorted(answer)
    assert documented(second) == sorted(answer["findings"][0])


def documented(section: str) -> list[str]:
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return sorted(key for row in rows for key in re.findall(r"`(\w+)`", row))


def test_the_options_of_the_page(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    offered = set(re.findall(r"(--[a-z-]+)", roost("collusion", "--help").out)) - {"--help"}
    assert set(re.findall(r"^\| `(--[a-z-]+)` \|", PAGE, re.MULTILINE)) == offered


def test_a_competition_a_phase_and_a_game_can_be_chosen(roost: Roost, database: Path) -> None:
    def blocks(*arguments: str) -> int:
        return int(json.loads(roost("collusion", "--db", database, "--json", *arguments).out)["blocks"])

    assert blocks() == 600
    assert blocks("--game", "karteneck") == 600
    assert blocks("--game", "haecmaec") == 0
    assert blocks("--competition", "autumn", "--phase", "ladder") == 299
    assert blocks("--competition", "autumn", "--phase", "finals") == 1


def test_too_little_to_judge_is_said(roost: Roost, database: Path) -> None:
    code, out, err = roost("collusion", "--db", database, "--competition", "spring", "--phase", "finals")
    assert (code, err) == (0, "")
    first, second, third, last = out.splitlines()
    assert first == "1 block at tables of three or more, 4 bots"
    assert second.startswith("0 of 12 ordered pairs")
    assert third == "No pair can be judged yet."
    assert "5 %" in last


def test_what_is_wrong_is_said(roost: Roost, database: Path) -> None:
    assert roost("collusion", "--db", database, "--competition", "winter") == (
        *(2, "", "roost: there is no competition 'winter'; there are: spring, autumn\n"),
    )
    code, _, err = roost("collusion", "--db", database, "--phase", "finals")
    assert code == 2
    assert "--competition" in err


def test_versions_of_a_bot_are_told_apart(roost: Roost, tmp_path: Path) -> None:
    database = recorded(tmp_path / "arena.db")
    with open_store(f"sqlite:///{database}") as store:
        store.register_version("crow", "0123456789abcdef", 5)
    out = roost("collusion", "--db", database, "--competition", "spring").out
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
