"""Which deal a match may have, and how old records are read, whose blocks shared one."""

from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import update

from roost_games.errors import UsageError
from roost_games.referee import Referee, Seat
from roost_games.registry import get_game
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.export.arena_checker import verify_database
from roost_server.export.deals import BlockDeals, DealCheck
from roost_server.store import FinishedMatch, NewBlock, Planned, open_store, queries
from roost_server.store.models import MATCH
from tests.support.old import restore
from tests.support.records.arena_world import recorded

OF_BLOCK = "0b" * 32
CUP = """\
name = "cup"
[[games]]
game = "karteneck"
[[phases]]
phase = "ladder"
[[phases]]
phase = "done"
"""


def dealt(rotation: int, take: int) -> str:
    return sha256(f"roost-match/1:{OF_BLOCK}:{rotation}:{take}".encode()).hexdigest()


def block(deals: str = "own", resumed: int = 0) -> BlockDeals:
    return BlockDeals("b", OF_BLOCK, deals, resumed)


def test_a_match_has_the_first_take_of_its_rotation() -> None:
    check = DealCheck()
    assert check.follows(block(), 0, dealt(0, 0), voided=False)
    assert not check.follows(block(), 1, dealt(0, 0), voided=False)
    assert not check.follows(block(), 1, dealt(1, 1), voided=False)
    assert not check.follows(block(), 1, OF_BLOCK, voided=False)
    assert not check.follows(block(), 1, None, voided=False)


def test_a_voided_match_is_followed_by_the_next_take_and_by_no_other() -> None:
    check = DealCheck()
    assert check.follows(block(), 0, dealt(0, 0), voided=True)
    assert not check.follows(block(), 0, dealt(0, 2), voided=False)
    assert not check.follows(block(), 0, dealt(0, 0), voided=False)
    assert check.follows(block(), 0, dealt(0, 1), voided=False)


def test_a_resumed_block_may_have_left_out_as_many_takes() -> None:
    check = DealCheck()
    assert not check.follows(block(resumed=2), 0, dealt(0, 3), voided=False)
    assert check.follows(block(resumed=2), 0, dealt(0, 2), voided=True)
    assert not check.follows(block(resumed=2), 0, dealt(0, 1), voided=False)
    assert check.follows(block(resumed=2), 0, dealt(0, 3), voided=False)


def test_a_duplicate_deal_is_that_of_the_block() -> None:
    check = DealCheck()
    assert check.follows(block("duplicate"), 0, OF_BLOCK, voided=False)
    assert check.follows(block("duplicate"), 1, OF_BLOCK, voided=False)
    assert not check.follows(block("duplicate"), 1, dealt(1, 0), voided=False)


def test_a_deal_that_does_not_follow_from_its_block_is_found_in_a_database(tmp_path: Path) -> None:
    world = recorded(tmp_path / "roost.db")
    url = f"sqlite:///{world.file}"
    assert verify_database(url).findings == []
    with open_store(url) as store, store.writing() as connection:
        connection.execute(update(MATCH).where(MATCH.c.number == 2).values(seed="00" * 32))
    (finding,) = verify_database(url).findings
    assert (finding.line, "its deal does not follow from block" in finding.what) == (2, True)


@pytest.mark.parametrize("name", ["schema1", "schema2_arena", "schema2_ladder"])
def test_old_records_had_duplicate_deals_and_are_verified(name: str, tmp_path: Path) -> None:
    url = f"sqlite:///{restore(name, tmp_path / 'roost.db')}"
    with open_store(url) as store:
        assert {match.deals for match in queries.deals(store)} == {"duplicate"}
    assert [each for each in verify_database(url).findings if "deal" in each.what] == []


def test_a_competition_goes_on_with_the_deals_that_it_began_with(tmp_path: Path) -> None:
    """Its file need not name them. If it does, they cannot change."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        begun = ledger.draw_up(store, parse_competition(CUP), CUP)
        assert begun.deals == "own"
        group = store.register_version("x", "v1"), store.register_version("y", "v1")
        plan = Planned(begun.id, "ladder", 0)
        store.open_block(NewBlock("b", "karteneck", {}, OF_BLOCK, "cyclic", group, 1, plan, "duplicate"))
        assert ledger.draw_up(store, parse_competition(CUP), CUP).deals == "duplicate"
        named = f'deals = "duplicate"\n{CUP}'
        assert ledger.draw_up(store, parse_competition(named), named).deals == "duplicate"
        other = f'deals = "own"\n{CUP}'
        with pytest.raises(UsageError, match='matches have been played with "duplicate", not with "own"'):
            ledger.draw_up(store, parse_competition(other), other)


def test_voids_are_counted_for_the_bots_that_were_being_asked(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        group = store.register_version("x", "v1"), store.register_version("y", "v1")
        store.open_block(NewBlock("b", "karteneck", {}, OF_BLOCK, "cyclic", group, 1))
        for take, asked in enumerate([(0,), (0, 1), ()]):
            seats = [Seat("x", "v1"), Seat("y", "v1")]
            referee = Referee(get_game("karteneck"), seats, bytes.fromhex(dealt(0, take)), match=f"m{take}")
            referee.void("the arena itself was late", asked)
            store.commit([FinishedMatch(referee.replay(), "b", 0, group, 1, 2)])
        assert [(bot.name, bot.voids) for bot in bots(store, Ratings(store)).bots] == [("x", 2), ("y", 1)]
