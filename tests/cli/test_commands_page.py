"""docs/commands.md is what the command says about itself."""

import pytest

from tests.cli.commands_page import PAGE, commands, options, page

COMMANDS = dict(commands())
LISTS = [path for path in COMMANDS if path.split()[-1] in ("list", "games", "bots", "matches", "standings")]
LISTS += [
    "roost admin invitation list",
    "roost admin log",
    "roost account",
    "roost competition show",
    "roost suspicions",
]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make commands writes it"


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_is_on_the_page(path: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition(f"\n## {path}\n")[2].partition("\n## ")[0]
    assert section
    for option in options(COMMANDS[path]):
        assert f"| `{option.opts[0]}" in section


@pytest.mark.parametrize("path", COMMANDS)
def test_everything_is_explained(path: str) -> None:
    command = COMMANDS[path]
    assert command.help.strip().endswith((".", "?", "FOLDER"))
    for parameter in command.params:
        if "--help" not in parameter.opts:
            assert parameter.help, f"{path} {parameter.opts[0]}"
            assert parameter.help.endswith("."), f"{path} {parameter.opts[0]}: {parameter.help}"


@pytest.mark.parametrize("path", LISTS)
def test_every_list_is_there_for_programs_too(path: str) -> None:
    assert any("--json" in option.opts for option in options(COMMANDS[path]))
