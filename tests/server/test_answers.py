"""Answers from the records hold while bots come."""

import pytest

from roost_server.answers import bots as answers
from roost_server.answers.ratings import Ratings
from roost_server.store import Store, open_store, queries
from roost_server.store.measures.holds import Veil


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_bot_may_come_while_bots_are_listed(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_versions, read_backgrounds = queries.versions, queries.backgrounds

    def versions(store: Store) -> list[queries.Version]:
        found = read_versions(store)
        store.register_version("between", "v1")
        return found

    def known(store: Store, veil: Veil) -> dict[int, queries.Background]:
        found = read_backgrounds(store, veil)
        store.register_version("between", "v1")
        return found

    monkeypatch.setattr(queries, "versions", versions)
    monkeypatch.setattr(queries, "backgrounds", known)
    with open_store(database_url) as store:
        store.register_version("first", "v1")
        assert [bot.name for bot in answers.bots(store, Ratings(store)).bots] == ["first"]
