"""A competition in words, its phases and entries, and its suspicion report."""

from pathlib import Path

import pytest
from sqlalchemy import update

from roost.v1 import records_pb2
from roost_games.haecmaec.sheet import SLAP
from roost_server.accounts import owners
from roost_server.accounts.gate import ANYBODY, HOST
from roost_server.answers import competitions
from roost_server.answers.suspicions import SuspicionReports
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.wording import phase_in_words, rules_in_words
from roost_server.errors import DeniedError, NotFoundError, NotYetError
from roost_server.store import Store, open_store
from roost_server.store.models import COMPETITION
from tests.support.records.collusion_world import recorded

CUP = """
name = "cup"
deals = "duplicate"
[[games]]
game = "karteneck"
players = [2, 3, 4]
[[games]]
game = "haecmaec"
players = [3]
options = { slap = true }
[clock]
decision_ms = 1500
bank_ms = 10000
[entry]
who = "open"
bots_per_owner = 2
hide_names = true
[faults]
max_faults = 1
[spectators]
public = false
delay_seconds = 30
[[phases]]
phase = "registration"
starts = 2027-03-01T18:00:00Z
[[phases]]
phase = "ladder"
starts = 2027-03-02T18:00:00Z
[[phases]]
phase = "finals"
schedule = "swiss"
rounds = 5
[[phases]]
phase = "done"
"""
BY_RATING = (
    "Standings are decided by the rating; between equal bots by the share of its opponents that a bot finished ahead "
    "of, then by the seeding."
)
MARCH_1 = 1_803_924_000_000
"""2027-03-01T18:00:00Z, in milliseconds since 1970."""
DAY = 24 * 3600 * 1000


def test_rules_in_words() -> None:
    assert rules_in_words(parse_competition(CUP)) == [
        "Heckmeck am Karteneck is played at tables of 2, 3 or 4.",
        "Häc Mäc is played at tables of 3.",
        f"Its variant slap is played: {SLAP.summary}.",
        "A group of bots plays a block of matches: each bot sits once in every seat, in each match with the same deal.",
        BY_RATING,
        "Anybody who registers may enter 2 bots.",
        "Bots of one owner do not meet each other.",
        "Bots do not learn the names of their opponents. Everybody does when all matches of a block are over.",
        "A bot has 1.5 s for a decision, and 10 s more for the whole match.",
        "With 1 fault in a match, a bot forfeits it.",
        "Forfeited matches count like any other result.",
        "A bot with faults in 5 matches in a row pauses until it answers in a practice match.",
        "A bot that stays away from the finals for 600 s forfeits its matches there.",
        "An owner may ask for 60 matches an hour against named bots. They are not rated.",
        "Only people with a key can look.",
        "Spectators see matches 30 s later.",
    ]
    sheet = [[kind, value, 1] for kind in ("patty", "cheese") for value in range(1, 6)]
    ours = parse_competition(CUP.replace("slap = true", f"ingredients = {[*sheet[:-1], ['cheese', 5, 76]]}"))
    assert rules_in_words(ours)[1] == "Häc Mäc with options of its own (ingredients) is played at tables of 3."
    old = parse_competition(CUP.replace("max_faults = 1", 'forfeits = "ignore"'))
    assert "Forfeited matches do not count for the ratings." in rules_in_words(old)


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ('schedule = "swiss"\nrounds = 5', "Bots of about equal success meet. There are 5 rounds."),
        ('schedule = "round-robin"', "Everybody meets everybody equally often. Every group meets once."),
        ('schedule = "round-robin"\nrounds = 2', "Everybody meets everybody equally often. Every group meets 2 times."),
        ('schedule = "knockout"\nblocks_per_pairing = 3', "The loser of a duel is out. A duel has 3 blocks."),
        (
            'schedule = "sure"\nbudget = 900',
            (
                "The bots whose order is least certain play next. "
                "The finals end when the order is sure, or after 900 blocks."
            ),
        ),
    ],
)
def test_finals_in_words(schedule: str, words: str) -> None:
    file = parse_competition(CUP.replace('schedule = "swiss"\nrounds = 5', schedule))
    part = file.phase(PhaseName.FINALS)
    assert part is not None
    assert phase_in_words(file, part) == f"The frozen versions play, from a clean rating. {words}"


def get(store: Store, name: str = "cup") -> records_pb2.GetCompetitionResponse:
    return competitions.get_competition(store, records_pb2.GetCompetitionRequest(competition=name))


def test_phases_and_entries(store: Store) -> None:
    with store:
        competition = ledger.draw_up(store, parse_competition(CUP), CUP)
        competition = ledger.change_phase(store, competition, PhaseName.REGISTRATION, "test")
        for owner, name in (("Ann", "a"), ("Bob", "b")):
            owners.add_owner(store, owner, "test")
            owned = owners.add_bot(store, owner, name, "test")
            store.register_version(name, "v1", 5, bot_id=owned.id)
            ledger.enter(store, competition, owned.id, owned.owner_id)
        store.register_version("a", "v2", 6, bot_id=1)
        ledger.withdraw(store, competition, 2, "test")
        told = get(store)
        assert [(each.bot, each.owner, list(each.version_ids), each.withdrawn) for each in told.entries] == [
            ("a", "Ann", [1, 3], False),
            ("b", "Bob", [2], True),
        ]
        assert all(each.entered_ms for each in told.entries)
        assert [(each.name, each.current, each.done) for each in told.phases] == [
            ("registration", True, False),
            ("ladder", False, False),
            ("finals", False, False),
            ("done", False, False),
        ]
        registration, ladder, finals, done = told.phases
        assert 0 < registration.begins_ms < MARCH_1, "it has begun by hand, before the clock would have"
        assert registration.ends_ms == ladder.begins_ms == MARCH_1 + DAY
        assert (ladder.ends_ms, finals.begins_ms, done.begins_ms) == (0, 0, 0)
        ledger.change_phase(store, competition, PhaseName.FINALS, "test")
        told = get(store)
        assert [each.done for each in told.phases] == [True, True, False, False]
        registration, ladder, finals, _ = told.phases
        assert registration.ends_ms == finals.begins_ms >= registration.begins_ms
        assert (ladder.begins_ms, ladder.ends_ms) == (0, 0), "the ladder was left out"
        assert list(told.entries[0].version_ids) == [3], "the version that came last is pinned"
        with pytest.raises(NotFoundError, match="there is no competition 'none'"):
            get(store, "none")


def test_suspicions_are_public_once_a_competition_is_done(tmp_path: Path) -> None:
    """In the simulated spring the crow helps the magpie by far; in autumn nobody helps."""
    path = recorded(tmp_path / "roost.db")
    spring, autumn = (records_pb2.GetCollusionRequest(competition=name) for name in ("spring", "autumn"))
    with open_store(f"sqlite:///{path}") as store:
        reports = SuspicionReports(store)
        for name in ("spring", "autumn"):
            values = {"document": CUP.replace('"cup"', f'"{name}"'), "phase": "finals"}
            with store.writing() as connection:
                connection.execute(update(COMPETITION).where(COMPETITION.c.name == name).values(**values))
        with pytest.raises(NotYetError, match="when the competition is done"):
            reports.get_collusion(spring, ANYBODY)
        early = reports.get_collusion(spring, HOST)
        early.ClearField("addresses")  # for admins only
        with store.writing() as connection:
            connection.execute(update(COMPETITION).values(phase="done"))
        report = reports.get_collusion(spring, ANYBODY)
        assert report == early
        assert (report.bots, report.doubt, report.doubt_overall) == (8, 0.0125, 0.05)
        first = report.suspicions[0]
        assert (first.bot, first.helped, first.bot_version) == ("crow", "magpie", "1.0")
        assert 0 < first.gain_low < first.gain < first.gain_high
        assert first.gain == pytest.approx(first.share_with - first.share_without)
        assert first.p < 0.0125
        assert first.blocks > 0
        assert not reports.get_collusion(autumn, ANYBODY).suspicions
        with pytest.raises(NotFoundError):
            reports.get_collusion(records_pb2.GetCollusionRequest(competition="none"), ANYBODY)


@pytest.mark.parametrize(
    "part",
    [
        records_pb2.GetCollusionRequest(),
        records_pb2.GetCollusionRequest(competition="spring", phase="finals"),
        records_pb2.GetCollusionRequest(competition="spring", game="karteneck"),
    ],
    ids=["everything", "a phase", "a game"],
)
def test_parts_of_a_suspicion_report_are_for_admins(part: records_pb2.GetCollusionRequest, tmp_path: Path) -> None:
    with open_store(f"sqlite:///{recorded(tmp_path / 'roost.db')}") as store:
        with pytest.raises(DeniedError, match="only admins"):
            SuspicionReports(store).get_collusion(part, ANYBODY)
        assert SuspicionReports(store).get_collusion(part, HOST).all_pairs > 0
