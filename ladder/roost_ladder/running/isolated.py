"""Plays a match with every bot in a process of its own: slow, but whatever a bot does is its own affair.

A bot that does not answer in time, ends its process or takes too much memory is stopped. The decision that was open is
its fault (late, gone or crashed), it forfeits, and the fallback plays on in its place.
"""

from collections.abc import Callable, Iterator
from typing import Any

from roost_games.errors import MalformedMove, UsageError
from roost_games.referee import Fault, Referee
from roost_games.referee import Played as MovePlayed
from roost_games.registry import get_game
from roost_ladder.running import seat as in_child
from roost_ladder.running.child import epoch_ms
from roost_ladder.running.fixtures import Fixture, Limits, Period, Played, Stop, as_played
from roost_ladder.running.process import Child, ChildLost, Ended, Hung
from roost_ladder.running.seat import Answer, Crash, Nonsense
from roost_sdk.seat import Trouble

LOADING_SECONDS = 60.0
"""How long the import of a bot may take."""


def play_isolated(fixture: Fixture, limits: Limits) -> Played:
    """Play a match. Whatever the bots do, it has a result."""
    match = _Match(fixture, limits)
    try:
        return match.play()
    finally:
        for seat in match.seats:
            seat.child.stop()


class _Seat:
    """A bot and its process."""

    def __init__(self, number: int, bot: str, limits: Limits) -> None:
        self.number = number
        self.bot = bot
        self.child = Child()
        self.wants_moves = False
        self.unseen: list[tuple[int, Any]] = []
        """Moves that it has not been told yet."""
        self.stopped: tuple[Stop, Fault] | None = None
        self.troubles: list[Trouble] = []
        self._limits = limits

    def ask(self, function: Callable[..., Iterator[Any]], *given: object, patience: float) -> Any:
        """What the bot's process says, or `None` if that is nothing, or if the bot is or had to be stopped."""
        if self.stopped:
            return None
        try:
            return next(iter(list(self.child.ask(function, *given, patience=patience))), None)
        except ChildLost as lost:
            self._stop(*_blame(lost, self._limits))
        except UsageError as error:
            self._stop(f"cannot be loaded: {error}", Fault.GONE)
        return None

    def _stop(self, why: str, fault: Fault) -> None:
        self.stopped = Stop(self.number, why), fault
        self.troubles.append(Trouble(self.number, self.bot, why))

    def tell(self, what: str, crash: Crash | None) -> None:
        """Note a crash that changes nothing about the match."""
        if crash is not None:
            self.troubles.append(Trouble(self.number, self.bot, f"{what}: {crash.what}", crash.details))


def _blame(lost: ChildLost, limits: Limits) -> tuple[str, Fault]:
    if isinstance(lost, Hung):
        return f"did not answer for {limits.patience:g} s and was stopped", Fault.LATE
    if isinstance(lost, Ended) and lost.out_of_memory:
        return f"took more than {limits.memory_mb} MB of memory and was stopped", Fault.CRASHED
    return f"ended its process ({lost})", Fault.GONE


class _Match:
    def __init__(self, fixture: Fixture, limits: Limits) -> None:
        self._fixture = fixture
        self._limits = limits
        self._started_ms = epoch_ms()
        self.seats = [_Seat(number, bot.name, limits) for number, bot in enumerate(fixture.bots)]
        self._unstarted: set[int] = set()
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

    def play(self) -> Played:
        referee = self._referee
        for seat in self.seats:
            self._sit(seat)
        if any(seat.wants_moves for seat in self.seats):
            referee.listen(self._heard)
        while referee.waiting:
            for number in referee.waiting:
                self._decide(self.seats[number])
            self._forfeit_stopped()
        self._finish()
        return as_played(
            self._fixture,
            referee,
            Period(self._started_ms, epoch_ms()),
            recording=self._limits.recording,
            troubles=tuple(trouble for seat in self.seats for trouble in seat.troubles),
            stops=tuple(seat.stopped[0] for seat in self.seats if seat.stopped),
        )

    def _finish(self) -> None:
        for seat in self.seats:
            self._tell_unseen(seat)
            if seat.number not in self._unstarted:
                crash = self._ask(seat, in_child.finish, self._referee.result)
                seat.tell("crashed in end(), which changes nothing about the match", crash)

    def _ask(self, seat: _Seat, function: Callable[..., Iterator[Any]], *given: object) -> Any:
        return seat.ask(function, *given, patience=self._limits.patience)

    def _sit(self, seat: _Seat) -> None:
        fixture = self._fixture
        spec = fixture.bots[seat.number]
        seat.wants_moves = bool(seat.ask(in_child.load, spec, self._limits, patience=LOADING_SECONDS))
        place = fixture.game, seat.number, len(fixture.bots), fixture.seed
        crash = self._ask(seat, in_child.sit, *place, self._limits.clock)
        seat.tell("did not start", crash)
        if crash is not None:
            self._unstarted.add(seat.number)

    def _decide(self, seat: _Seat) -> None:
        referee = self._referee
        number = seat.number
        self._tell_unseen(seat)
        if number in self._unstarted:
            referee.fault(number, Fault.CRASHED)
            return
        answer = self._ask(seat, in_child.decide, referee.view(number))
        if seat.stopped:
            referee.fault(number, seat.stopped[1])
        elif isinstance(answer, Crash):
            referee.fault(number, Fault.LATE if answer.late else Fault.CRASHED, answer.ms)
            seat.tell("was late" if answer.late else "crashed", answer)
        else:
            self._answer(number, answer)

    def _answer(self, number: int, answer: Answer | Nonsense) -> None:
        try:
            if isinstance(answer, Answer):
                self._referee.answer(number, self._game.decode_move(answer.move), answer.ms)
                return
        except MalformedMove:
            pass
        self._referee.fault(number, Fault.MALFORMED, answer.ms, answer[0])

    def _forfeit_stopped(self) -> None:
        """Only when all decisions of a point are in: a seat that forfeits before has no fault on record."""
        for seat in self.seats:
            if seat.stopped and not self._referee.over and seat.number not in self._referee.forfeits:
                self._referee.forfeit(seat.number)

    def _heard(self, notice: object) -> None:
        if isinstance(notice, MovePlayed):
            for seat in self.seats:
                if seat.wants_moves:
                    seat.unseen.append((notice.seat, notice.move))

    def _tell_unseen(self, seat: _Seat) -> None:
        unseen, seat.unseen = seat.unseen, []
        if seat.number in self._unstarted:
            return
        for told in unseen:
            crash = self._ask(seat, in_child.see, *told)
            seat.tell("crashed in seen(), which changes nothing about the match", crash)
