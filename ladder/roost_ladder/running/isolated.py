"""Plays a match with every bot in a process of its own: slow, but no bot can harm another.

A bot that does not answer in time, ends its process or takes too much memory is stopped. The open decision is its fault
(late, gone or crashed), it forfeits, and the fallback plays on in its place.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from roost_games.errors import MalformedMove, UsageError
from roost_games.referee import Fault, Played, Referee
from roost_games.registry import get_game
from roost_ladder.running import child
from roost_ladder.running.child import epoch_ms
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits, Period, PlayedMatch, Stop, as_played
from roost_ladder.running.process import Hung, WorkerEnded, WorkerLost, WorkerProcess
from roost_sdk.seat import CRASHES, Call, Reply, Trouble

T = TypeVar("T")
LOADING_SECONDS = 60.0
"""How long the import of a bot may take."""


def play_isolated(fixture: Fixture, limits: MatchLimits) -> PlayedMatch:
    """Play a match. It has a result, whatever the bots do."""
    match = _Match(fixture, limits)
    try:
        return match.play()
    finally:
        for seat in match.seats:
            seat.child.stop()


class _Seat:
    """A bot and its process."""

    def __init__(self, number: int, bot: str, limits: MatchLimits) -> None:
        self.number = number
        self.bot = bot
        self.child = WorkerProcess()
        self.wants_moves = False
        self.unseen: list[Call] = []
        """The moves that it has not been told yet."""
        self.stopped: tuple[Stop, Fault] | None = None
        self.troubles: list[Trouble] = []
        self._limits = limits

    def sit(self, spec: BotSpec, game: str, players: int, seed: bytes) -> None:
        """Load the bot and start it."""
        place = spec, game, self.number, players, seed, self._limits
        self.wants_moves = any(list(self._ask(child.seat_alone, *place, patience=LOADING_SECONDS)))
        self.take(Call("start"))

    def take(self, call: Call) -> Reply | None:
        """What comes of a call, after those that tell it what it has not seen; `None` if it is or had to be stopped."""
        calls = [*self.unseen, call]
        self.unseen = []
        replies = list(self._ask(child.take, calls, patience=self._limits.patience))
        for (kind, _), reply in zip(calls, replies, strict=False):
            if reply.error:
                what = "was late" if reply.late else CRASHES[kind]
                self.troubles.append(Trouble(self.number, self.bot, f"{what}: {reply.error}", reply.details))
        return None if self.stopped else replies[-1]

    def _ask(self, function: Callable[..., Iterator[T]], *given: object, patience: float) -> Iterator[T]:
        """What the bot's process says, until the bot is stopped."""
        if self.stopped:
            return
        try:
            yield from self.child.ask(function, *given, patience=patience)
        except WorkerLost as lost:
            self._stop(*_blame(lost, self._limits))
        except UsageError as error:
            self._stop(f"cannot be loaded: {error}", Fault.GONE)

    def _stop(self, why: str, fault: Fault) -> None:
        self.stopped = Stop(self.number, why), fault
        self.troubles.append(Trouble(self.number, self.bot, why))


def _blame(lost: WorkerLost, limits: MatchLimits) -> tuple[str, Fault]:
    if isinstance(lost, Hung):
        return f"did not answer for {limits.patience:g} s and was stopped", Fault.LATE
    if isinstance(lost, WorkerEnded) and lost.out_of_memory:
        return f"took more than {limits.memory_mb} MB of memory and was stopped", Fault.CRASHED
    return f"ended its process ({lost})", Fault.GONE


class _Match:
    def __init__(self, fixture: Fixture, limits: MatchLimits) -> None:
        self._fixture = fixture
        self._limits = limits
        self._started_ms = epoch_ms()
        self.seats = [_Seat(number, bot.name, limits) for number, bot in enumerate(fixture.bots)]
        self._game = get_game(fixture.game)
        self._referee: Referee[Any, Any] = Referee(
            self._game,
            fixture.seats(),
            fixture.seed,
            options=fixture.options,
            clock=limits.clock,
            max_faults=limits.max_faults,
            match=fixture.match,
        )

    def play(self) -> PlayedMatch:
        referee = self._referee
        fixture = self._fixture
        for seat, spec in zip(self.seats, fixture.bots, strict=True):
            seat.sit(spec, fixture.game, len(fixture.bots), fixture.seed)
        if any(seat.wants_moves for seat in self.seats):
            referee.listen(self._heard)
        while referee.waiting:
            for number in referee.waiting:
                self._decide(self.seats[number])
            self._forfeit_stopped()
        for seat in self.seats:
            seat.take(Call("end", (referee.result,)))
        return as_played(
            self._fixture,
            referee,
            Period(self._started_ms, epoch_ms()),
            recording=self._limits.recording,
            troubles=tuple(trouble for seat in self.seats for trouble in seat.troubles),
            stops=tuple(seat.stopped[0] for seat in self.seats if seat.stopped),
        )

    def _decide(self, seat: _Seat) -> None:
        referee, number = self._referee, seat.number
        reply = seat.take(Call("decide", (referee.view(number),)))
        if seat.stopped:
            referee.fault(number, seat.stopped[1])
        elif reply is None or not reply.started:
            referee.fault(number, Fault.CRASHED)
        elif reply.error:
            referee.fault(number, Fault.LATE if reply.late else Fault.CRASHED, reply.ms)
        elif reply.refused:
            referee.fault(number, Fault.MALFORMED, reply.ms, reply.refused)
        else:
            self._answer(number, reply)

    def _answer(self, number: int, reply: Reply) -> None:
        try:
            self._referee.answer(number, self._game.decode_move(reply.move), reply.ms)
        except MalformedMove:
            self._referee.fault(number, Fault.MALFORMED, reply.ms, reply.move)

    def _forfeit_stopped(self) -> None:
        """Only after all decisions of a point: a seat that forfeits earlier has no fault on record."""
        for seat in self.seats:
            if seat.stopped and not self._referee.over and seat.number not in self._referee.forfeits:
                self._referee.forfeit(seat.number)

    def _heard(self, notice: object) -> None:
        if isinstance(notice, Played):
            for seat in self.seats:
                if seat.wants_moves:
                    seat.unseen.append(Call("seen", (notice.seat, notice.move)))
