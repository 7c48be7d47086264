"""The referee: drives one match, without any I/O and without a clock of its own.

A driver (local play, the arena, a test) asks the referee who has to decide (`waiting`), shows these seats their `view`,
and tells it what happened:

- `answer`: a seat has made a move;
- `fault`: bytes that are not a move, a crash, a time-out or a lost connection;
- `forfeit`: a seat has stayed away for too long;
- `void`: the delay was our own.

The referee keeps the clocks with the times that it is told, plays the game's fallback for faulty seats, and writes the
record.

    referee = Referee(game, [Seat("a"), Seat("b")], seed)
    while not referee.over:
        for seat in referee.waiting:
            referee.answer(seat, bots[seat](referee.view(seat), referee.legal(seat)), ms)
    print(referee.result, referee.replay().to_line())

Simultaneous decisions are collected first and then played in ascending order of seats, so no view and no result depends
on who answered first. A driver that asks in that order anyway may have them played `at_once`: half the time, and
the same record. Telling the referee something impossible (an answer of a seat that is not waiting,
anything after the end) is a mistake of the driver and raises `ValueError`. Nothing that a bot does raises an error, as
long as the game refuses every wrong move with a `MoveError`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Generic, NamedTuple

from roost_games.chance import Outcome, Quick, Tape, commitment_of
from roost_games.errors import IllegalMove, MoveError, UsageError
from roost_games.game import Game, JsonValue, MoveT, OptionsT, State, ViewT, places
from roost_games.notes import Note, NotedChance, NotedSteps, Taken
from roost_games.replay import FORFEIT, VOIDED, Fault, FaultEntry, ForfeitEntry, Replay, Result, Seat, Why
from roost_games.wording import as_text, presentable

__all__ = ["Clock", "Ended", "Fault", "Faulted", "Forfeited", "Played", "Referee", "Seat"]


class Clock(NamedTuple):
    """How long a bot may think. Either number may be `math.inf`."""

    decision_ms: float = 1_000.0
    """For each decision. Time beyond it comes out of the bank."""
    bank_ms: float = 10_000.0
    """For each seat, over the whole match. When it is used up, the answer is late."""


STANDARD_CLOCK = Clock()
"""The default of arenas, competitions and ladders, and what `roost try` judges a bot by."""


class Played(NamedTuple):
    """A listener is told: this move was played."""

    seat: int
    move: object
    fallback: bool
    """Whether the referee chose it."""


class Faulted(NamedTuple):
    """A listener is told: this seat did something wrong; the fallback decides, or the match ends."""

    seat: int
    kind: Fault


class Forfeited(NamedTuple):
    """A listener is told: this seat forfeited, the fallback plays it from now on."""

    seat: int


class Ended(NamedTuple):
    """A listener is told: the match is over."""

    result: Result


class Refusal(NamedTuple):
    """What counts in place of a seat's move."""

    kind: Fault
    ms: float
    sent: JsonValue


class Referee(Generic[MoveT, ViewT]):
    """One match, from the deal to the result.

    A `listener` is told what happens, as it happens: `Played`, `Faulted`, `Forfeited` and `Ended`, and after each
    `Played` the game's own public events. It is not told chance, which may be secret. It may look at views, but must
    not tell the referee anything.
    """

    waiting: tuple[int, ...]
    """The seats that have yet to decide, ascending; never one that forfeited. Empty after the end."""
    decision: int
    """The number of the decision point, from 0; simultaneous decisions share it. It grows with every point."""
    view: Callable[[int | None], ViewT]
    """`view(seat)`: what that seat knows. `view(None)`: what a spectator may know."""
    legal: Callable[[int], Sequence[MoveT]]
    """`legal(seat)`: every move that the seat may make now."""
    bank_used: list[float]
    """By seat, the milliseconds taken out of its bank."""
    faults: list[FaultEntry]
    """Those that count so far. A fault in a simultaneous decision counts when all answers are in."""
    forfeits: list[int]
    """The seats that have forfeited, in that order."""
    result: Result | None
    """How the match ended, once it is over."""

    def __init__(
        self,
        game: Game[MoveT, ViewT, OptionsT],
        seats: Sequence[Seat],
        seed: bytes,
        *,
        options: OptionsT | None = None,
        clock: Clock = STANDARD_CLOCK,
        max_faults: int = 3,
        match: str = "",
        listener: Callable[[object], None] | None = None,
        at_once: bool = False,
    ) -> None:
        """`at_once`: simultaneous moves may be played as they come, if the next in order comes and nobody listens.

        That is for drivers in whose matches nothing can happen between two such answers: if a seat
        forfeited then, or the match were voided, the first of them would be on record.
        """
        if max_faults < 1:
            raise UsageError(f"a seat forfeits after 1 fault or more, not after {max_faults}")
        self._game = game
        self._seats = tuple(seats)
        self._options = game.options({}) if options is None else options
        self._match = match
        self._max_faults = max_faults
        self._at_once = at_once
        self.clock = clock
        self._decision_ms = clock.decision_ms
        self.bank_used = [0.0] * len(seats)
        self._fault_counts = [0] * len(seats)
        self._answers: dict[int, Taken[MoveT] | Refusal] = {}
        self._steps: list[Note[MoveT]] = []
        self._tape = Tape(seed)
        self.faults = []
        self.forfeits = []
        self._forfeited: list[ForfeitEntry] = []
        self.result = None
        self.decision = 0
        self._state = game.start(len(seats), self._options, NotedChance(self._tape, self._steps.append))
        self.listen(listener)
        # Bound once: a wrapper method around each would cost a local match 5 % of its speed.
        self.view = self._state.observe
        self.legal = self._state.legal
        self._await_bots()

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.result is not None

    def time_left(self, seat: int) -> float:
        """How many milliseconds `seat` may take for its next answer."""
        return self._decision_ms + self.clock.bank_ms - self.bank_used[seat]

    def bank_left(self, seat: int) -> float:
        """How many of these come out of its bank."""
        return self.clock.bank_ms - self.bank_used[seat]

    def answer(self, seat: int, move: MoveT, ms: float = 0.0) -> Fault | None:
        """`seat` plays `move` after `ms` milliseconds. Returns what is wrong with it, if anything is."""
        if seat not in self.waiting:
            raise self._unexpected(seat)
        if ms > self._decision_ms and not self._draw_on_bank(seat, ms):
            return self._refuse(seat, Refusal(Fault.LATE, ms, None))
        state = self._state
        alone = len(state.to_move) == 1
        if not alone and not self._is_next(seat):
            return self._collect(seat, move, ms)
        # From here on it is the path of most decisions: no further calls, about 0.6 us in all.
        steps = self._steps
        steps.append((seat, move, ms, False))
        try:
            state.apply(seat, move)
        except MoveError as error:
            steps.pop()
            return self._reconsider(seat, move, ms, error)
        if self._listener is not None:
            self._tell_move(seat, move, fallback=False)
        self.decision += alone
        self.waiting = state.to_move
        if self.forfeits or not self.waiting:
            self._await_bots()
        return None

    def fault(self, seat: int, kind: Fault, ms: float | None = None, sent: object = None) -> None:
        """The driver knows that the decision of `seat` will not come, or that it is not a move.

        `ms` is the time it took: by default all its time if the seat is late, otherwise none. `sent` is what came, if
        anything did: a move in replay notation, bytes, text.
        """
        if seat not in self.waiting:
            raise self._unexpected(seat)
        if ms is None:
            ms = self.time_left(seat) if kind == Fault.LATE and self.time_left(seat) < math.inf else 0.0
        self._draw_on_bank(seat, ms)
        self._refuse(seat, Refusal(kind, ms, None if sent is None else presentable(sent)))

    def forfeit(self, seat: int) -> None:
        """`seat` was gone for longer than the grace time. From now on the fallback decides for it."""
        if self.over or seat not in range(len(self._seats)) or seat in self.forfeits:
            raise ValueError(f"seat {seat} cannot forfeit: {self._situation()}")
        self._forfeit(seat, Why.GRACE)
        if self.over:
            return
        self._answers.pop(seat, None)
        if seat in self.waiting:
            self._drop_from_waiting(seat)

    def listen(self, listener: Callable[[object], None] | None) -> None:
        """Tell `listener` what happens from now on, in place of the previous listener; `None`: tell no one."""
        self._listener = listener
        self._state.events = None if listener is None else []

    def void(self, reason: str, asked: Iterable[int] = ()) -> None:
        """End the match here because of a fault of the host: it does not count.

        `asked` are the seats from which an answer was expected at that moment.
        """
        if self.over:
            raise ValueError(f"nothing to void: {self._situation()}")
        self._end(self._result((), (), VOIDED)._replace(reason=reason, asked=tuple(sorted(asked))))

    @property
    def steps(self) -> int:
        """How many steps the record has so far: decisions, and what chance decided."""
        return len(self._steps)

    def decisions(self, after: int = 0) -> list[tuple[int, Taken[MoveT]]]:
        """The decisions on record from step number `after` on, each with its step."""
        later = enumerate(self._steps[after:], after)
        return [(step, note) for step, note in later if not isinstance(note, Outcome) and len(note) == 4]

    def dealt(self) -> State[MoveT, ViewT]:
        """Another state of this match, as it was dealt. The decisions on record lead it to where the match is."""
        return self._game.start(len(self._seats), self._options, Tape(self._tape.seed))

    def replay(self) -> Replay:
        """The record of the match, which must be over."""
        if self.result is None:
            raise ValueError(f"no record yet: {self._situation()}")
        return Replay(
            game=self._game.name,
            options=self._options.to_json(),
            match=self._match,
            seats=self._seats,
            steps=NotedSteps(self._game, self._steps),
            result=self.result,
            seed=self._tape.seed.hex(),
            commitment=commitment_of(self._tape.seed),
            max_faults=self._max_faults,
        )

    def _unexpected(self, seat: int) -> ValueError:
        return ValueError(f"no decision of seat {seat} is wanted: {self._situation()}")

    def _situation(self) -> str:
        if self.result is not None:
            return f"the match is over ({self.result.termination})"
        return f"seats {self.waiting} are to decide, seats {tuple(self.forfeits)} have forfeited"

    def _draw_on_bank(self, seat: int, ms: float) -> bool:
        """Charge a decision that took `ms`. Returns whether there was enough time."""
        used = self.bank_used[seat] + max(0.0, ms - self._decision_ms)
        self.bank_used[seat] = min(used, self.clock.bank_ms)
        return used <= self.clock.bank_ms

    def _is_next(self, seat: int) -> bool:
        """Whether a simultaneous move of `seat` can be played before the others are in: see `at_once`."""
        ready = self._at_once and self._listener is None and not self._answers and not self.forfeits
        return ready and seat == self._state.to_move[0]

    def _collect(self, seat: int, move: MoveT, ms: float) -> Fault | None:
        """Keep one of several simultaneous moves until all are in."""
        # Bots mostly choose from the list they are given; recognising a move by identity saves trying it out.
        for listed in self.legal(seat):
            if listed is move:
                break
        else:
            try:
                try_out(self._state, seat, move)
            except MoveError as error:
                return self._reconsider(seat, move, ms, error)
        self._answers[seat] = (seat, move, ms, False)
        self._drop_from_waiting(seat)
        return None

    def _reconsider(self, seat: int, move: MoveT, ms: float, error: MoveError) -> Fault | None:
        """A move that the game refuses is a fault, unless it is one in replay notation: that is understood."""
        if isinstance(move, dict):
            with suppress(MoveError):
                return self._collect(seat, from_notation(self._game, move), ms)
        return self._refuse(seat, self._refusal_of(seat, move, ms, error))

    def _refuse(self, seat: int, refusal: Refusal) -> Fault:
        self._answers[seat] = refusal
        self._drop_from_waiting(seat)
        return refusal.kind

    def _drop_from_waiting(self, seat: int) -> None:
        """`seat` is done for now. If it was the last one, go on."""
        waiting = self.waiting
        self.waiting = waiting[1:] if seat == waiting[0] else tuple([other for other in waiting if other != seat])
        if not self.waiting:
            self._resolve()

    def _resolve(self) -> None:
        """Play the decisions of one point, ascending by seat; a seat without an answer has forfeited."""
        answers, self._answers = self._answers, {}
        for seat in self._state.to_move:
            answer = answers.get(seat)
            if answer is None:
                self._play_fallback(seat, 0.0)
            elif isinstance(answer, Refusal):
                self._blame(seat, answer)
                if self.over:
                    return
                self._play_fallback(seat, answer.ms)
            else:
                self._play(answer)
        self.decision += 1
        self._await_bots()

    def _await_bots(self) -> None:
        """Go on to the next decision that a bot has to make, or to the end."""
        while to_move := self._state.to_move:
            self.waiting = to_move
            if self.forfeits:
                self.waiting = tuple([seat for seat in to_move if seat not in self.forfeits])
            if self.waiting:
                return
            for seat in to_move:
                self._play_fallback(seat, 0.0)
            self.decision += 1
        self._adjudicate(self._state.termination)

    def _play_fallback(self, seat: int, ms: float) -> None:
        self._play((seat, self._game.fallback(self.view(seat)), ms, True))

    def _play(self, step: Taken[MoveT]) -> None:
        self._steps.append(step)
        self._state.apply(step[0], step[1])
        if self._listener is not None:
            self._tell_move(step[0], step[1], step[3])

    def _blame(self, seat: int, refusal: Refusal) -> None:
        self.faults.append(FaultEntry(len(self._steps), seat, refusal.kind, refusal.sent))
        self._tell(Faulted(seat, refusal.kind))
        self._fault_counts[seat] += 1
        if self._fault_counts[seat] == self._max_faults:
            self._forfeit(seat, Why.FAULTS)

    def _forfeit(self, seat: int, why: Why) -> None:
        self.forfeits.append(seat)
        self._forfeited.append(ForfeitEntry(seat, len(self._steps), why))
        self._tell(Forfeited(seat))
        if len(self._seats) - len(self.forfeits) <= 1:
            self._adjudicate(FORFEIT)

    def _adjudicate(self, termination: str) -> None:
        merits = self._state.merits()
        scores = tuple([merit[0] for merit in merits])
        self._end(self._result(ranking(merits, self.forfeits), scores, termination))

    def _result(self, places: tuple[int, ...], scores: tuple[int, ...], termination: str) -> Result:
        forfeits, faults = tuple(self.forfeits), tuple(self.faults)
        return Result(places, scores, termination, forfeits, faults, forfeited=tuple(self._forfeited))

    def _end(self, result: Result) -> None:
        self.waiting = ()
        self.result = result
        self._tell(Ended(result))

    def _tell(self, notice: object) -> None:
        if self._listener is not None:
            self._listener(notice)

    def _tell_move(self, seat: int, move: MoveT, fallback: bool) -> None:
        self._tell(Played(seat, move, fallback))
        events, self._state.events = self._state.events, []
        for event in events or ():
            self._tell(event)

    def _refusal_of(self, seat: int, move: MoveT, ms: float, error: MoveError) -> Refusal:
        if not isinstance(error, IllegalMove):
            return Refusal(Fault.MALFORMED, ms, presentable(move))
        return Refusal(Fault.ILLEGAL, ms, self._illegal_as_sent(seat, move))

    def _illegal_as_sent(self, seat: int, move: MoveT) -> JsonValue:
        """The illegal move in replay notation, if it is still illegal then; otherwise text.

        A bot in this process can send something that looks like a legal move only once it is written down, such as a
        list of cards instead of a tuple. The record must not look as if a legal move had been refused.
        """
        try:
            sent = presentable(self._game.encode_move(move))
        except Exception:
            return as_text(move)
        try:
            try_out(self._state, seat, self._game.decode_move(sent))
        except MoveError:
            return sent
        return as_text(move)


def from_notation(game: Game[MoveT, ViewT, OptionsT], move: Mapping[str, object]) -> MoveT:
    """The move that a bot gave in replay notation, instead of as a value of the game. Raises `MalformedMove`."""
    return game.decode_move(presentable(move))


def try_out(state: State[MoveT, ViewT], seat: int, move: MoveT) -> None:
    """Raise `MoveError` unless `seat` can play `move` now. `state` and its chance do not change."""
    trial = state.copy()
    trial.chance = Quick(Random(0))
    trial.apply(seat, move)


def ranking(merits: Sequence[tuple[int, ...]], forfeits: Sequence[int]) -> tuple[int, ...]:
    """Places by seat: seats that forfeited come last, the first to forfeit at the very end."""
    if not forfeits:
        return places(merits)
    ranks = [(1, *merit) for merit in merits]
    for order, seat in enumerate(forfeits):
        ranks[seat] = (0, order)
    return places(ranks)
