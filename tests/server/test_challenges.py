"""Challenges at a real arena: what is played, what is refused, and that nothing of it counts."""

from pathlib import Path

from sqlalchemy import select

from roost.v1 import admin_pb2, arena_pb2
from roost_ladder.blocks import seed_of_block
from roost_server.accounts.audit import acts
from roost_server.answers.bots import bots
from roost_server.answers.matches import matches
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import standings_of
from roost_server.export.writer import export
from roost_server.store import Purpose, Store, open_store
from roost_server.store.models import BLOCK, COMPETITION, MATCH
from roost_server.store.results import MatchFilter, facts, voided_matches
from tests.support.arenas.challenging_world import LADDER, PACE, Silent, ask, challenge, ladder, over
from tests.support.arenas.hall import bounded, refusal, until
from tests.support.arenas.qualifying_world import Faulty, Qualifying, qualifying
from tests.support.records.export_world import complaints

EVERYTHING = arena_pb2.GetStandingsRequest(everything=True)


def test_a_challenge_is_played_beside_the_ladder_and_never_counts(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann")
            await there.come("bob", "Bob")
            asked = await ask(there, "Ann", "ann", "bob", matches=5)
            assert asked.matches == 6
            await there.phase("ladder")
            found = await over(there, asked.challenge_id)
            assert (list(found.bots), found.game, found.matches, found.played) == (["ann", "bob"], "karteneck", 6, 6)
            assert 0 <= found.share_low < found.share_high <= 1
            assert found.remark == ""
            store = there.place.store
            await until(lambda: standings_of(store, EVERYTHING).matches >= 4, pause=0.1)
            await there.phase("done")
            await until(lambda: not there.place.arena.seating.tables)
            listed = matches(store, arena_pb2.ListMatchesRequest(limit=1000)).matches
            asked_for = [match for match in listed if match.challenge]
            assert {match.match_id for match in asked_for} == set(found.match_ids)
            assert {(match.competition, match.phase) for match in asked_for} == {("", "")}
            rated = len(listed) - 6
            assert standings_of(store, EVERYTHING).matches == rated
            assert {bot.matches for bot in bots(store, Ratings(store)).bots} == {rated}
            with store.reading() as reading:
                assert len(list(facts(reading))) == rated
                assert len(list(facts(reading, MatchFilter(purpose=Purpose.CHALLENGE)))) == 6
            assert [act.act for act in acts(store) if act.act == "challenge"] == ["challenge"]
            no_deal_is_one_of_the_competition(store)
            export(store, "cup", tmp_path / "cup")
            assert complaints(tmp_path / "cup") == []
            assert not any(id in (tmp_path / "cup" / "matches.jsonl").read_text() for id in found.match_ids)

    bounded(script)


def no_deal_is_one_of_the_competition(store: Store) -> None:
    with store.reading() as reading:
        master = bytes.fromhex(reading.scalar(select(COMPETITION.c.seed)) or "")
        rows = reading.execute(select(*BLOCK.c["id", "seed", "purpose"])).all()
        seeds = list(reading.scalars(select(MATCH.c.seed)))
    assert len(set(seeds)) == len(seeds)
    for row in rows:
        assert (row.seed == seed_of_block(master, row.id).hex()) == (row.purpose == "rated")


async def nobody_of_this_name(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann", "cid")


async def against_itself(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann", "ann")


async def against_nobody(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann")


async def with_a_bot_of_others(there: Qualifying) -> object:
    return await ask(there, "Ann", "bob", "ann")


async def in_no_game(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann", "bob", game="chess")


async def in_a_game_that_is_not_played(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann", "bob", game="bratwurmeck")


async def against_one_who_wants_none(there: Qualifying) -> object:
    await there.come("dot", "Dot", no_challenges=True)
    return await ask(there, "Ann", "ann", "dot")


async def for_other_games(there: Qualifying) -> object:
    await there.come("eve", "Eve", games=["haecmaec"])
    return await ask(there, "Ann", "ann", "eve")


async def for_more_than_allowed(there: Qualifying) -> object:
    return await ask(there, "Ann", "ann", "bob", matches=13)


async def against_a_bot_that_takes_no_part(there: Qualifying) -> object:
    await there.accounts.ChangeEntry(
        admin_pb2.ChangeEntryRequest(competition="cup", bot="bob"),
        metadata=(("authorization", f"Bearer {there.key_of('Bob')}"),),
    )
    return await ask(there, "Ann", "ann", "bob")


async def for_a_challenge_that_is_unknown(there: Qualifying) -> object:
    return await challenge(there, "challenge-0000000000")


REFUSED = (
    (nobody_of_this_name, "FAILED_PRECONDITION", "cid is not connected"),
    (against_itself, "INVALID_ARGUMENT", "name every bot once"),
    (against_nobody, "INVALID_ARGUMENT", "name an opponent"),
    (with_a_bot_of_others, "INVALID_ARGUMENT", "you have no bot 'bob'"),
    (in_no_game, "INVALID_ARGUMENT", "there is no game 'chess'"),
    (in_a_game_that_is_not_played, "FAILED_PRECONDITION", "no competition here that plays bratwurmeck"),
    (against_one_who_wants_none, "PERMISSION_DENIED", "dot plays no challenges"),
    (for_other_games, "FAILED_PRECONDITION", "eve does not play karteneck at a table of 2"),
    (for_more_than_allowed, "RESOURCE_EXHAUSTED", "14 matches cannot be asked for: of 12 in an hour you have 12 left"),
    (against_a_bot_that_takes_no_part, "FAILED_PRECONDITION", "take part in no competition"),
    (for_a_challenge_that_is_unknown, "NOT_FOUND", "there is no challenge"),
)


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann")
            await there.come("bob", "Bob")
            for asks, status, says in REFUSED:
                refused = await refusal(asks(there))
                assert (refused[0], says in refused[1]) == (status, True), refused

    bounded(script)


def test_the_host_may_allow_none(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, ladder(0, pace=PACE)) as there:
            await there.come("ann", "Ann")
            await there.come("bob", "Bob")
            assert await refusal(ask(there, "Ann", "ann", "bob")) == (
                "PERMISSION_DENIED",
                "the host of cup allows no challenges",
            )

    bounded(script)


def test_there_are_none_during_finals(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann", Silent)
            await there.come("bob", "Bob", Silent)
            await there.phase("finals")
            await until(lambda: there.place.arena.seating.tables)
            refused = await refusal(ask(there, "Ann", "ann", "bob"))
            assert (refused[0], "during finals" in refused[1]) == ("FAILED_PRECONDITION", True)

    bounded(script)


def test_a_bot_in_quarantine_cannot_be_challenged(tmp_path: Path) -> None:
    strict = ladder(pace=PACE, faults={"quarantine_after": 1})

    async def script() -> None:
        async with qualifying(tmp_path, strict) as there:
            await there.come("ann", "Ann")
            await there.come("bob", "Bob", Faulty)
            await there.phase("ladder")
            await until(lambda: "bob" in there.place.arena.quarantine)
            refused = await refusal(ask(there, "Ann", "ann", "bob"))
            assert (refused[0], "bob is in quarantine: faults in a match" in refused[1]) == (
                "FAILED_PRECONDITION",
                True,
            )

    bounded(script)


def test_an_owner_has_one_challenge_at_a_time_which_ends_when_a_bot_leaves(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann")
            bob = await there.come("bob", "Bob", Silent, max_matches=1)
            asked = await ask(there, "Ann", "ann", "bob", matches=4)
            again = await refusal(ask(there, "Ann", "ann", "bob"))
            assert again == (
                "RESOURCE_EXHAUSTED",
                f"your {asked.challenge_id} is still being played; ask again when it is over",
            )
            await until(lambda: bob.decisions)
            await bob.disconnect()
            found = await over(there, asked.challenge_id)
            # The match that was being played is forfeited, and counts; the others are not played.
            assert (found.played, found.share) == (1, 1.0)
            assert found.remark == "3 matches not played: a bot left, or had no room for an hour"
            left = await refusal(ask(there, "Ann", "ann", "bob"))
            assert "bob is not connected" in left[1]

    bounded(script)


def test_a_challenge_goes_on_after_a_restart(tmp_path: Path) -> None:
    """Its limits hold, too: they are counted from the records."""
    told: list[str] = []

    async def before() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann", Silent)
            bob = await there.come("bob", "Bob", Silent)
            told.append((await ask(there, "Ann", "ann", "bob", matches=10)).challenge_id)
            await until(lambda: bob.started)

    async def after() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            assert (await challenge(there, told[0])).remark == "waits for a bot that is not connected"
            await there.come("ann", "Ann")
            await there.come("bob", "Bob")
            found = await over(there, told[0])
            assert (found.played, found.over) == (10, True)
            refused = await refusal(ask(there, "Ann", "ann", "bob", matches=4))
            assert refused[1] == "4 matches cannot be asked for: of 12 in an hour you have 2 left"

    bounded(before)
    bounded(after)


def test_a_voided_match_of_a_challenge_is_in_no_report(tmp_path: Path) -> None:
    async def script() -> None:
        async with qualifying(tmp_path, LADDER) as there:
            await there.come("ann", "Ann", Silent)
            bob = await there.come("bob", "Bob", Silent)
            await ask(there, "Ann", "ann", "bob")
            await until(lambda: bob.started)

    bounded(script)
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, store.reading() as reading:
        assert reading.scalar(select(MATCH.c.termination)) == "voided"
        assert voided_matches(reading) == []
