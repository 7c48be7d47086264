"""The parts of a cluster: its address, bots that travel, machines that are compared, workers and their jobs."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from roost_games.errors import RoostError, UsageError
from roost_ladder.cluster import roll as rolls
from roost_ladder.cluster.bot_files import TRAVELS, BotFiles, Travellers, missing_files, settled, sources_of
from roost_ladder.cluster.connection import ClusterAddress
from roost_ladder.cluster.installation import Installation
from roost_ladder.cluster.roll import SharedGate, WorkerRoll
from roost_ladder.running.fixtures import BotSpec, Job
from tests.support.ladders.small_ladders import CALM, bot, fixture


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local:1", ClusterAddress(workers=1)),
        ("local:256", ClusterAddress(workers=256)),
        ("tcp://10.0.0.1:8786", ClusterAddress("tcp://10.0.0.1:8786")),
        ("tls://node7:8786", ClusterAddress("tls://node7:8786")),
        ("tcp://[::1]:8786", ClusterAddress("tcp://[::1]:8786")),
    ],
)
def test_an_address_is_a_scheduler_or_a_number_of_workers(text: str, address: ClusterAddress) -> None:
    assert ClusterAddress.read(text) == address


@pytest.mark.parametrize("text", ["", "local:", "local:0", "local:257", "local:-1", "local:x", "local:²"])
def test_a_wrong_number_of_workers_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="local:4, not"):
        ClusterAddress.read(text)


@pytest.mark.parametrize("text", ["tcp://", "tcp://node", "tcp://node:", "tcp://:8786", "tcp://node:0", "node:8786"])
def test_a_wrong_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"such as tcp://10\.0\.0\.1:8786"):
        ClusterAddress.read(text)


@pytest.fixture
def package(tmp_path: Path) -> BotSpec:
    """A bot that imports a module from a folder beside it. A list of secrets lies there, too."""
    folder = tmp_path / "mine"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "__init__.py").write_text("")
    (folder / "parts" / "plan.py").write_text("CHOICE = 0\n")
    (folder / "secrets.txt").write_text("nobody's business")
    (folder / "mybot.py").write_text(
        "from roost_sdk import Bot\nfrom parts.plan import CHOICE\n\n"
        "class MyBot(Bot):\n    def choose(self, view, legal):\n        return legal[CHOICE]\n"
    )
    return BotSpec("mybot", "v1", str(folder / "mybot.py"), "MyBot")


def test_a_bot_travels_with_what_it_imports_and_nothing_else(package: BotSpec, tmp_path: Path) -> None:
    wanted = Job((fixture("first")._replace(bots=(package, bot("first"))),), CALM)
    travellers = Travellers([package, bot("first")])
    sent = travellers.sent(wanted)
    assert all(source.startswith(TRAVELS) for source in sources_of(sent))
    there = tmp_path / "there"
    missing = missing_files(sources_of(sent), there)
    assert len(missing) == 2
    for files in travellers.files(missing):
        files.unpack(there)
        files.unpack(there)
    assert missing_files(sources_of(sent), there) == ()
    mine = settled(sent, there).fixtures[0].bots[0]
    assert {path.name for path in Path(mine.source).parent.rglob("*")} == {
        "mybot.py",
        "parts",
        "__init__.py",
        "plan.py",
    }
    assert mine._replace(source=package.source) == package, "records name it as before"


def test_a_program_and_a_sample_stay_as_they_are() -> None:
    bots = (BotSpec("p", "", "stdio:python bot.py", ""), BotSpec("greedy", "", "roost_bots.greedy", "GreedyBot", True))
    job = Job((fixture("first")._replace(bots=bots),), CALM)
    assert Travellers(bots).sent(job) == job
    assert missing_files(sources_of(job), Path("nowhere")) == ()


def test_another_content_has_another_digest(package: BotSpec) -> None:
    file = Path(package.source)
    before = BotFiles.of(file).digest
    (file.parent / "parts" / "plan.py").write_text("CHOICE = 1\n")
    assert BotFiles.of(file).digest != before


def test_a_bot_that_was_changed_on_a_worker_is_noticed(package: BotSpec, tmp_path: Path) -> None:
    travellers = Travellers([package])
    source = travellers.sent_bot(package).source
    (files,) = travellers.files(missing_files([source], tmp_path / "there"))
    files.unpack(tmp_path / "there")
    (tmp_path / "there" / files.digest / "parts" / "plan.py").write_text("CHOICE = -1\n")
    with pytest.raises(RoostError, match="the files of a bot were changed there"):
        missing_files([source], tmp_path / "there")


def test_code_that_is_too_much_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(f"WEIGHTS = '{'0' * (8 << 20)}'\n")
    with pytest.raises(UsageError, match="more than 8 MiB"):
        BotFiles.of(tmp_path / "large.py")


def test_a_machine_with_the_same_has_no_difference() -> None:
    assert Installation.here([bot("first"), BotSpec("greedy", "", "roost_bots.greedy", "GreedyBot")]).difference() == ""


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"python": "CPython 3.99"}, "has Python CPython 3.1., and this machine CPython 3.99"),
        ({"dask": "2001.1.0"}, "has Dask .*, and this machine 2001.1.0"),
        ({"roost": "99.0"}, "has Roost .*, and this machine 99.0"),
        ({"packages": (("roost_games", "0" * 64),)}, "has another version of roost_games"),
        ({"packages": (("roost_nothing", "0" * 64),)}, "has another version of roost_nothing .none, and"),
        ({"commands": ("no-such-program",)}, "has no program 'no-such-program'"),
        ({"programs": (("bot/no-such-file", ""),)}, "has no bot/no-such-file .* copy it there"),
        ({"programs": ((__file__, "0"),)}, "has another version of .*test_cluster_parts.py"),
    ],
)
def test_every_difference_is_named(changed: dict[str, object], told: str) -> None:
    different = Installation.here([])._replace(**changed)  # type: ignore[arg-type]
    assert re.match(told, different.difference())


def test_files_in_a_command_are_compared_and_other_programs_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.js").write_text("play()")
    monkeypatch.chdir(tmp_path)
    found = Installation.here([BotSpec("js", "", "cmd:python3 bot.js --fast", "")])
    assert found.commands == ("python3",)
    assert [name for name, _ in found.programs] == ["bot.js"]
    assert found.difference() == ""
    (tmp_path / "bot.js").write_text("play(better)")
    assert found.difference() == "has another version of bot.js"


def seen(**last_seen: float) -> dict[str, dict[str, float]]:
    """What the scheduler says of workers."""
    return {name: {"nthreads": 1 + (name == "large"), "last_seen": at} for name, at in last_seen.items()}


def test_a_worker_that_says_nothing_for_too_long_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(rolls, "time", SimpleNamespace(monotonic=lambda: now))
    roll = WorkerRoll()
    roll.hear(seen(a=1.0, b=1.0))
    now += 20.0
    roll.hear(seen(a=2.0, b=1.0))
    assert roll.silent() == []
    now += 11.0
    assert roll.silent() == ["b"]
    roll.hear(seen(a=3.0))
    assert (roll.silent(), roll.places) == ([], 1)


def test_the_next_job_goes_to_who_has_least_to_do_for_each_thread() -> None:
    roll = WorkerRoll()
    assert roll.least_busy() is None
    roll.hear(seen(a=1.0, large=1.0))
    assert roll.places == 3
    with roll.busy("a"), roll.busy("large"):
        assert roll.least_busy() == "large"
        roll.hear(seen(a=2.0, large=2.0, late=2.0))
        assert roll.least_busy() == "late"
        roll.refuse("late")
        assert (roll.least_busy(), roll.places, roll.all_refused) == ("large", 3, False)
        roll.remove("large")
        roll.remove("a")
        assert (roll.least_busy(), roll.places, roll.all_refused) == (None, 0, True)


def test_one_that_wants_to_be_alone_waits_for_the_others_and_they_for_it() -> None:
    order: list[str] = []

    async def visit(gate: SharedGate, name: str, leave: asyncio.Event) -> None:
        async with gate.shared():
            order.append(f"{name} in")
            await leave.wait()
            order.append(f"{name} out")

    async def stay(gate: SharedGate, leave: asyncio.Event) -> None:
        async with gate.alone():
            order.append("alone in")
            await leave.wait()
            order.append("alone out")

    async def meet() -> None:
        gate, first, second, third = SharedGate(), asyncio.Event(), asyncio.Event(), asyncio.Event()
        visits = [asyncio.ensure_future(visit(gate, "a", first)), asyncio.ensure_future(visit(gate, "b", second))]
        await asyncio.sleep(0)
        visits.append(asyncio.ensure_future(stay(gate, third)))
        visits.append(asyncio.ensure_future(visit(gate, "c", second)))
        for leave in (first, second, third):
            for _ in range(10):
                await asyncio.sleep(0)
            leave.set()
        await asyncio.gather(*visits)

    asyncio.run(meet())
    assert order[-4:] == ["alone in", "alone out", "c in", "c out"]
    assert sorted(order[:4]) == ["a in", "a out", "b in", "b out"]
