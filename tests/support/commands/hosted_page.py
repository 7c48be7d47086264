"""Somebody who follows a page about competitions from top to bottom, at an arena of a test instead of the usual one."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from roost_cli.main import run
from tests.support.commands.roost import Process, roost_process

USUAL = "127.0.0.1:50051"
WITHOUT_ARENA = (
    ["competition", "init"],
    ["competition", "check"],
    ["admin", "restore"],
    ["admin", "cert"],
    ["verify", "result"],
)


class Shown(NamedTuple):
    """A command on the page and the lines below it."""

    words: list[str]
    expected: list[str]


def shown(page: str) -> Iterator[Shown]:
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *rest = piece.splitlines()
            yield Shown(first.split()[1:], rest)


class Reader:
    """Commands go to `address` once there is an arena."""

    def __init__(self, folder: Path, stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
        self.address = USUAL
        self.token = ""
        """The invitation that was made last."""
        self.prefix = ""
        self._folder = folder
        self._stack = stack
        self._capsys = capsys
        self._processes: list[Process] = []

    def follow(self, command: Shown) -> None:
        name = command.words[0]
        if name == "serve":
            self.serve(*command.words[1:])
        elif name == "submit":
            self._start(*command.words, "--server", self.address).out.until(", version ")
        else:
            if command.words[:2] == ["admin", "restore"]:
                self.stop()
            printed = self.run(*command.words)
            if command.expected != ["..."]:
                assert [line.replace(self.address, USUAL) for line in printed] == command.expected

    def serve(self, *arguments: str) -> None:
        process = self._start("serve", *arguments, "--listen", "127.0.0.1:0")
        self.address = process.out.until("listening at ").removeprefix("listening at ").partition(",")[0]

    def _start(self, *arguments: object) -> Process:
        process = self._stack.enter_context(roost_process(*arguments, folder=self._folder))
        self._processes.append(process)
        return process

    def run(self, *words: str) -> list[str]:
        """What a command prints, remarks after results."""
        known = {"TOKEN": self.token, "PREFIX": self.prefix}
        given = [known.get(word, word) for word in words]
        elsewhere = "--db" in given or given[:2] in WITHOUT_ARENA
        self._capsys.readouterr()
        code = run(given if elsewhere else [*given, "--server", self.address])
        printed = self._capsys.readouterr()
        assert code == 0, (given, printed)
        lines = [*printed.out.splitlines(), *printed.err.splitlines()]
        if given[:2] == ["admin", "invite"] and "--csv" not in given:
            self.token = lines[0]
        return lines

    def stop(self) -> None:
        """Everything that was started comes to an orderly end, the arena last."""
        for process in reversed(self._processes):
            process.press_until_end(signal.SIGINT)
        self._processes.clear()
