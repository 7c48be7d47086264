"""The documentation is true: its commands run and print what it says, its Python runs, its links lead somewhere.

Each page is played from top to bottom in a folder of its own, so that a later block can use what an earlier one made.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest

from roost_games.replay import Replay
from tests.support.commands.pages import ROOT, Block, Command, blocks, commands, matches, run

DOCS = sorted((ROOT / "docs").rglob("*.md"))
FOLLOWED_ELSEWHERE = {
    "games.md": "cli/test_workshop_docs.py",
    "bots/start.md": "cli/test_workshop_docs.py",
    "bots/other-languages.md": "cli/test_workshop_docs.py",
    "bots/tutorial.md": "sample_bots/test_tutorial.py",
    "bots/write.md": "client_sdk/test_client_docs.py",
    "bots/training.md": "client_sdk/test_pettingzoo_docs.py",
    "hosting/arena.md": "cli/test_arena_docs.py",
    "hosting/competition.md": "cli/test_hosting_docs.py",
    "hosting/operations.md": "cli/test_hosting_docs.py",
    "hosting/page.md": "cli/test_web_command.py",
    "formats/protocol.md": "sample_bots/test_protocol_page.py",
    "formats/database.md": "server/test_store_docs.py",
    "why/suspicions.md": "cli/test_suspicions_command.py",
    "why/ratings.md": "ladder/test_ratings_page.py",
}
"""Pages that need more than an empty folder, and the test that follows each."""


def name_of(page: Path) -> str:
    """The page as its path below `docs`, or below the repository."""
    return page.relative_to(ROOT).as_posix().removeprefix("docs/")


PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in DOCS if name_of(page) not in FOLLOWED_ELSEWHERE),
]
"""The pages that are followed here."""
NOT_RUN = {
    "make": "it would set up an environment, or run these tests inside themselves",
    "python -m pip": "it would change the environment that runs the tests",
    "roost submit": "it needs an arena; test_workshop_docs.py has one",
}
"""Commands that are shown but not run, by how they begin, and why."""
DRAWN = ("mermaid",)
"""Blocks that are pictures."""
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


def play_command(command: Command, folder: Path) -> None:
    if command.line.startswith(tuple(NOT_RUN)):
        return
    printed = run(command.line, folder).splitlines()
    if command.expected:
        assert matches(printed, command.expected), "\n".join((command.line, *printed))


def play_python(block: Block, folder: Path) -> None:
    named = re.match(r"# (\w+\.py)\n", block.text)
    is_session = block.text.startswith(">>> ")
    file = folder / (named[1] if named else "block.txt" if is_session else "block.py")
    file.write_text(block.text, encoding="utf-8")
    run(f"python -m doctest {file.name}" if is_session else f"python {file.name}", folder)


def check_viewer_files(block: Block) -> None:
    files = re.findall(r'src="/viewer/([^"]+)"', block.text)
    assert files
    assert all((ROOT / "viewer/roost_viewer" / file).is_file() for file in files)


@pytest.mark.parametrize(("page", "test"), FOLLOWED_ELSEWHERE.items())
def test_every_other_page_has_a_test_that_names_it(page: str, test: str) -> None:
    assert (ROOT / "docs" / page).exists()
    assert page in (ROOT / "tests" / test).read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_true_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.language in ("console", "bash"):
            for command in commands(block):
                play_command(command, tmp_path)
        elif block.language == "python":
            play_python(block, tmp_path)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "html":
            check_viewer_files(block)
        else:
            assert block.language in DRAWN, f"nobody checks a block marked {block.language!r}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\S+)", "\n".join(block.text for block in blocks(page)), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target}"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS, ROOT / "CHANGELOG.md"], ids=name_of
)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file), f"{target}#{anchor}"


def headings(file: Path) -> set[str]:
    """The anchors of a page, made as usual: lower case, no punctuation, dashes for spaces."""
    found = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_the_first_bot_is_short() -> None:
    (bot,) = [block for block in blocks(ROOT / "README.md") if block.language == "python"]
    assert len(bot.text.splitlines()) < 20


def test_the_documented_example_of_a_replay_names_every_key() -> None:
    """What the code writes is what the page describes, and the other way round."""
    page = ROOT / "docs/formats/replays.md"
    described = set(re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    (example,) = [json.loads(block.text) for block in blocks(page) if block.language == "json"]
    written = set(example) | set(example["result"]) | set(example["result"]["faults"][0])
    written |= set(example["result"]["forfeited"][0])
    written |= {key for step in example["steps"] for key in step}
    assert written | {"reason", "asked"} == described, "both only of a voided match"
    assert set(example["seats"][0]) == {"bot", "version", "owner"}
    assert example["commitment"] == hashlib.sha256(bytes.fromhex(example["seed"])).hexdigest()
    assert Replay.from_json(example).to_json() == example


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs/why/decisions"
    listed = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert [target for target, _ in listed] == sorted(file.name for file in folder.glob("0*.md"))
