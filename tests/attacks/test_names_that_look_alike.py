"""The attack: an owner or a bot under a name that people take for somebody else's."""

from collections.abc import Iterator

import pytest
from sqlalchemy import insert

from roost_games.errors import UsageError
from roost_server.accounts import keys, owners, rulings
from roost_server.accounts.keys import Scope
from roost_server.accounts.names import NameRules, claim_name
from roost_server.clocks import epoch_ms
from roost_server.errors import DeniedError
from roost_server.store import Store, open_store
from roost_server.store.models import OWNER


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('names') / 'names.db'}") as opened:
        for name in ("Ann", "paypal", "Jörg Müller", "Alan"):
            owners.add_owner(opened, name, "test")
        owners.add_bot(opened, "Ann", "modern-1", "test")
        yield opened


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ann ", "single spaces between words only"),
        ("Jörg  Müller", "single spaces between words only"),
        ("Ann\u00a0", "single spaces between words only"),
        ("Ann\u200b", "single spaces between words only"),
        ("A\u202enn", "single spaces between words only"),
        ("Ann\x1b[2J", "single spaces between words only"),
        ("Ann\x00", "single spaces between words only"),
        ("Ann\u1160", "single spaces between words only"),
        ("\uff21nn", "has characters in an unusual form; write 'Ann'"),
        ("Jo\u0308rg", "has characters in an unusual form; write 'Jörg'"),
        ("ANN", "looks like 'Ann'"),
        ("\u0391nn", "looks like 'Ann'"),
        ("\u0420\u0430y\u0440al", "looks like 'paypal'"),
        ("AIan", "looks like 'Alan'"),
        ("A1an", "looks like 'Alan'"),
        ("Ann", "already exists"),
    ],
)
def test_an_owner_with_the_looks_of_another_is_refused(store: Store, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        owners.add_owner(store, name, "test")


@pytest.mark.parametrize("name", ["Anna", "Anne", "An n", "Jörg", "Ольга", "山田 太郎", "ann@example.org", "9"])
def test_real_names_are_accepted(store: Store, name: str) -> None:
    owners.add_owner(store, name, "test")
    assert owners.owners(store)[-1].name == name


def test_a_bot_with_the_looks_of_anothers_is_refused(store: Store) -> None:
    rules = NameRules(5, reserved=frozenset({"gatekeeper"}))
    with store.writing() as connection:
        mallory = owners.insert_owner(connection, "Mallory", "test")
        for name in ("rnodern-1", "modern-l", "Modern-1"):
            with pytest.raises(UsageError, match="looks like 'modern-1'; choose another name"):
                claim_name(connection, "test", mallory, name, rules)
        with pytest.raises(DeniedError, match="reserved for the opponent"):
            claim_name(connection, "test", mallory, "gatekeeper".upper(), rules)
        assert claim_name(connection, "test", mallory, "modern-2", rules).owner == "Mallory"
    with pytest.raises(UsageError, match="looks like 'modern-1'"):
        rulings.rename_bot(store, "modern-2", "Modern-1", "", "test")


def test_an_owners_own_bots_may_look_alike(store: Store) -> None:
    assert owners.add_bot(store, "Ann", "modern-l", "test").owner == "Ann"


def test_names_on_record_stay_usable(store: Store) -> None:
    with store.writing() as connection:
        connection.execute(insert(OWNER).values(name="Ann ", created_ms=epoch_ms()))
    key = keys.make_key(store, Scope.OWNER, "test", owner="Ann ")
    assert keys.identify(store, key).owner == "Ann "
    assert owners.add_bot(store, "Ann ", "hers", "test").owner == "Ann "
