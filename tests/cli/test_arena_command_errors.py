"""What can be wrong around an arena: one line that says what would be right, and never a traceback."""

import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_games.errors import UsageError
from roost_ladder.schedules.registry import OPEN_SCHEDULES, open_schedule
from roost_server.serving.tls import make_certificate
from roost_server.store import open_store
from tests.support.commands.roost import Roost, roost_process
from tests.support.grpc_servers import answering


@pytest.fixture
def taken() -> Iterator[str]:
    """An address at which something listens that is no arena and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def vacant(taken: str) -> str:
    """An address at which nothing listens."""
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{unheard.getsockname()[1]}"


OPEN_CUP = """
name = "cup"
games = [{ game = "karteneck" }]
entry = { who = "open" }
phases = [{ phase = "ladder" }, { phase = "done" }]
"""
QUESTIONS = [
    ["bots"],
    ["standings"],
    ["matches"],
    ["matches", "--running"],
    ["replay", "abc"],
    ["admin", "status"],
]
WITHOUT_DATABASE = [["watch"], ["watch", "abc"], ["account"], ["register", "Ann"]]
"""Questions that only a running arena can answer."""


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_no_arena_is_there(roost: Roost, vacant: str, question: list[str]) -> None:
    code, out, err = roost(*question, "--server", vacant)
    assert (code, out) == (1, "")
    assert err == (
        f"roost: there is no arena at {vacant}; roost serve runs one, --server HOST:PORT names another, "
        "and --db FILE reads a database\n"
    )


@pytest.mark.parametrize("question", WITHOUT_DATABASE, ids=" ".join)
def test_a_database_is_offered_to_nobody_who_cannot_use_it(roost: Roost, vacant: str, question: list[str]) -> None:
    code, out, err = roost(*question, "--server", vacant)
    assert (code, out) == (1, "")
    assert err == (
        f"roost: there is no arena at {vacant}; roost serve runs one, and --server HOST:PORT names another\n"
    )


def test_an_arena_with_tls(tmp_path: Path, roost: Roost) -> None:
    """Without TLS it is said what may be missing; with it, what is suggested next has it, too."""
    (tmp_path / "cup.toml").write_text(OPEN_CUP)
    certificate, key = make_certificate(tmp_path, ["127.0.0.1"])
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with roost_process("serve", "cup.toml", "--listen", "127.0.0.1:0", *tls, folder=tmp_path) as arena:
        address = arena.out.until("listening at").split()[2].rstrip(",")
        for question in (["standings"], ["account"], ["register", "Ann"]):
            code, out, err = roost(*question, "--server", address)
            assert (code, out) == (1, "")
            assert err == (
                f"roost: what listens at {address} hung up; if it is an arena with TLS, give --tls-ca FILE or --tls\n"
            )
        made = roost(
            "register", "Ann", "--server", address, "--tls-ca", str(certificate), "--save", f"{tmp_path}/a.key"
        )
        assert made.err == (
            f"Let a bot play: roost submit mybot.py --server {address} --tls-ca {certificate} "
            f"--key-file {tmp_path}/a.key\n"
        )


def test_another_server_is_there(roost: Roost) -> None:
    with answering(lambda _: None) as address:
        code, out, err = roost("standings", "--server", address)
    assert (code, out) == (1, "")
    assert err == f"roost: what listens at {address} is not an arena, or one of a version that cannot answer this\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ["bots", "--server", "localhost"],
            2,
            "'localhost' is not the address of an arena; write HOST:PORT, such as 127.0.0.1:50051",
        ),
        (["bots", "--server", "a:1", "--db", "b"], 2, "--server asks an arena and --db uses a database; choose one"),
        (
            ["standings", "--db", "missing.db"],
            1,
            "there is no file missing.db; name the database of an arena",
        ),
        (["standings", "--db", "text.db"], 1, "text.db: it is not a database; give another file"),
        (["standings", "--db", "mysql://x/y"], 1, "Roost keeps its records in SQLite or PostgreSQL, not mysql"),
        (["standings", "--game", "chess"], 2, "there is no game 'chess'"),
        (["standings", "--players", "1"], 2, "invalid value for '--players'"),
        (["matches", "--limit", "0"], 2, "invalid value for '--limit'"),
        (["matches", "--running", "--db", "x.db"], 2, "a database has only finished matches"),
        (["verify", "--db", "missing.db"], 1, "there is no file missing.db"),
        (["verify", "some.jsonl", "--db", "x.db"], 2, "name what to check"),
        (["replay", "abc", "--db", "missing.db"], 1, "there is no file missing.db"),
        (["serve", "--listen", "here"], 2, "'here' is not an address to listen at; one is 127.0.0.1:50051"),
        (["serve", "--listen", "127.0.0.1:70000"], 2, "'127.0.0.1:70000' is not an address to listen at"),
        (["serve", "--games", "karteneck,chess"], 2, "there is no game 'chess'"),
        (["serve", "--games", "karteneck,,"], 2, "games are separated by single commas, not 'karteneck,,'"),
        (["serve", "--players", "two"], 2, "player counts are numbers such as 2,3,4, not 'two'"),
        (
            ["serve", "--games", "karteneck", "--players", "5,6"],
            2,
            "karteneck cannot be played by 5, 6; give other --games or --players",
        ),
        (["serve", "--db", "nowhere/x.db"], 1, "there is no folder nowhere for x.db; create it first"),
        (["serve", "--log-level", "loud"], 2, "invalid value for '--log-level'"),
        (["serve", "--bots", "gredy"], 2, "Did you mean 'greedy'?"),
        (["serve", "--bots", "greedy,nobody.py"], 2, "there is no file nobody.py"),
        (["serve", "--bots", "only.py:Other"], 2, "there is no class 'Other' in only.py; its bots are: only.py:Only"),
        (["serve", "--bots", "stdio:./nobody"], 2, "there is no program './nobody'"),
        (["serve", "--bots", "greedy,"], 2, "bots are separated by single commas, not 'greedy,'"),
        (["serve", "--bots", "none.py"], 2, "None_ plays no game: it has no method choose(self, view, legal)"),
        (["serve", "--bots", "only.py", "--games", "haecmaec"], 2, "only plays at none of the tables that --games"),
        (
            ["serve", "cup.toml", "--bots", "greedy"],
            2,
            "leave --bots out, and use roost submit NAME --key-file FILE for each",
        ),
        (["submit", "nobody.py"], 2, "there is no file nobody.py"),
        (["submit", "gredy"], 2, "Did you mean 'greedy'?"),
        (["submit", "greedy", "--server", "here"], 2, "'here' is not the address of an arena"),
        (["submit", "greedy", "--games", "chess"], 2, "there is no game 'chess'"),
        (["submit", "greedy", "--name", "bad name"], 2, "dots, dashes and underscores, unlike 'bad name'"),
        (["submit", "greedy", "--name", ""], 2, "a bot's name has 1 to 40 letters"),
        (["submit", "only.py", "--games", "haecmaec"], 2, "haecmaec"),
        (["showcase", "nobody.py"], 2, "there is no file nobody.py"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_one_line_says_what_would_be_right(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.db").write_text("just text, and enough of it to be no database at all\n" * 10)
    Path("only.py").write_text(
        "from roost_sdk import Bot\nclass Only(Bot):\n    def karteneck(self, view, legal):\n        return legal[0]\n"
    )
    Path("none.py").write_text("from roost_sdk import Bot\nclass None_(Bot):\n    pass\n")
    before = set(tmp_path.iterdir())
    outcome = roost(*arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("roost: ")
    assert told in outcome.err
    assert outcome.err.count("\n") == 1
    assert set(tmp_path.iterdir()) - before <= {tmp_path / "__pycache__"}, "nothing was written"


def test_a_database_belongs_to_one_arena(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "roost.db"
    with open_store(f"sqlite:///{file}"):
        code, out, err = roost("serve", "--db", file, "--listen", "127.0.0.1:0")
        assert roost("standings", "--db", file).code == 0, "but it may be read"
    assert (code, out) == (1, "")
    assert f"{file} is in use by another arena (process " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("schema", "told"), [("9999", "newer Roost"), ("abc", "is damaged, or not a database of Roost")]
)
def test_a_database_that_this_roost_does_not_understand_is_refused(
    roost: Roost, tmp_path: Path, schema: str, told: str
) -> None:
    file = tmp_path / "roost.db"
    open_store(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE roost_schema SET version_num = ?", (schema,))
    connection.close()
    for command in (["serve", "--listen", "127.0.0.1:0"], ["standings"], ["verify"]):
        code, out, err = roost(*command, "--db", file)
        assert (code, out) == (1, "")
        assert told in err
        assert err.count("\n") == 1


def test_a_port_in_use(taken: str, tmp_path: Path) -> None:
    with roost_process("serve", "--listen", taken, "--db", "roost.db", folder=tmp_path) as serve:
        assert serve.end() == 2
    assert serve.out.lines == []
    assert serve.err.lines == [f"roost: cannot listen at {taken}: it is in use, or not an address of this machine"]


def test_a_bot_waits_for_an_arena_but_not_for_ever(vacant: str, tmp_path: Path) -> None:
    arguments = ("submit", "greedy", "--server", vacant, "--connect-timeout", "0.5")
    with roost_process(*arguments, folder=tmp_path) as submit:
        assert submit.end() == 1
    assert submit.out.lines == []
    waiting, told = submit.err.lines
    assert waiting.endswith(f"no arena at {vacant} yet, trying again ...")
    assert told == f"roost: no arena at {vacant} yet; gave up after 0.5 s"


def test_a_mistake_of_ours_is_not_a_missing_package() -> None:
    from roost_cli.options import needs_server

    with pytest.raises(ModuleNotFoundError), needs_server("roost serve"):
        raise ModuleNotFoundError("No module named 'roost_server.misspelt'", name="roost_server.misspelt")
    with pytest.raises(UsageError), needs_server("roost serve"):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")


@pytest.mark.parametrize("name", OPEN_SCHEDULES)
def test_every_open_schedule_exists(name: str) -> None:
    open_schedule(name, b"seed")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--schedule", "gauntlet"), "there is no open schedule 'gauntlet'; they are: least-played, sure, "),
        (("--deals", "same"), "--deals is own or duplicate, not 'same'\n"),
    ],
)
def test_a_schedule_or_deal_that_serve_does_not_know_is_named(
    option: tuple[str, str], told: str, roost: Roost, tmp_path: Path
) -> None:
    code, out, err = roost("serve", "--db", tmp_path / "roost.db", *option)
    assert (code, out, err.startswith(f"roost: {told}")) == (2, "", True), err
    assert list(tmp_path.iterdir()) == []
