"""docs/architecture.md names what exists: every function, every file, every package and room."""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path

import pytest

from roost_games.registry import GAME_NAMES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
FUNCTIONS = sorted(set(re.findall(r"`(roost_\w+(?:\.\w+)*:[\w.]+)`", PAGE)))
FOLDERS = {
    "roost_games": "games",
    "roost_sdk": "client_sdk",
    "roost_ladder": "ladder",
    "roost_bots": "sample_bots",
    "roost_server": "server",
    "roost_web": "web",
    "roost_viewer": "viewer",
    "roost_cli": "cli",
}
MOST_MODULES = 16
MOST_FOR_ARENA = 12
OF_ONE_GAME = re.compile(rf"roost_(games|bots\.starters)\.({'|'.join(GAME_NAMES)})\b")
"""The modules of one game. Each game has a class called `View`, and so on."""
ROOTS = "|".join([*FOLDERS.values(), "proto", "docs"])
FILES = sorted(set(re.findall(rf"`((?:{ROOTS})/[\w./-]*)`", PAGE)))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_exists(function: str) -> None:
    module, _, name = function.partition(":")
    thing: object = import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)


@pytest.mark.parametrize("file", FILES)
def test_every_file_exists(file: str) -> None:
    assert (ROOT / file).exists()


@pytest.mark.parametrize("package", [name for name in FOLDERS if f"**`{name}`**\n" in PAGE])
def test_the_rooms_of_a_package_are_those_on_disk(package: str) -> None:
    folder = ROOT / FOLDERS[package] / package
    table = PAGE.split(f"**`{package}`**\n")[1].strip().split("\n\n")[0]
    listed = re.findall(r"`(\w+/|\w+\.py)`", "\n".join(row.split("|")[1] for row in table.splitlines()))
    assert [name for name in listed if not (folder / name).exists()] == []
    rooms = {f"{found.parent.name}/" for found in folder.glob("*/__init__.py")}
    assert rooms <= set(listed)
    heights = [height for name in listed if (height := height_of(package, re.sub(r"/$|\.py$", "", name))) is not None]
    assert heights == sorted(heights), "a room may import only those above it in the table"


def height_of(package: str, room: str) -> int | None:
    """How many layers of the contract are below a room; `None` if the contract does not name it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == [package]]
    return next((height for height, layer in enumerate(reversed(layers)) if room in re.split(r"[ |:]+", layer)), None)


def test_the_three_paths_have_a_line_for_every_stop() -> None:
    for path in ("A decision", "A finished match", "A question"):
        (section,) = re.findall(rf"^## {path}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
        assert "```mermaid" in section
        assert len(re.findall(r"^\| `roost_\w+\.[\w.]+:[\w.]+` \| .+ \|$", section, re.MULTILINE)) >= 8


def test_ten_questions_are_answered_with_files() -> None:
    section = PAGE.split("## Where would I …?\n")[1]
    rows = re.findall(r"^\| (Where .*\?) \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) >= 10
    for question, answer in rows:
        assert any(f"`{file}`" in answer for file in FILES), question


def modules() -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    found = {}
    for package, folder in FOLDERS.items():
        for file in (ROOT / folder / package).rglob("*.py"):
            found[".".join(file.relative_to(ROOT / folder).with_suffix("").parts)] = file
    return found


def test_a_public_class_name_is_used_once() -> None:
    users: defaultdict[str, list[str]] = defaultdict(list)
    for module, file in modules().items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                users[node.name].append(module)
    shared = {name: where for name, where in users.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if not all(map(OF_ONE_GAME.match, where))} == {}


def test_no_room_is_too_large() -> None:
    sizes = Counter(file.parent for file in modules().values() if file.name != "__init__.py")
    assert {room for room, size in sizes.items() if size > MOST_MODULES} <= {ROOT / "cli/roost_cli/commands"}


def test_the_arena_delegates() -> None:
    """`Arena` knows its parts, and not what these are made of."""
    tree = ast.parse(modules()["roost_server.play.arena"].read_text(encoding="utf-8"))
    ours = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "roost" in str(node.module)}
    assert len(ours) <= MOST_FOR_ARENA
