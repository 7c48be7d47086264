"""Qualification at a real arena, from the first match to the verified export."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from roost.v1 import arena_pb2, records_pb2
from roost_server.answers.bots import bots
from roost_server.answers.competitions import get_competition
from roost_server.answers.matches import matches
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import standings_of
from roost_server.competition.file import CompetitionFileError, parse_competition
from roost_server.competition.ledger import draw_up, find
from roost_server.competition.qualification import qualifications
from roost_server.export.files import COMPETITION_FILE
from roost_server.export.loader import loaded
from roost_server.export.writer import export
from roost_server.store import Store, open_store
from roost_server.store.results import MatchFilter, facts
from tests.independent.check_export import wrong_with
from tests.support.arenas.hall import bounded, refusal, until
from tests.support.arenas.qualifying_world import QUALIFICATION, Faulty, Qualifying, demanding, qualifying
from tests.support.records.export_world import change, complaints


def names_in(store: Store, phase: str) -> set[str]:
    """The bots that have played in a phase."""
    request = arena_pb2.ListMatchesRequest(competition="cup", phase=phase, limit=1000)
    return {bot for match in matches(store, request).matches for bot in match.bots}


async def from_start_to_end(there: Qualifying) -> None:
    await there.come("ann", "Ann")
    await until(lambda: there.place.arena.directors[0].remark)
    status = await there.status()
    assert status.remark == "nobody can qualify: house is not here, or does not play this game"
    waiting = await there.account("Ann")
    assert (waiting.qualified, waiting.summary) == (False, "has to qualify against house")

    await there.open_house()
    await there.come("bob", "Bob", Faulty)
    await there.come("cid", "Cid")
    for owner in ("Ann", "Cid"):
        await there.qualified(owner)

    await until(_has_failed(there, "Bob"), pause=0.05)
    bob = await there.account("Bob")
    assert (bob.qualified, bob.clean_matches, bob.versions_left) == (False, 0, 0)
    assert bob.summary.endswith("it has failed, and no other version may try")
    assert (await there.status()).remark == ""

    await there.phase("ladder")
    await until(lambda: len(list(_facts(there.place.store, "ladder"))) >= 8, pause=0.05)
    listed = await there.place.stub.ListBots(arena_pb2.ListBotsRequest())
    told = {bot.name: bot.qualification for bot in listed.bots}
    assert told["bob"].startswith("cup: block 3 of at most 3")
    assert (told["ann"], told["house"]) == ("", "")
    await there.phase("freeze")
    await until(lambda: not there.place.arena.seating.tables)
    await there.phase("finals")
    await there.in_phase("done")


def _facts(store: Store, phase: str) -> list[object]:
    with store.reading() as reading:
        return list(facts(reading, MatchFilter(phase=phase)))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an arena that has played a competition with a qualification, and its export."""
    folder = tmp_path_factory.mktemp("qualification")

    async def script() -> None:
        async with qualifying(folder) as there:
            await from_start_to_end(there)
            export(there.place.store, "cup", folder / "export")

    bounded(script)
    return folder


def test_only_those_who_qualified_play_on(played: Path) -> None:
    with open_store(f"sqlite:///{played}/roost.db") as store:
        assert names_in(store, "qualification") == {"ann", "bob", "cid", "house"}
        assert names_in(store, "ladder") == names_in(store, "finals") == {"ann", "cid"}


def test_nothing_of_it_is_rated(played: Path) -> None:
    with open_store(f"sqlite:///{played}/roost.db") as store:
        ladder = arena_pb2.GetStandingsRequest(competition="cup", phase="ladder")
        for request in (arena_pb2.GetStandingsRequest(everything=True), ladder):
            assert {row.name for row in standings_of(store, request).standings} == {"ann", "cid"}
        with store.reading() as reading:
            rated = len(list(facts(reading)))
        assert standings_of(store, arena_pb2.GetStandingsRequest(everything=True)).matches == rated
        played_by = {bot.name: bot.matches for bot in bots(store, Ratings(store)).bots}
        assert (played_by["bob"], played_by["house"]) == (0, 0)


def test_the_export_proves_who_qualified(played: Path) -> None:
    folder = played / "export"
    assert complaints(folder) == []
    assert list(wrong_with(folder)) == []
    rows = [line.split(",") for line in (folder / "qualification.csv").read_text("utf-8").splitlines()[1:]]
    decided = {row[0]: row[-1] for row in rows}
    assert decided.keys() == {"ann", "bob", "cid"}
    assert (decided["bob"], decided["ann"].startswith("cup-qualification-")) == ("", True)
    with loaded(folder) as store, store.reading() as reading:
        competition = find(store, "cup")
        shown = qualifications(reading, competition.id, competition.file)
        assert sorted(each.qualified for each in shown.values()) == [False, True, True, True]
    with open_store(f"sqlite:///{played}/roost.db") as store:
        answer = get_competition(store, records_pb2.GetCompetitionRequest(competition="cup"))
        assert {each.bot: each.qualification.qualified for each in answer.entries}["bob"] is False


def test_a_forged_export_is_found_out(played: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(played / "export", tmp_path / "cup"))

    def let_bob_in(competitions: list[dict[str, Any]]) -> None:
        for bot in competitions[0]["bots"]:
            bot["let_in"] = True

    change(folder, COMPETITION_FILE, let_bob_in)
    assert "competition.json: says that bob was let in, the matches say that it has not qualified" in complaints(folder)
    assert "bob: was let in without having qualified, or not although it has" in list(wrong_with(folder))


def test_an_export_of_one_phase_is_right_too(played: Path, tmp_path: Path) -> None:
    with open_store(f"sqlite:///{played}/roost.db") as store:
        for phase in ("ladder", "finals"):
            export(store, "cup", tmp_path / phase, phase)
            assert complaints(tmp_path / phase) == []
            assert list(wrong_with(tmp_path / phase)) == []


def test_a_qualification_for_the_finals_is_played_beside_the_ladder(tmp_path: Path) -> None:
    text = demanding(ladder=None, finals=QUALIFICATION)

    async def script() -> None:
        async with qualifying(tmp_path, text) as there:
            await there.open_house()
            for name, owner, kind in (("bob", "Bob", Faulty), ("ann", "Ann", None), ("cid", "Cid", None)):
                await (there.come(name, owner, kind) if kind else there.come(name, owner))
            await there.phase("ladder")
            for owner in ("Ann", "Cid"):
                await there.qualified(owner)
            await until(lambda: names_in(there.place.store, "ladder") == {"ann", "bob", "cid"}, pause=0.05)
            await there.phase("freeze")
            await until(lambda: not there.place.arena.seating.tables)
            await there.phase("finals")
            await there.in_phase("done")
            assert names_in(there.place.store, "finals") == {"ann", "cid"}
            export(there.place.store, "cup", tmp_path / "export")
            assert complaints(tmp_path / "export") == []
            assert list(wrong_with(tmp_path / "export")) == []

    bounded(script)


def test_a_block_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The arena stops while a bot qualifies, and the bot qualifies at the next one, by all blocks on record."""
    slow = demanding(ladder={**QUALIFICATION, "clean_matches": 20, "most_blocks": 30})

    async def begin() -> None:
        async with qualifying(tmp_path, slow) as there:
            await there.open_house()
            await there.come("ann", "Ann")

            async def some() -> bool:
                return bool((await there.account("Ann")).blocks >= 2)

            await until(some, pause=0.01)

    async def go_on() -> None:
        async with qualifying(tmp_path, slow) as there:
            await there.come("house", "Host")
            await there.come("ann", "Ann")
            await there.qualified("Ann")
            shown = await there.account("Ann")
            assert shown.blocks == 10, "each block has two matches, and none was lost"

    bounded(begin)
    bounded(go_on)


def test_the_host_may_change_a_table_that_makes_finals_impossible(tmp_path: Path) -> None:
    """Without anybody who has qualified, the finals wait. Then the table may go, and everybody plays."""
    without = demanding(ladder=None)

    async def script() -> None:
        async with qualifying(tmp_path) as there:
            await there.open_house()
            for name, owner in (("ann", "Ann"), ("bob", "Bob")):
                await there.come(name, owner, Faulty)
                await until(_has_failed(there, owner), pause=0.05)
            await there.phase("ladder")
            with pytest.raises(CompetitionFileError, match="matches have been played"):
                draw_up(there.place.store, parse_competition(without), without)
            await there.phase("freeze")
            status, said = await refusal(there.phase("finals"))
            assert (status, "the finals cannot be played: with 0 bots" in said) == ("INVALID_ARGUMENT", True)
            draw_up(there.place.store, parse_competition(without), without)

    bounded(script)


def _has_failed(there: Qualifying, owner: str) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        return str((await there.account(owner)).summary).endswith("no other version may try")

    return is_so
