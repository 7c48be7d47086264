"""Rulings of a host: what they strike, whom they keep out, and that an export proves it."""

import asyncio
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roost.v1 import arena_pb2, records_pb2
from roost_games.errors import UsageError
from roost_server.accounts import audit, keys, owners, rulings
from roost_server.accounts.keys import Scope
from roost_server.accounts.names import NameRules, claim_name
from roost_server.answers.bots import bots, get_bot
from roost_server.answers.ratings import Ratings, of_phase
from roost_server.answers.standings import LiveAnswers
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.phases import CLOCK, next_change
from roost_server.errors import DeniedError, UnauthenticatedError
from roost_server.export.loader import loaded
from roost_server.export.writer import export
from roost_server.store import Store, open_store, queries
from roost_server.store.results import MatchFilter
from tests.support.cups import cup
from tests.support.records.export_world import NAMES, Play, change, complaints
from tests.support.records.matches import block, finished, on_record, sketch
from tests.support.records.ruled_world import play


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with open_store(database_url) as opened:
        for owner, bot in (("Ann", "a1"), ("Bob", "b1")):
            owners.add_owner(opened, owner, "test")
            opened.register_version(bot, "v1", bot_id=owners.add_bot(opened, owner, bot, "test").id)
        yield opened


def counted_by_hand(folder: Path, phase: str, voided: str, out: str) -> Counter[str]:
    """How many matches of each bot count, by the files alone."""
    of_phase = {
        match
        for line in (folder / "blocks.jsonl").read_text().splitlines()
        for match, _ in json.loads(line)["matches"]
        if json.loads(line)["phase"] == phase
    }
    found: Counter[str] = Counter()
    for line in (folder / "matches.jsonl").read_text().splitlines():
        replay = json.loads(line)
        names = [{"bert": "bertha"}.get(seat["bot"], seat["bot"]) for seat in replay["seats"]]
        if replay["match"] in of_phase and replay["match"] != voided and out not in names:
            found.update(names)
    return found


def counted_in_standings(folder: Path, phase: str) -> dict[str, int]:
    with (folder / f"standings-{phase}.csv").open() as file:
        return {row["name"]: int(row["matches"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize(
    ("schedule", "moment"),
    [
        ("round-robin", "before the finals"),
        ("swiss", "in the finals"),
        ("knockout", "in the finals"),
        ("knockout", "after the end"),
    ],
)
def test_an_export_proves_what_rulings_exclude(tmp_path: Path, schedule: str, moment: str) -> None:
    folder, voided = play(tmp_path, schedule, moment)
    assert complaints(folder) == []
    for phase in ("ladder", "finals"):
        assert counted_in_standings(folder, phase) == counted_by_hand(folder, phase, voided, "dora")
    finals = [json.loads(line) for line in (folder / "blocks.jsonl").read_text().splitlines() if "cup-finals" in line]
    dora = 4
    assert any(dora in each["version_ids"] for each in finals) is (moment != "before the finals")
    made = json.loads((folder / "competition.json").read_text())["rulings"]
    assert [(each["kind"], each["subject"], each["actor"]) for each in made] == [
        ("disqualify", "dora", "host"),
        ("void", voided, "host"),
        ("rename", "bert", "host"),
    ]


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return play(tmp_path_factory.mktemp("ruled"), "round-robin", "in the finals")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda made: made.pop(0), "standings-finals.csv: "),
        (lambda made: made.pop(1), "standings-"),
        (lambda made: made.pop(2), "does not have the bots of block"),
        (lambda made: made[0].update(version_ids=[3]), "standings-finals.csv: "),
        (lambda made: made[0].update(version_ids=[99]), "the ruling disqualify dora is about nobody who took part"),
        (lambda made: made[1].update(match="m0"), "is about no match of this export"),
        (lambda made: made[2].update(after="berta"), "says 'berta', the bot's name is 'bertha'"),
        (lambda made: made[0].update(at_ms=1), "finals"),
        (lambda made: made[0].update(kind="pardon"), "is not what it should be: rulings.0.kind"),
    ],
)
def test_rulings_cannot_be_forged(
    ruled: tuple[Path, str], tmp_path: Path, edit: Callable[[list[dict[str, object]]], object], says: str
) -> None:
    """Hashes and all: what rulings exclude is excluded, and nothing else is."""
    folder = tmp_path / "export"
    folder.mkdir()
    for file in ruled[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    change(folder, "competition.json", lambda documents: edit(documents[0]["rulings"]))
    assert any(says in said for said in complaints(folder)), complaints(folder)


def test_an_export_that_is_loaded_has_the_same_standings(ruled: tuple[Path, str]) -> None:
    request = arena_pb2.GetStandingsRequest(competition="cup", phase="finals")
    with loaded(ruled[0]) as store:
        said = {row.name: row.matches for row in LiveAnswers(store).standings_of(request).standings}
    assert said == counted_in_standings(ruled[0], "finals")


def test_standings_follow_a_ruling_at_once_and_back(tmp_path: Path) -> None:
    """Also those that were remembered, and those of sums that were kept."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        world = Play(store, "swiss")

        async def script() -> None:
            await world.begin()
            await world.phase(PhaseName.LADDER, 1)
            await world.recorder.aclose()

        asyncio.run(script())
        ratings = Ratings(store)
        competition = ledger.find(store, "cup")
        wanted = of_phase(MatchFilter(competition_id=competition.id, phase="ladder"), competition)

        def matches(of: Ratings) -> dict[int, int]:
            return {each.bot: each.matches for each in of.rated(wanted).standings}

        ratings.keep()
        before = matches(ratings)
        rulings.disqualify_bot(store, "cup", "dora", "", "host")
        with_dora = sum(4 in match.facts.bots for match in on_record(store) if match.facts)
        without = matches(ratings)
        assert (sorted(without), before[4]) == ([1, 2, 3], with_dora)
        assert matches(Ratings(store)) == without
        rulings.reinstate_bot(store, "cup", "dora", "", "host")
        assert matches(ratings) == before
        void = next(match for match in on_record(store) if match.facts)
        rulings.void_match(store, void.id, "", "host")
        assert void.facts is not None
        expected = {bot: count - (bot in void.facts.bots) for bot, count in before.items()}
        assert matches(ratings) == expected
        ratings.keep()
        assert matches(Ratings(store)) == expected
        assert {each.version_id: each.matches for each in bots(store, ratings).bots} == expected
        seats = {bot: get_bot(store, ratings, records_pb2.GetBotRequest(bot=NAMES[bot - 1])).seats for bot in expected}
        assert {bot: sum(seat.matches for seat in rows) for bot, rows in seats.items()} == expected


def test_a_match_is_voided_once(store: Store) -> None:
    store.commit([finished(sketch("m1"), block(store, "b", 1, 2))])
    with pytest.raises(UsageError, match="there is no match 'm2' on record"):
        rulings.void_match(store, "m2", "", "host")
    rulings.void_match(store, "m1", "", "host")
    with pytest.raises(UsageError, match="the match m1 is already void"):
        rulings.void_match(store, "m1", "", "host")
    assert [match.struck for match in on_record(store)] == [True]


def test_no_key_of_a_banned_owner_works(store: Store) -> None:
    anns = [
        keys.make_key(store, Scope.OWNER, "test", owner="Ann"),
        keys.make_key(store, Scope.BOT, "test", bot="a1"),
    ]
    bobs = keys.make_key(store, Scope.OWNER, "test", owner="Bob")
    rulings.ban_owner(store, "Ann", "spam", "host")
    for key in anns:
        with pytest.raises(UnauthenticatedError, match="the host has banned the owner of this key"):
            keys.identify(store, key)
    assert keys.identify(store, bobs).owner == "Bob"
    with pytest.raises(UsageError, match="the owner is banned"):
        keys.make_key(store, Scope.OWNER, "test", owner="Ann")
    with pytest.raises(UsageError, match="the owner is banned"):
        keys.rotate_key(store, anns[0], "test")
    assert [owner.banned for owner in owners.owners(store)] == [True, False]
    with pytest.raises(UsageError, match="is already banned"):
        rulings.ban_owner(store, "Ann", "", "host")
    rulings.unban_owner(store, "Ann", "", "host")
    assert [keys.identify(store, key).owner for key in anns] == ["Ann", "Ann"]
    with pytest.raises(UsageError, match="'Ann' is not banned"):
        rulings.unban_owner(store, "Ann", "", "host")
    told = [(act.act, act.details) for act in audit.acts(store) if act.actor == "host"]
    assert told == [("owner unbanned", {"subject": "Ann"}), ("owner banned", {"subject": "Ann", "reason": "spam"})]


def test_a_renamed_bot_keeps_its_former_name_from_others(store: Store) -> None:
    rulings.rename_bot(store, "a1", "better", "", "host")
    names = NameRules(10)
    with store.writing() as connection:
        ann, bob = (owners.owner_named(connection, name) for name in ("Ann", "Bob"))
        for used in ("a1", "better"):
            assert claim_name(connection, "test", ann, used, names).name == "better"
            with pytest.raises(DeniedError, match="belongs to another owner"):
                claim_name(connection, "test", bob, used, names)
    with pytest.raises(UsageError, match="'a1' is the former name of better"):
        owners.add_bot(store, "Bob", "a1", "test")
    for taken in ("b1", "better"):
        with pytest.raises(UsageError, match="is or was that of a bot"):
            rulings.rename_bot(store, "b1" if taken == "better" else "better", taken, "", "host")
    with pytest.raises(UsageError, match="is or was that of a bot"):
        rulings.rename_bot(store, "b1", "a1", "", "host")
    with pytest.raises(UsageError, match="letters"):
        rulings.rename_bot(store, "b1", "no/name", "", "host")
    rulings.rename_bot(store, "better", "a1", "", "host")
    assert [version.name for version in queries.versions(store)] == ["a1", "b1"]


def test_a_moved_bot_is_the_new_owners_and_its_keys_end(store: Store) -> None:
    key = keys.make_key(store, Scope.BOT, "test", bot="a1")
    with pytest.raises(UsageError, match="a1 already belongs to Ann"):
        rulings.move_bot(store, "a1", "Ann", "", "host")
    rulings.move_bot(store, "a1", "Bob", "sold", "host")
    with pytest.raises(UnauthenticatedError, match="was revoked"):
        keys.identify(store, key)
    assert {bot.name: bot.owner for bot in owners.bots(store)} == {"a1": "Bob", "b1": "Bob"}


def test_a_bot_that_was_frozen_stays_with_its_owner(tmp_path: Path) -> None:
    folder, _ = play(tmp_path, "swiss", "after the end")
    with (
        open_store(f"sqlite:///{folder.parent}/roost.db") as store,
        pytest.raises(UsageError, match="anna was frozen for cup as a bot of owner of anna, and stays theirs"),
    ):
        rulings.move_bot(store, "anna", "owner of carl", "", "host")


def test_a_bot_that_is_moved_before_the_freeze(tmp_path: Path) -> None:
    """Its matches name its former owner. The export says why."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        world = Play(store, "swiss")

        async def script() -> None:
            await world.begin()
            await world.phase(PhaseName.LADDER, 1)
            rulings.move_bot(store, "carl", "owner of anna", "a team", "host")
            await world.phase(PhaseName.FINALS)
            await world.end()

        asyncio.run(script())
        export(store, "cup", tmp_path / "export")
    assert complaints(tmp_path / "export") == []
    change(tmp_path / "export", "competition.json", lambda documents: documents[0]["rulings"].clear())
    said = complaints(tmp_path / "export")
    assert any("belongs to 'owner of anna', the matches say 'owner of carl'" in each for each in said)


TIMED = cup(
    "ladder",
    {"phase": "freeze", "starts": datetime(2040, 1, 1, 10, tzinfo=UTC)},
    {"phase": "finals", "starts": datetime(2040, 1, 1, 12, tzinfo=UTC)},
    "done",
)
HOUR_MS = 3_600_000


def test_an_extension_puts_off_all_later_times_and_survives_the_same_file(store: Store) -> None:
    ledger.draw_up(store, parse_competition(TIMED), TIMED)
    ledger.extend(store, "cup", 2 * HOUR_MS, "the network was down", "host")
    ledger.extend(store, "cup", HOUR_MS, "", "host")
    again = ledger.draw_up(store, parse_competition(TIMED), TIMED)
    assert [str(part.starts) for part in again.file.phases if part.starts] == [
        "2040-01-01 13:00:00+00:00",
        "2040-01-01 15:00:00+00:00",
    ]
    assert str(next_change(again.file, "ladder")) == "2040-01-01 13:00:00+00:00"
    later = TIMED.replace("T12", "T20")
    edited = ledger.draw_up(store, parse_competition(later), later)
    assert str(edited.file.phases[2].starts) == "2040-01-01 20:00:00+00:00", "unless the file says later"
    told = [act.details for act in audit.acts(store) if act.act == "phase extended"]
    assert [(each["competition"], each["subject"]) for each in told] == [("cup", "finals"), ("cup", "freeze")] * 2


def test_nothing_to_extend(store: Store) -> None:
    untimed = cup("ladder", "freeze", "finals", "done")
    ledger.draw_up(store, parse_competition(untimed), untimed)
    with pytest.raises(UsageError, match="no later phase of cup has a time"):
        ledger.extend(store, "cup", HOUR_MS, "", "host")


def test_a_phase_that_the_clock_began_too_early(ruled: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    for file in ruled[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())

    def put_off(documents: list[dict[str, object]]) -> None:
        phases, made = documents[0]["phases"], documents[0]["rulings"]
        assert isinstance(phases, list)
        assert isinstance(made, list)
        phase, at_ms, actor = phases[-1]
        assert (phase, actor) == ("done", CLOCK)
        about = {"kind": "extend", "subject": "done", "actor": "host", "reason": ""}
        made.append({**about, "at_ms": at_ms - 1, "before": str(at_ms), "after": str(at_ms + 1)})

    change(folder, "competition.json", put_off)
    assert any("done began before the time to which the ruling extend done" in said for said in complaints(folder))
