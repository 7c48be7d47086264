"""Every command in an installation without extras: it works, or says which extra it needs and how to get it.

A subprocess refuses to import what only the extras bring.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roost_games.errors import Exit
from tests.cli.commands_page import commands

BASE_INSTALL = """
import sys

EXTRAS = {
    "alembic", "cryptography", "dask", "distributed", "fastapi", "grpc_health", "grpc_reflection", "gymnasium",
    "jinja2", "pettingzoo", "prometheus_client", "psycopg", "sqlalchemy", "sqlmodel", "structlog", "uvicorn",
}

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
SEVERAL = """
import contextlib, io, json
from roost_cli.main import run

for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(arguments)
    print(json.dumps([code, err.getvalue()]))
"""
"""Runs several commands, one after the other, which saves the time that it takes to start."""
NOBODY = "127.0.0.1:1"
REPLAYS = "replays.jsonl"
SLOW = ["distributed", "google.protobuf", "grpc", "numpy", "roost_bots", "roost_ladder", "sqlmodel"]
"""What a command may import only if it needs it."""
WORKS = {
    "roost games": [],
    "roost rules": ["karteneck"],
    "roost play": ["haecmaec", "random", "greedy", "--seed", "7", "--replay", REPLAYS],
    "roost ladder": [
        *("random", "greedy", "--games", "karteneck", "--players", "2", "--blocks", "1", "--workers", "1"),
        *("--html", "page.html"),
    ],
    "roost compare": [
        *("greedy", "random", "--game", "karteneck", "--players", "2", "--blocks", "1", "--workers", "1", "--json"),
    ],
    "roost new": ["mybot"],
    "roost try": ["greedy", "--games", "karteneck", "--matches", "1", "--seconds", "1"],
    "roost contract": ["protos"],
    "roost lessons": ["random", "--game", "karteneck", "--matches", "1", "--worlds", "1"],
    "roost verify": [REPLAYS],
    "roost replay": [REPLAYS],
    "roost competition init": ["sample.toml"],
    "roost competition check": ["sample.toml"],
}
"""What needs no extra, with arguments that succeed in this order."""
NEEDS_SERVER = {
    "roost showcase": [],
    "roost serve": [],
    "roost admin restore": ["copy.db", "--db", "roost.db"],
    "roost admin archive": ["cup", "--db", "roost.db"],
    "roost admin cert": [],
}
NEEDS_WEB = ["roost web"]
ASKS = {
    "roost submit": ["greedy", "--connect-timeout", "0"],
    "roost standings": [],
    "roost bots": [],
    "roost bots show": ["greedy"],
    "roost matches": [],
    "roost suspicions": [],
    "roost export": ["folder"],
    "roost watch": [],
    "roost register": ["Ann"],
    "roost challenge": ["greedy", "random", "--game", "karteneck"],
    "roost account": [],
    "roost account enter": ["cup", "greedy"],
    "roost account withdraw": ["cup", "greedy"],
    "roost account key": [],
    "roost account revoke": ["roost_ab12"],
    "roost account rotate": ["roost_ab12"],
    "roost competition list": [],
    "roost competition show": [],
    "roost admin owner add": ["Ann"],
    "roost admin owner list": [],
    "roost admin bot add": ["zip", "--owner", "Ann"],
    "roost admin bot list": [],
    "roost admin key make": ["--admin"],
    "roost admin key list": [],
    "roost admin key revoke": ["roost_ab12"],
    "roost admin key rotate": ["roost_ab12"],
    "roost admin invite": [],
    "roost admin invitation list": [],
    "roost admin invitation revoke": ["roost_abc"],
    "roost admin phase enter": ["cup", "finals"],
    "roost admin phase extend": ["cup", "2h"],
    "roost admin release": ["cup"],
    "roost admin owner ban": ["Ann"],
    "roost admin owner unban": ["Ann"],
    "roost admin bot disqualify": ["cup", "a1"],
    "roost admin bot reinstate": ["cup", "a1"],
    "roost admin bot rename": ["a1", "a2"],
    "roost admin bot move": ["a1", "Bob"],
    "roost admin match void": ["m1"],
    "roost admin status": [],
    "roost admin backup": ["copy.db"],
    "roost admin log": [],
}
"""What asks an arena, and finds none at this address."""
OPTIONAL = [
    (["ladder", "random", "greedy", "--db", "ladder.db"], "--db"),
    (["ladder", "random", "cmd:true"], "a bot that connects to an arena"),
    (["standings", "--db", "roost.db"], "--db"),
    (["admin", "log", "--db", "roost.db"], "--db"),
    (["verify", "--db", "roost.db"], "--db"),
]
"""Options that need an extra, and what is said to need it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("base")


def outcomes(folder: Path, calls: list[list[str]]) -> list[tuple[int, str]]:
    """The exit code of each call and what it wrote to stderr."""
    command = [sys.executable, "-c", BASE_INSTALL + SEVERAL, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=120)
    found = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(calls), done.stderr
    return found


def test_every_command_is_tried() -> None:
    assert sorted([*WORKS, *NEEDS_SERVER, *NEEDS_WEB, *ASKS]) == sorted(path for path, _ in commands())


def test_works_without_extras(folder: Path) -> None:
    calls = [[*path.split()[1:], *arguments] for path, arguments in WORKS.items()]
    for call, (code, err) in zip(calls, outcomes(folder, calls), strict=True):
        undecided = 2 if call[0] == "compare" else 0
        assert (code, "roost: " in err) == (undecided, False), (call, err)


def test_says_which_extra_is_needed(folder: Path) -> None:
    calls = {path: [*path.split()[1:], *arguments] for path, arguments in NEEDS_SERVER.items()}
    needing = [*((call, path) for path, call in calls.items()), *OPTIONAL]
    for (call, what), (code, err) in zip(needing, outcomes(folder, [call for call, _ in needing]), strict=True):
        assert code == Exit.USAGE, (call, err)
        assert err.startswith(f"roost: {what} needs "), (call, err)
        assert err.endswith("which is not installed: pip install '.[server]' in a checkout of Roost\n"), (call, err)
    assert list(folder.glob("*.db")) == []


def test_says_that_a_cluster_needs_its_own_extra(folder: Path) -> None:
    bots = ["random", "greedy"]
    calls = [
        [command, *bots[:many], "--cluster", "local:2"] for command, many in (("ladder", 2), ("compare", 2), ("try", 1))
    ]
    told = (
        "roost: --cluster needs distributed, which is not installed: pip install '.[cluster]' in a checkout of Roost\n"
    )
    assert outcomes(folder, calls) == [(Exit.USAGE, told)] * 3


def test_says_that_the_page_needs_its_own_extra(folder: Path) -> None:
    calls = [["web"], ["web", "--server", NOBODY], ["web", "--db", "roost.db"]]
    for call, outcome in zip(calls, outcomes(folder, calls), strict=True):
        told = "roost: roost web needs fastapi, which is not installed: pip install '.[web]' in a checkout of Roost\n"
        assert outcome == (Exit.USAGE, told), call


def test_asks_an_arena_without_extras(folder: Path) -> None:
    calls = [[*path.split()[1:], *arguments, "--server", NOBODY] for path, arguments in ASKS.items()]
    for call, (code, err) in zip(calls, outcomes(folder, calls), strict=True):
        assert code == Exit.FAILED, (call, err)
        assert f"no arena at {NOBODY}" in err, (call, err)


@pytest.mark.parametrize(
    ("call", "slow"),
    [
        ("--help", SLOW),
        ("play --help", SLOW),
        ("games", [*SLOW, "rich.markdown"]),
        ("play karteneck random random --seed 1", ["grpc", "sqlmodel", "roost_bots.strong"]),
        ("ladder random timid --games karteneck --players 2 --blocks 1 --workers 1", ["dask", "distributed"]),
    ],
)
def test_imports_nothing_slow_for_nothing(call: str, slow: list[str]) -> None:
    code = (
        f"import sys; from roost_cli.main import run; run({call.split()!r}); "
        f"print(sorted(set({slow!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
