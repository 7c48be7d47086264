"""What `roost --help` lists: every command with its first sentence. A command is imported when it is called.

Importing all commands and reading their options would double the time that `roost --help` takes.
"""

from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

HERE = "On this machine"
ARENA = "At an arena"
COMPETITION = "Accounts and competitions"


class Listed(NamedTuple):
    """A command or a group of commands in the list."""

    name: str
    where: str
    """The module in `roost_cli.commands` and what it is called there."""
    first_sentence: str
    """Of its help. A test compares the two."""


COMMANDS = {
    HERE: (
        Listed(
            "games",
            "games:games",
            "List the games: players, options, and where the numbers on the components come from.",
        ),
        Listed("rules", "games:rules", "Print the rules of a game."),
        Listed("play", "play:play", "Play matches between bots."),
        Listed(
            "ladder",
            "ladder:ladder",
            "Let bots play against each other, and show the ratings with their 95 % intervals.",
        ),
        Listed(
            "compare",
            "compare:compare",
            "Find out whether a bot is stronger than its old version, with as few matches as possible.",
        ),
        Listed(
            "new",
            "workshop:new",
            "Make a folder with a working bot, a test that plays it, and a README with the next steps.",
        ),
        Listed(
            "try",
            "workshop:try_",
            "Examine a bot: does it load, answer legally and in time, keep nothing between matches, and beat the "
            "samples?",
        ),
        Listed(
            "contract",
            "workshop:contract",
            "Write the .proto files of the protocol into a folder: all that a bot in another language needs of Roost.",
        ),
        Listed(
            "lessons",
            "lessons:lessons",
            "Find out which kinds of decisions cost a bot most in the matches that it lost.",
        ),
        Listed(
            "verify",
            "verify:verify",
            "Replay recorded matches by the rules and report every record that deviates from them.",
        ),
        Listed(
            "showcase",
            "serve:showcase",
            "Run an arena on this machine, with the sample bots playing all games, and show it: here and in the "
            "browser.",
        ),
    ),
    ARENA: (
        Listed("serve", "serve:serve", "Run an arena: bots connect and play each other, and everything is recorded."),
        Listed(
            "web",
            "web:web",
            "Show an arena in the browser: standings, bots, matches, replays. Without an arena, its records.",
        ),
        Listed("submit", "submit:submit", "Play a bot at an arena until Ctrl-C."),
        Listed("standings", "records:standings", "Show the ratings with their 95 % intervals."),
        Listed("matches", "records:matches", "List matches, newest first."),
        Listed(
            "suspicions",
            "records:suspicions",
            "Report reasons to look closer: collusion, voids, remembered deals, changed thinking times, shared code.",
        ),
        Listed(
            "export",
            "competition:export",
            "Write everything about a competition into a folder: rules, deals, matches, standings, hashes of all "
            "files.",
        ),
        Listed(
            "replay",
            "replay:replay",
            "Show a recorded match: who played, how it ended, and what went wrong; or what your bot would have done.",
        ),
        Listed("watch", "replay:watch", "Watch a running match as a spectator, who sees everything but the hands."),
        Listed(
            "challenge",
            "challenge:challenge",
            "Play unrated matches against named bots, and wait for the result. Ctrl-C stops only the waiting.",
        ),
        Listed("bots", "records:bots_app", "List the bots of an arena, one line per version."),
    ),
    COMPETITION: (
        Listed(
            "register",
            "account:register",
            "Become an owner of bots at an arena, and get a key. It is shown once, alone on standard output.",
        ),
        Listed("account", "account:account_app", "Your bots, keys and entries at an arena."),
        Listed("competition", "competition:competition_app", "Write, check, list and show competitions."),
        Listed("admin", "admin_rulings:admin_app", "Run an arena: owners, bots, keys, phases, backups."),
    ),
}
"""By heading."""


class CommandOnCall(TyperCommand):
    """Stands for a command until it is called."""

    def __init__(self, listed: Listed, heading: str) -> None:
        super().__init__(listed.name, help=listed.first_sentence, rich_help_panel=heading)
        self._where = listed.where

    @cached_property
    def command(self) -> Any:
        """The command itself."""
        module, _, name = self._where.partition(":")
        what = getattr(import_module(f"roost_cli.commands.{module}"), name)
        # Typer builds commands only in groups.
        alone = typer.Typer(add_completion=False, callback=lambda: None)
        if isinstance(what, typer.Typer):
            alone.add_typer(what, name=self.name)
        else:
            alone.command(self.name)(what)
        group: Any = typer.main.get_command(alone)
        return group.commands[self.name]

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Begin a call of the command."""
        return self.command.make_context(*given, **named)


class ListedGroup(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for heading, commands in COMMANDS.items():
            for listed in commands:
                self.add_command(CommandOnCall(listed, heading))
