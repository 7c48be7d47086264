"""Talks to a program, line by line, before its moves are examined: what is wrong with the lines is found here.

    program_findings("stdio:./mybot", ("karteneck",), patience=10.0)

Two matches of each game are begun with one process, and then its input ends.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from roost_games.chance import Quick
from roost_games.registry import get_game
from roost_games.replay import VOIDED, Result
from roost_games.wording import counted
from roost_ladder.workshop.findings import Finding, Mark
from roost_ladder.workshop.patient import MOST_LINES
from roost_sdk.bot import OutOfTime
from roost_sdk.load import STDIO
from roost_sdk.processes import UNLIMITED
from roost_sdk.seat import BotSeat, Call, SeatedBot
from roost_sdk.stdio import SECONDS_TO_END, ProgramEnded, StdioBot, stdio_bot

CHECK = "program"
MATCHES = 2
"""Of each game, one after the other: a program plays more than one."""
MOST_ASKED = 5
"""Decisions of each match."""
FLUSH_ADVICE = "does it flush its output after each line? Most languages keep what goes to a pipe until there is more"
END_ADVICE = "end when stdin ends, as a loop over its lines does by itself"


class BrokenTalk(Exception):
    """The program did something that is not in the protocol: the finding about it."""

    def __init__(self, title: str, *details: str) -> None:
        super().__init__(title)
        self.finding = Finding(CHECK, Mark.DEFECT, title, details)


class Heard(NamedTuple):
    """What a program wrote to stderr, and what is said about its lines: the end of it."""

    lines: deque[str]
    """The latest last."""

    def last(self) -> tuple[str, ...]:
        """As details of a finding."""
        return tuple(f"stderr: {line}" for line in self.lines if line.strip())


def program_findings(
    text: str, games: Sequence[str], patience: float, wrap: Callable[[list[str]], list[str]] = list
) -> list[Finding]:
    """What is found about the program that `text` names, `stdio:COMMAND`; `wrap` makes other words that start it."""
    heard = Heard(deque(maxlen=MOST_LINES))
    _, kind = stdio_bot(text.removeprefix(STDIO), UNLIMITED, wrap)
    bot_class: Any = type("TalkedTo", (kind,), {"hear": lambda bot, line: heard.lines.append(line)})
    try:
        answers = asyncio.run(_talk(bot_class, games, patience, heard))
    except BrokenTalk as wrong:
        return [wrong.finding]
    finally:
        stubborn = bot_class.programs.close()
    if stubborn:
        title = f"is still running {SECONDS_TO_END:g} s after its input has ended, and is killed"
        return [Finding(CHECK, Mark.WARNING, title, (END_ADVICE,))]
    title = f"answers with one line each time ({counted(answers, 'answer')}), and ends when its input does"
    return [Finding(CHECK, Mark.FINE, title, heard.last()[-1:])]


async def _talk(bot_class: type[StdioBot], games: Sequence[str], patience: float, heard: Heard) -> int:
    """Have matches begun. Returns how many answers there were. Raises `BrokenTalk`."""
    answers = 0
    for game in games:
        for number in range(MATCHES):
            answers += await _begin(bot_class, game, number, patience, heard)
    return answers


async def _begin(bot_class: type[StdioBot], name: str, number: int, patience: float, heard: Heard) -> int:
    rng = Random(f"{name}:{number}")
    game, seat = get_game(name), number % 2
    state: Any = game.start(2, game.options({}), Quick(rng))
    bot = SeatedBot(bot_class, BotSeat(name, seat, 2, rng))
    bot.start()
    asked = 0
    while state.to_move and asked < MOST_ASKED:
        for mover in state.to_move:
            legal = state.legal(mover)
            if mover == seat:
                await _answer(bot, state, seat, patience, heard)
                asked += 1
            state.apply(mover, rng.choice(legal))
    bot.end(Result((), (), VOIDED))
    return asked


async def _answer(bot: SeatedBot, state: Any, seat: int, patience: float, heard: Heard) -> None:
    """Ask for a decision. Whether the move is legal is examined elsewhere. Raises `BrokenTalk`."""
    heard.lines.clear()
    try:
        asked = bot.wait(Call("decide", (state.observe(seat), state.legal(seat))))
        move, error, _ = await asyncio.wait_for(asked, patience)
    except TimeoutError:
        raise BrokenTalk(f"does not answer within {patience:g} s", FLUSH_ADVICE, *heard.last()) from None
    if isinstance(error, ProgramEnded):
        raise BrokenTalk(str(error), *heard.last()[:-1])
    if isinstance(error, OutOfTime):
        raise BrokenTalk("does not answer in time", FLUSH_ADVICE, *heard.last())
    if error is not None:
        raise error
    if isinstance(move, str):
        # The bridge has said what is wrong with the line.
        raise BrokenTalk(heard.lines.pop(), *heard.last())
