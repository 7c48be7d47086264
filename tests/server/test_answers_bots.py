"""One bot's record by seat and opponent, and its faults, with results by hand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from roost.v1 import play_pb2, records_pb2
from roost_games.replay import Fault, FaultEntry, Replay
from roost_server.accounts import owners
from roost_server.accounts.gate import ANYBODY, HOST, Asker
from roost_server.answers.questions import RecordAnswers
from roost_server.errors import NotFoundError
from roost_server.store import BlockState, Store, open_store
from tests.support.records.matches import block, eight_matches, finished, sketch


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with eight_matches(database_url) as opened:
        yield opened


def bot(store: Store, name: str, version_id: int = 0, **wanted: Any) -> records_pb2.GetBotResponse:
    request = records_pb2.GetBotRequest(bot=name, version_id=version_id, filter=records_pb2.RecordFilter(**wanted))
    answer = RecordAnswers(store).answer(request)
    assert isinstance(answer, records_pb2.GetBotResponse)
    return answer


def faults(
    store: Store, name: str, asker: Asker = ANYBODY, limit: int = 0, before: str = "", match: str = ""
) -> list[records_pb2.FaultOnRecord]:
    request = records_pb2.ListFaultsRequest(bot=name, limit=limit, before_match_id=before, match_id=match)
    answer = RecordAnswers(store).answer(request, asker)
    assert isinstance(answer, records_pb2.ListFaultsResponse)
    return list(answer.faults)


def test_a_record_by_seat(store: Store) -> None:
    """m3 is voided, and m7 is of a voided block. In duels b sits in seat 1: places 2, 1, 1, 1 in m1, m2, m4, m8."""
    seats = {(row.game, row.players, row.seat): row for row in bot(store, "b").seats}
    assert sorted(seats) == [("haecmaec", 3, 2), ("karteneck", 2, 1)]
    duels = seats["karteneck", 2, 1]
    assert (duels.matches, list(duels.places)) == (4, [3, 1])
    assert (duels.score_sum, duels.faults, duels.forfeits) == (8 + 9 + 9 + 9, 1, 0)
    assert (duels.decisions, duels.thinking_ms) == (4, 10)
    assert list(seats["haecmaec", 3, 2].places) == [0, 1, 1]


def test_a_record_of_one_version_or_some_matches(store: Store) -> None:
    both = bot(store, "a").seats
    assert [(row.game, row.seat, row.matches, row.forfeits) for row in both] == [
        ("haecmaec", 0, 2, 0),
        ("haecmaec", 1, 2, 0),
        ("karteneck", 0, 4, 1),
    ]
    assert [(row.game, row.seat) for row in bot(store, "a", 2).seats] == [("haecmaec", 1)]
    assert [row.game for row in bot(store, "a", players=2).seats] == ["karteneck"]
    assert list(bot(store, "idle").seats) == list(bot(store, "idle").opponents) == []


def test_a_record_by_opponent(store: Store) -> None:
    """b against both versions of a, shares by hand: m1 0, m2 1/2, m4 1, m8 1; at m5 b is ahead of v1 and behind v2, at
    m6 behind both. The two versions of a are not opponents of each other."""
    [against] = bot(store, "b").opponents
    assert (against.bot, against.matches) == ("a", 8)
    assert against.share == pytest.approx((0 + 0.5 + 1 + 1 + 1 + 0 + 0 + 0) / 8)
    assert against.share_low < against.share < against.share_high
    [back] = bot(store, "a").opponents
    assert (back.bot, back.matches) == ("b", 8)
    assert back.share == pytest.approx(1 - against.share)
    assert back.share_low == pytest.approx(1 - against.share_high)
    [second] = bot(store, "a", 2).opponents
    assert (second.matches, second.share) == (2, 1.0)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_does_not_exist_is_not_found(store: Store) -> None:
    with pytest.raises(NotFoundError, match="there is no bot 'nobody' on record"):
        bot(store, "nobody")
    with pytest.raises(NotFoundError, match="3 is not a version of a"):
        bot(store, "a", 3)
    with pytest.raises(NotFoundError, match="there is no bot 'nobody' on record"):
        faults(store, "nobody")


def test_faults_are_listed_match_by_match(store: Store) -> None:
    """Version 1 of a: three in m4, two in m3, one in m7. A page has whole matches."""
    assert [fault.match_id for fault in faults(store, "a")] == ["m7", "m4", "m4", "m4", "m3", "m3"]
    assert [fault.match_id for fault in faults(store, "a", limit=5)] == ["m7", "m4", "m4", "m4"]
    assert [fault.match_id for fault in faults(store, "a", limit=1, before="m7")] == ["m4", "m4", "m4"]
    assert [fault.match_id for fault in faults(store, "a", before="m4")] == ["m3", "m3"]
    assert faults(store, "a", before="m3") == faults(store, "idle") == []
    first = faults(store, "b")[0]
    assert (first.match_id, first.game, first.version, first.ended_ms) == ("m7", "karteneck", "v1", 2000)
    assert first.kind == play_pb2.FAULT_KIND_LATE


def test_faults_of_one_match(store: Store) -> None:
    """a made two in m3, from seat 0; m8 is without faults, and idle played nothing."""
    assert [(fault.match_id, fault.seat) for fault in faults(store, "a", match="m3")] == [("m3", 0), ("m3", 0)]
    assert faults(store, "a", match="m8") == faults(store, "idle", match="m3") == []
    with pytest.raises(NotFoundError, match="there is no match 'nothing' on record"):
        faults(store, "a", match="nothing")


def with_details(match: str) -> Replay:
    """Seat 0 sent something wrong twice."""
    faulty = sketch(match)
    entries = (FaultEntry(1, 0, Fault.MALFORMED, "<hm>"), FaultEntry(2, 0, Fault.ILLEGAL, {"play": "Ä"}))
    return replace(faulty, result=faulty.result._replace(faults=entries))


def test_details_are_for_the_owner(database_url: str) -> None:
    with open_store(database_url) as store:
        owners.add_owner(store, "Ann", "test")
        owned = owners.add_bot(store, "Ann", "a", "test")
        ids = store.register_version("a", "v1", 5, bot_id=owned.id), store.register_version("free", "v1", 5)
        shared = block(store, "shared", *ids, deals="duplicate")
        store.commit([finished(with_details("m1"), shared, 0)])
        store.commit([finished(with_details("m2"), block(store, "turned", *ids[::-1]), 0)])
        secrets = ["<hm>", '{"play": "Ä"}']
        ann, bob = Asker("Ann"), Asker("Bob")
        assert [fault.detail for fault in faults(store, "a", ann)] == ["", ""], "others still play this deal"
        store.close_block("shared", BlockState.DONE)
        assert [fault.detail for fault in faults(store, "a", ann)] == secrets
        assert [fault.detail for fault in faults(store, "a", HOST)] == secrets
        assert [fault.detail for fault in faults(store, "a", bob)] == ["", ""]
        assert [fault.detail for fault in faults(store, "a")] == ["", ""]
        assert [(fault.step, fault.kind) for fault in faults(store, "a")] == [
            (1, play_pb2.FAULT_KIND_MALFORMED),
            (2, play_pb2.FAULT_KIND_ILLEGAL),
        ]
        assert [fault.detail for fault in faults(store, "free")] == secrets
