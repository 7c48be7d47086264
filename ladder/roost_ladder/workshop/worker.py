"""The part of the doctor that calls the bot: a process of its own, which the bot may hang or crash.

It takes a `DoctorTask` as JSON and writes a line of JSON for each thing that it begins (`{"at": ...}`) or finds. A
decision that takes too long ends the process, and stderr then says where it hung.
"""

import faulthandler
import json
import os
import random
import signal
import sys
import time
from asyncio import Runner
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from random import Random
from types import FrameType
from typing import Any, NamedTuple, NoReturn, TextIO

from roost_games.chance import seed_of
from roost_games.errors import MalformedMove, MoveError, UsageError
from roost_games.game import JsonValue
from roost_games.referee import STANDARD_CLOCK, Played, try_out
from roost_games.registry import GAME_NAMES
from roost_games.replay import VOIDED, Decision, Replay, Result
from roost_games.wording import as_text
from roost_ladder.workshop.tables import MatchKind, SteeredMatch, duel_games, situations_at, steered_matches, tables_of
from roost_sdk import LoadedBot, LocalMatch, Trouble, load_bot
from roost_sdk.seat import BotSeat, SeatedBot, blocking
from roost_sdk.tracebacks import authors_lines, headline

MOST_FAULTS = 20
"""A faulty bot plays on for longer than usual, so that more of what is wrong with it shows."""
MOST_TROUBLES = 3
"""How many different troubles of a table are reported."""


class Opponents(NamedTuple):
    """The bots that an examined bot plays against. Callers hand them in, usually the samples."""

    known: Mapping[str, str]
    """By name, each as `module:Class` (see `spelled_out`). The bot to examine may be one of them, too."""
    at_tables: tuple[str, ...]
    """Those that fill the tables, in turn."""
    in_duels: tuple[str, ...]
    """Those that the bot is measured against, weakest first."""


class DoctorTask(NamedTuple):
    """What a worker is to do."""

    what: str
    """`load`, `tables`, `rare`, `repeat` or `samples`."""
    bot: str
    games: list[str]
    """Those to be examined; all that the bot plays if there are none."""
    seed: str
    matches: int
    """How many of each kind."""
    patience: float
    """After this many seconds without an answer the bot is taken to hang."""
    seconds: float
    """The worker stops after this many seconds, even in the middle of a match, and reports what it has seen."""
    opponents: Opponents
    skip: int = 0
    """How many parts have been done before."""
    warm: bool = False
    """For `repeat`: whether other matches come first."""
    salt: int = 1
    """For `repeat`: seeds the randomness that a bot should not use."""


class TimeIsUp(BaseException):
    """Ends a match, whatever the bot is doing. Not an `Exception`, so that it is not taken for an error of the bot."""


class ExaminedMatch(NamedTuple):
    """A match of the examined bot, perhaps stopped before its end."""

    replay: Replay
    troubles: list[tuple[str, str]]
    unanswered: float
    """For how many milliseconds the bot had been thinking when the match was stopped."""

    @property
    def stopped(self) -> bool:
        """Whether the time was up before the match had ended."""
        return self.replay.result.termination == VOIDED


class Worker:
    """Does a task. What it finds goes to `out`."""

    def __init__(self, task: DoctorTask, out: TextIO) -> None:
        self.task = task
        self._out = out
        self._began = time.monotonic()
        self._hurry()
        signal.signal(signal.SIGALRM, _stop)
        self._known = {name: load_bot(text, {}).bot_class for name, text in task.opponents.known.items()}
        self.bot = load_bot(task.bot, self._known)
        asked = [game for game in GAME_NAMES if not task.games or game in task.games]
        self.tables = [table for table in tables_of(asked) if self.bot.bot_class.plays(table.game, table.players)]

    def say(self, **found: JsonValue) -> None:
        """Write a line."""
        self._out.write(json.dumps(found) + "\n")
        self._out.flush()

    def _time_for(self, share: float = 1.0) -> bool:
        """Whether less than this share of the time has passed."""
        return time.monotonic() - self._began < share * self.task.seconds

    def _hurry(self) -> None:
        """From now on the bot has its full time again. Not a signal: this works whatever the bot is doing."""
        self._asked = time.monotonic()
        faulthandler.dump_traceback_later(self.task.patience, exit=True)

    @contextmanager
    def _while_there_is_time(self, share: float = 1.0) -> Iterator[None]:
        """Leave the block when this share of the time has passed."""
        left = self._began + share * self.task.seconds - time.monotonic()
        with suppress(TimeIsUp):
            try:
                # A timer of 0 would be off.
                signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _heard(self, notice: object) -> None:
        if isinstance(notice, Played):
            self._hurry()

    def load(self) -> None:
        """Only report what was loaded."""
        self.say(name=self.bot.name, kind=self.bot.bot_class.__name__, tables=self.tables)

    def play_tables(self) -> None:
        """A match at every table, then another, and so on, each from another seat."""
        parts = [(number, table) for number in range(self.task.matches) for table in self.tables]
        for index, (number, table) in enumerate(parts):
            if index < self.task.skip:
                continue
            if not self._time_for():
                return
            self.say(at=str(table), part=index, parts=len(parts))
            seat = number % table.players
            bots = [self._rival_at(table, number)] * table.players
            bots[seat] = self.bot
            seen = self._play(table, bots, number, seat)
            self.say(table=table, **_times_and_faults(seen, seat), troubles=seen.troubles, stopped=seen.stopped)

    def _rival_at(self, table: MatchKind, number: int) -> LoadedBot:
        """An opponent that plays at this table, another for each `number`; the bot itself if there is none."""
        rivals = [self._known[name] for name in self.task.opponents.at_tables]
        able = [rival for rival in rivals if rival.plays(table.game, table.players)]
        return LoadedBot("sample", able[number % len(able)]) if able else self.bot

    def _play(
        self, table: MatchKind, bots: Sequence[LoadedBot], number: int, seat: int, share: float = 1.0
    ) -> ExaminedMatch:
        troubles: dict[str, str] = {}

        def tell(trouble: Trouble) -> None:
            if trouble.seat == seat and len(troubles) < MOST_TROUBLES:
                troubles.setdefault(trouble.what, trouble.details)

        game, options = table.found()
        self._hurry()
        match = LocalMatch(
            game,
            bots,
            seed_of(self.task.seed, number),
            options=options,
            clock=STANDARD_CLOCK,
            max_faults=MOST_FAULTS,
            listener=self._heard,
            tell=tell,
        )
        with self._while_there_is_time(share):
            match.play()
        referee = match.referee
        unanswered = (time.monotonic() - self._asked) * 1000 if seat in referee.waiting else 0.0
        if not referee.over:
            referee.void("there was no more time for it")
        return ExaminedMatch(referee.replay(), list(troubles.items()), unanswered)

    def lead_into_rare(self) -> None:
        """Ask the bot in matches that others steer into rare situations."""
        for index, match in enumerate(steered_matches(self.tables)):
            if index < self.task.skip:
                continue
            if not self._time_for():
                return
            self.say(at=str(match.table), part=index, parts=0)
            self._lead(match)

    def _lead(self, match: SteeredMatch) -> None:
        table = match.table
        asked, seen, troubles = 0, set[str](), list[dict[str, JsonValue]]()
        rng = Random(f"{self.task.seed}:{match.number}")
        self._hurry()
        place = BotSeat(table.game, match.seat, table.players, rng)
        with self._while_there_is_time(), Runner() as runner:
            guest = SeatedBot(self.bot.bot_class, place, blocking(runner))
            unstarted = guest.start()[1]
            for state, moves in match.points():
                if match.seat in moves:
                    view, legal = state.observe(match.seat), state.legal(match.seat)
                    here = situations_at(table, view, legal)
                    self._hurry()
                    move, raised, _ = guest.decide(view, legal)
                    error = unstarted or raised
                    asked += 1
                    seen |= here
                    what = _what_is_wrong(state, match.seat, move, error)
                    if what is not None and len(troubles) < MOST_TROUBLES:
                        where = authors_lines(error) if error else ""
                        troubles.append({"what": what, "where": where, "situations": sorted(here)})
                for seat, move in moves.items():
                    guest.seen(seat, move)
        self.say(table=table, asked=asked, situations=sorted(seen), troubles=troubles)

    def repeat(self) -> None:
        """Play a few matches and report every decision, for a comparison with another process."""
        tables = list({table.game: table for table in reversed(self.tables)}.values())
        if self.task.warm:
            others = ((table, number) for number in range(1, 4) for table in tables)
            for table, number in takewhile(lambda other: self._time_for(0.5), others):
                self._play_itself(table, number, share=0.5)
        for table in reversed(tables):
            self.say(at=str(table), part=0, parts=0)
            seen = self._play_itself(table, 0)
            moves: list[JsonValue] = [json.dumps(step.move) for step in seen.replay.steps if isinstance(step, Decision)]
            self.say(table=table, decisions=moves, stopped=seen.stopped)
            if not self._time_for():
                return

    def _play_itself(self, table: MatchKind, number: int, share: float = 1.0) -> ExaminedMatch:
        """A match of the bot with itself."""
        random.seed(self.task.salt)
        return self._play(table, [self.bot] * table.players, number, 0, share)

    def play_samples(self) -> None:
        """Duels with the samples, deal by deal, each deal from both seats."""
        games = duel_games(self.tables)
        samples = self.task.opponents.in_duels
        pairs = [(game, sample) for game in games for sample in samples if self._known[sample].plays(game)]
        for deal in range(self.task.matches):
            for game, sample in list(pairs):
                if not self._time_for():
                    return
                self.say(at=f"{game} against {sample}", part=deal, parts=self.task.matches)
                began = time.monotonic()
                share = self._duel(game, LoadedBot(sample, self._known[sample]), deal)
                if share is None:
                    return
                self.say(game=game, sample=sample, share=share)
                if time.monotonic() - began > self.task.patience:
                    # A sample that thinks for long would leave no time for the others.
                    pairs.remove((game, sample))

    def _duel(self, game: str, rival: LoadedBot, deal: int) -> float | None:
        """The share of one deal that the bot won; `None` if there was no time to finish it."""
        table = MatchKind(game, 2, {})
        won = 0.0
        for seat in (0, 1):
            bots = [self.bot, rival] if seat == 0 else [rival, self.bot]
            seen = self._play(table, bots, deal, seat)
            if seen.stopped:
                return None
            won += _win(seen.replay.result, seat)
        return won / 2

    def run(self) -> None:
        """Do the task."""
        tasks: dict[str, Callable[[], None]] = {
            "load": self.load,
            "tables": self.play_tables,
            "rare": self.lead_into_rare,
            "repeat": self.repeat,
            "samples": self.play_samples,
        }
        tasks[self.task.what]()
        faulthandler.cancel_dump_traceback_later()
        self.say(finished=True, in_time=self._time_for())


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise TimeIsUp


def _times_and_faults(seen: ExaminedMatch, seat: int) -> dict[str, JsonValue]:
    own = [step for step in seen.replay.steps if isinstance(step, Decision) and step.seat == seat]
    faults = Counter(fault.kind.value for fault in seen.replay.result.faults if fault.seat == seat)
    return {"ms": [step.ms or 0.0 for step in own], "unanswered": seen.unanswered, "faults": faults}


def _what_is_wrong(state: Any, seat: int, move: object, error: BaseException | None) -> str | None:
    if error is not None:
        return f"crashed: {headline(error)}"
    try:
        try_out(state, seat, move)
    except MoveError as refusal:
        kind = "malformed" if isinstance(refusal, MalformedMove) else "illegal"
        return f"sent a move that is {kind}: {as_text(move, 100)}"
    return None


def _win(result: Result, seat: int) -> float:
    return 1 / result.places.count(1) if result.places[seat] == 1 else 0.0


@contextmanager
def _own_channel() -> Iterator[TextIO]:
    """Our lines go to the original stdout; what the bot prints goes to stderr."""
    channel = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(channel, "w", encoding="utf-8") as out:
        yield out


def main() -> None:
    """Do the task that the command line names. A bot that cannot be loaded is one more finding."""
    given = json.loads(sys.argv[1])
    task = DoctorTask(**{**given, "opponents": Opponents(*given["opponents"])})
    with _own_channel() as out:
        try:
            Worker(task, out).run()
        except UsageError as error:
            out.write(json.dumps({"refused": str(error)}) + "\n")


if __name__ == "__main__":
    main()
