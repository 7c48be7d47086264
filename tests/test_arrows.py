"""The arrows between the packages: who may import whom. Everything points towards the games, nothing at the command."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "roost_games": "games",
    "roost_sdk": "client_sdk",
    "roost_ladder": "ladder",
    "roost_bots": "sample_bots",
    "roost_server": "server",
    "roost_cli": "cli",
    "roost": "proto",
}
ALLOWED: dict[str, set[str]] = {
    "roost": set(),
    "roost_games": set(),
    "roost_sdk": {"roost_games", "roost"},
    "roost_ladder": {"roost_games", "roost_sdk"},
    "roost_bots": {"roost_games", "roost_sdk"},
    "roost_server": {"roost_games", "roost_sdk", "roost_ladder", "roost_bots", "roost"},
    "roost_cli": {"roost_games", "roost_sdk", "roost_ladder", "roost_bots", "roost_server", "roost"},
}


def imported(source: str) -> Iterator[str]:
    """The top-level packages that a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def wrong_arrows(package: str, source: str) -> set[str]:
    return (set(imported(source)) & set(FOLDERS)) - ALLOWED[package] - {package}


@pytest.mark.parametrize("package", FOLDERS)
def test_arrows(package: str) -> None:
    for file in (ROOT / FOLDERS[package] / package).rglob("*.py"):
        wrong = wrong_arrows(package, file.read_text(encoding="utf-8"))
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}"


def test_every_package_has_its_arrows() -> None:
    """A new folder with a package of ours must be entered above."""
    packages = {path.parent.name for path in ROOT.glob("*/roost*/__init__.py")}
    assert packages <= set(FOLDERS)
    assert {"roost_games", "roost_sdk", "roost_bots", "roost_cli"} <= packages


def test_nothing_imports_the_command() -> None:
    assert not any("roost_cli" in allowed for allowed in ALLOWED.values())


def test_a_wrong_arrow_is_seen() -> None:
    assert wrong_arrows("roost_games", "def lazy():\n    from roost_sdk.bot import Bot") == {"roost_sdk"}
    assert wrong_arrows("roost_sdk", "import json, roost_server.web as web") == {"roost_server"}
    assert wrong_arrows("roost_sdk", "from roost.v1 import arena_pb2\nfrom . import bot") == set()
