"""What a host holds back is told to nobody before it is released: every call is asked in two worlds that differ in it.

The worlds have one past: a copy of one database goes on in both, with finals of other lengths and other results. A
stranger gets the same answers in both, so no answer depends on what is held back.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from structlog.testing import capture_logs

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_games.errors import RoostError, UsageError
from roost_server.accounts.audit import acts
from roost_server.accounts.gate import ANYBODY, HOST, Asker
from roost_server.answers import questions
from roost_server.competition import ledger, staging
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.phases import CLOCK
from roost_server.errors import HeldBackError, NotYetError
from roost_server.export.checker import check_export
from roost_server.export.writer import export
from roost_server.store import Store, open_store
from roost_server.store.measures.holds import held_now
from tests.support.records.export_world import Play
from tests.support.records.held_worlds import World, two_worlds

STRANGERS = (ANYBODY, Asker("Zoe"))
"""Somebody without a key, and an owner whose bot does not take part."""
RECORDS = [records_pb2.RecordFilter(), records_pb2.RecordFilter(competition="cup")]
PHASES = [records_pb2.RecordFilter(competition="cup", phase=phase) for phase in ("ladder", "finals")]
FILTERS = [*RECORDS, *PHASES, records_pb2.RecordFilter(game="karteneck", players=2)]
NAMES = ("anna", "bert", "carl", "dora")


def _matches(world: World) -> list[Message]:
    lists = [
        {},
        {"competition": "cup"},
        {"competition": "cup", "phase": "finals"},
        {"bot": "anna"},
        {"bot": "anna", "opponent": "bert"},
        {"bot": "anna", "outcome": arena_pb2.OUTCOME_WON},
        {"with_faults": True},
        {"since_ms": 1},
        {"players": 2},
    ]
    return [arena_pb2.ListMatchesRequest(limit=1000, **each) for each in lists]  # type: ignore[arg-type]


def of_filters(request: Callable[..., Message], **more: Any) -> list[Message]:
    return [request(filter=each, **more) for each in FILTERS]


ASKED: dict[str, Callable[[World], Sequence[Message]]] = {
    "GetArena": lambda _: [records_pb2.GetArenaRequest()],
    "ListBots": lambda _: [arena_pb2.ListBotsRequest()],
    "GetStandings": lambda _: [
        arena_pb2.GetStandingsRequest(),
        arena_pb2.GetStandingsRequest(everything=True),
        arena_pb2.GetStandingsRequest(competition="cup", phase="ladder"),
        arena_pb2.GetStandingsRequest(competition="cup", phase="finals"),
        arena_pb2.GetStandingsRequest(game="karteneck", players=2),
    ],
    "GetCrossTable": lambda _: of_filters(records_pb2.GetCrossTableRequest),
    "GetRatingHistory": lambda _: of_filters(records_pb2.GetRatingHistoryRequest),
    "GetBot": lambda _: [each for name in NAMES for each in of_filters(records_pb2.GetBotRequest, bot=name)],
    "ListFaults": lambda world: [
        *(records_pb2.ListFaultsRequest(bot=name) for name in NAMES),
        records_pb2.ListFaultsRequest(bot="anna", match_id=world.finals[0]),
    ],
    "ListMatches": _matches,
    "GetMatch": lambda world: [arena_pb2.GetMatchRequest(match_id=each) for each in world.finals[:3]],
    "GetReplay": lambda world: [arena_pb2.GetReplayRequest(match_id=each) for each in world.finals[:3]],
    "ListCompetitions": lambda _: [arena_pb2.ListCompetitionsRequest()],
    "GetCompetition": lambda _: [records_pb2.GetCompetitionRequest(competition="cup")],
    "GetCollusion": lambda _: [records_pb2.GetCollusionRequest(competition="cup")],
    "GetBracket": lambda _: [arena_pb2.GetBracketRequest(competition="cup")],
}
"""What a stranger asks of the records, by method. A method that is not here, nor below, has no decision yet."""
ELSEWHERE = {
    "Play": "a bot hears of its own matches only",
    "GetChallenge": "challenges are no results of a competition; of a running one, nobody learns what silent bots do",
    "WatchMatch": "test_held_live: test_a_running_match_of_held_results_is_seen_by_its_owners_alone",
    "ExportCompetition": "test_an_export_says_nothing_about_what_is_held_back",
}


def test_every_call_has_a_decision() -> None:
    assert ASKED.keys() | ELSEWHERE.keys() == {method.name for method in questions.ARENA.methods}
    other = {method.name for service in ("Accounts", "Admin") for method in _methods(service)}
    assert other >= {"GetAccount", "ReleaseResults"}
    of_owners = {"Register", "GetAccount", "MakeOwnKey", "EndOwnKey", "ChangeEntry", "Challenge"}
    assert {method.name for method in _methods("Accounts")} == of_owners, "these tell owners about their own things"


def _methods(service: str) -> Sequence[Any]:
    return admin_pb2.DESCRIPTOR.services_by_name[service].methods


def told(world: World, asker: Asker) -> dict[str, list[str]]:
    """Every answer, without the times at which this test played, and without what a commitment must be: different."""
    answers = questions.RecordAnswers(world.store)
    return {name: [_told(answers, each, asker, world) for each in ask(world)] for name, ask in ASKED.items()}


def _told(answers: questions.RecordAnswers, request: Message, asker: Asker, world: World) -> str:
    try:
        answer: Any = answers.answer(request, asker)
    except RoostError as error:
        said = str(error)
        for match in world.finals:
            said = said.replace(match, "MATCH")
        return said
    if isinstance(answer, records_pb2.GetArenaResponse):
        answer.ClearField("now_ms")
    if isinstance(answer, records_pb2.GetCompetitionResponse):
        answer.ClearField("seals")
        for phase in answer.phases:
            phase.begins_ms = phase.ends_ms = 0
    for competition in getattr(answer, "competitions", ()):
        for held in competition.held:
            held.ClearField("seal")
    return str(answer)


@pytest.mark.parametrize(
    ("schedule", "results", "rounds", "over"),
    [
        ("knockout", '"rounds"', 1, False),
        pytest.param("swiss", '"held"', None, True, marks=pytest.mark.long),
        pytest.param("round-robin", "2099-01-01T00:00:00Z", 1, False, marks=pytest.mark.long),
    ],
)
def test_no_answer_depends_on_what_is_held_back(
    schedule: str, results: str, rounds: int | None, over: bool, tmp_path: Path
) -> None:
    strangers, hosts, exports = [], [], []
    for number, world in enumerate(two_worlds(tmp_path, schedule, results, rounds, over=over)):
        strangers.append([told(world, asker) for asker in STRANGERS])
        hosts.append(told(world, HOST))
        exports.append(exported(world, tmp_path / f"export-{number}"))
    for one, two in zip(*strangers, strict=True):
        for name in ASKED:
            assert one[name] == two[name], name
    for name in ("GetStandings", "GetCrossTable", "GetRatingHistory", "GetBot", "ListBots", "ListMatches"):
        assert hosts[0][name] != hosts[1][name], "admins see everything, and the worlds differ in it"
    assert exports[0] == exports[1]


def exported(world: World, folder: Path) -> dict[str, object]:
    """What anybody gets of the records as files, without hashes, seals and the times at which this test played."""
    with pytest.raises(NotYetError, match="all results of the finals of cup are held back"):
        export(world.store, "cup", folder, "finals", everything=False)
    export(world.store, "cup", folder, everything=False)
    files: dict[str, object] = {file.name: file.read_text() for file in folder.iterdir()}
    whole = json.loads((folder / "competition.json").read_text())
    assert whole["held"] == [["finals", 0]]
    seals = [json.loads(line) for line in (folder / "seals.jsonl").read_text().splitlines()]
    assert seals
    assert all(seal["blocks"] is None for seal in seals)
    assert [str(wrong) for wrong in check_export(folder)] == []
    del files["manifest.json"], files["seals.jsonl"]
    phases = [[name, actor] for name, _, actor in whole["phases"]]
    return files | {"competition.json": whole | {"phases": phases}}


def play_finals(store: Store, results: str, schedule: str = "knockout") -> Play:
    """A competition whose finals are over, and held back."""
    play = Play(store, schedule, results)
    play_to_the_end(play)
    return play


def play_to_the_end(play: Play) -> None:
    """Ladder and finals."""

    async def whole() -> None:
        await play.begin()
        await play.phase(PhaseName.LADDER, rounds=1)
        await play.phase(PhaseName.FINALS)
        await play.recorder.aclose()

    with capture_logs():
        asyncio.run(whole())


def rounds_seen(store: Store, asker: Asker = ANYBODY) -> list[int]:
    """The number of ties in each round of the bracket, as anybody sees it."""
    answer: Any = questions.RecordAnswers(store).answer(arena_pb2.GetBracketRequest(competition="cup"), asker)
    return [len(each.ties) for each in answer.rounds]


def test_rounds_of_a_knockout_are_released_one_by_one(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        play = play_finals(store, '"rounds"')
        assert rounds_seen(store) == []
        assert rounds_seen(store, HOST) == [2, 1]
        assert staging.release(store, "cup", "", "host") == staging.Released("finals", 1)
        assert rounds_seen(store) == [2, 1], "who meets in the final follows from the first round"
        shown: Any = questions.RecordAnswers(store).answer(arena_pb2.GetBracketRequest(competition="cup"))
        assert shown.rounds[0].ties[0].winner
        assert not shown.rounds[1].ties[0].winner
        assert (shown.rounds[1].ties[0].score_high, shown.champion, shown.winner) == (0, "", "")
        table: Any = questions.RecordAnswers(store).answer(arena_pb2.GetStandingsRequest(competition="cup"))
        played = {tie.high: tie.score_high + tie.score_low for tie in shown.rounds[0].ties}
        assert {row.name: row.matches for row in table.standings if row.name in played} == played
        assert "round by round" in table.held
        with capture_logs():
            asyncio.run(play.director.change_phase(PhaseName.DONE, CLOCK))
        listed: Any = questions.RecordAnswers(store).answer(arena_pb2.ListCompetitionsRequest())
        assert (listed.competitions[0].phase, listed.competitions[0].seed) == ("done", "")
        assert staging.release(store, "cup", "", "host") == staging.Released("finals", None)
        listed = questions.RecordAnswers(store).answer(arena_pb2.ListCompetitionsRequest())
        assert listed.competitions[0].seed
        assert not listed.competitions[0].held
        shown = questions.RecordAnswers(store).answer(arena_pb2.GetBracketRequest(competition="cup"))
        assert shown.champion == shown.winner != ""
        assert [act.act for act in acts(store) if act.actor == "host"] == ["results released", "results released"]
        with pytest.raises(UsageError, match="no results of cup are held back now"):
            staging.release(store, "cup", "", "host")
        answers = questions.RecordAnswers(store)
        request = arena_pb2.ListMatchesRequest(competition="cup", limit=1000)
        assert answers.answer(request, ANYBODY) == answers.answer(request, HOST)


def test_a_round_is_released_when_it_is_over(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        play = Play(store, "swiss", '"rounds"')

        async def one_round() -> None:
            await play.begin()
            await play.phase(PhaseName.FINALS, 1)
            contest = play.director.contest
            assert contest is not None
            planned = await contest.plan(play.present)
            await play.recorder.plan(planned)
            await play.recorder.aclose()

        with capture_logs():
            asyncio.run(one_round())
        assert staging.release(store, "cup", "finals", "host").round == 1
        with pytest.raises(UsageError, match=r"round 2 of the finals of cup is not over; .* with --all"):
            staging.release(store, "cup", "", "host")
        with pytest.raises(UsageError, match="no results of the phase 'ladder' of cup are held back now"):
            staging.release(store, "cup", "ladder", "host")
        assert staging.release(store, "cup", "", "host", everything=True).round is None


def test_the_clock_releases(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        play = play_finals(store, "2099-01-01T00:00:00Z")
        with store.reading() as reading:
            last_ms = held_now(reading)[0] and 4_070_908_800_000  # 2099-01-01 in milliseconds
            assert held_now(reading, last_ms - 1)
            assert held_now(reading, last_ms) == ()
        with capture_logs() as logs:
            asyncio.run(play.director.tick(datetime(2099, 1, 1, tzinfo=UTC)))
        assert [each["event"] for each in logs if each["event"].startswith("results")] == [
            "results sealed",
            "results released",
        ]
        with store.reading() as reading:
            assert held_now(reading) == ()
        assert rounds_seen(store) == [2, 1]


def test_finals_wait_for_the_ladder_that_they_follow_from(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        play = Play(store, "knockout")
        text = play.director.competition.document.replace('phase = "ladder"', 'phase = "ladder"\nresults = "held"')
        play.director.competition = ledger.draw_up(store, parse_competition(text), text)
        play_to_the_end(play)
        assert rounds_seen(store) == [], "the bracket would show the order of the ladder"
        with pytest.raises(UsageError, match="the finals follow from the ladder; release the ladder first"):
            staging.release(store, "cup", "finals", "host")
        staging.release(store, "cup", "", "host")
        assert rounds_seen(store) == [2, 1]


def test_an_owner_sees_the_matches_of_own_bots_and_nothing_else(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        play_finals(store, '"held"', "round-robin")
        answers, anna = questions.RecordAnswers(store), Asker("owner of anna")
        found: Any = answers.answer(arena_pb2.ListMatchesRequest(phase="finals", competition="cup", limit=1000), anna)
        assert found.matches
        assert all("anna" in match.bots for match in found.matches)
        every: Any = answers.answer(arena_pb2.ListMatchesRequest(phase="finals", competition="cup", limit=1000), HOST)
        hers = [match.match_id for match in every.matches if "anna" in match.bots]
        assert [match.match_id for match in found.matches] == hers
        answers.answer(arena_pb2.GetReplayRequest(match_id=hers[0]), anna)
        others = next(match.match_id for match in every.matches if "anna" not in match.bots)
        for request in (arena_pb2.GetReplayRequest(match_id=others), arena_pb2.GetMatchRequest(match_id=others)):
            with pytest.raises(HeldBackError, match="are held back"):
                answers.answer(request, anna)
        finals = records_pb2.RecordFilter(competition="cup", phase="finals")
        own: Any = answers.answer(records_pb2.GetBotRequest(bot="anna", filter=finals), anna)
        assert sum(seat.matches for seat in own.seats) == len(hers)
        assert {each.bot for each in own.opponents} == {"bert", "carl", "dora"}
        other: Any = answers.answer(records_pb2.GetBotRequest(bot="bert", filter=finals), anna)
        assert not other.seats
        assert not other.opponents
        table: Any = answers.answer(arena_pb2.GetStandingsRequest(competition="cup", phase="finals"), anna)
        assert not table.standings, "standings tell about others"
        match: Any = answers.answer(arena_pb2.GetMatchRequest(match_id=hers[0]), anna)
        assert not match.ratings, "nor is she told how strong the others are"
