"""Which matches are started: whole blocks, everybody busy but not too busy, voided blocks again, open blocks first."""

import time
from collections import Counter
from random import Random
from typing import Any, cast

import pytest

from roost_games.registry import get_game
from roost_ladder.blocks import Block, Deals
from roost_server.play.block import OpenBlock
from roost_server.settings import Rules
from tests.support.arenas.matchmaking_world import MatchmakingWorld
from tests.support.arenas.table_world import FakeSession


def test_nobody_plays_alone() -> None:
    world = MatchmakingWorld(bots=1)
    world.play()
    assert world.running == []


def test_a_block_is_played_in_all_rotations() -> None:
    world = MatchmakingWorld(counts=(3,), bots=3)
    world.play()
    blocks = []
    seatings = []
    for match in range(3):
        ((open_block, rotation),) = world.running
        blocks.append(open_block.block.block_id)
        seatings.append(open_block.block.seating(rotation))
        assert world.end() is (match == 2)
        world.play()
    assert len(set(blocks)) == 1
    for seat in range(3):
        assert {seating[seat] for seating in seatings} == {1, 2, 3}
    assert world.running[0][0].block.block_id != blocks[0]


def test_bots_play_as_many_matches_at_once_as_they_want() -> None:
    world = MatchmakingWorld(counts=(2, 3), bots=5)
    for number, bot in world.bots.items():
        bot.max_matches = 2 * number
    most: Counter[int] = Counter()
    for _ in range(200):
        world.play()
        for number, bot in world.bots.items():
            most[number] = max(most[number], bot.playing)
        world.end()
    # That none plays more than it wants is checked whenever a match is seated.
    assert most[1] == 2
    assert most[5] >= 6


@pytest.mark.parametrize("bots", [4, 6, 12])
def test_every_kind_of_table_is_played(bots: int) -> None:
    """Two free bots are found sooner than four. The small tables must not leave nobody for the large ones."""
    world = MatchmakingWorld(games=("karteneck", "bratwurmeck", "haecmaec"), counts=(2, 3, 4), bots=bots)
    rng = Random(bots)
    kinds = Counter[tuple[str, int]]()
    for _ in range(600):
        world.play()
        rng.shuffle(world.running)
        rules = world.running[0][0].rules
        if world.end():
            kinds[rules.game, rules.players] += 1
    assert len(kinds) == 9
    assert max(kinds.values()) <= 2 * min(kinds.values())


def test_in_a_round_robin_all_groups_meet_equally_often_and_newcomers_catch_up() -> None:
    world = MatchmakingWorld(counts=(3,), bots=5, schedule="round-robin")

    def blocks_of_groups(matches: int) -> Counter[frozenset[int]]:
        met = Counter[frozenset[int]]()
        for _ in range(matches):
            world.play()
            group = frozenset(world.running[0][0].block.group)
            met[group] += world.end()
        return met

    met = blocks_of_groups(300)
    assert len(met) == 10
    assert max(met.values()) - min(met.values()) <= 2
    world.bots[6] = FakeSession(6)
    met = blocks_of_groups(600)
    assert len(met) == 20
    with_newcomer = [met[group] for group in met if 6 in group]
    assert min(with_newcomer) > max(met[group] for group in met if 6 not in group)
    assert max(with_newcomer) - min(with_newcomer) <= 2


def test_in_a_swiss_arena_everybody_plays_equally_often() -> None:
    world = MatchmakingWorld(counts=(2, 4), bots=8, schedule="swiss")
    played = Counter[tuple[int, int]]()
    for _ in range(600):
        world.play()
        block = world.running[0][0].block
        if world.end():
            played.update((len(block.group), bot) for bot in block.group)
    for players in (2, 4):
        counts = [played[players, bot] for bot in world.bots]
        assert max(counts) - min(counts) <= 2
        assert min(counts) > 10


def test_bots_get_only_games_that_they_play() -> None:
    world = MatchmakingWorld(games=("karteneck", "haecmaec"), counts=(2, 3), bots=4)
    world.bots[1].games = {"karteneck"}
    world.bots[2].games = {"haecmaec"}
    for _ in range(100):
        world.play()
        world.end()


def test_who_leaves_or_is_away_gets_nothing_new() -> None:
    world = MatchmakingWorld(bots=3)
    world.bots[1].leaving = True
    world.bots[2].connected = False
    world.play()
    assert world.running == []


def test_a_block_waits_for_its_bots() -> None:
    world = MatchmakingWorld(bots=2)
    world.play()
    (first, _) = world.running[0]
    world.bots[2].connected = False
    assert not world.end()
    world.play()
    assert world.running == []
    world.bots[2].connected = True
    world.matchmaker.came(2)
    world.play()
    assert [(block.block.block_id, rotation) for block, rotation in world.running] == [(first.block.block_id, 1)]
    assert world.end()


def test_a_block_that_waits_does_not_keep_the_others_from_playing() -> None:
    world = MatchmakingWorld(bots=3)
    world.play()
    missing, waiting = world.running[0][0].block.group
    world.end()
    world.bots[missing].connected = False
    world.play()
    assert {bot for block, _ in world.running for bot in block.block.group} == {1, 2, 3} - {missing}
    assert waiting in world.running[0][0].block.group


@pytest.mark.parametrize("state", ["quarantined", "leaving"])
def test_what_waits_for_a_bot_that_does_not_play_on_is_no_reason_to_stand(state: str) -> None:
    world = MatchmakingWorld(bots=4)
    for _ in range(10):
        world.play()
        world.end()
    setattr(world.bots[1], state, True)
    played = Counter[int]()
    for _ in range(60):
        world.play()
        played.update(world.running[0][0].block.group)
        world.end()
    assert min(played[bot] for bot in (2, 3, 4)) > 30


@pytest.mark.short(1)
@pytest.mark.parametrize("slots", [1, 4])
@pytest.mark.parametrize("counts", [(2,), (2, 4)])
def test_a_slow_bot_holds_up_only_those_who_play_with_it(
    monkeypatch: pytest.MonkeyPatch, slots: int, counts: tuple[int, ...]
) -> None:
    """Its matches take 400 times as long as the others'."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    world = MatchmakingWorld(counts=counts, bots=7)
    for bot in world.bots.values():
        bot.max_matches = slots
    world.bots[1].max_matches = 1
    due: dict[tuple[str, int], float] = {}
    ended = Counter[bool]()
    for step in range(3000):
        now[0] += 0.1
        if step % 10 == 0:
            world.look_again()
        world.play()
        for open_block, rotation in list(world.running):
            slow = 1 in open_block.block.group
            match = (open_block.block.block_id, rotation)
            if now[0] >= due.setdefault(match, now[0] + (40 if slow else 0.1)):
                world.running.remove((open_block, rotation))
                world.running.insert(0, (open_block, rotation))
                world.end()
                ended[slow] += 1
    # By itself the slow bot can end 7 matches in these five minutes, and the quick ones some thousands.
    assert ended[True] >= 5
    assert ended[False] > 1000


def test_a_bot_that_came_back_for_other_games_gets_no_old_blocks() -> None:
    world = MatchmakingWorld(games=("karteneck", "haecmaec"), bots=2)
    world.play()
    game = world.running[0][0].rules.game
    world.end()
    world.bots[1].games = {"karteneck", "haecmaec"} - {game}
    world.play()
    assert [block.rules.game for block, _ in world.running] == list(world.bots[1].games)


def test_a_voided_match_is_played_again_on_another_deal() -> None:
    world = MatchmakingWorld(counts=(2,), bots=2)
    world.play()
    ((block, rotation),) = world.running
    before = block.seed_of(rotation)
    assert not world.end(voided=True)
    world.play()
    assert world.running == [(block, 1)]
    assert not world.end()
    world.play()
    assert world.running == [(block, rotation)]
    assert block.seed_of(rotation) != before
    assert world.end()
    assert (block.voided, len(block.results)) == (False, 2)


def test_a_voided_block_with_a_shared_deal_is_played_again_by_the_same_bots() -> None:
    world = MatchmakingWorld(games=("karteneck", "haecmaec"), counts=(2,), bots=2, deals=Deals.DUPLICATE)
    for bot in world.bots.values():
        bot.max_matches = 2
    world.play()
    first = world.running[0][0]
    assert [rotation for _, rotation in world.running] == [0, 1]
    assert not world.end(voided=True)
    assert world.end(voided=True)
    assert first.voided
    world.play()
    second = world.running[0][0]
    assert second.rules != first.rules
    assert not world.end()
    assert world.end()
    world.play()
    again = world.running[0][0]
    assert again.rules == first.rules
    assert again.block.group == first.block.group
    assert again.block.seed != first.block.seed
    assert again.block.block_id != first.block.block_id


def test_blocks_with_a_shared_deal_are_not_voided_without_end() -> None:
    world = MatchmakingWorld(counts=(2,), bots=2, deals=Deals.DUPLICATE)
    voidable = []
    for _ in range(5):
        world.play()
        voidable.append(world.running[0][0].voidable)
        assert world.end(voided=True)
    assert voidable == [True, True, True, False, False]


def test_no_other_match_of_a_voided_block_is_started() -> None:
    world = MatchmakingWorld(counts=(3,), bots=3, deals=Deals.DUPLICATE)
    world.play()
    first = world.running[0][0]
    assert world.end(voided=True)
    assert first.to_play == []
    world.play()
    assert world.running[0][0] is not first


def test_open_blocks_of_a_former_run_go_on() -> None:
    world = MatchmakingWorld(bots=3)
    rules = Rules("haecmaec", 3, get_game("haecmaec").options({}))
    left = Block("left", "haecmaec", (1, 2, 3), bytes(32))
    world.contest.resume(OpenBlock(left, rules, world.contest.settings, [2], on_record=True, ended=["m0", "m1"]))
    world.play()
    ((open_block, rotation),) = world.running
    assert (open_block.block, rotation, open_block.on_record) == (left, 2, True)
    assert open_block.ended == ["m0", "m1"]
    assert world.end()


def test_blocks_of_a_bot_that_is_gone_are_given_up() -> None:
    world = MatchmakingWorld(bots=2)
    world.play()
    (open_block, _) = world.running[0]
    assert world.begun(world.matchmaker.give_up(1)) == []
    assert open_block.to_play == []
    assert world.end()
    assert world.begun(world.matchmaker.give_up(1)) == []


def test_a_block_between_two_matches_is_over_when_a_bot_is_gone() -> None:
    world = MatchmakingWorld(bots=3)
    world.play()
    (open_block, _) = world.running[0]
    gone, other = open_block.block.group
    world.bots[gone].connected = False
    assert not world.end()
    assert world.begun(world.matchmaker.give_up(gone)) == [open_block]
    assert world.begun(world.matchmaker.give_up(other)) == []
    world.play()
    assert all(open_block is not block for block, _ in world.running)


def test_who_leaves_plays_what_has_been_begun() -> None:
    world = MatchmakingWorld(bots=2)
    world.play()
    world.bots[1].leaving = True
    world.end()
    world.play()
    assert [rotation for _, rotation in world.running] == [1]
    assert world.end()
    world.play()
    assert world.running == []


def test_bots_are_told_what_is_before_them() -> None:
    world = MatchmakingWorld(counts=(3,), bots=3)
    world.play()
    assert [bot.promised for bot in world.bots.values()] == [2, 2, 2]
    world.bots[2].connected = False
    world.look_again()
    world.play()
    assert [bot.promised for bot in world.bots.values()] == [0, 0, 0]


def test_nothing_is_started_after_the_stop() -> None:
    world = MatchmakingWorld(bots=2)
    world.play()
    world.matchmaker.stopped = True
    world.end()
    world.play()
    assert world.running == []


class Counted:
    """Counts how often the matchmaker asks about a bot."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = 0
        plays_on: property = vars(FakeSession)["plays_on"]

        def count(session: FakeSession) -> bool:
            self.asked += 1
            return bool(plays_on.__get__(session))

        monkeypatch.setattr(FakeSession, "plays_on", property(count))


def asked_for_a_match(bots: int, matches: int, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float]:
    """How often a bot is asked about for each match, in a full arena; and for each bot, to look at everything."""
    world = MatchmakingWorld(games=("karteneck", "bratwurmeck"), counts=(2, 4), bots=bots)
    world.play()
    counted = Counted(monkeypatch)
    for _ in range(matches):
        world.end()
        world.play()
    each_match, counted.asked = counted.asked / matches, 0
    world.look_again()
    world.play()
    return each_match, counted.asked / bots


def test_the_work_for_a_match_does_not_grow_with_the_number_of_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the bots, and about the same work for a match. A look at everything asks a few times about each."""
    few_match, few_look = asked_for_a_match(100, 200, monkeypatch)
    monkeypatch.undo()
    many_match, many_look = asked_for_a_match(400, 800, monkeypatch)
    assert many_match < 1.5 * few_match
    assert max(few_look, many_look) < 6


def test_the_more_bots_there_are_the_less_often_all_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousandth of a second for each: with 125 bots every eighth of a second, with 500 every half second."""

    def looks(bots: int) -> int:
        now = 0.0
        world = MatchmakingWorld(bots=bots, now=lambda: now)
        seen: list[object] = []
        monkeypatch.setattr(world.matchmaker, "look_again", seen.append)
        for tick in range(40):
            now = tick / 8
            world.matchmaker.pass_time(cast(Any, world.bots))
        return len(seen)

    assert (looks(125), looks(500)) == (40, 10)


def test_nothing_is_looked_at_while_nobody_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    world = MatchmakingWorld(bots=100)
    world.play()
    assert len(world.running) == 50
    counted = Counted(monkeypatch)
    for _ in range(100):
        world.play()
    assert counted.asked == 0


def test_nothing_that_could_be_played_is_overlooked() -> None:
    """To look at everything finds nothing that was not found before."""
    world = MatchmakingWorld(games=("karteneck", "bratwurmeck", "haecmaec"), counts=(2, 3, 4), bots=12)
    rng = Random(1)
    for bot in world.bots.values():
        bot.max_matches = rng.randrange(1, 5)
    for _ in range(300):
        world.play()
        running = len(world.running)
        world.look_again()
        world.matchmaker.play(cast(Any, world.bots))
        assert len(world.running) == running
        rng.shuffle(world.running)
        world.end()


def test_seeds_are_fresh_and_long() -> None:
    world = MatchmakingWorld(bots=2)
    seeds = []
    for _ in range(20):
        world.play()
        seeds.append(world.running[0][0].block.seed)
        world.end()
        world.play()
        world.end()
    assert len(set(seeds)) == 20
    assert {len(seed) for seed in seeds} == {32}
