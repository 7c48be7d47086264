"""Acts of administration are declared once, and what is declared is what the contract has."""

from pathlib import Path

import pytest
from google.protobuf.descriptor import ServiceDescriptor

from roost.v1 import admin_pb2
from roost_server.accounts.gate import Need
from roost_server.answers import administration
from roost_server.answers.database import DatabaseAdministration
from roost_server.store import StoreError, open_store


@pytest.mark.parametrize("service", [administration.ACCOUNTS, administration.ADMIN], ids=lambda each: each.name)
def test_every_method_of_the_contract_is_declared_once(service: ServiceDescriptor) -> None:
    declared = [
        administration.method_of(service.full_name, act.request) for act in administration.ACTS[service.full_name]
    ]
    assert sorted(method.name for method in declared) == sorted(method.name for method in service.methods)


def test_nobody_but_an_admin_administers() -> None:
    assert {act.need for act in administration.ADMINS_ACTS} == {Need.ADMINISTER}
    assert [act.request for act in administration.OWNERS_ACTS if act.need is not Need.OWN] == [
        admin_pb2.RegisterRequest
    ]


def test_a_database_answers_with_the_messages_of_the_contract(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'roost.db'}"
    with open_store(url):
        pass
    database = DatabaseAdministration(url)
    assert database.ask(admin_pb2.AddOwnerRequest(name="Ann")) == admin_pb2.OwnerRecord(
        name="Ann", created_ms=database.ask(admin_pb2.ListOwnersRequest()).owners[0].created_ms
    )
    for act in administration.ADMINS_ACTS:
        if not act.changes and act.request is not admin_pb2.BackupRequest:
            expected = administration.method_of("roost.v1.Admin", act.request).output_type.full_name
            assert database.ask(act.request()).DESCRIPTOR.full_name == expected


def test_what_only_reads_is_answered_while_an_arena_has_the_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'roost.db'}"
    with open_store(url):
        database = DatabaseAdministration(url)
        assert database.ask(admin_pb2.BackupRequest(path=str(tmp_path / "copy.db"))).bytes > 0
        assert not database.ask(admin_pb2.ListActsRequest()).acts
        with pytest.raises(StoreError, match="in use by another arena"):
            database.ask(admin_pb2.AddOwnerRequest(name="Ann"))
