"""A bot in another language, Node.js, plays at a real arena, and its client withstands what arenas may do."""

import asyncio
import fcntl
import hashlib
import json
import re
import shutil
import signal
import subprocess
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.registry import get_game
from roost_games.replay import Fault
from roost_games.verify import verify
from roost_ladder.workshop.findings import Mark
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.serving.tls import make_certificate, server_credentials
from roost_server.settings import Rules, tables_of
from roost_server.store import open_store, queries
from tests.support.arenas.foreign_bots import (
    GAMES,
    ForeignBot,
    arena,
    assert_beats_chance,
    assert_comes_back,
    assert_in_order,
    assert_is_refused_over_tls,
    bounded,
    examined,
    foreign_bot,
    opponents,
    relay_to,
    replays_of,
    tables_played,
    until,
)
from tests.support.arenas.hall import CUP, hall, settings
from tests.support.commands.pages import blocks, commands, matches
from tests.support.commands.roost import roost_process

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sample_bots" / "node"
PROGRAM = str(FOLDER / "bot.mjs")
LOCK_FILE = FOLDER / "package-lock.json"
INSTALLED = FOLDER / "node_modules" / ".installed-for"
SOURCES = sorted([*FOLDER.glob("*.js"), *FOLDER.glob("*.mjs"), *FOLDER.glob("client/*.js"), *FOLDER.glob("games/*.js")])
SLAPPING = Rules("haecmaec", 3, get_game("haecmaec").options({"slap": True}))


@pytest.fixture(scope="session")
def node() -> str:
    """The command `node`, with the packages of the bot installed."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install nodejs npm")
    install()
    return "node"


def install() -> None:
    """`npm ci` in the bot's folder, unless that was done for this very lock file. One process at a time."""
    with LOCK_FILE.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        wanted = hashlib.sha256(file.read()).hexdigest()
        if INSTALLED.exists() and INSTALLED.read_text() == wanted:
            return
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        INSTALLED.write_text(wanted)


def said_by(script: str) -> Any:
    """What a script prints that uses files of the bot which need no package."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], cwd=FOLDER, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_deadline_is_a_round_trip_and_up_to_50_ms_earlier() -> None:
    told = said_by("""
        import { timeOf } from './client/clock.js';
        const left = (timeLeftMs) => timeOf({ timeLeftMs, bankLeftMs: 40, latencyUs: 20500 }, 1000);
        console.log(JSON.stringify([left(5000), left(100)]));
    """)
    assert [left["deadline"] for left in told] == [1000 + 5000 - 20.5 - 50, 1000 + 100 - 20.5 - 10]
    assert told[0] | {"deadline": 0} == {"timeLeftMs": 5000, "bankLeftMs": 40, "latencyMs": 20.5, "deadline": 0}


def test_the_outbox_splits_a_batch_as_the_arena_wants_it() -> None:
    """Each message is what the arena takes, nothing is lost, and the rest of a message comes first."""
    script = """
        import { Outbox } from './client/outbox.js';
        const sent = [];
        const outbox = new Outbox({ write: (message, taken) => { sent.push(message); queueMicrotask(taken); } });
        outbox.maxBytes = 100;
        for (let match = 1; match <= 5; match += 1) outbox.add({ answers: [{ match, request: 7 }] });
        outbox.add({ pong: 3 });
        outbox.flush();
        setTimeout(() => console.log(JSON.stringify(sent)));
    """
    sent = said_by(script)
    assert [answer["match"] for message in sent for answer in message["answers"]] == [1, 2, 3, 4, 5]
    assert [message.get("pong") for message in sent] == [3, None]
    assert all(len(json.dumps(message, separators=(",", ":"))) <= 100 for message in sent)


@pytest.mark.long
def test_it_withstands_an_arena_that_plays_hard_to_get(node: str) -> None:
    """It resumes, splits batches, skips what it does not know, starts afresh, and leaves: see `roost try --listen`."""
    report = examined(node, PROGRAM, "--server", "ADDRESS", "--matches", "500")
    assert {finding.mark for finding in report.findings} == {Mark.FINE}, report.findings
    assert "answers 500 decisions in one message" in [finding.title for finding in report.findings]


@pytest.mark.long
def test_the_check_on_the_page(node: str, tmp_path: Path) -> None:
    """docs/bots/other-languages.md shows what `roost try --listen` says of a client that does everything right."""
    (shown,) = [
        command
        for block in blocks(ROOT / "docs/bots/other-languages.md")
        if block.language == "console"
        for command in commands(block)
        if "--listen" in command.line
    ]
    words = [*shown.line.replace(":50051", ":0").split()[1:], "--patience", "60", "--seconds", "600"]
    with roost_process(*words, folder=tmp_path) as examiner:
        address = examiner.err.until("listening at ").split()[2].rstrip(";")
        bot = subprocess.Popen(
            [node, PROGRAM, "--server", address, "--name", "mybot", "--matches", "500"],
            stderr=subprocess.DEVNULL,
        )
        try:
            examiner.err.until("now stop your bot")
            bot.send_signal(signal.SIGINT)
            assert examiner.end() == 0
            assert bot.wait() == 0
        finally:
            bot.kill()
            bot.wait()
    # How many decisions there are depends on the bot.
    without_counts = [re.sub(r"\d+ decisions in", "# decisions in", line) for line in examiner.out.lines]
    assert matches(without_counts, [re.sub(r"\d+ decisions in", "# decisions in", line) for line in shown.expected])


def node_bot(node: str, *arguments: str, folder: Path = FOLDER) -> AbstractAsyncContextManager[ForeignBot]:
    return foreign_bot(node, str(folder / "bot.mjs"), *arguments)


TABLES = {game: tables_of((game,), (2, 3)) for game in GAMES} | {"slapping": (SLAPPING,)}


@pytest.mark.long
@pytest.mark.parametrize("tables", TABLES.values(), ids=TABLES)
def test_plays_whole_matches_without_a_fault(node: str, tmp_path: Path, tables: tuple[Rules, ...]) -> None:
    wanted = {(rules.game, rules.players) for rules in tables}

    async def script() -> None:
        async with (
            arena(store, *tables) as address,
            opponents(address, SAMPLES["random"], SAMPLES["random"]),
            node_bot(node, "--server", address) as bot,
        ):
            await until(lambda: set(tables_played(store, "node")) == wanted)
            await bot.leave()
            assert bot.said(f"plays at {address}")
            assert bot.said("left: ")

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)
        replays = replays_of(store, "node")
    assert {(replay.game, len(replay.seats)) for replay in replays} == wanted
    assert_in_order(replays, "node")


@pytest.mark.long
def test_plays_better_than_chance(node: str, tmp_path: Path) -> None:
    assert_beats_chance(tmp_path / "arena.db", "node", node, PROGRAM, "--server", "ADDRESS", "--matches", "8")


@pytest.mark.long
def test_comes_back_to_its_matches_after_a_lost_connection(node: str, tmp_path: Path) -> None:
    assert_comes_back(tmp_path / "arena.db", "node", node, PROGRAM, "--server", "ADDRESS", "--matches", "2")


@pytest.mark.long
def test_starts_afresh_at_an_arena_that_does_not_know_it(node: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            arena(first) as old_address,
            arena(second) as address,
            opponents(address, SAMPLES["random"]),
            relay_to(old_address) as (relay, near_end),
            node_bot(node, "--server", near_end) as bot,
        ):
            await until(lambda: bot.said("plays at"))
            relay.target = address
            relay.cut()
            relay.open()
            await until(lambda: bot.said("connecting again"))
            await until(lambda: tables_played(second, "node"))
            await bot.leave()

    with open_store(f"sqlite:///{tmp_path}/1.db") as first, open_store(f"sqlite:///{tmp_path}/2.db") as second:
        bounded(script)
        assert replays_of(first, "node") == []
        assert_in_order(replays_of(second, "node"), "node")


@pytest.mark.long
def test_waits_for_an_arena_that_is_not_there_yet(node: str) -> None:
    async def script() -> None:
        async with node_bot(node, "--server", "127.0.0.1:1") as bot:
            await until(lambda: bot.said("no arena at 127.0.0.1:1 yet, trying again"))
            await bot.leave()

    bounded(script)


@pytest.mark.long
def test_plays_on_after_an_error_of_its_own(node: str, tmp_path: Path) -> None:
    """Also: a copy elsewhere finds the protocol with --proto, and changed code is a new version."""
    copy = tmp_path / "copy"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(FOLDER / "node_modules")
    (copy / "games" / "karteneck.js").write_text("export function choose() { throw new Error('no idea'); }\n")

    async def script() -> None:
        async with (
            arena(store, *tables_of(GAMES, (2,))) as address,
            opponents(address, SAMPLES["random"]),
            node_bot(node, "--server", address, "--proto", str(ROOT / "proto"), folder=copy) as bot,
        ):
            await until(lambda: set(tables_played(store, "node")) == {(game, 2) for game in GAMES})
            await bot.leave()
            assert bot.said("the bot crashed: Error: no idea")
            assert bot.said("FAULT_KIND_CRASHED")

        async with (
            arena(store, *tables_of(("bratwurmeck",), (2,))) as address,
            node_bot(node, "--server", address) as bot,
        ):
            await until(lambda: bot.said("plays at"))
            await bot.leave()
        assert len([version for version in queries.versions(store) if version.name == "node"]) == 2

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)
        replays = replays_of(store, "node")
    for replay in replays:
        assert verify(replay) is None
        kinds = {fault.kind for fault in replay.result.faults}
        assert kinds == ({Fault.CRASHED} if replay.game == "karteneck" else set())


def test_says_why_it_was_refused(node: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with arena(store) as address, node_bot(node, "--server", address) as bot:
            await until(lambda: bot.said("plays at"))
            async with node_bot(node, "--server", address) as twin:
                assert await twin.ended() == 1
                assert twin.said("ALREADY_EXISTS")
            async with node_bot(node, "--server", address, "--name", "not a name") as nameless:
                assert await nameless.ended() == 1
                assert nameless.said("INVALID_ARGUMENT")
            await bot.leave()

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)


def test_joins_a_competition_with_its_key_over_tls(node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, its_key = make_certificate(tmp_path / "tls", ["127.0.0.1"])
    other, _ = make_certificate(tmp_path / "other", ["127.0.0.1"])
    secret = tmp_path / "node.key"

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP, credentials=server_credentials(certificate, its_key)) as place:
            for name in ("ann", "bob"):
                owners.add_owner(place.store, name, "test")
            secret.write_text(keys.make_key(place.store, Scope.OWNER, "test", owner="ann") + "\n")
            await assert_is_refused_over_tls(place.address, certificate, other, "UNAUTHENTICATED", node, PROGRAM)
            there = ("--server", place.address, "--tls-ca", str(certificate))
            async with node_bot(node, *there, "--key-file", str(secret)) as first:
                monkeypatch.setenv("ROOST_KEY", keys.make_key(place.store, Scope.OWNER, "test", owner="bob"))
                async with node_bot(node, *there, "--name", "second") as second:
                    await until(lambda: tables_played(place.store, "node"))
                    await asyncio.gather(first.leave(), second.leave())

    bounded(script)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--key-file", "/nowhere"), "/nowhere cannot be read"),
        (("--key-file", __file__), "this is not a key"),
        (("--tls-ca", __file__), "not a certificate in PEM form"),
        (("--server", "somewhere"), "HOST:PORT"),
        (("--matches", "none"), "from 1 to"),
        (("--proto", "/nowhere"), "roost/v1/arena.proto"),
        (("--loud",), "--loud"),
    ],
)
def test_wrong_arguments_are_told_in_a_line(node: str, arguments: tuple[str, ...], complaint: str) -> None:
    done = subprocess.run([node, PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_source_is_well_formed(node: str, source: Path) -> None:
    subprocess.run([node, "--check", source], check=True)


def test_packages_are_pinned_and_come_from_no_particular_registry() -> None:
    package = json.loads((FOLDER / "package.json").read_text())
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["dependencies"].values())
    locked = json.loads(LOCK_FILE.read_text())["packages"]
    assert locked.pop("")["dependencies"] == package["dependencies"]
    assert all("integrity" in entry and "resolved" not in entry for entry in locked.values())
