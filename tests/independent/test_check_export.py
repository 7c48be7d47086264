"""A checker that was written from the documentation alone agrees with exports, and finds what was changed in them."""

import ast
import asyncio
import json
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from structlog.testing import capture_logs

from roost_games.chance import seed_of
from roost_games.referee import Referee
from roost_games.registry import get_game
from roost_games.replay import Seat
from roost_ladder.rating.fit import Method, fit
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.rating.standings import standings
from roost_ladder.schedules.schedule import Kind, Participants, Past
from roost_ladder.schedules.separation import evidences, known
from roost_ladder.schedules.sure import LEAST_ROUND
from roost_server.accounts.rulings import ban_owner
from roost_server.competition.file import PhaseName, PhasePart
from roost_server.competition.finals import schedule_of
from roost_server.export.files import (
    ExportedBlock,
    ExportedBot,
    ExportedCompetition,
    ExportedRelease,
    ExportedRuling,
    ExportedSeal,
)
from roost_server.export.writer import export
from roost_server.store import open_store
from roost_server.store.copies.backup import back_up
from roost_server.store.copies.epochs import go_on
from tests.independent import check_export
from tests.independent.check_export import _against_mixes, expected_chance, wrong_forfeits, wrong_with
from tests.support import old
from tests.support.games.toy import play_out
from tests.support.records.export_world import Play, change, complaints, play_and_export, sign_again
from tests.support.records.results import duels
from tests.support.records.ruled_world import play

PLANNED_AHEAD = ["round-robin", "swiss", "knockout"]
"""Schedules that need no ratings."""
SCHEDULES = [*PLANNED_AHEAD, "sure"]


@pytest.fixture(params=SCHEDULES)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), request.param)


def test_it_imports_nothing_of_roost() -> None:
    tree = ast.parse(Path(check_export.__file__).read_text(encoding="utf-8"))
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    plain |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in plain} <= sys.stdlib_module_names


def test_it_agrees(exported: Path) -> None:
    assert list(wrong_with(exported)) == []


def test_it_agrees_with_an_export_of_an_older_roost() -> None:
    assert list(wrong_with(old.EXPORT)) == []


def forfeited_match(number: int) -> dict[str, Any]:
    """A match of three in which seats make faults, and run out of grace time."""
    seats = [Seat(f"bot{seat}") for seat in range(3)]
    referee: Referee[Any, Any] = Referee(get_game("karteneck"), seats, seed_of("forfeits", number))
    play_out(referee, Random(number), 0.05, 0.005)
    return referee.replay().to_json()


def test_it_agrees_with_reasons_of_forfeits_and_finds_changed_ones() -> None:
    matches = [match for match in map(forfeited_match, range(60)) if match["result"]["forfeits"]]
    assert {entry["why"] for match in matches for entry in match["result"]["forfeited"]} == {"faults", "grace"}
    for match in matches:
        assert list(wrong_forfeits(match)) == []
        first = match["result"]["forfeited"][0]
        for changed in (
            {**first, "why": "grace" if first["why"] == "faults" else "faults"},
            {**first, "seat": (first["seat"] + 1) % 3},
        ):
            match["result"]["forfeited"][0] = changed
            assert list(wrong_forfeits(match)) != []
        match["result"]["forfeited"][0] = first


def test_it_rates_a_circle_at_two_kinds_of_tables_in_the_same_way() -> None:
    """Pairs that met unequally often, and a newcomer: every part of the formulas matters."""
    pairs = {(1, 2): (60, 8), (2, 3): (8, 60), (3, 1): (20, 20), (4, 1): (2, 0)}
    results = [each for pair, (blocks, _) in pairs.items() for each in duels([2, 1, 1, 2] * (blocks // 2), bots=pair)]
    for pair, (_, blocks) in pairs.items():
        away = duels([1, 1, 0, 1] * (blocks // 2), bots=pair)
        results += [each._replace(game="other", block_id=f"other {each.block_id}") for each in away]
    of_blocks = {
        each.block_id: (each.game, [(one.bots, one.places) for one in results if one.block_id == each.block_id])
        for each in results
    }
    record = gather(results)
    assert fit(record).misfit.low > 0
    found = check_export.ratings(list(of_blocks.values()), 3)
    assert found == pytest.approx({each.bot: each.rating for each in standings(results)}, abs=1e-6)


CLONE_PROOF = 'ranking = "clone-proof"\nties = ["worst-pair", "rating"]'


@pytest.fixture(scope="module")
def clone_proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("clone-proof"), "swiss", CLONE_PROOF)


def test_both_checkers_agree_with_the_clone_proof_ranking(clone_proof: Path) -> None:
    rows = (clone_proof / "result.csv").read_text().splitlines()
    assert rows[0].endswith(",lost_in,lost_to,clone_proof,worst_pair")
    assert (list(wrong_with(clone_proof)), complaints(clone_proof)) == ([], [])


def test_both_checkers_find_another_ranking_in_the_rules(clone_proof: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(clone_proof, tmp_path / "cup"))
    rules = (copy / "competition.toml").read_text()
    (copy / "competition.toml").write_text(rules.replace(f"{CLONE_PROOF}\n", ""))
    sign_again(copy)
    assert [each.split(" says ")[0] for each in complaints(copy)] == ["result.csv: line 1"]
    # Ratings may put the bots in another order, or in the same one.
    assert "result.csv: the last columns should be []" in wrong_with(copy)


def test_the_margins_over_mixes_by_hand() -> None:
    """A circle with margins of 60, 20 and 40, whose mix has 20, 40 and 60 parts in 120; and two that are even."""
    circle = {(1, 2): 60, (2, 3): 20, (3, 1): 40, (4, 1): 80, (2, 4): 80, (3, 4): 80}
    found = _against_mixes(circle | {(two, one): -margin for (one, two), margin in circle.items()})
    assert found == {1: 0, 2: 0, 3: 0, 4: Fraction(-160, 3)}
    even = {(1, 2): 0, (2, 1): 0, (1, 3): 20, (3, 1): -20, (2, 3): -20, (3, 2): 20}
    assert _against_mixes(even) == {1: 0, 2: 0, 3: -10}


def test_both_checkers_find_a_changed_score(clone_proof: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(clone_proof, tmp_path / "cup"))
    *others, last = (copy / "result.csv").read_text().splitlines()
    *cells, score, worst = last.split(",")
    changed = ",".join([*cells, str(float(score) - 0.001), worst])
    (copy / "result.csv").write_text("\n".join([*others, changed]) + "\n")
    sign_again(copy)
    assert [each for each in wrong_with(copy) if "the clone_proof of " in each]
    assert [each.split(" says ")[0] for each in complaints(copy)] == ["result.csv: line 5"]


@pytest.mark.parametrize("phase", ["ladder", "finals"])
def test_it_agrees_with_one_phase(exported: Path, tmp_path: Path, phase: str) -> None:
    with open_store(f"sqlite:///{exported.parent}/roost.db", read_only=True) as store:
        export(store, "cup", tmp_path / "part", phase)
    assert list(wrong_with(tmp_path / "part")) == []


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("schedule", "moment"),
    [
        ("round-robin", "before the finals"),
        ("round-robin", "after the freeze"),
        ("swiss", "in the finals"),
        ("knockout", "after the end"),
    ],
)
def test_it_agrees_with_a_competition_with_rulings(schedule: str, moment: str, tmp_path: Path) -> None:
    """Whole, and of the finals alone. Both checkers find it if a ruling is left out."""
    folder, _ = play(tmp_path, schedule, moment)
    with open_store(f"sqlite:///{tmp_path}/roost.db", read_only=True) as store:
        export(store, "cup", tmp_path / "finals", "finals")
    for each in (folder, tmp_path / "finals"):
        assert (list(wrong_with(each)), complaints(each)) == ([], [])
    places = (folder / "result.csv").read_text()
    placed = {line.split(",")[1] for line in places.splitlines()}
    assert "dora" not in placed
    assert ("carl" in placed) is (moment != "after the freeze"), "it was withdrawn then"
    assert (tmp_path / "finals" / "result.csv").read_text() == places
    change(folder, "competition.json", lambda lines: lines[0]["rulings"].pop(0))
    assert any(each.startswith("standings-ladder.csv: ") for each in wrong_with(folder))
    assert any(each.startswith("standings-ladder.csv: ") for each in complaints(folder))


def test_it_agrees_with_a_competition_that_had_no_finals(tmp_path: Path) -> None:
    """Dora is disqualified after the end, and has no place. Anna's owner is banned then, and she keeps hers."""
    play(tmp_path, "swiss", "after an end without finals")
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        ban_owner(store, "owner of anna", "", "host")
        export(store, "cup", tmp_path / "banned")
    assert (list(wrong_with(tmp_path / "banned")), complaints(tmp_path / "banned")) == ([], [])
    rows = (tmp_path / "banned" / "result.csv").read_text().splitlines()[1:]
    assert {row.split(",")[1] for row in rows} == {"anna", "bertha", "carl"}


def test_both_checkers_take_finals_that_the_host_ended_and_no_others(tmp_path: Path) -> None:
    """One block of the first round was played. Nobody but a host may end finals there."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        asyncio.run(Play(store, "round-robin").cut_short())
        export(store, "cup", tmp_path / "out")
    assert (list(wrong_with(tmp_path / "out")), complaints(tmp_path / "out")) == ([], [])

    def blame_the_clock(lines: list[dict[str, Any]]) -> None:
        lines[0]["phases"][-1][2] = "clock"

    change(tmp_path / "out", "competition.json", blame_the_clock)
    assert any("was planned and not played" in each for each in wrong_with(tmp_path / "out"))
    assert any("should have been played, and was not" in each for each in complaints(tmp_path / "out"))


@pytest.mark.short(1)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_it_agrees_with_a_competition_that_was_restored_in_the_middle(schedule: str, tmp_path: Path) -> None:
    """The ladder is of the first epoch, the finals are of the second."""
    database = tmp_path / "roost.db"
    with open_store(f"sqlite:///{database}") as store, capture_logs():
        go_on(store)
        play = Play(store, schedule)

        async def ladder() -> None:
            await play.begin()
            await play.phase(PhaseName.LADDER, rounds=2)
            await play.recorder.aclose()

        asyncio.run(ladder())
        back_up(store.backend, tmp_path / "copy.db")
    shutil.copyfile(tmp_path / "copy.db", database)
    with open_store(f"sqlite:///{database}") as store, capture_logs():
        begun = go_on(store)
        assert begun is not None
        play.restored(store)

        async def finals() -> None:
            await play.begin()
            await play.phase(PhaseName.FINALS)
            await play.end()

        asyncio.run(finals())
        export(store, "cup", tmp_path / "cup")
    assert list(wrong_with(tmp_path / "cup")) == []
    blocks = [json.loads(line) for line in (tmp_path / "cup" / "blocks.jsonl").read_text().splitlines()]
    epochs = {block["phase"]: block["epoch"] for block in blocks}
    assert epochs == {"ladder": 0, "finals": begun.began_ms}


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("karteneck", 4, {}),
        ("bratwurmeck", 2, {}),
        ("bratwurmeck", 5, {}),
        ("haecmaec", 3, {}),
        ("haecmaec", 5, {"slap": True}),
    ],
)
def test_chance_follows_from_the_seed(game: str, players: int, options: dict[str, Any]) -> None:
    """In random matches of every game. Of each, the first outcome is then changed."""
    rng = Random(game)
    seen: set[str] = set()
    for number in range(10):
        played = get_game(game)
        seats = [Seat(f"bot{seat}", "v1", "") for seat in range(players)]
        referee: Any = Referee(played, seats, seed_of(f"match {number}"), options=played.options(options))
        while not referee.over:
            for seat in referee.waiting:
                referee.answer(seat, rng.choice(referee.legal(seat)), 1.0)
        replay = json.loads(referee.replay().to_line())
        outcomes = list(expected_chance(replay))
        assert all(true == listed for true, listed in outcomes)
        seen |= {step["chance"] for step in replay["steps"] if "chance" in step}
        assert len(outcomes) == sum("chance" in step for step in replay["steps"])
    assert seen >= {"karteneck": {"deck", "reshuffle"}, "bratwurmeck": {"roll"}, "haecmaec": {"deck"}}[game]
    assert ("slap" in seen) == bool(options)


@pytest.mark.parametrize("schedule", PLANNED_AHEAD)
@pytest.mark.parametrize("owners", [13, 7])
def test_a_large_final_is_planned_in_the_same_way(schedule: str, owners: int) -> None:
    """Thirteen bots, some of one owner, at tables of two, three and four. Who wins is drawn."""
    bots: list[dict[str, Any]] = [{"version_id": 3 * n + 1, "owner": f"owner {n % owners}"} for n in range(13)]
    part = {"phase": "finals", "schedule": schedule, "rounds": 4, "blocks_per_pairing": 2}
    rules = {"games": [{"game": "karteneck"}, {"game": "bratwurmeck", "players": [4, 2]}], "phases": [part]}
    rng = Random(f"{schedule} {owners}")
    field = rng.sample([bot["version_id"] for bot in bots], 13)
    theirs = check_export.Finals(rules, {"seed": "ab" * 32, "name": "cup", "bots": bots}, field)
    kinds = [Kind(*kind) for kind in theirs.kinds]
    ours = Participants(tuple(field), tuple(kinds), {bot["version_id"]: bot["owner"] for bot in bots})
    plan = schedule_of("cup", bytes.fromhex("ab" * 32), PhasePart.model_validate(part))
    past = Past(recorded=False)
    for _ in range(6):
        round_ = plan.next_round(ours, past)
        assert theirs.next_round() == [(tuple(kind), group) for kind, group in round_]
        for pairing in round_:
            past.give(pairing)
            for _ in pairing.group:
                places = tuple(rng.choice([1, 2]) for _ in pairing.group)
                theirs.results.append((pairing.group, places))
                past.finish([MatchResult("block", pairing.kind.game, pairing.group, places)])


def duel(rng: Random, group: tuple[int, ...], circle: float) -> tuple[int, ...]:
    """Places of bots that differ in strength, and beat each other in circles."""
    number = {bot: bot // 3 for bot in group}
    shown = {
        bot: rng.gauss(number[bot] ** 2 / 5, 1)
        + circle * sum((0, 1, -1)[(number[bot] - number[other]) % 3] for other in group)
        for bot in group
    }
    return tuple(1 + sum(shown[other] > shown[bot] for other in group) for bot in group)


@pytest.mark.parametrize(
    ("owners", "sizes", "method", "circle", "budget"),
    [
        ((0, 1, 2, 3), [2], Method.EACH_KIND, 0.0, 60),
        ((0, 1, 2, 0), [3, 2], Method.EACH_MATCH, 0.5, 60),
        pytest.param((0, 1, 2, 3, 4, 0), [4, 2], Method.EACH_KIND, 0.5, 400, marks=pytest.mark.long),
        pytest.param(range(5), [2], Method.EACH_KIND, 0.0, 800, marks=pytest.mark.long),
        pytest.param(range(10), [3, 4], Method.EACH_KIND, 1.0, 200, marks=pytest.mark.long),
        pytest.param(range(5), [2, 3], Method.EACH_MATCH, 1.0, 400, marks=pytest.mark.long),
    ],
)
def test_finals_by_ratings_are_planned_in_the_same_way(
    owners: Sequence[int], sizes: list[int], method: Method, circle: float, budget: int
) -> None:
    """With bots of one owner, several kinds of tables, circles, several deals of a group, and the older method."""
    bots: list[dict[str, Any]] = [{"version_id": 3 * n, "owner": f"owner {owner}"} for n, owner in enumerate(owners)]
    part = {"phase": "finals", "schedule": "sure", "budget": budget}
    rules = {"games": [{"game": "karteneck", "players": sizes}], "phases": [part]}
    rng, field = Random(f"{sizes} {circle}"), [bot["version_id"] for bot in bots]
    theirs = check_export.Finals(rules, {"seed": "ef" * 32, "name": "cup", "bots": bots, "ratings": method}, field)
    kinds = tuple(Kind(*kind) for kind in theirs.kinds)
    ours = Participants(tuple(field), kinds, {bot["version_id"]: bot["owner"] for bot in bots})
    plan = schedule_of("cup", bytes.fromhex("ef" * 32), PhasePart.model_validate(part), method)
    past = Past()
    while round_ := plan.next_round(ours, past):
        assert theirs.next_round() == [(tuple(kind), group) for kind, group in round_]
        for pairing in round_:
            block = f"block {past.given}"
            past.give(pairing)
            results = [(pairing.group, duel(rng, pairing.group, circle)) for _ in pairing.group]
            theirs.finish(pairing.kind.game, results)
            past.finish([MatchResult(block, pairing.kind.game, *result) for result in results])
    assert theirs.next_round() == []
    assert past.given > LEAST_ROUND, "a round that knew results"
    last, expected = check_export.SureRound(theirs, check_export.Generator("any")), known(field, past.record(), method)
    for one, other in combinations(range(len(field)), 2):
        pair = expected.bots.index(last.bots[one]), expected.bots.index(last.bots[other])
        assert last.evidence(one, other) == pytest.approx(evidences(expected.fit)[pair])


def test_what_was_played_is_accepted_where_the_last_digits_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs are equal at first. The first is taken, unless a worth may be rounded up or down."""
    bots = [{"version_id": bot, "owner": f"owner {bot}"} for bot in range(4)]
    part = {"phase": "finals", "schedule": "sure", "budget": 40}
    rules = {"games": [{"game": "karteneck", "players": [2]}], "phases": [part]}

    def first_group(played: set[int]) -> set[int]:
        finals = check_export.Finals(rules, {"seed": "ab" * 32, "name": "cup", "bots": bots}, [0, 1, 2, 3])
        finals.left = [{"game": "karteneck", "version_ids": list(played)}]
        return set(finals.next_round()[0][1])

    first = first_group(set())
    other = {0, 1, 2, 3} - first
    assert first_group(other) == first
    monkeypatch.setattr(check_export, "DIGITS", 1e-9)
    assert (first_group(other), first_group(set())) == (other, first)


@pytest.mark.parametrize(("bots", "players"), [(13, 3), (14, 4), pytest.param(30, 3, marks=pytest.mark.long)])
def test_a_sample_of_a_round_robin_is_planned_in_the_same_way(bots: int, players: int) -> None:
    """With more groups than `most_groups`, from fields for which the search draws in either way."""
    part = {"phase": "finals", "schedule": "round-robin", "rounds": 1, "most_groups": 20}
    rules = {"games": [{"game": "karteneck", "players": [players]}], "phases": [part]}
    field = list(range(1, bots + 1))
    entries = [{"version_id": bot, "owner": f"owner {bot}"} for bot in field]
    theirs = check_export.Finals(rules, {"seed": "cd" * 32, "name": "cup", "bots": entries}, field)
    ours = Participants(tuple(field), (Kind("karteneck", players),), {bot: f"owner {bot}" for bot in field})
    plan = schedule_of("cup", bytes.fromhex("cd" * 32), PhasePart.model_validate(part))
    past = Past(recorded=False)
    while round_ := plan.next_round(ours, past):
        assert theirs.next_round() == [(tuple(kind), group) for kind, group in round_]
        for pairing in round_:
            past.give(pairing)
    assert theirs.next_round() == []


@pytest.mark.parametrize(
    "kind", [ExportedCompetition, ExportedBlock, ExportedBot, ExportedRuling, ExportedRelease, ExportedSeal]
)
def test_every_field_is_on_the_page(kind: type[Any]) -> None:
    page = (Path(__file__).parents[2] / "docs/formats/export.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {field.name for field in fields(kind)} <= explained


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def flip(text: str) -> str:
    return ("1" if text[0] == "0" else "0") + text[1:]


def test_another_result_is_found(exported: Path) -> None:
    lines = (exported / "result.csv").read_text().splitlines()
    swapped = [lines[0], lines[1].replace("1,", "2,", 1), lines[2].replace("2,", "1,", 1), *lines[3:]]
    (exported / "result.csv").write_text("\n".join([swapped[0], swapped[2], swapped[1], *swapped[3:]]) + "\n")
    assert any(each.startswith("result.csv: the places should be") for each in wrong_with(exported))


def test_another_master_seed_is_found(exported: Path) -> None:
    change(exported, "competition.json", lambda lines: lines[0].update(seed=flip(lines[0]["seed"])))
    assert "the master seed does not fit the commitment" in wrong_with(exported)


def test_another_deal_is_found(exported: Path) -> None:
    def turn(lines: list[dict[str, Any]]) -> None:
        deck = next(step for step in lines[0]["steps"] if step.get("chance") == "deck")["outcome"]
        deck.reverse()

    change(exported, "matches.jsonl", turn)
    assert any("does not follow from the seed" in each for each in wrong_with(exported))


def test_another_plan_is_found(exported: Path) -> None:
    def exchange(lines: list[dict[str, Any]]) -> None:
        # The last one: an earlier block of a level tie could stand in for the next one of the same two.
        block = [line for line in lines if line["phase"] == "finals"][-1]
        block["version_ids"] = block["version_ids"][::-1]

    change(exported, "blocks.jsonl", exchange)
    assert any(each.startswith("finals: ") for each in wrong_with(exported))


def test_another_pairing_of_sure_is_found_by_name(tmp_path: Path) -> None:
    """Somebody else sits at the table in a block that was planned once results were known."""
    folder = play_and_export(tmp_path, "sure")
    finals = [each for each in read_lines(folder / "blocks.jsonl") if each["phase"] == "finals"]
    groups = [each["version_ids"] for each in finals]
    chosen = next(each for each in finals[LEAST_ROUND + 4 :] if groups.count(each["version_ids"]) == 1)
    kind, group = (chosen["game"], len(chosen["version_ids"])), tuple(chosen["version_ids"])

    def exchange(lines: list[dict[str, Any]]) -> None:
        block = next(line for line in lines if line["id"] == chosen["id"])
        block["version_ids"][0] = next(bot for bot in (1, 2, 3, 4) if bot not in group)

    change(folder, "blocks.jsonl", exchange)
    assert f"finals: {kind} with {group} was planned and not played" in wrong_with(folder)
    assert any("should have been played, and was not" in each for each in complaints(folder))


def test_another_rating_is_found(exported: Path) -> None:
    file = exported / "standings-finals.csv"
    head, first, *rest = file.read_text().splitlines(keepends=True)
    file.write_text("".join([head, rest[0], first, *rest[1:]]))
    found = list(wrong_with(exported))
    assert "standings-finals.csv: another hash" in found
    assert any(each.startswith("standings-finals.csv: line 1 should be") for each in found)
