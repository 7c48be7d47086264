"""A bot in another language, Go: it builds with Debian's packages, and plays at a real arena."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from roost_ladder.workshop.findings import Mark
from roost_sdk.wire.contract import write_contract
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.serving.tls import make_certificate, server_credentials
from tests.support.arenas.foreign_bots import (
    assert_beats_chance,
    assert_comes_back,
    assert_is_refused_over_tls,
    bounded,
    examined,
    foreign_bot,
    until,
)
from tests.support.arenas.hall import CUP, hall, settings

FOLDER = Path(__file__).parents[2] / "sample_bots" / "go"
LIBRARIES = Path("/usr/share/gocode")
"""Where Debian's packages are. There, gRPC is without modules."""
PACKAGES = (
    "golang-go protobuf-compiler protoc-gen-go-1-5 protoc-gen-go-grpc golang-google-grpc-dev "
    "golang-google-protobuf-dev golang-github-golang-protobuf-1-5-dev"
)
Go = Callable[..., None]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the bot as an author has it: with the contract beside it, and the generated code."""
    programs = all(map(shutil.which, ("go", "protoc", "protoc-gen-go", "protoc-gen-go-grpc")))
    if not programs or not (LIBRARIES / "src/google.golang.org/grpc").exists():
        pytest.skip(f"Go is not installed: apt-get install {PACKAGES}")
    folder = tmp_path_factory.mktemp("go") / "src" / "roostbot"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("roostv1"))
    write_contract(folder / "proto")
    subprocess.run([folder / "generate.sh", "proto"], check=True)
    return folder


@pytest.fixture(scope="module")
def go(source: Path) -> Go:
    """The command `go`, in the folder of the bot."""
    path = f"{source.parents[1]}:{LIBRARIES}"

    def run(*arguments: str) -> None:
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": path, "GOFLAGS": ""}
        subprocess.run(["go", *arguments], cwd=source, env=environment, check=True)

    return run


@pytest.fixture(scope="module")
def gopher(go: Go, source: Path) -> str:
    """The program."""
    go("build", "-o", "gopher", ".")
    return str(source / "gopher")


def test_its_code_is_in_order(go: Go, source: Path) -> None:
    go("vet", ".", "./client", "./games")
    go("test", "./client")
    formatted = subprocess.run(["gofmt", "-l", FOLDER], capture_output=True, text=True, check=True)
    assert formatted.stdout == ""


def test_it_withstands_an_arena_that_plays_hard_to_get(gopher: str) -> None:
    """It resumes, splits batches, skips what it does not know, starts afresh, and leaves: see `roost try --listen`."""
    report = examined(gopher, "-server", "ADDRESS", "-matches", "500")
    assert {finding.mark for finding in report.findings} == {Mark.FINE}, report.findings
    assert "answers 500 decisions in one message" in [finding.title for finding in report.findings]


def test_it_plays_better_than_chance_and_without_a_fault(gopher: str, tmp_path: Path) -> None:
    assert_beats_chance(tmp_path / "arena.db", "gopher", gopher, "-server", "ADDRESS", "-matches", "8")


def test_it_comes_back_to_its_matches_after_a_lost_connection(gopher: str, tmp_path: Path) -> None:
    assert_comes_back(tmp_path / "arena.db", "gopher", gopher, "-server", "ADDRESS", "-matches", "2")


def test_it_joins_a_competition_with_its_key_over_tls(gopher: str, tmp_path: Path) -> None:
    certificate, its_key = make_certificate(tmp_path / "tls", ["127.0.0.1"])
    other, _ = make_certificate(tmp_path / "other", ["127.0.0.1"])
    secret = tmp_path / "go.key"

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP, credentials=server_credentials(certificate, its_key)) as place:
            owners.add_owner(place.store, "ann", "test")
            secret.write_text(keys.make_key(place.store, Scope.OWNER, "test", owner="ann") + "\n")
            await assert_is_refused_over_tls(place.address, certificate, other, "Unauthenticated", gopher)
            there = ("-server", place.address, "-tls-ca", str(certificate))
            async with foreign_bot(gopher, *there, "-key-file", str(secret)) as bot:
                await until(lambda: bot.said("plays at"))
                await bot.leave()

    bounded(script)
