"""One bot in a child process of its own: what the child does for `isolated`, which has the referee."""

import os
from asyncio import Runner
from collections.abc import Callable, Iterator
from inspect import iscoroutine
from time import perf_counter
from typing import Any, NamedTuple

from roost_games.game import JsonValue
from roost_games.referee import Clock
from roost_games.registry import AnyGame, get_game
from roost_games.replay import Result
from roost_games.wording import as_text, presentable
from roost_ladder.running.child import OUT_OF_MEMORY, limit_memory, limit_programs, memory_taken
from roost_ladder.running.fixtures import BotSpec, Limits
from roost_sdk.bot import Bot, OutOfTime
from roost_sdk.local import rng_of
from roost_sdk.seat import method_for, seat_bot
from roost_sdk.tracebacks import authors_lines, headline


class Crash(NamedTuple):
    """The bot raised an exception."""

    what: str
    details: str
    ms: float
    late: bool
    """Whether it says itself that its answer would have come too late."""


class Answer(NamedTuple):
    """The bot decided."""

    move: JsonValue
    """In replay notation: objects of a bot's own making exist in its process only."""
    ms: float


class Nonsense(NamedTuple):
    """The bot answered with something that cannot be written down as a move."""

    text: str
    ms: float


class Seated(NamedTuple):
    """The bot of this process, once it sits at its table."""

    bot: Bot
    game: AnyGame


RUNNER = Runner()
CLASSES: list[type[Bot]] = []
SEATED: list[Seated] = []


def load(spec: BotSpec, limits: Limits) -> Iterator[bool]:
    """Import the bot, and limit its memory. Whether it wants to be told of all moves."""
    CLASSES.append(spec.load().bot_class)
    limit_memory(memory_taken(), limits.memory_mb)
    limit_programs(limits)
    yield CLASSES[0].wants_moves()


def sit(game: str, seat: int, players: int, seed: bytes, clock: Clock) -> Iterator[Crash]:
    """Make the bot and start it."""

    def start() -> object:
        bot = seat_bot(CLASSES[0], game, seat, players, rng_of(seed, seat), clock)
        SEATED.append(Seated(bot, get_game(game)))
        return bot.start()

    yield from _crash(start)


def decide(view: Any) -> Iterator[Answer | Crash | Nonsense]:
    """What the bot does. The legal moves follow from the view."""
    bot, game = SEATED[0]
    legal = game.legal(view)
    asked = perf_counter()
    done = _call(lambda: method_for(bot, game.name)(view, legal))
    ms = (perf_counter() - asked) * 1000
    if isinstance(done, Crash):
        yield done
        return
    try:
        yield Answer(presentable(game.encode_move(done)), ms)
    except Exception:
        yield Nonsense(as_text(done), ms)


def see(seat: int, move: Any) -> Iterator[Crash]:
    """Tell the bot of a move."""
    yield from _crash(lambda: SEATED[0].bot.seen(seat, move))


def finish(result: Result) -> Iterator[Crash]:
    """Tell the bot how it ended."""
    yield from _crash(lambda: SEATED[0].bot.end(result))


def _crash(method: Callable[[], object]) -> Iterator[Crash]:
    done = _call(method)
    if isinstance(done, Crash):
        yield done


def _call(method: Callable[[], object]) -> object:
    asked = perf_counter()
    try:
        given = method()
        return RUNNER.run(given) if iscoroutine(given) else given
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (Exception, SystemExit) as error:
        ms = (perf_counter() - asked) * 1000
        return Crash(headline(error), authors_lines(error), ms, isinstance(error, OutOfTime))
