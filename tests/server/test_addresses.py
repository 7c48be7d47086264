"""Shared addresses: who is reported, to whom, and that nobody can read an address in the records."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from roost.v1 import records_pb2
from roost_server.accounts import owners
from roost_server.accounts.addresses import DAY_MS, KEPT_DAYS, SharedAddress, note_address, shared_addresses
from roost_server.accounts.gate import ANYBODY, HOST
from roost_server.answers.suspicions import SuspicionReports
from roost_server.export.writer import export
from roost_server.store import Store, open_store
from tests.support.arenas.challenging_world import LADDER
from tests.support.arenas.hall import bounded
from tests.support.arenas.qualifying_world import qualifying

DAY = 20_000 * DAY_MS
PEOPLE = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as made:
        for name in PEOPLE:
            owners.add_owner(made, name, "test")
        yield made


def seen(store: Store, address: str, names: Sequence[str], day: int = 0) -> None:
    """Bots of these owners connect from an address."""
    for name in names:
        (owner_id,) = (each.id for each in owners.owners(store) if each.name == name)
        note_address(store, owner_id, address, DAY + day * DAY_MS)


def pairs(store: Store, names: Sequence[str] = PEOPLE) -> list[SharedAddress]:
    with store.reading() as reading:
        return shared_addresses(reading, names).pairs


def test_owners_with_one_address_are_paired_by_days(store: Store) -> None:
    for day in (0, 1, 3):
        seen(store, "ipv4:192.0.2.1", ("Ann", "Bob"), day)
        seen(store, "ipv4:192.0.2.1", ("Ann", "Bob"), day)
    seen(store, "ipv4:192.0.2.2", ("Bob", "Cid"), 3)
    seen(store, "ipv4:192.0.2.3", ("Dot",), 3)
    assert pairs(store) == [(("Ann", "Bob"), 3), (("Bob", "Cid"), 1)]
    assert pairs(store, ("Bob", "Cid")) == [(("Bob", "Cid"), 1)]


def test_an_address_on_another_day_is_another_one(store: Store) -> None:
    """Ann on Monday and Bob on Tuesday: many people get a new address every day, and others get theirs."""
    seen(store, "ipv4:192.0.2.1", ("Ann",), 0)
    seen(store, "ipv4:192.0.2.1", ("Bob",), 1)
    assert pairs(store) == []


def test_a_school_connects_nobody(store: Store) -> None:
    seen(store, "ipv4:192.0.2.1", PEOPLE)
    assert pairs(store) == []
    with store.reading() as reading:
        assert shared_addresses(reading, PEOPLE).crowded == 1


def test_what_is_old_is_forgotten(store: Store) -> None:
    seen(store, "ipv4:192.0.2.1", ("Ann", "Bob"))
    seen(store, "ipv4:192.0.2.9", ("Cid",), KEPT_DAYS - 1)
    assert pairs(store) == [(("Ann", "Bob"), 1)]
    seen(store, "ipv4:192.0.2.9", ("Cid",), KEPT_DAYS)
    assert pairs(store) == []


def test_nobody_finds_out_an_address_by_trying_all_of_them(store: Store) -> None:
    """The attack on hashes of addresses: try every one. The key that it takes is gone on the next day."""
    seen(store, "ipv4:192.0.2.77", ("Ann",))
    with store.reading() as reading:
        (mark, key) = reading.exec_driver_sql("SELECT mark, key FROM address_mark JOIN address_key USING (day)").one()
    candidates = [f"ipv4:{address}" for address in IPv4Network("192.0.2.0/24")]

    def found(key: str) -> list[str]:
        marks = {each: hmac.new(bytes.fromhex(key), each.encode(), hashlib.sha256).hexdigest() for each in candidates}
        return [each for each, full in marks.items() if full.startswith(mark)]

    assert found(key) == ["ipv4:192.0.2.77"]  # on the same day, with the database
    seen(store, "ipv4:192.0.2.77", ("Bob",), 1)
    with store.reading() as reading:
        (later,) = reading.exec_driver_sql("SELECT key FROM address_key").scalars()
    assert found(later) == []


def test_only_admins_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_server.accounts.addresses.epoch_ms", lambda: DAY)  # no day ends meanwhile

    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann")
            await there.come("bob", "Bob")
            store = there.place.store
            reports = SuspicionReports(store)
            everything = reports.get_collusion(records_pb2.GetCollusionRequest(), HOST)
            assert [(each.owner, each.other, each.days) for each in everything.addresses.pairs] == [("Ann", "Bob", 1)]
            await there.phase("done")
            asked = records_pb2.GetCollusionRequest(competition="cup")
            assert reports.get_collusion(asked, HOST).addresses.on_record
            assert not reports.get_collusion(asked, ANYBODY).HasField("addresses")
            assert not reports.get_collusion(asked, ANYBODY).clusters
            export(store, "cup", tmp_path / "cup")
            with store.reading() as reading:
                mark = reading.exec_driver_sql("SELECT DISTINCT mark FROM address_mark").scalar_one()
            for file in (tmp_path / "cup").iterdir():
                assert mark.encode() not in file.read_bytes()

    bounded(script)
