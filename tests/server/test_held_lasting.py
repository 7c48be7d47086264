"""Results stay held back over restarts, restored copies and rulings, and what is released afterwards verifies."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from roost.v1 import arena_pb2
from roost_server.accounts import rulings
from roost_server.accounts.gate import ANYBODY, HOST, Asker
from roost_server.answers import questions
from roost_server.answers.database import restore_into
from roost_server.competition import ledger, staging
from roost_server.competition.file import PhaseName
from roost_server.export.checker import check_export
from roost_server.export.writer import export
from roost_server.sealing import Seal
from roost_server.store import Store, open_store
from roost_server.store.copies.backup import back_up
from roost_server.store.copies.epochs import epochs, go_on
from roost_server.store.measures.seals import newest_seals
from tests.independent.check_export import wrong_with
from tests.support.records.export_world import Play, complaints
from tests.support.records.held_worlds import finals_of

Script = Callable[[], Coroutine[Any, Any, None]]


def run(script: Script) -> None:
    with capture_logs():
        asyncio.run(script())


def opened(folder: Path) -> Store:
    return open_store(f"sqlite:///{folder}/roost.db")


def play_first_round(play: Play) -> None:
    """The ladder, and the first round of the finals."""

    async def script() -> None:
        await play.begin()
        await play.phase(PhaseName.LADDER, rounds=1)
        await play.phase(PhaseName.FINALS, 1)
        await play.recorder.aclose()

    run(script)


def play_on(play: Play, store: Store) -> None:
    """An arena opens these records, and plays what is left of the finals."""

    async def script() -> None:
        play.restored(store)
        await play.begin()
        await play.director.read_past()
        contest, reading = play.director.contest, play.director._reading
        assert contest is not None
        assert reading is not None
        await reading
        while await play.round(contest):
            pass
        await play.end()

    go_on(store)
    run(script)


def seal(store: Store) -> Seal:
    """Seal what has ended, unless it is sealed. Returns the newest seal."""
    staging.seal(store, ledger.find(store, "cup"))
    with store.reading() as reading:
        return newest_seals(reading, 1, "finals", 1)[0]


def shown(store: Store, asker: Asker = ANYBODY) -> list[str]:
    """The finals that somebody finds on the list of matches."""
    request = arena_pb2.ListMatchesRequest(competition="cup", phase="finals", limit=1000)
    answer: Any = questions.RecordAnswers(store).answer(request, asker)
    return [each.match_id for each in answer.matches]


def wrong(folder: Path) -> list[str]:
    """What two checkers find wrong with an export."""
    return [*complaints(folder), *wrong_with(folder)]


@pytest.mark.long
def test_a_restart_releases_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        play = Play(store, "knockout", '"rounds"')
        play_first_round(play)
        first = seal(store)
    with opened(tmp_path) as store:
        assert shown(store) == []
        play_on(play, store)
        assert shown(store) == []
        staging.release(store, "cup", "", "host")
    with opened(tmp_path) as store:
        assert 0 < len(shown(store)) < len(shown(store, HOST))
        export(store, "cup", tmp_path / "half", everything=False)
        staging.release(store, "cup", "", "host")
        assert shown(store) == shown(store, HOST)
        export(store, "cup", tmp_path / "whole", everything=False)
    assert wrong(tmp_path / "half") == []
    assert wrong(tmp_path / "whole") == []
    assert list(check_export(tmp_path / "whole", seals=[first.digest])) == []


def test_a_restored_copy_holds_back_what_it_has_and_goes_on_with_its_seals(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        play = Play(store, "knockout", '"rounds"')
        play_first_round(play)
        kept = seal(store)
        back_up(store.backend, tmp_path / "copy.db")
        play_on(play, store)
        lost = seal(store)
    restore_into(tmp_path / "copy.db", f"sqlite:///{tmp_path}/roost.db")
    with opened(tmp_path) as store:
        assert shown(store) == []
        play_on(play, store)
        again = seal(store)
        assert shown(store) == []
        assert len(shown(store, HOST)) > 0
        with store.reading() as reading:
            assert len(epochs(reading)) == 1
            assert again.epoch == epochs(reading)[0].began_ms
            assert [each.digest for each in newest_seals(reading, 1, "finals")] == [again.digest, kept.digest]
        export(store, "cup", tmp_path / "held", everything=False)
        staging.release(store, "cup", "", "host", everything=True)
        export(store, "cup", tmp_path / "whole", everything=False)
    assert wrong(tmp_path / "held") == []
    assert wrong(tmp_path / "whole") == []
    assert list(check_export(tmp_path / "whole", seals=[kept.digest, again.digest])) == []
    (missing,) = check_export(tmp_path / "whole", seals=[lost.digest])
    assert str(missing).endswith("the records were restored, which loses seals")


def rulings_in(folder: Path) -> list[str]:
    return [each["kind"] for each in json.loads((folder / "competition.json").read_text())["rulings"]]


def rated(store: Store, phase: str, asker: Asker = ANYBODY) -> dict[str, int]:
    """By bot, how many matches count."""
    request = arena_pb2.GetStandingsRequest(competition="cup", phase=phase)
    answer: Any = questions.RecordAnswers(store).answer(request, asker)
    return {row.name: row.matches for row in answer.standings}


def test_rulings_about_held_results_count_at_once_and_are_told_with_them(tmp_path: Path) -> None:
    """That a voided match changes no answer is a part of test_held_results: one of its worlds has one."""
    with opened(tmp_path) as store:
        play = Play(store, "round-robin", '"held"')
        play_first_round(play)
        play_on(play, store)
        before = rated(store, "finals", HOST)
        seal(store)
        voided = next(match for match in finals_of(store) if "dora" not in _bots_of(store, match))
        rulings.void_match(store, voided, "power cut", "host")
        rulings.disqualify_bot(store, "cup", "dora", "two accounts", "host")
        after = rated(store, "finals", HOST)
        assert rated(store, "finals") == {}
        assert "dora" not in rated(store, "ladder"), "where results are public, everybody sees what a ruling does"
        export(store, "cup", tmp_path / "held", everything=False)
        staging.release(store, "cup", "", "host")
        assert rated(store, "finals") == after
        export(store, "cup", tmp_path / "whole", everything=False)
    assert "dora" in before
    assert "dora" not in after
    assert all(after[bot] < before[bot] for bot in after)
    assert rulings_in(tmp_path / "held") == ["disqualify"]
    assert rulings_in(tmp_path / "whole") == ["void", "disqualify"]
    assert voided not in "".join(file.read_text() for file in (tmp_path / "held").iterdir())
    assert wrong(tmp_path / "held") == []
    assert wrong(tmp_path / "whole") == []


def _bots_of(store: Store, match_id: str) -> list[str]:
    answer: Any = questions.RecordAnswers(store).answer(arena_pb2.GetMatchRequest(match_id=match_id), HOST)
    return list(answer.match.bots)
