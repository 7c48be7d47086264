"""Names of bots: how many one owner may have, and when a name that nobody plays under is free again."""

from collections.abc import Iterator

import pytest
from sqlalchemy import update

from roost_games.errors import UsageError
from roost_server.accounts import audit, keys, owners
from roost_server.accounts.keys import Scope
from roost_server.accounts.names import NameRules, claim_name
from roost_server.clocks import epoch_ms
from roost_server.errors import DeniedError, UnauthenticatedError
from roost_server.store import Store, open_store
from roost_server.store.models import BOT, BOT_VERSION
from tests.support.records.matches import block, finished, sketch

WEEK_MS = 7 * 86_400_000
TWO = NameRules(2)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with open_store(database_url) as opened:
        for name in ("Ann", "Bob"):
            owners.add_owner(opened, name, "test")
        yield opened


def claim(store: Store, owner: str, name: str, rules: NameRules = TWO) -> owners.BotRecord:
    with store.writing() as connection:
        return claim_name(connection, owner, owners.owner_named(connection, owner), name, rules)


def let_a_week_pass(store: Store, *names: str) -> None:
    """These names were claimed, and their bots connected, longer ago."""
    long_ago = epoch_ms() - WEEK_MS - 1_000
    with store.writing() as connection:
        connection.execute(update(BOT).where(BOT.c.name.in_(names)).values(created_ms=long_ago))
        seen = {"first_seen_ms": long_ago, "last_seen_ms": long_ago}
        connection.execute(update(BOT_VERSION).where(BOT_VERSION.c.name.in_(names)).values(**seen))


def test_one_owner_claims_as_many_names_as_the_host_allows(store: Store) -> None:
    claim(store, "Ann", "a1")
    claim(store, "Ann", "a2")
    with pytest.raises(UsageError, match="you have claimed 2 bot names, and this arena allows 2; use one of yours"):
        claim(store, "Ann", "a3")
    assert claim(store, "Ann", "a1").owner == "Ann", "names that one has may be used"
    assert claim(store, "Bob", "a3").owner == "Bob"


def test_a_name_that_never_played_is_free_after_a_week(store: Store) -> None:
    claim(store, "Ann", "good")
    with pytest.raises(DeniedError, match="the bot good belongs to another owner"):
        claim(store, "Bob", "good")
    let_a_week_pass(store, "good")
    assert claim(store, "Bob", "good").owner == "Bob"
    with pytest.raises(DeniedError):
        claim(store, "Ann", "good")
    (freed, _) = [act for act in audit.acts(store) if act.actor in ("Ann", "Bob")]
    assert (freed.actor, freed.act, freed.details) == ("Bob", "idle name freed", {"bot": "good", "owner": "Ann"})


def test_idle_names_do_not_count_until_they_are_used_again(store: Store) -> None:
    for name in ("a1", "a2"):
        claim(store, "Ann", name)
    let_a_week_pass(store, "a1", "a2")
    for name in ("a3", "a1"):
        claim(store, "Ann", name)
    with pytest.raises(UsageError, match="you have claimed 2"):
        claim(store, "Ann", "a2")


def test_the_key_of_a_bot_ends_with_its_name(store: Store) -> None:
    claim(store, "Ann", "good")
    for_bot = keys.make_key(store, Scope.BOT, "test", bot="good")
    for_owner = keys.make_key(store, Scope.OWNER, "test", owner="Ann")
    let_a_week_pass(store, "good")
    claim(store, "Bob", "good")
    with pytest.raises(UnauthenticatedError, match="was revoked"):
        keys.identify(store, for_bot)
    assert keys.identify(store, for_owner).owner == "Ann"


def test_the_name_of_a_connected_bot_is_never_free(store: Store) -> None:
    rules = NameRules(2, frozenset({"good"}))
    claim(store, "Ann", "good")
    claim(store, "Ann", "other")
    let_a_week_pass(store, "good")
    with pytest.raises(DeniedError):
        claim(store, "Bob", "good", rules)
    with pytest.raises(UsageError, match="you have claimed 2"):
        claim(store, "Ann", "third", rules)


def test_a_bot_that_connected_lately_or_has_played_keeps_its_name(store: Store) -> None:
    of_ann = [store.register_version(name, "v1", bot_id=claim(store, "Ann", name).id) for name in ("seen", "played")]
    store.commit([finished(sketch("m1"), block(store, "block", of_ann[1], store.register_version("anybody", "v1")))])
    let_a_week_pass(store, "played")
    with store.writing() as connection:
        connection.execute(update(BOT).values(created_ms=0))
    for name in ("seen", "played"):
        with pytest.raises(DeniedError):
            claim(store, "Bob", name)
