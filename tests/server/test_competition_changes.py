"""What can be changed in a competition file before and after the first match, and who changed it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_server.accounts.audit import LoggedAct, acts
from roost_server.competition import ledger
from roost_server.competition.file import CompetitionFileError, PhaseName, parse_competition
from roost_server.store import NewBlock, Planned, Store, open_store
from tests.support.records.matches import rewrite_rules

CUP = """\
name = "cup"
[[games]]
game = "karteneck"
players = [2, 3]
[[phases]]
phase = "registration"
starts = 2027-03-01T18:00:00Z
[[phases]]
phase = "ladder"
starts = 2027-03-02T18:00:00Z
[[phases]]
phase = "finals"
rounds = 5
[[phases]]
phase = "done"
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as opened:
        yield opened


def draw_up(store: Store, text: str = CUP) -> ledger.Competition:
    return ledger.draw_up(store, parse_competition(text), text, "cup.toml")


def play(store: Store, phase: PhaseName, text: str = CUP) -> None:
    """Take the competition into a phase, and play something there."""
    competition = ledger.change_phase(store, draw_up(store, text), phase, "test")
    group = (store.register_version("x", "v1"), store.register_version("y", "v1"))
    plan = Planned(competition.id, phase.value, 0)
    store.open_block(NewBlock("b", "karteneck", {}, "00" * 32, "cyclic", group, created_ms=1, plan=plan))


def refusal(store: Store, text: str) -> str:
    with pytest.raises(CompetitionFileError) as caught:
        draw_up(store, text)
    assert ledger.find(store, "cup").document == CUP
    return str(caught.value)


def changed(store: Store) -> list[LoggedAct]:
    return [each for each in acts(store) if each.act == "competition file changed"]


def test_everything_can_be_changed_before_something_is_played(store: Store) -> None:
    draw_up(store)
    new = CUP.replace("rounds = 5", "rounds = 6").replace("[2, 3]", "[2]").replace('"ladder"', '"freeze"')
    assert draw_up(store, new).document == new


BACK = "; change it back, or start a new competition under another name"


@pytest.mark.parametrize(
    ("before", "now", "place", "how"),
    [
        ("rounds = 5", "rounds = 6", "line 13: phases.3.rounds", "with 5, not with 6"),
        ("rounds = 5\n", "", "line 11: phases.3.rounds", "with 5, not with 1"),
        (
            "rounds = 5",
            'schedule = "swiss"\nrounds = 5',
            "line 13: phases.3.schedule",
            'without it, not with "swiss"',
        ),
        ("[2, 3]", "[2]", "line 4: games.1.players", "with [2, 3], not with [2]"),
        ('"cup"', '"cup"\nties = []', "line 2: ties", 'with ["score"], not with []'),
        (
            "03-02T",
            "03-03T",
            "line 10: phases.2.starts",
            "with 2027-03-02T18:00:00Z, not with 2027-03-03T18:00:00Z",
        ),
        (
            '[[phases]]\nphase = "finals"',
            '[[phases]]\nphase = "freeze"\n[[phases]]\nphase = "finals"',
            "line 5: phases",
            "with others",
        ),
    ],
)
def test_what_was_played_by_stays(store: Store, before: str, now: str, place: str, how: str) -> None:
    play(store, PhaseName.LADDER)
    assert refusal(store, CUP.replace(before, now)) == f"cup.toml, {place}: matches have been played {how}{BACK}"
    assert changed(store) == []


def test_the_ranking_stays_once_matches_are_played(store: Store) -> None:
    play(store, PhaseName.LADDER)
    said = refusal(store, CUP.replace('"cup"', '"cup"\nranking = "clone-proof"'))
    assert 'ranking: matches have been played with "field", not with "clone-proof"' in said
    draw_up(store, CUP.replace('"cup"', '"cup"\nranking = "field"\nties = ["score"]'))


def test_every_change_that_comes_too_late_is_named(store: Store) -> None:
    play(store, PhaseName.FINALS)
    text = CUP.replace("rounds = 5", "rounds = 6").replace("[2, 3]", "[3, 2]")
    assert [line.split(": ")[1] for line in refusal(store, text).splitlines()] == ["games.1.players", "phases.3.rounds"]


def test_the_times_of_phases_that_lie_ahead_can_be_changed(store: Store) -> None:
    play(store, PhaseName.LADDER)
    later = CUP.replace('"finals"', '"finals"\nstarts = 2027-03-09T18:00:00Z').replace('"cup"', '"cup"\ntitle = "Cup"')
    assert draw_up(store, later).document == later
    (act,) = changed(store)
    assert (act.actor, act.details) == ("file", {"competition": "cup", "settings": ["title", "phases.3.starts"]})


def test_once_the_finals_have_begun_their_time_stays(store: Store) -> None:
    play(store, PhaseName.FINALS)
    said = refusal(store, CUP.replace('"finals"', '"finals"\nstarts = 2027-03-09T18:00:00Z'))
    assert said.startswith("cup.toml, line 13: phases.3.starts: matches have been played without it, not with 2027-")
    draw_up(store, CUP.replace('"done"', '"done"\nstarts = 2027-03-09T18:00:00Z'))


def test_a_competition_is_drawn_up_by_its_file(store: Store) -> None:
    draw_up(store)
    assert [(each.actor, each.act) for each in acts(store)] == [("file", "competition drawn up")]


def test_a_competition_that_began_without_counting_forfeits_keeps_its_rules(store: Store) -> None:
    """Its result could not be checked otherwise. One that has not begun has to count them."""
    old = CUP.replace("[[phases]]", '[faults]\nforfeits = "ignore"\n[[phases]]', 1)
    draw_up(store)
    rewrite_rules(store, "cup", old)
    with pytest.raises(CompetitionFileError, match=r"line 6: faults\.forfeits: a forfeit counts as a last place"):
        draw_up(store, old)
    rewrite_rules(store, "cup", CUP)
    play(store, PhaseName.LADDER)
    rewrite_rules(store, "cup", old)
    assert draw_up(store, old).file.faults.forfeits == "ignore"


def test_finals_that_cannot_be_played_can_be_planned_otherwise(store: Store) -> None:
    """Nobody has entered, and the freeze is over: without another plan there would be no final."""
    text = CUP.replace('phase = "finals"', 'phase = "freeze"\n[[phases]]\nphase = "finals"')
    draw_up(store, text)
    play(store, PhaseName.FREEZE, text)
    other = text.replace("rounds = 5", 'schedule = "swiss"\nrounds = 5')
    assert draw_up(store, other).document == other
    with pytest.raises(CompetitionFileError, match=r"games\.1\.players"):
        draw_up(store, other.replace("[2, 3]", "[2]"))
