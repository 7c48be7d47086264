"""The one way to call a bot: a seated bot takes calls, and returns the outcome of each.

    bot = SeatedBot(MyBot, BotSeat("karteneck", seat=0, players=2, rng=Random(7)))
    bot.start()
    move, error, ms = bot.decide(view, legal)

None of its methods raises anything but `KeyboardInterrupt`. Where they run is up to the driver of the seat, and there
are three: the thread of the match (`LocalMatch`), a thread or an event loop beside a connection
(`roost_sdk.arena.drivers`), and a process of its own (`roost_sdk.bot_process`), which takes calls in batches.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import lru_cache
from inspect import isawaitable, iscoroutinefunction
from random import Random
from time import perf_counter
from typing import Any, Literal, NamedTuple, NoReturn, Protocol

from roost_games.referee import STANDARD_CLOCK, Clock
from roost_games.replay import Result, Seat
from roost_sdk.bot import Bot, OpenDecision
from roost_sdk.clock import MatchClock, TimeLeft

Outcome = tuple[Any, BaseException | None, float]
"""The outcome of a call: what the bot returned, or what it raised, and the milliseconds it took."""
Method = Callable[..., object]
"""A method of a bot."""
Decide = Callable[[Any, Sequence[Any]], object]
"""The method of a bot that decides."""
Bind = Callable[[Method], Method]
"""What a driver does around each method before it is called: run its coroutines, keep a journal."""
Kind = Literal["start", "decide", "seen", "end"]
CRASHES: dict[Kind, str] = {
    "start": "did not start",
    "decide": "crashed",
    "seen": "crashed in seen(), which changes nothing about the match",
    "end": "crashed in end(), which changes nothing about the match",
}
"""What to tell the author if the bot raises something in a call."""


class NotStarted(Exception):
    """A decision is wanted from a bot that raised an error before the match."""


class BotSeat(NamedTuple):
    """What a bot knows before its match: its attributes of the same names."""

    game: str
    seat: int
    players: int
    rng: Random
    clock: Clock = STANDARD_CLOCK
    bots: tuple[Seat, ...] = ()
    left: Callable[[], TimeLeft] | None = None
    """What its clock asks: see `MatchClock`."""


class Call(NamedTuple):
    """One call of a seated bot: the name of its method, and the arguments."""

    kind: Kind
    given: tuple[Any, ...] = ()


class SeatedBot:
    """A bot at a table. `start` comes first; a bot that did not start has no answers and hears nothing."""

    def __init__(self, bot_class: type[Bot], place: BotSeat, bind: Bind | None = None) -> None:
        self.place = place
        self._bot_class = bot_class
        self._bind = bind
        self._decide: Method = _never_started
        self._seen: Method = _nothing
        self._end: Method = _nothing
        self._clock = MatchClock(place.clock)
        self.bot: Bot | None = None
        """The bot, once it has started."""

    def start(self) -> Outcome:
        """Make the bot and call its `start`."""
        outcome = _attempt(self._make)
        if outcome[1] is not None:
            self._forget_bot()
        return outcome

    def decide(self, view: Any, legal: Sequence[Any]) -> Outcome:
        """Ask the bot for a move. With quick bots, every step here costs noticeable time."""
        began = self._clock.called = perf_counter()
        try:
            return self._decide(view, legal), None, (perf_counter() - began) * 1000.0
        except (Exception, SystemExit) as error:
            return None, error, (perf_counter() - began) * 1000.0

    def seen(self, seat: int, move: Any) -> Outcome:
        """Tell the bot that `seat` has played `move`."""
        return _attempt(self._seen, seat, move)

    def end(self, result: Result) -> Outcome:
        """Tell the bot how the match ended."""
        return _attempt(self._end, result)

    async def wait(self, call: Call) -> Outcome:
        """Make one call, and if the method is a coroutine, wait until it is done."""
        outcome: Outcome = getattr(self, call.kind)(*call.given)
        if isawaitable(outcome[0]):
            outcome = await _awaited(outcome)
            if call.kind == "start" and outcome[1] is not None:
                self._forget_bot()
        return outcome

    def _make(self) -> object:
        self.bot = bot = seat_bot(self._bot_class, *self.place)
        self._clock = bot.clock
        methods: tuple[Method, ...] = (method_for(bot, self.place.game), bot.seen, bot.end, bot.start)
        self._decide, self._seen, self._end, start = map(self._bind, methods) if self._bind else methods
        return start()

    def note_call(self, moment: float) -> None:
        """It is being called, together with others."""
        self._clock.called = moment

    def _forget_bot(self) -> None:
        self.bot = None
        self._decide = _never_started
        self._seen = self._end = _nothing


def decide_many(asked: Sequence[tuple[SeatedBot, Any, Sequence[Any]]]) -> list[Outcome]:
    """Ask for several moves of one bot that takes many. Each took as long as all of them."""
    began = perf_counter()
    playing = [OpenDecision(seated.bot, view, legal) for seated, view, legal in asked if seated.bot is not None]
    for seated, _, _ in asked:
        seated.note_call(began)
    moves: Iterator[Any] = iter(())
    failed: BaseException | None = None
    try:
        if playing:
            moves = iter(_as_many(type(playing[0].bot).choose_many(playing), len(playing)))
    except (Exception, SystemExit) as error:
        failed = error
    ms = (perf_counter() - began) * 1000.0
    outcomes: list[Outcome] = []
    for seated, _, _ in asked:
        wrong = NotStarted() if seated.bot is None else failed
        outcomes.append((None if wrong else next(moves), wrong, ms))
    return outcomes


def _as_many(moves: Sequence[Any], count: int) -> list[Any]:
    """The moves that a bot has returned for `count` decisions. Raises `ValueError` if there are more or fewer."""
    listed = list(moves)
    if len(listed) != count:
        raise ValueError(f"choose_many returned {len(listed)} moves for {count} decisions")
    return listed


class RunsCoroutines(Protocol):
    """What `asyncio.Runner` can do."""

    def run(self, coroutine: Coroutine[Any, Any, Any], /) -> Any:
        """What the coroutine returns or raises."""


def blocking(runner: RunsCoroutines) -> Bind:
    """For a driver without an event loop: `runner` runs coroutines to their end."""

    def bind(method: Method) -> Method:
        return (lambda *given: runner.run(method(*given))) if iscoroutinefunction(method) else method

    return bind


def seat_bot(
    bot_class: type[Bot],
    game: str,
    seat: int,
    players: int,
    rng: Random,
    clock: Clock = STANDARD_CLOCK,
    bots: tuple[Seat, ...] = (),
    left: Callable[[], TimeLeft] | None = None,
) -> Bot:
    """A bot that knows its place, as a `BotSeat` does; call its `start` next. Raises what the bot raises."""
    bot = bot_class()
    bot.game, bot.seat, bot.players, bot.rng = game, seat, players, rng
    bot.clock, bot.bots = MatchClock(clock, left), bots or (Seat(""),) * players
    return bot


def method_for(bot: Bot, game: str) -> Decide:
    """The method of `bot` that decides in `game`: the one named after it, else `choose`."""
    decide: Decide = getattr(bot, game, bot.choose)
    return decide


def has_coroutines(bot_class: type[Bot], game: str) -> bool:
    """Whether a method that is called in `game` is an `async def`."""
    decide = getattr(bot_class, game, bot_class.choose)
    return _any_coroutine(bot_class.start, decide, bot_class.seen, bot_class.end)


@lru_cache(maxsize=256)
def _any_coroutine(*methods: Method) -> bool:
    return any(map(iscoroutinefunction, methods))


def _attempt(method: Method, *given: object) -> Outcome:
    began = perf_counter()
    try:
        return method(*given), None, (perf_counter() - began) * 1000.0
    except (Exception, SystemExit) as error:
        return None, error, (perf_counter() - began) * 1000.0


async def _awaited(begun: Outcome) -> Outcome:
    waiting, _, ms = begun
    began = perf_counter()
    try:
        return await waiting, None, ms + (perf_counter() - began) * 1000.0
    except (Exception, SystemExit) as error:
        return None, error, ms + (perf_counter() - began) * 1000.0


def _never_started(view: object, legal: Sequence[object]) -> NoReturn:
    raise NotStarted


def _nothing(*given: object) -> None:
    pass
