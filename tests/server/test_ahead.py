"""Which bots are slow beside the others, and for whom blocks are planned ahead."""

from collections.abc import Sequence

from roost_ladder.blocks import Block, Rotation
from roost_server.play.block import OpenBlock
from roost_server.play.pacing.ahead import MOST_PLANNED_FOR, SLOW_SECONDS, WAITING_MORE, Paces, to_plan_for
from roost_server.play.pacing.queue import BlockQueue
from roost_server.settings import Settings, tables_of

(RULES,) = tables_of(("karteneck",), (2,))
FAST, OTHER, SLOW, AWAY = 1, 2, 3, 4
HERE = {FAST: 1, OTHER: 1, SLOW: 1}
"""Each plays one match at once, so there is enough for two of them when four blocks wait."""


def duel(number: int, group: Sequence[int]) -> OpenBlock:
    block = Block(f"b{number}", "karteneck", tuple(group), bytes(32), Rotation.CYCLIC)
    return OpenBlock(block, RULES, Settings((RULES,)), [0, 1])


def waiting(*groups: Sequence[int]) -> BlockQueue:
    queue = BlockQueue()
    queue.append([duel(number, group) for number, group in enumerate(groups)])
    return queue


def test_a_bot_that_waits_for_a_slow_one_is_not_slow() -> None:
    """Both have begun nothing since, but one of them has room for other matches."""
    block, paces = duel(0, (FAST, SLOW)), Paces()
    block.begin()
    block.begun -= 2 * SLOW_SECONDS
    paces.begin(block)
    assert paces.slow({SLOW: True, FAST: False}) == {SLOW}
    assert paces.slow({SLOW: False, FAST: False}) == set()


def test_nothing_is_planned_while_enough_waits() -> None:
    enough = [(FAST, OTHER)] * 3 + [(FAST, SLOW)] * 3
    assert to_plan_for(HERE, set(), waiting(*enough)) == []
    assert to_plan_for(HERE, set(), waiting(*enough[:5])) == [FAST, OTHER, SLOW]


def test_blocks_that_wait_for_a_slow_or_absent_bot_are_no_work_for_the_others() -> None:
    for_slow = [(FAST, SLOW), (OTHER, SLOW)] * 3
    assert to_plan_for(HERE, {SLOW}, waiting(*for_slow)) == [FAST, OTHER]
    assert to_plan_for(HERE, set(), waiting(*[(FAST, AWAY), (OTHER, AWAY)] * 3)) == [FAST, OTHER, SLOW]


def test_a_slow_bot_has_two_blocks_waiting() -> None:
    fast = [(FAST, OTHER)] * 4
    assert to_plan_for(HERE, {SLOW}, waiting(*fast, (FAST, SLOW))) == [FAST, OTHER, SLOW]
    assert to_plan_for(HERE, {SLOW}, waiting(*fast, (FAST, SLOW), (OTHER, SLOW))) == []


def test_a_bot_with_a_much_longer_queue_gets_nothing_for_now() -> None:
    here = dict.fromkeys((FAST, OTHER, SLOW), 8)
    longer = [(FAST, OTHER)] * WAITING_MORE
    assert to_plan_for(here, set(), waiting(*longer)) == [SLOW]


def test_of_many_bots_those_with_the_shortest_queues_are_planned_for() -> None:
    here = dict.fromkeys(range(2 * MOST_PLANNED_FOR), 1)
    queue = waiting(*[(bot, bot + 1) for bot in range(0, MOST_PLANNED_FOR, 2)])
    assert sorted(to_plan_for(here, set(), queue)) == list(range(MOST_PLANNED_FOR, 2 * MOST_PLANNED_FOR))
