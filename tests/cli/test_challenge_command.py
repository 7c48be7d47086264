"""`roost challenge`: two bots of two owners at a real arena."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_cli.main import run
from tests.support.commands.roost import HELD_BOT, Roost, roost_process
from tests.support.cups import cup

CUP = cup(
    "registration",
    "ladder",
    "done",
    entry={"who": "open", "bots_per_owner": 2},
    clock={"decision_ms": 600_000},
)


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file for which bob's bot `held` waits before it answers."""
    return tmp_path_factory.mktemp("challenge") / "go"


@pytest.fixture(scope="module")
def asked(go: Path) -> Iterator[tuple[str, ...]]:
    """How one asks an arena at which ann's bot `greedy` and bob's bots `random` and `held` are connected."""
    folder = go.parent
    (folder / "cup.toml").write_text(CUP)
    (folder / "held.py").write_text(HELD_BOT.format(file=str(go)))
    serve = ("serve", "cup.toml", "--listen", "127.0.0.1:0", "--db", "roost.db")
    with roost_process(*serve, folder=folder) as process:
        address = process.out.until("listening at ").removeprefix("listening at ").partition(",")[0]
        for owner in ("ann", "bob"):
            assert run(["register", owner, "--server", address, "--save", f"{folder}/{owner}.key"]) == 0

        def submit(bot: str, owner: str) -> tuple[str, ...]:
            return ("submit", bot, "--server", address, "--key-file", f"{folder}/{owner}.key")

        with (
            roost_process(*submit("greedy", "ann"), folder=folder) as greedy,
            roost_process(*submit("random", "bob"), folder=folder) as rnd,
            roost_process(*submit("held.py", "bob"), folder=folder) as held,
        ):
            for process in (greedy, rnd, held):
                process.out.until(", version ")
            yield ("--server", address, "--key-file", f"{folder}/ann.key")


def test_the_result_is_shown_with_its_uncertainty(roost: Roost, asked: tuple[str, ...]) -> None:
    code, out, err = roost("challenge", "greedy", "random", "--game", "karteneck", "--matches", 6, *asked)
    assert code == 0, err
    assert out.startswith("greedy against random in karteneck: 6 matches, ahead in ")
    assert "% (95 % interval " in out
    assert "not rated" in out
    (challenge_id,) = {word for word in err.replace(":", " ").split() if word.startswith("challenge-")}
    again = json.loads(roost("challenge", "--follow", challenge_id, "--json", *asked).out)
    assert (again["challenge_id"], again["bots"], again["played"]) == (challenge_id, ["greedy", "random"], 6)
    assert again["over"]
    assert again["share_low"] < again["share"] <= again["share_high"]
    listed = roost("matches", "--limit", 6, *asked[:2])
    assert listed.out.count("challenge, not rated)") == 6
    marked = json.loads(roost("matches", "--json", *asked[:2]).out)["matches"]
    assert {match["match_id"] for match in marked if match["challenge"]} == set(again["match_ids"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("greedy", 2, "name your bot, its opponents and --game, as in: roost challenge mine rival --game karteneck"),
        ("greedy random --game kartenek", 2, "Did you mean 'karteneck'?"),
        ("greedy nobody --game karteneck", 1, "nobody is not connected: `roost bots` shows who is; ask when it is"),
        ("random greedy --game karteneck", 2, "you have no bot 'random'"),
        ("--follow challenge-none", 2, "there is no challenge 'challenge-none' on record"),
        ("greedy --follow challenge-none", 2, "--follow is for an earlier challenge; leave the bots out"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    roost: Roost, asked: tuple[str, ...], words: str, code: int, says: str
) -> None:
    found = roost("challenge", *words.split(), *asked)
    assert (found.code, found.out) == (code, "")
    assert says in found.err
    assert found.err.count("\n") == 1


def test_ctrl_c_stops_only_the_waiting(roost: Roost, asked: tuple[str, ...], go: Path) -> None:
    words = ("challenge", "greedy", "held", "--game", "karteneck", "--matches", 2, *asked)
    with roost_process(*words, folder=go.parent) as waiting:
        challenge_id = waiting.err.until("challenge-").partition(":")[0]
        waiting.send(signal.SIGINT)
        assert waiting.end() == 130
    refused = roost("challenge", "greedy", "random", "--game", "karteneck", *asked)
    assert f"your {challenge_id} is still being played; ask again when it is over" in refused.err
    go.touch()
    found = json.loads(roost("challenge", "--follow", challenge_id, "--json", *asked).out)
    assert (found["played"], found["over"]) == (2, True)
