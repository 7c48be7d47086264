"""`roost replay --bot`: another bot is asked about a recorded match. `--step`: a person goes through it, key by key."""

import base64
import gzip
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from roost_bots import SAMPLES
from roost_cli.terminal.replays.replay import draw_match, step_through
from roost_games.chance import seed_of
from roost_games.game import Variant
from roost_games.narration import sentence
from roost_games.narrator import Frame, TextLine
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Replay
from roost_ladder.workshop.guests import TrustedBot, bot_to_ask
from roost_ladder.workshop.second_opinion import second_opinion
from roost_sdk import Bot, LoadedBot, LocalMatch
from tests.support.commands.roost import PATIENCE, Roost
from tests.support.records.matches import recorded
from tests.support.shown_matches import replay_of

RANDOM = LoadedBot("random", SAMPLES["random"])


def asked(name: str, bot_class: type[Bot]) -> TrustedBot:
    return TrustedBot(LoadedBot(name, bot_class))


class Recorder(Bot):
    """Notes everything that it is told, and answers with the last legal move."""

    heard: list[Any]

    def start(self) -> None:
        self.heard.clear()
        self.heard.append("start")

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.heard.append(("choose", view, tuple(legal)))
        return legal[-1]

    def seen(self, seat: int, move: Any) -> None:
        self.heard.append(("seen", seat, move))

    def end(self, result: Any) -> None:
        self.heard.append(("end", result.places))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_bot_agrees_with_itself(game: str) -> None:
    """Its randomness comes from the seed of the match, so even a random bot does."""
    replay = recorded(game, [RANDOM, LoadedBot("greedy", SAMPLES["greedy"]), RANDOM])
    for seat, bot in enumerate(("random", "greedy", "random")):
        opinions = second_opinion(replay, asked(bot, SAMPLES[bot]), seat)
        own = [step for step in replay.steps if isinstance(step, Decision) and step.seat == seat]
        assert len(opinions.all) == len(own) > 0
        assert opinions.different == []


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_bot_is_told_what_a_player_is_told(game: str) -> None:
    """The same views, legal moves, moves of all seats, and end, in the same order."""

    class Live(Recorder):
        heard: list[Any] = []  # noqa: RUF012  the test reads it

    class Asked(Recorder):
        heard: list[Any] = []  # noqa: RUF012

    replay = recorded(game, [RANDOM, LoadedBot("live", Live), RANDOM])
    assert second_opinion(replay, asked("asked", Asked), 1).different == []
    assert Asked.heard == Live.heard


def test_a_difference_by_hand(tmp_path: Path, roost: Roost) -> None:
    """A match of two bots that always take the first legal move, and one that passes where it can: always differs."""
    (tmp_path / "first.py").write_text(
        "from roost_sdk import Bot\nclass First(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
    )
    (tmp_path / "last.py").write_text(
        "from roost_sdk import Bot\nclass Last(Bot):\n    def choose(self, view, legal):\n"
        "        import os\n        print('thinking in', os.getpid())\n        return legal[-1]\n"
    )
    record = tmp_path / "r.jsonl"
    assert roost("play", "karteneck", tmp_path / "first.py", "random", "--replay", record, "--seed", "x").code == 0
    ran = roost("replay", record, "--bot", tmp_path / "last.py", "--seat", 0, "--json")
    assert "thinking in" in ran.err
    assert f"in {os.getpid()}" not in ran.err
    said = json.loads(ran.out)
    assert "thinking" in ran.err
    replay = Replay.from_line(record.read_text())
    for difference in said["differences"]:
        step = replay.steps[difference["step"]]
        assert isinstance(step, Decision)
        assert (step.seat, step.move) == (0, difference["recorded"])
        assert difference["recorded"] == {"pass": True, "steal": False}
        assert difference["move"] != difference["recorded"]
        assert difference["view"]["seat"] == 0
        assert difference["legal_count"] > 1
    forced = [step for step in replay.steps if isinstance(step, Decision) and step.seat == 0]
    assert said["decisions"] == len(forced) >= len(said["differences"]) > 0
    assert (said["bot"], said["recorded_bot"]) == ("last", "first")
    for_people = roost("replay", record, "--bot", tmp_path / "last.py", "--seat", 0)
    assert for_people.out.count("last would: lay ") == len(said["differences"])
    assert "its hand: " in for_people.out
    assert f"{len(said['differences'])} different" in for_people.out


def test_the_order_of_cards_is_no_difference() -> None:
    class Reversed(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            move = legal[-1]
            return move._replace(cards=move.cards[::-1]) if hasattr(move, "cards") else move

    class Last(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            return legal[-1]

    replay = recorded("karteneck", [LoadedBot("last", Last), RANDOM])
    assert second_opinion(replay, asked("reversed", Reversed), 0).different == []


class Crashing(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        raise KeyError("no plan")


class Nonsense(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return "nonsense"


class Cheating(Bot):
    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]._replace(steal=True)


class NotStarting(Bot):
    def start(self) -> None:
        raise KeyError("no board")

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]


@pytest.mark.parametrize(
    ("bot", "trouble"),
    [
        (Crashing, "crash: KeyError: 'no plan'"),
        (Nonsense, "what is no move: nonsense"),
        (Cheating, "an illegal move: Pass(steal=True)"),
        (NotStarting, "crash: KeyError: 'no board'"),
    ],
)
def test_a_bot_without_an_answer_is_a_difference_with_a_reason(bot: type[Bot], trouble: str) -> None:
    opinions = second_opinion(recorded("karteneck", [RANDOM, RANDOM]), asked("bad", bot), 0)
    troubles = {opinion.trouble for opinion in opinions.different}
    assert trouble in troubles


REFUSED = {
    "a seat too far": (["--bot", "random", "--seat", "7"], "its seats are 0 to 1"),
    "a bot without a seat": (["--bot", "random"], "give both"),
    "a seat without a bot": (["--seat", "1"], "give both"),
    "both for people": (["--show", "--step"], "choose one"),
    "drawn and written": (["--show", "--html", "x.html"], "choose one"),
    "a page nowhere": (["--html", "nowhere/x.html"], "cannot write nowhere/x.html: No such file"),
    "steps without a terminal": (["--step"], "--step needs a terminal"),
    "no such bot": (["--bot", "randm", "--seat", "0"], "Did you mean 'random'?"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked(case: str, tmp_path: Path, roost: Roost) -> None:
    (tmp_path / "r.jsonl").write_text(recorded("karteneck", [RANDOM, RANDOM]).to_line())
    options, told = REFUSED[case]
    ran = roost("replay", tmp_path / "r.jsonl", *options)
    assert ran.code == 2
    assert told in ran.err


def test_a_page_has_the_same_deal_under_rotated_seats_from_a_file(tmp_path: Path, roost: Roost) -> None:
    deal, rotated = replay_of("karteneck"), replace(replay_of("karteneck", rotated=True), match="rotated")
    others = [replace(deal, match="other", seed=None, commitment="ab" * 32), replay_of("faulty")]
    for name, replays in {"both": [deal, *others, rotated], "alone": [deal, *others, deal]}.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(each.to_line() for each in replays))
        ran = roost("replay", tmp_path / f"{name}.jsonl", "--html", tmp_path / f"{name}.html")
        assert (ran.code, ran.err, "beside one of the same deal" in ran.out) == (0, "", name == "both")
    assert 'data-documents="besideDocuments"' in (tmp_path / "both.html").read_text(encoding="utf-8")
    assert 'data-documents="besideDocuments"' not in (tmp_path / "alone.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_pages_have_the_same_deal_under_rotated_seats_from_a_database(tmp_path: Path, roost: Roost) -> None:
    database, site = tmp_path / "roost.db", tmp_path / "site"
    ladder = (
        "ladder",
        "random",
        "greedy",
        "--games",
        "bratwurmeck",
        "--players",
        2,
        "--blocks",
        1,
        "--deals",
        "duplicate",
    )
    assert roost(*ladder, "--db", database).code == 0
    (one, _) = [each["match_id"] for each in json.loads(roost("matches", "--db", database, "--json").out)["matches"]]
    ran = roost("replay", one, "--db", database, "--html", tmp_path / "r.html")
    assert (ran.code, ran.err, "beside one of the same deal" in ran.out) == (0, "", True)
    assert roost("web", "--db", database, "--static", site).code == 0
    pages = [each.read_text(encoding="utf-8") for each in (site / "matches").glob("*.html")]
    matches = [page for page in pages if 'data-documents="documents"' in page]
    assert ['data-documents="besideDocuments"' in page for page in matches] == [True, True]


def test_a_page_has_what_the_bot_says(tmp_path: Path, roost: Roost) -> None:
    (tmp_path / "r.jsonl").write_text(recorded("karteneck", [RANDOM, RANDOM]).to_line())
    asked = ("replay", tmp_path / "r.jsonl", "--bot", "careful", "--seat", 0, "--weigh", 2)
    differences = json.loads(roost(*asked, "--json").out)["differences"]
    ran = roost(*asked, "--html", tmp_path / "r.html")
    assert ran.code == 0
    assert ran.out == f"{tmp_path / 'r.html'} shows the match in any browser, without a network\n"
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    packed = page.partition('id="documents">')[2].partition("</script>")[0]
    documents = json.loads(gzip.decompress(base64.b64decode(packed)))
    told = sum("Here careful would: " in frame["text"] for frame in documents["open"]["frames"])
    assert told == len(differences) > 0
    swings = [frame["swing"] for frame in documents["open"]["frames"]]
    assert max(swings) == pytest.approx(max(0.0, differences[0]["gain"]["mean"]))
    assert "careful" not in "".join(frame["text"] for frame in documents["spectator"]["frames"])


def test_with_the_match_drawn_each_opinion_stands_beside_its_move(tmp_path: Path, roost: Roost) -> None:
    replay = recorded("haecmaec", [RANDOM, RANDOM, RANDOM], slap=True)
    (tmp_path / "r.jsonl").write_text(replay.to_line())
    ran = roost("replay", tmp_path / "r.jsonl", "--bot", "careful", "--seat", 1, "--show")
    own = sum(isinstance(step, Decision) and step.seat == 1 for step in replay.steps)
    drawn = ran.out.split("\nstep ")[0]
    assert drawn.count("careful agrees") + drawn.count("careful would: ") == own


def stepped(keys: Sequence[str]) -> list[str]:
    """The first lines shown while these keys are pressed."""
    frames = [Frame([TextLine(sentence(f"frame {number}"))]) for number in range(1, 5)]
    out = io.StringIO()
    pressed = iter(keys)
    step_through(Console(file=out, force_terminal=True, width=60), frames, lambda: next(pressed))
    return [line.split("frame ")[1][0] for line in out.getvalue().splitlines() if "frame " in line]


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("q", "1"),
        ("nnq", "123"),
        ("\r\rpq", "1232"),
        ("ppnq", "1112"),
        ("nnnnnq", "123444"),
        ("GgGq", "1414"),
        ("xyq", "111"),
        (["nn", "\x1b[C", "\x1b[D\x1b[D", "\x1b"], "1342"),
        (["n", ""], "12"),
    ],
)
def test_keys(keys: Sequence[str], shown: str) -> None:
    assert "".join(stepped(keys)) == shown


TABLES = [(game, variant, players) for game in GAME_NAMES for variant, players in get_game(game).tables()]


@pytest.mark.parametrize(("game", "variant", "players"), TABLES)
def test_any_match_is_stepped_to_its_end_and_back(game: str, variant: Variant, players: int) -> None:
    options = get_game(game).options(variant.options)
    match = LocalMatch(get_game(game), [RANDOM] * players, seed_of("steps"), options=options)
    match.play()
    frames: list[Frame] = []
    draw_match(match.referee.replay(), frames.append, whole=True)
    out = io.StringIO()
    pressed = iter(["n" * len(frames), "p" * len(frames), "G", "q"])
    step_through(Console(file=out, force_terminal=True, color_system=None, width=200), frames, lambda: next(pressed))
    count = len(frames)
    assert re.findall(rf"(\d+) of {count}  n or", out.getvalue()) == ["1", str(count), "1", str(count)]


def test_stepping_in_a_real_terminal(tmp_path: Path) -> None:
    """Keys over a pseudo-terminal: on, on, quit. The screen that was there before comes back."""
    (tmp_path / "r.jsonl").write_text(recorded("karteneck", [RANDOM, RANDOM]).to_line())
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "roost_cli", "replay", "r.jsonl", "--step", "--bot", "careful", "--seat", "0"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
    )
    seen = b""
    try:
        for awaited, key in ((b"1 of", b"n"), (b"2 of", b"\r"), (b"3 of", b"q"), (b"\x1b[?1049l", b"")):
            while awaited not in seen:
                assert select.select([ours], [], [], PATIENCE)[0], seen
                seen += os.read(ours, 4096)
            os.write(ours, key)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def test_a_bot_that_is_asked_is_imported_once(tmp_path: Path) -> None:
    imported, file = tmp_path / "imported", tmp_path / "mine.py"
    file.write_text(
        f"open({str(imported)!r}, 'a').write('.')\n"
        "from roost_sdk import Bot\n"
        "class Mine(Bot):\n"
        "    def choose(self, view, legal):\n"
        "        return legal[0]\n"
    )
    with bot_to_ask(str(file), {}) as bot:
        assert len(second_opinion(recorded("karteneck", [RANDOM, RANDOM]), bot, 0).all) > 1
    assert imported.read_text() == "."
