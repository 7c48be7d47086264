"""Programs that a test writes into a folder and plays through the bridge. Each does one thing, mostly a wrong one."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from roost_sdk import LoadedBot, load_bot

Write = Callable[[str, str], LoadedBot]
HEAD = """
import json, os, sys, time
def asked():
    for line in sys.stdin:
        yield json.loads(line)
def say(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
def log(text):
    sys.stderr.write(text + "\\n"); sys.stderr.flush()
"""
LOOP = """
for line in asked():
    if line["type"] == "decide":
"""


def program(folder: Path, name: str, answer: str) -> LoadedBot:
    """The bot whose program does what `answer` says, given `line`, for each decision."""
    body = "".join(f"        {each}\n" for each in answer.strip().splitlines())
    return whole_program(folder, name, LOOP + body)


def whole_program(folder: Path, name: str, text: str) -> LoadedBot:
    """The bot with this program."""
    file = folder / f"{name}.py"
    file.write_text(HEAD + text, encoding="utf-8")
    return load_bot(f"stdio:{shlex.quote(sys.executable)} {shlex.quote(str(file))}", {})
