"""The page about schedules: its example runs, and its numbers are right."""

import doctest
from math import comb
from pathlib import Path

from roost_ladder.schedules.cycles import MOST_GROUPS, RoundRobin
from roost_ladder.schedules.registry import SCHEDULES
from roost_ladder.schedules.schedule import Kind, Participants

PAGE = Path(__file__).parents[2] / "docs/ladders.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_example_on_the_page_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried >= 4
    assert failed == 0


def test_every_schedule_is_on_the_page() -> None:
    for name in SCHEDULES:
        assert f"| `{name}` |" in TEXT
        assert f"## {name}" in TEXT


def test_numbers_of_groups() -> None:
    listed = " ".join(TEXT.split())
    for bots in (10, 20, 50):
        assert f"| {bots} | {comb(bots, 2):,} | {comb(bots, 3):,} | {comb(bots, 4):,} |" in listed
    sample = RoundRobin().extents(Participants(tuple(range(60)), (Kind("haecmaec", 4),)))[0]
    times = sample.groups * comb(4, 2) // comb(60, 2)
    groups = f"{sample.groups:,} of the {comb(60, 4):,} groups of four"
    assert f"60 bots meet in {groups}, every pair {times} times" in listed
    assert f"If there are more than {MOST_GROUPS:,} groups" in listed
