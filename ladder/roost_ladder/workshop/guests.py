"""Bots that are put back into a recorded match: they are asked what they would do, and another move is played.

    with bot_to_ask("mybot.py", SAMPLES) as bot:
        guest = bot.sit(RecordedSeat("karteneck", {}, seat=0, players=2, random="..."))
        reply = guest.decide(view, legal)

A bot that is not a sample has a process of its own: it is given views, and what it answers comes back as data.
"""

from abc import ABC, abstractmethod
from asyncio import Runner
from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from types import TracebackType
from typing import Any, NamedTuple, Self

from roost_games.errors import MalformedMove, RoostError, UsageError
from roost_games.game import JsonValue
from roost_games.referee import STANDARD_CLOCK
from roost_games.replay import Result
from roost_games.wording import as_text
from roost_sdk.bot import Bot
from roost_sdk.bot_process.answers import Answer, AnswerKind, BotDescription, NotAnAnswer, read_move, shown
from roost_sdk.bot_process.process import BotCall, BotLimits, BotLost, BotProcess
from roost_sdk.bot_process.views import changes_of
from roost_sdk.load import LoadedBot
from roost_sdk.local import check_able
from roost_sdk.seat import BotSeat, NotStarted, SeatedBot, blocking
from roost_sdk.tracebacks import authors_lines, headline

LONGEST_SHOWN = 100
"""How many characters of an answer that is no move are shown."""


class RecordedSeat(NamedTuple):
    """Where a bot sits, and what its luck was."""

    game: str
    options: Mapping[str, JsonValue]
    seat: int
    players: int
    random: str
    """`Random(random)` is what the bot had as `self.rng`."""


class Reply(NamedTuple):
    """What a bot says to a question."""

    move: Any
    """Its move, legal or not; `None` if there is none."""
    trouble: str
    """Why there is none, in one line."""
    where: str
    """The author's lines where that happened, if it raised an error."""
    ms: float


class AskedSeat(ABC):
    """A bot at one seat of a match that is played again."""

    @abstractmethod
    def decide(self, view: Any, legal: Sequence[Any]) -> Reply:
        """Ask it for a move."""

    @abstractmethod
    def seen(self, seat: int, move: Any) -> None:
        """Tell it what a seat has played."""

    @abstractmethod
    def end(self, result: Result) -> None:
        """Tell it how the match ended."""


class AskedBot(ABC):
    """A bot that may be put back into any number of matches, one after the other, while its `with` block lasts."""

    def __init__(self, about: BotDescription) -> None:
        self.name = about.name
        self._about = about

    def check_plays(self, game: str, players: int) -> None:
        """Raise `UsageError` if it does not play there."""
        check_able(self.name, game, self._about.games, self._about.player_counts, players)

    @abstractmethod
    def sit(self, place: RecordedSeat) -> AskedSeat:
        """Seat it for the match that is played again next."""

    @abstractmethod
    def close(self) -> None:
        """Nothing more is asked."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def bot_to_ask(text: str, samples: Mapping[str, type[Bot]]) -> AskedBot:
    """The bot that `text` names. Raises `UsageError` if there is none, or it cannot be imported."""
    if text in samples:
        return TrustedBot(LoadedBot(text, samples[text]))
    process = BotProcess(text, BotLimits(prints=True))
    try:
        return AwayBot(process, tuple(samples))
    except BotLost as lost:
        raise UsageError(f"{text} cannot be imported: that {lost}") from None
    except BaseException:
        process.stop()
        raise


class TrustedBot(AskedBot):
    """A bot of this process, such as a sample."""

    def __init__(self, bot: LoadedBot) -> None:
        super().__init__(BotDescription.of(bot))
        self._bot_class = bot.bot_class
        self._runner = Runner()

    def sit(self, place: RecordedSeat) -> AskedSeat:
        seat = BotSeat(place.game, place.seat, place.players, Random(place.random))
        return _TrustedSeat(SeatedBot(self._bot_class, seat, blocking(self._runner)))

    def close(self) -> None:
        self._runner.close()


class _TrustedSeat(AskedSeat):
    def __init__(self, bot: SeatedBot) -> None:
        self._bot = bot
        self._unstarted = bot.start()[1]

    def decide(self, view: Any, legal: Sequence[Any]) -> Reply:
        move, error, ms = self._bot.decide(view, legal)
        cause = self._unstarted if isinstance(error, NotStarted) else error
        if cause is None:
            return Reply(move, "", "", ms)
        return Reply(None, f"crash: {headline(cause)}", authors_lines(cause), ms)

    def seen(self, seat: int, move: Any) -> None:
        self._bot.seen(seat, move)

    def end(self, result: Result) -> None:
        self._bot.end(result)


class AwayBot(AskedBot):
    """A bot with a process of its own. What it prints goes to stderr. It has the patience of a ladder."""

    def __init__(self, process: BotProcess, samples: Sequence[str]) -> None:
        """Have the process import its bot. Raises `BotLost`, or `UsageError`, which names `samples` if need be."""
        (about,) = process.describe(False, samples)
        super().__init__(about)
        self._numbers = count(1)
        self._process = process
        self.wants_moves = process.load()

    def sit(self, place: RecordedSeat) -> AskedSeat:
        return _AwaySeat(self, next(self._numbers), place)

    def ask(self, calls: Sequence[BotCall]) -> list[Answer]:
        """The answers to these calls. Raises `RoostError` if the process hangs or ends."""
        answers: list[Answer] = []
        try:
            self._process.send(calls)
            while self._process.asked:
                answers += [answer for _, answer in self._process.receive_soon()]
                self._process.check_patience()
        except BotLost as lost:
            raise self._lost(lost) from None
        return answers

    def _lost(self, lost: BotLost) -> RoostError:
        return RoostError(f"{self.name} {lost}" + (f"; its code was here:\n{lost.where}" if lost.where else ""))

    def close(self) -> None:
        self._process.stop()


class _AwaySeat(AskedSeat):
    def __init__(self, bot: AwayBot, number: int, place: RecordedSeat) -> None:
        self._bot = bot
        self._number = number
        self._game = place.game
        self._view: Any = None
        self._unstarted: Reply | None = None
        self._waiting: list[BotCall] = []
        """The moves that it will be told of when it is asked next."""
        given = (place.game, place.seat, place.players, place.random, STANDARD_CLOCK)
        (answer,) = bot.ask([(number, "start", given)])
        if answer.kind is AnswerKind.ERROR:
            self._unstarted = _reply(place.game, answer)

    def decide(self, view: Any, legal: Sequence[Any]) -> Reply:
        calls, self._waiting = [*self._waiting, (self._number, "decide", (changes_of(view, self._view),))], []
        self._view = view
        return self._unstarted or _reply(self._game, self._bot.ask(calls)[-1])

    def seen(self, seat: int, move: Any) -> None:
        if self._bot.wants_moves:
            self._waiting.append((self._number, "seen", (seat, move)))

    def end(self, result: Result) -> None:
        self._bot.ask([*self._waiting, (self._number, "end", (result,))])


def _reply(game: str, answer: Answer) -> Reply:
    """What an answer says. Raises `NotAnAnswer`."""
    if answer.kind is AnswerKind.ERROR:
        told, where, _ = answer.error()
        return Reply(None, f"crash: {told}", where, answer.ms)
    if answer.kind is not AnswerKind.MOVE:
        return _no_move(answer)
    try:
        return Reply(read_move(game, answer.data), "", "", answer.ms)
    except MalformedMove:
        return _no_move(answer)


def _no_move(answer: Answer) -> Reply:
    try:
        sent = shown(answer.value(), LONGEST_SHOWN)
    except NotAnAnswer as error:
        sent = as_text(str(error), LONGEST_SHOWN)
    return Reply(None, f"what is no move: {sent}", "", answer.ms)
