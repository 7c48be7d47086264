"""A bot in another language, Node.js, plays at a real arena, and what the pages for its authors say is true."""

import asyncio
import fcntl
import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FileDescriptor

from roost.v1 import arena_pb2, play_pb2, records_pb2
from roost_bots import SAMPLES
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_games.replay import VOIDED, Fault, Replay
from roost_games.verify import verify
from roost_sdk import Bot, Client
from roost_sdk.arena.link import grpc_links
from roost_sdk.testing import ScriptedMatch
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.serving.server import ArenaServer
from roost_server.serving.tls import make_certificate, server_credentials
from roost_server.settings import Rules, Settings, tables_of
from roost_server.store import Store, open_store, queries
from tests.support.arenas.hall import CUP, hall, settings
from tests.support.records.matches import counted

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sample_bots" / "node"
LOCK_FILE = FOLDER / "package-lock.json"
INSTALLED = FOLDER / "node_modules" / ".installed-for"
SOURCES = sorted([*FOLDER.glob("*.js"), *FOLDER.glob("*.mjs"), *FOLDER.glob("games/*.js")])
GAMES = tuple(sorted(file.stem for file in FOLDER.glob("games/*.js")))
"""Those that it plays."""
PATIENCE = 120.0
"""How many seconds anything may take. It is never reached unless something is stuck."""
UNHURRIED = Clock(decision_ms=60_000, bank_ms=600_000)
"""The machine that runs tests may be busy with others."""
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


def test_the_outbox_splits_a_batch_as_the_arena_wants_it() -> None:
    """Each message is what the arena takes, nothing is lost, and the rest of a message comes first."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    script = """
        import { Outbox } from './outbox.js';
        const sent = [];
        const outbox = new Outbox({ write: (message, taken) => { sent.push(message); queueMicrotask(taken); } });
        outbox.maxBytes = 100;
        for (let match = 1; match <= 5; match += 1) outbox.add({ answers: [{ match, request: 7 }] });
        outbox.add({ pong: 3 });
        outbox.flush();
        setTimeout(() => console.log(JSON.stringify(sent)));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], cwd=FOLDER, capture_output=True, text=True, check=True
    )
    sent = json.loads(done.stdout)
    assert [answer["match"] for message in sent for answer in message["answers"]] == [1, 2, 3, 4, 5]
    assert [message.get("pong") for message in sent] == [3, None]
    assert all(len(json.dumps(message, separators=(",", ":"))) <= 100 for message in sent)


def bounded(script: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE):
            await script()

    asyncio.run(run())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


@asynccontextmanager
async def arena(store: Store, *tables: Rules) -> AsyncIterator[str]:
    """The address of an arena that plays at these tables, by default at all with 2 and 3 seats."""
    usual = Settings(clock=UNHURRIED, ready_seconds=PATIENCE, matches_at_once=4)
    settings = replace(usual, tables=tables or tables_of(GAMES, (2, 3)))
    server = ArenaServer(store, settings, "127.0.0.1:0")
    await server.start()
    try:
        yield server.address
    finally:
        server.hurry()
        await server.stop()


@asynccontextmanager
async def opponents(address: str, *bots: type[Bot]) -> AsyncIterator[None]:
    """Bots written with the SDK."""
    clients = [Client(bot, name=f"sdk{number}", max_matches=4) for number, bot in enumerate(bots)]
    running = [asyncio.create_task(client.run(grpc_links(address))) for client in clients]
    try:
        yield
    finally:
        for client in clients:
            client.stop()
        await asyncio.gather(*running)


class NodeBot:
    """A running `bot.mjs`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.log: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self.log.append(line.decode().rstrip())

    def said(self, text: str) -> bool:
        return any(text in line for line in self.log)

    async def leave(self) -> None:
        """Ctrl-C: it plays its matches to the end and ends well."""
        self._process.send_signal(signal.SIGINT)
        assert await self.ended() == 0, self.log

    async def ended(self) -> int:
        await self._reader
        return await self._process.wait()

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self.ended()


@asynccontextmanager
async def node_bot(node: str, *arguments: str, folder: Path = FOLDER) -> AsyncIterator[NodeBot]:
    process = await asyncio.create_subprocess_exec(
        node, str(folder / "bot.mjs"), *arguments, stderr=asyncio.subprocess.PIPE
    )
    bot = NodeBot(process)
    try:
        yield bot
    finally:
        await bot.stop()


class Cable:
    """The network between a bot and an arena. `target` may change; `cut` breaks all connections."""

    def __init__(self, target: str) -> None:
        self.target = target
        self._ends: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self.target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._ends += writer, far_writer
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._carry(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(1 << 16):
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass
        finally:
            sink.close()

    def cut(self) -> None:
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    async def settle(self) -> None:
        await asyncio.gather(*self._tasks)


@asynccontextmanager
async def cable_to(target: str) -> AsyncIterator[tuple[Cable, str]]:
    """A cable, and the address of its near end."""
    cable = Cable(target)
    server = await asyncio.start_server(cable.connect, "127.0.0.1", 0)
    try:
        yield cable, f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        cable.cut()
        await cable.settle()


def replays_of(store: Store, name: str = "node") -> list[Replay]:
    """The matches of the bot called `name` that count."""
    replays = [Replay.from_line(line) for line in queries.replays(store)]
    return [
        replay
        for replay in replays
        if replay.result.termination != VOIDED and name in [seat.bot for seat in replay.seats]
    ]


def assert_in_order(replays: Sequence[Replay], name: str = "node") -> None:
    """The matches can be checked, and the bot called `name` did nothing wrong in them."""
    for replay in replays:
        assert verify(replay) is None
        seat = [seat.bot for seat in replay.seats].index(name)
        assert seat not in [fault.seat for fault in replay.result.faults], replay.result
        assert seat not in replay.result.forfeits


def tables_played(store: Store) -> list[tuple[str, int]]:
    """Game and seats of each match so far that counts, without the cost of reading its record."""
    node = {version.id for version in queries.versions(store) if version.name == "node"}
    return [(row.facts.game, row.facts.players) for row in counted(store) if row.facts and node & set(row.facts.bots)]


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
            await until(lambda: set(tables_played(store)) == wanted)
            await bot.leave()
            assert bot.said(f"plays at {address}")
            assert bot.said("left: ")

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)
        replays = replays_of(store)
    assert {(replay.game, len(replay.seats)) for replay in replays} == wanted
    assert_in_order(replays)


@pytest.mark.long
def test_plays_better_than_chance(node: str, tmp_path: Path) -> None:
    """Over 60 duels against a bot that moves at random. Such a bot would do as well once in 40,000 times."""

    async def script() -> None:
        async with (
            arena(store, *tables_of(GAMES, (2,))) as address,
            opponents(address, SAMPLES["random"]),
            node_bot(node, "--server", address, "--matches", "8") as bot,
        ):
            await until(lambda: len(tables_played(store)) >= 60)
            await bot.leave()

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)
        replays = replays_of(store)[:60]
    won = [replay for replay in replays if replay.result.places[[seat.bot for seat in replay.seats].index("node")] == 1]
    assert len(won) >= 46


class Gated(Bot):
    """Thinks until the test opens the gate."""

    gate: threading.Event
    """Not one of asyncio: the bot's coroutines run in a loop of their own."""
    asked = 0

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        type(self).asked += 1
        await asyncio.to_thread(self.gate.wait)
        return legal[0]


@pytest.mark.long
def test_comes_back_to_its_matches_after_a_lost_connection(node: str, tmp_path: Path) -> None:
    class Slow(Gated):
        pass

    async def script() -> None:
        Slow.gate = threading.Event()
        async with (
            arena(store, *tables_of(GAMES, (2,))) as address,
            opponents(address, Slow),
            cable_to(address) as (cable, near_end),
            node_bot(node, "--server", near_end, "--matches", "2") as bot,
        ):
            await until(lambda: Slow.asked)
            cable.cut()
            await until(lambda: bot.said("connected again; matches that go on: 2"))
            Slow.gate.set()
            await until(lambda: len(tables_played(store)) >= 2)
            await bot.leave()
            assert bot.said("was lost, trying again")

    with open_store(f"sqlite:///{tmp_path}/arena.db") as store:
        bounded(script)
        assert_in_order(replays_of(store))


@pytest.mark.long
def test_starts_afresh_at_an_arena_that_does_not_know_it(node: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            arena(first) as old_address,
            arena(second) as address,
            opponents(address, SAMPLES["random"]),
            cable_to(old_address) as (cable, near_end),
            node_bot(node, "--server", near_end) as bot,
        ):
            await until(lambda: bot.said("plays at"))
            cable.target = address
            cable.cut()
            await until(lambda: bot.said("connecting again"))
            await until(lambda: tables_played(second))
            await bot.leave()

    with open_store(f"sqlite:///{tmp_path}/1.db") as first, open_store(f"sqlite:///{tmp_path}/2.db") as second:
        bounded(script)
        assert replays_of(first) == []
        assert_in_order(replays_of(second))


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
            await until(lambda: set(tables_played(store)) == {(game, 2) for game in GAMES})
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
        replays = replays_of(store)
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
            there = ("--server", place.address, "--tls-ca", str(certificate))
            async with node_bot(node, *there) as nobody:
                assert await nobody.ended() == 1
                assert nobody.said("UNAUTHENTICATED")
            async with node_bot(node, "--server", place.address, "--tls-ca", str(other)) as elsewhere:
                assert await elsewhere.ended() == 1
                assert elsewhere.said("certificate")
            async with node_bot(node, *there, "--key-file", str(secret)) as first:
                monkeypatch.setenv("ROOST_KEY", keys.make_key(place.store, Scope.OWNER, "test", owner="bob"))
                async with node_bot(node, *there, "--name", "second") as second:
                    await until(lambda: tables_played(place.store))
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
    done = subprocess.run([node, FOLDER / "bot.mjs", *arguments], capture_output=True, text=True, check=False)
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


PAGE = (ROOT / "docs/formats/protocol.md").read_text(encoding="utf-8")
FILES: list[FileDescriptor] = [
    arena_pb2.DESCRIPTOR,
    records_pb2.DESCRIPTOR,
    play_pb2.DESCRIPTOR,
    *play_pb2.DESCRIPTOR.dependencies,
]
MESSAGES = {name: message for file in FILES for name, message in file.message_types_by_name.items()}
ENUMERATIONS = [enumeration for file in FILES for enumeration in file.enum_types_by_name.values()]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_protocol_page_describes_every_field(name: str) -> None:
    (section,) = re.findall(rf"^### `{name}`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    described = re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)
    assert described == [field.name for field in MESSAGES[name].fields]


def test_the_protocol_page_lists_every_question() -> None:
    (section,) = re.findall(r"^## Questions about the arena\n(.*?)^###", PAGE, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^\| `([A-Za-z]+)` \|", section, re.MULTILINE)
    assert ["Play", *listed] == [method.name for method in arena_pb2.DESCRIPTOR.services_by_name["Arena"].methods]


@pytest.mark.parametrize("enumeration", ENUMERATIONS, ids=lambda enumeration: enumeration.name)
def test_the_protocol_page_names_every_value(enumeration: Any) -> None:
    for value in enumeration.values:
        assert value.name in PAGE or value.name.endswith("_UNSPECIFIED")


def test_the_decoding_examples_run() -> None:
    examples = blocks("python")
    assert len(examples) == 2
    for example in examples:
        subprocess.run([sys.executable, "-c", example], check=True)


def said_in_the_exchange(message: Any) -> list[Any]:
    """The messages of the type of `message` on the page; those of the other side have no field in common with it."""
    names = {field.name for field in message.DESCRIPTOR.fields}
    said = [json.loads(block) for block in blocks("json")]
    return [json_format.ParseDict(each, type(message)()) for each in said if each.keys() <= names]


def test_the_exchange_is_what_an_arena_would_say() -> None:
    """The match on the page is played again from its seed, with the answers given there."""
    by_arena = said_in_the_exchange(play_pb2.ArenaMessage())
    by_bot = said_in_the_exchange(play_pb2.BotMessage())
    assert len(by_arena) + len(by_bot) == len(blocks("json"))
    seeds = {reveal.seed for message in by_arena for reveal in message.reveals}
    match = ScriptedMatch("bratwurmeck", 2, seeds.pop().hex())
    assert not seeds

    (started,) = [started for message in by_arena for started in message.started]
    expected = match.started(started.seat, started.match)
    for field in ("match", "game", "options", "players", "seat", "commitment", "max_faults"):
        assert getattr(started, field) == getattr(expected, field)

    asked = {decision.request: decision for message in by_arena for decision in message.decisions}
    for answer in [answer for message in by_bot for answer in message.answers]:
        if answer.request in asked:
            assert_as_asked(match, asked.pop(answer.request))
        assert answer.request == match.referee.decision + 1
        assert match.take(started.seat, answer) is None
    assert not asked
    assert match.referee.view(0).stacks[0][-1].value == 32

    while not match.referee.over:
        (seat,) = match.referee.waiting
        match.referee.answer(seat, match.game.fallback(match.referee.view(seat)))
    (ended,) = [ended for message in by_arena for ended in message.ended]
    assert ended == match.ended(started.match)


def assert_as_asked(match: ScriptedMatch, decision: play_pb2.Decision) -> None:
    (seat,) = match.referee.waiting
    expected = match.decision(seat, decision.match)
    assert (decision.request, decision.view) == (expected.request, expected.view)
    moves = [match.game.encode_move(move) for move in match.referee.legal(seat)]
    assert [as_in_a_replay(move.bratwurmeck) for move in decision.legal] == moves
    assert decision.legal_count == len(moves)
    assert decision.time_left_ms == 11_000  # the clock of the page: a second, and ten in the bank


def as_in_a_replay(move: Any) -> dict[str, str]:
    return {"take": "123456"[move.take - 1], "then": ("roll", "stop")[move.then]}
