"""The list of commands that `roost --help` shows without importing them."""

import subprocess
import sys
from typing import Any

import pytest
import typer

from roost_cli.listing import CommandOnCall, ListedGroup
from roost_cli.main import app

GROUP: Any = typer.main.get_command(app)


@pytest.mark.parametrize("on_call", GROUP.commands.values(), ids=GROUP.commands)
def test_lists_what_the_help_of_the_command_begins_with(on_call: CommandOnCall) -> None:
    (first, *_) = on_call.command.help.strip().split("\n\n")
    assert on_call.help == " ".join(first.split())
    assert on_call.command.name == on_call.name


def test_lists_all_commands_by_themselves() -> None:
    assert isinstance(GROUP, ListedGroup)
    assert all(isinstance(command, CommandOnCall) for command in GROUP.commands.values())


@pytest.mark.parametrize(
    ("call", "imported"),
    [
        ("--help", []),
        ("play --help", ["roost_cli.commands", "roost_cli.commands.play"]),
        ("admin key --help", [f"roost_cli.commands{each}" for each in ("", ".admin", ".admin_rulings")]),
    ],
)
def test_imports_only_the_command_that_is_called(call: str, imported: list[str]) -> None:
    code = (
        f"import sys; from roost_cli.main import run; run({call.split()!r}); "
        "print(sorted(each for each in sys.modules if each.startswith('roost_cli.commands')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(imported)
