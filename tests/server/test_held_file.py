"""Holding results back in a competition's file: what can be written, until when it can change, and what it says."""

from pathlib import Path

import pytest

from roost_server.competition import ledger
from roost_server.competition.file import CompetitionFileError, PhaseName, parse_competition
from roost_server.competition.wording import held_in_words, phase_in_words
from roost_server.store import NewBlock, Planned, open_store
from roost_server.store.measures.holds import Hold, holds

CUP = """\
name = "cup"
[[games]]
game = "karteneck"
[[phases]]
phase = "ladder"
starts = 2027-03-01T18:00:00Z
LADDER
[[phases]]
phase = "finals"
FINALS
[[phases]]
phase = "done"
"""
MARCH_9 = 1_804_615_200_000
"""2027-03-09T18:00:00Z, in milliseconds since 1970."""


def cup(ladder: str = "", finals: str = "") -> str:
    return CUP.replace("LADDER", ladder).replace("FINALS", finals)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            cup('results = "later"'),
            'line 7: phases.1.results: write a day and a time, as in 2027-03-09T18:00:00Z, or "at',
        ),
        (cup("results = 2027-03-09T18:00:00"), "line 7: phases.1.results: needs a time zone"),
        (cup('results = "rounds"'), 'line 7: phases.1.results: the ladder has no rounds; write results = "held"'),
        (cup("results = 2027-02-09T18:00:00Z"), "line 7: phases.1.results: the results are released before the phase"),
        (
            cup(finals='schedule = "sure"\nbudget = 9\nresults = "rounds"'),
            'line 12: phases.2.results: the schedule "sure" has no rounds; write results = "held"',
        ),
        (cup() + 'results = "held"', "line 13: phases.3.results: is for the ladder or the finals"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_the_remedy(text: str, said: str) -> None:
    with pytest.raises(CompetitionFileError) as caught:
        parse_competition(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("2027-03-09T19:00:00+01:00", "The results of the finals are held back until 2027-03-09 18:00 UTC."),
        ('"held"', "The results of the finals are held back until the host releases them."),
        ('"rounds"', "The host releases the results of the finals round by round. The rest is held back."),
    ],
)
def test_in_words(setting: str, words: str) -> None:
    part = parse_competition(cup(finals=f"results = {setting}")).phase(PhaseName.FINALS)
    assert part is not None
    assert held_in_words(part) == words


def test_it_can_change_until_the_phase_begins(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:

        def draw_up(text: str) -> list[Hold]:
            competition = ledger.draw_up(store, parse_competition(text), text, "cup.toml")
            with store.reading() as reading:
                return holds(reading, competition.id)

        assert draw_up(cup("results = 2027-03-09T18:00:00Z")) == [Hold("ladder", MARCH_9)]
        ledger.change_phase(store, ledger.find(store, "cup"), PhaseName.LADDER, "test")
        bots = (store.register_version("x", "v1"), store.register_version("y", "v1"))
        plan = Planned(1, "ladder", 0)
        store.open_block(NewBlock("b", "karteneck", {}, "00" * 32, "cyclic", bots, created_ms=1, plan=plan))
        now = cup("results = 2027-03-09T18:00:00Z", 'results = "rounds"')
        assert draw_up(now) == [Hold("ladder", MARCH_9), Hold("finals", None)]
        with pytest.raises(
            CompetitionFileError, match=r"line 7: phases\.1\.results: matches have been played with 2027"
        ):
            draw_up(cup('results = "held"', 'results = "rounds"'))


@pytest.mark.parametrize(
    ("finals", "said"),
    [
        ("", "The result is final, and the master seed is public."),
        ('results = "held"', "The result is final. It and the master seed are public when all results are released."),
    ],
)
def test_the_last_phase_says_when_the_result_is_public(finals: str, said: str) -> None:
    file = parse_competition(cup(finals=finals))
    assert phase_in_words(file, file.phases[-1]) == said
