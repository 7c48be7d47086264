"""A match whose bots need not sit in this process: each seat takes calls and answers when it can.

A seat is of one of two kinds. A trusted bot sits here, and is called as in a `LocalMatch`. Any other has a process of
its own (see `roost_sdk.bot_process`), and its calls are handed over by the `Hall`. The referee, the order of calls and
the record are those of a `LocalMatch` with the same bots and seed.
"""

import time
from asyncio import Runner
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from roost_games.errors import MalformedMove
from roost_games.game import JsonValue
from roost_games.referee import Fault, Played, Referee, Seat
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_ladder.running.fixtures import Fixture, MatchLimits, Stop
from roost_sdk.bot import OutOfTime
from roost_sdk.bot_process.answers import Answer, AnswerKind, read_move, shown
from roost_sdk.bot_process.process import BotCall, BotLost
from roost_sdk.bot_process.views import changes_of
from roost_sdk.load import LoadedBot
from roost_sdk.local import SHORT, refusal_in_words, rng_of, rng_seed, time_left, trouble_of
from roost_sdk.seat import CRASHES, BotSeat, Kind, NotStarted, SeatedBot, blocking
from roost_sdk.troubles.log import Trouble

LONGEST_SHOWN = 100
"""How many characters of what is no move are shown to an author."""


class Decided(NamedTuple):
    """The outcome of a decision."""

    ms: float | None
    move: Any = None
    fault: Fault | None = None
    sent: Any = None
    """What came instead of a move."""


class HereSeat:
    """A trusted bot in this process."""

    def __init__(self, bot: LoadedBot, place: BotSeat, runner: Runner) -> None:
        self.wants_moves = bot.bot_class.wants_moves()
        self.bot = SeatedBot(bot.bot_class, place, blocking(runner))


class AwaySeat:
    """A bot in a process of its own."""

    def __init__(
        self, number: int, calls: list[BotCall], *, wants_moves: bool = False, lost: BotLost | None = None
    ) -> None:
        """Its process knows the seat by its `number`. Calls are added to `calls`; if it is `lost`, there are none."""
        self.wants_moves = wants_moves
        self.lost = lost
        """Why the bot had to be stopped."""
        self.unseen: list[tuple[int, object]] = []
        """The moves that it has not been told yet."""
        self.open_calls = 0
        self._number = number
        self._calls = calls
        self._view: Any = None
        """The last one that it was shown."""

    def call(self, kind: Kind, *given: object) -> None:
        """Have a call made, after those that tell the bot what it has not seen."""
        if self.lost is None:
            if self.unseen:
                self._calls += [(self._number, "seen", move) for move in self.unseen]
                self.open_calls += len(self.unseen)
            self._calls.append((self._number, kind, given))
            self.open_calls += 1
        self.unseen = []

    def ask(self, view: Any, bank_used: float) -> None:
        """Have it decide."""
        self.call("decide", changes_of(view, self._view), bank_used)
        self._view = view


class LadderTable:
    """One match, from the deal to the last call of its bots."""

    def __init__(self, fixture: Fixture, limits: MatchLimits) -> None:
        """The bots take their seats with `begin`."""
        self.fixture = fixture
        self.started_ms = self.ended_ms = epoch_ms()
        self.troubles: list[Trouble] = []
        self.stops: list[Stop] = []
        self._game = get_game(fixture.game)
        self._seats: list[HereSeat | AwaySeat] = []
        self._views: list[Any] = [None] * len(fixture.bots)
        self._verdicts: dict[int, Decided] = {}
        self._listener: Callable[[object], None] | None = None
        self.referee: Referee[Any, Any] = Referee(
            self._game,
            [Seat(bot.name) for bot in fixture.bots],
            fixture.seed,
            options=fixture.options,
            clock=limits.clock,
            max_faults=limits.max_faults,
            match=fixture.match,
            at_once=True,  # All answers of a decision are handed over together.
        )

    @property
    def done(self) -> bool:
        """Whether the match is over and all bots know."""
        return self.referee.over and not any(isinstance(seat, AwaySeat) and seat.open_calls for seat in self._seats)

    def here(self, seat: int, bot: LoadedBot, runner: Runner) -> HereSeat:
        """A seat for a bot in this process, whose coroutines `runner` runs."""
        rng, referee, left = rng_of(self.fixture.seed, seat), self.referee, partial(time_left, self.referee, seat)
        place = BotSeat(self._game.name, seat, len(self._views), rng, referee.clock, self.fixture.seats(), left)
        return HereSeat(bot, place, runner)

    def begin(self, seats: Sequence[HereSeat | AwaySeat], listener: Callable[[object], None] | None = None) -> None:
        """Start the bots, and ask for the first decisions. `listener` hears what the referee announces."""
        self._seats = list(seats)
        self._listener = listener
        self.referee.listen(self._heard if any(seat.wants_moves for seat in seats) else listener)
        for number, seat in enumerate(seats):
            if isinstance(seat, HereSeat):
                self._note(number, "start", seat.bot.start()[1])
            elif seat.lost is not None:
                self._note_stop(number, seat.lost)
            else:
                seed = rng_seed(self.fixture.seed, number)
                clock, bots = self.referee.clock, self.fixture.seats()
                seat.call("start", self._game.name, number, len(seats), seed, clock, bots)
        self._go_on()

    def answered(self, number: int, kind: str, answer: Answer) -> None:
        """The bot of a seat has answered a call. Raises `NotAnAnswer`."""
        self._away(number).open_calls -= 1
        if kind == "decide":
            self._verdicts[number] = self._verdict(number, answer)
            self._go_on_if_complete()
        elif answer.kind is AnswerKind.ERROR:
            headline, details, _ = answer.error()
            self._tell(number, f"{CRASHES[kind]}: {headline}", details)  # type: ignore[index]  # it is a `Kind`

    def stop(self, numbers: Sequence[int], lost: BotLost) -> None:
        """The bot of these seats is gone: an open decision is its fault, and they forfeit."""
        for number in numbers:
            seat = self._away(number)
            seat.lost, seat.open_calls = lost, 0
            self._note_stop(number, lost)
            if number in self.referee.waiting:
                self._verdicts.setdefault(number, Decided(None, fault=lost.fault))
        if not self.referee.over:
            self._go_on_if_complete()

    def _note_stop(self, number: int, lost: BotLost) -> None:
        self.stops.append(Stop(number, str(lost)))
        self._tell(number, str(lost), lost.where)

    def _away(self, number: int) -> AwaySeat:
        seat = self._seats[number]
        assert isinstance(seat, AwaySeat)  # noqa: S101  no other seat has a process
        return seat

    def _go_on_if_complete(self) -> None:
        if len(self._verdicts) == len(self.referee.waiting):
            self._settle()
            self._go_on()

    def _go_on(self) -> None:
        """Ask for decisions until some are open, or to the end."""
        while waiting := self.referee.waiting:
            for number in waiting:
                self._ask(number)
            if len(self._verdicts) < len(waiting):
                return
            self._settle()
        self._end()

    def _ask(self, number: int) -> None:
        seat = self._seats[number]
        view = self._views[number] = self.referee.view(number)
        if isinstance(seat, HereSeat):
            self._verdicts[number] = self._verdict_here(number, seat, view)
        elif seat.lost is not None:
            self._verdicts[number] = Decided(None, fault=seat.lost.fault)
        else:
            seat.ask(view, self.referee.bank_used[number])

    def _verdict_here(self, number: int, seat: HereSeat, view: object) -> Decided:
        move, error, ms = seat.bot.decide(view, self.referee.legal(number))
        if error is None:
            return Decided(ms, move)
        if not isinstance(error, NotStarted):
            self._note(number, "decide", error)
        return Decided(ms, fault=Fault.LATE if isinstance(error, OutOfTime) else Fault.CRASHED)

    def _verdict(self, number: int, answer: Answer) -> Decided:
        kind, ms, data = answer
        if kind is AnswerKind.MOVE:
            try:
                return Decided(ms, read_move(self._game.name, data))
            except MalformedMove:
                return self._malformed(number, ms, answer.value())
        if kind is AnswerKind.REFUSED:
            return self._malformed(number, ms, answer.value())
        if kind is AnswerKind.ERROR:
            headline, details, late = answer.error()
            self._tell(number, f"{'was late' if late else CRASHES['decide']}: {headline}", details)
            return Decided(ms, fault=Fault.LATE if late else Fault.CRASHED)
        return Decided(ms, fault=Fault.CRASHED)

    def _malformed(self, number: int, ms: float, sent: JsonValue) -> Decided:
        self._refused(number, Fault.MALFORMED, shown(sent, LONGEST_SHOWN))
        return Decided(ms, fault=Fault.MALFORMED, sent=sent)

    def _settle(self) -> None:
        """Tell the referee all answers of a decision. After them, not before, seats forfeit that were stopped."""
        referee = self.referee
        verdicts, self._verdicts = self._verdicts, {}
        for number in sorted(verdicts):
            ms, move, fault, sent = verdicts[number]
            if fault is not None:
                referee.fault(number, fault, ms, sent)
            elif refused := referee.answer(number, move, ms or 0.0):
                self._refused(number, refused, shown(SHORT.repr(move)))
        for number, seat in enumerate(self._seats) if self.stops else ():
            if isinstance(seat, AwaySeat) and seat.lost and not referee.over and number not in referee.forfeits:
                referee.forfeit(number)

    def _end(self) -> None:
        self.ended_ms = epoch_ms()
        for number, seat in enumerate(self._seats):
            if isinstance(seat, HereSeat):
                self._note(number, "end", seat.bot.end(self._result())[1])
            else:
                seat.call("end", self._result())

    def _result(self) -> Result:
        assert self.referee.result is not None  # noqa: S101  no decision is open, so the match is over
        return self.referee.result

    def _heard(self, notice: object) -> None:
        if self._listener is not None:
            self._listener(notice)
        if not isinstance(notice, Played):
            return
        for number, seat in enumerate(self._seats):
            if not seat.wants_moves:
                continue
            if isinstance(seat, HereSeat):
                self._note(number, "seen", seat.bot.seen(notice.seat, notice.move)[1])
            else:
                seat.unseen.append((notice.seat, notice.move))

    def _note(self, number: int, kind: Kind, error: BaseException | None) -> None:
        if error is not None:
            self.troubles.append(trouble_of(number, self.fixture.bots[number].name, kind, error))

    def _tell(self, number: int, what: str, details: str = "") -> None:
        self.troubles.append(Trouble(number, self.fixture.bots[number].name, what, details))

    def _refused(self, number: int, fault: Fault, sent: str) -> None:
        legal = self._game.legal(self._views[number])
        self.troubles.append(refusal_in_words(number, self.fixture.bots[number].name, fault, sent, legal))


def epoch_ms() -> int:
    """Now, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
