"""Checks a replay against the rules: could this match have happened, and did it end as the record says?

`verify` plays the match again from the recorded steps alone. Chance is answered from the record (`Scripted`), and where
the seed is given, the tape must give the same. What the rules cannot settle is believed: how long a bot
thought, whether it was really late or gone, and that a seat ran out of grace time when the match waited.

The first deviation in the order of steps is reported. This code does not fail on any replay that can be parsed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from roost_games.chance import Outcome, Tape, commitment_of, outcome_name
from roost_games.errors import MoveError, UsageError
from roost_games.game import AnyOptions, State
from roost_games.referee import ranking, try_out
from roost_games.registry import AnyGame, get_game
from roost_games.replay import (
    FINISHED,
    FORFEIT,
    HORIZON,
    VOIDED,
    Decision,
    Fault,
    FaultEntry,
    ForfeitEntry,
    Replay,
    Step,
    Why,
)

T = TypeVar("T")
REFUSALS = (Fault.ILLEGAL, Fault.MALFORMED)


class Deviation(NamedTuple):
    """Where a replay departs from the rules."""

    step: int | None
    """The index in `steps`, or their number if one is missing; `None` if it concerns the match as a whole."""
    what: str
    """A sentence for a person."""

    def __str__(self) -> str:
        return self.what if self.step is None else f"step {self.step}: {self.what}"


def verify(replay: Replay, game: AnyGame | None = None) -> Deviation | None:
    """The first thing in `replay` that is impossible; `None` if there is nothing.

    A game that is not in the registry must be passed as `game`.
    """
    try:
        game = game or get_game(replay.game)
        options = game.options(replay.options)
        game.check_players(len(replay.seats), options)
    except UsageError as error:
        return Deviation(None, str(error))
    adjudication = Adjudication(replay, game)
    played = adjudication.deviation(options)
    points = None if played and played.step is not None else adjudication.points
    found = [_header_deviation(replay, game), Ledger(replay, points).deviation(), played]
    return min((each for each in found if each), key=_position, default=None)


def _position(deviation: Deviation) -> float:
    return float("inf") if deviation.step is None else deviation.step


def _header_deviation(replay: Replay, game: AnyGame) -> Deviation | None:
    if replay.game != game.name:
        return Deviation(None, f"this is a match of {replay.game!r}, not of {game.name!r}")
    if replay.seed is None or replay.commitment is None:
        return None
    if commitment_of(bytes.fromhex(replay.seed)) != replay.commitment.lower():
        return Deviation(None, "the commitment is not the SHA-256 of the seed")
    return None


class _Deviates(Exception):
    """Ends the adjudication with a finding."""

    def __init__(self, step: int | None, what: str) -> None:
        self.deviation = Deviation(step, what)


class _RecordEnds(Exception):
    """There is no step left where one is due."""

    def __init__(self, due: str, seat: int | None = None) -> None:
        self.due = due
        self.seat = seat


class Scripted:
    """Chance that answers from the steps of a replay, and hands out the decisions between them."""

    def __init__(self, replay: Replay) -> None:
        self._steps = replay.steps
        self._tape = None if replay.seed is None else Tape(bytes.fromhex(replay.seed))
        self.position = 0
        self.purposes: dict[int, str] = {}
        """By step, the purpose of each outcome given so far, with its numbers."""

    def decision(self, seat: int) -> Decision:
        """The next step, which must be a decision of `seat`."""
        if self.position == len(self._steps):
            raise _RecordEnds(f"a decision of seat {seat}", seat)
        step = self._steps[self.position]
        if isinstance(step, Outcome):
            self._deviates(f"chance {step.name!r} is listed where seat {seat} has to decide")
        if step.seat != seat:
            self._deviates(f"seat {step.seat} decides where seat {seat} has to")
        self.position += 1
        return step

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        value = self._outcome(purpose)
        if value not in items:
            self._deviates(f"{value!r} is not a possible outcome of chance {outcome_name(purpose)!r}")
        if self._tape and (expected := self._tape.pick(purpose, items)) != value:
            self._deviates(f"chance {outcome_name(purpose)!r} gives {value!r}, but the seed gives {expected!r}")
        self.position += 1
        return items[items.index(value)]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        values = self._outcomes(purpose, count)
        if not Counter(values) <= Counter(items):
            surplus = next(iter(Counter(values) - Counter(items)))
            self._deviates(f"chance {outcome_name(purpose)!r} gives {surplus!r} more often than there are copies of it")
        if self._tape:
            self._compare(purpose, values, self._tape.draw(purpose, items, count))
        self.position += 1
        own: dict[object, T] = {item: item for item in items}
        return [own[value] for value in values]

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        values = self._outcomes(purpose, count)
        for value in values:
            if value not in faces:
                self._deviates(f"{value!r} is not a face of the dice of chance {outcome_name(purpose)!r}")
        if self._tape:
            self._compare(purpose, values, [faces[die] for die in self._tape.dice(purpose, faces, count)])
        self.position += 1
        return bytes(faces.index(str(value)) for value in values)

    def _outcome(self, purpose: str) -> object:
        name = outcome_name(purpose)
        if self.position == len(self._steps):
            raise _RecordEnds(f"chance {name!r}")
        step = self._steps[self.position]
        if isinstance(step, Decision):
            self._deviates(f"seat {step.seat} decides where chance {name!r} is due")
        if step.name != name:
            self._deviates(f"chance {step.name!r} is listed where chance {name!r} is due")
        self.purposes[self.position] = purpose
        return step.value

    def _outcomes(self, purpose: str, count: int) -> tuple[object, ...]:
        values = self._outcome(purpose)
        if not isinstance(values, tuple):
            self._deviates(f"chance {outcome_name(purpose)!r} gives {values!r} instead of a list")
        if len(values) != count:
            self._deviates(f"chance {outcome_name(purpose)!r} gives {len(values)} items instead of {count}")
        return values

    def _compare(self, purpose: str, recorded: Sequence[object], expected: Sequence[object]) -> None:
        for place, (value, due) in enumerate(zip(recorded, expected, strict=True)):
            if value != due:
                name = outcome_name(purpose)
                self._deviates(f"chance {name!r} gives {value!r} at place {place}, but the seed gives {due!r}")

    def _deviates(self, what: str) -> NoReturn:
        raise _Deviates(self.position, what)


class Adjudication:
    """A match that is played again from its record. Raises `_Deviates` where the rules say otherwise."""

    def __init__(self, replay: Replay, game: AnyGame) -> None:
        self._replay = replay
        self._game = game
        self._script = Scripted(replay)
        self._refused = {fault.step: fault for fault in replay.result.faults if fault.kind in REFUSALS}
        self.points: list[int] = []
        """The steps at which the match waited for decisions."""

    def deviation(self, options: AnyOptions) -> Deviation | None:
        """The first deviation that shows when the match is played again."""
        try:
            self._run(options)
        except _Deviates as found:
            return found.deviation
        return None

    def _run(self, options: AnyOptions) -> None:
        """Play all steps and compare the result."""
        state: State[Any, Any] | None = None
        try:
            state = self._game.start(len(self._replay.seats), options, self._script)
            while state.to_move:
                self.points.append(self._script.position)
                for seat in state.to_move:
                    self._decide(state, seat)
        except _RecordEnds as end:
            self._check_stop(state, end)
        else:
            self._check_end(state)

    def _decide(self, state: State[Any, Any], seat: int) -> None:
        index = self._script.position
        self._check_refusal(state, seat, index)
        decision = self._script.decision(seat)
        try:
            move = self._game.decode_move(decision.move)
            self._check_form(move, decision, index)
            if decision.fallback:
                self._check_fallback(state, move, decision, index)
            state.apply(seat, move)
        except MoveError as error:
            raise _Deviates(index, f"seat {seat} cannot do that: {error}") from None

    def _check_form(self, move: object, decision: Decision, index: int) -> None:
        keys = self._game.encode_move(move).keys()
        if keys != decision.move.keys():
            raise _Deviates(index, f"the move of seat {decision.seat} must have exactly the keys {sorted(keys)}")

    def _check_fallback(self, state: State[Any, Any], move: object, decision: Decision, index: int) -> None:
        due = self._game.fallback(state.observe(decision.seat))
        if move != due:
            expected = self._game.encode_move(due)
            raise _Deviates(index, f"the fallback for seat {decision.seat} is {expected}, not {dict(decision.move)}")

    def _check_refusal(self, state: State[Any, Any], seat: int, index: int) -> None:
        """A move that was refused must not be legal, if the record shows what it was."""
        fault = self._refused.get(index)
        if fault is None or fault.seat != seat:
            return
        try:
            try_out(state, seat, self._game.decode_move(fault.sent))
        except MoveError:
            return
        raise _Deviates(index, f"the move of seat {seat} that was refused as {fault.kind} is legal")

    def _check_stop(self, state: State[Any, Any] | None, end: _RecordEnds) -> None:
        """The record ends before the rules end the match."""
        termination = self._replay.result.termination
        last = len(self._replay.steps)
        if termination == VOIDED:
            self._check_voided(() if state is None else state.to_move)
        elif termination == FORFEIT and state is not None and end.seat is not None:
            for fault in self._replay.result.faults:
                if fault.step == last and fault.seat != end.seat:
                    raise _Deviates(last, f"a fault of seat {fault.seat} is listed where seat {end.seat} has to decide")
            self._check_result(state)
        else:
            raise _Deviates(last, f"the record ends where {end.due} is due, but says that the match was {termination}")

    def _check_end(self, state: State[Any, Any]) -> None:
        """The rules end the match."""
        if self._script.position < len(self._replay.steps):
            raise _Deviates(self._script.position, f"the match is over ({state.termination}), but steps follow")
        termination = self._replay.result.termination
        if termination == VOIDED:
            raise _Deviates(None, f"the match is said to be voided, but the rules had ended it ({state.termination})")
        if termination != state.termination:
            raise _Deviates(None, f"the termination is {state.termination!r}, not {termination!r}")
        self._check_result(state)

    def _check_voided(self, to_move: Iterable[int]) -> None:
        result = self._replay.result
        if result.places or result.scores:
            raise _Deviates(None, "a voided match has no places and no scores")
        if not set(result.asked).issubset(to_move):
            raise _Deviates(None, f"seats {list(result.asked)} are said to have been asked, and some need not decide")

    def _check_result(self, state: State[Any, Any]) -> None:
        result = self._replay.result
        if result.reason or result.asked:
            raise _Deviates(
                None, f"only a voided match has a reason and seats that were asked, not a {result.termination} one"
            )
        merits = state.merits()
        scores = tuple(merit[0] for merit in merits)
        if scores != result.scores:
            raise _Deviates(None, f"the scores are {list(scores)}, not {list(result.scores)}")
        places = ranking(merits, result.forfeits)
        if places != result.places:
            raise _Deviates(None, f"the places are {list(places)}, not {list(result.places)}")


class Ledger:
    """The account of faults: do faults, fallback steps and forfeits fit together?

    A seat's decisions are its own, or fallbacks with a fault, until it forfeits; then they are fallbacks without one.
    The record says when and why that was. A record of an older version does not: each seat is taken to have forfeited
    as late as the rest of the record allows.
    """

    def __init__(self, replay: Replay, points: Sequence[int] | None) -> None:
        """`points`: the steps at which the match waited for decisions; `None` if it cannot be played again."""
        self._replay = replay
        self._points = points
        self._forfeits = replay.result.forfeits
        self._enough = max(1, len(replay.seats) - 1)
        self._counts: Counter[int] = Counter()
        self._faults: dict[int, list[FaultEntry]] = defaultdict(list)
        for fault in replay.result.faults:
            self._faults[fault.step].append(fault)
        recorded = replay.result.forfeited
        self.entries = self._inferred() if recorded is None else recorded
        """When and why each seat forfeited."""
        self._entry_of = {entry.seat: entry for entry in self.entries}

    def deviation(self) -> Deviation | None:
        """The first thing that does not fit."""
        found = [
            self._list_misfit(),
            self._walk_misfit(),
            *map(self._entry_misfit, self._replay.result.forfeited or ()),
        ]
        return min((each for each in found if each), key=_position, default=None)

    def _inferred(self) -> tuple[ForfeitEntry, ...]:
        """When each seat forfeited at the latest, for a record that does not say it."""
        by_rules = self._replay.result.termination in (FINISHED, HORIZON)
        last = self._points[-1] if by_rules and self._points else len(self._replay.steps)
        entries: list[ForfeitEntry] = []
        for seat in reversed(self._forfeits):
            shown = self._shown_forfeit(seat)
            if shown is None or (shown.why is Why.GRACE and shown.step > last):
                shown = ForfeitEntry(seat, last, Why.GRACE)
            entries.insert(0, shown)
            last = min(last, shown.step)
        return tuple(entries)

    def _shown_forfeit(self, seat: int) -> ForfeitEntry | None:
        """By the last fault that it may make, or by the first fallback without one, whichever comes first."""
        count = 0
        for index, step in enumerate((*self._replay.steps, None)):
            faulty = any(fault.seat == seat for fault in self._faults.get(index, ()))
            count += faulty
            if faulty and count == self._replay.max_faults:
                return ForfeitEntry(seat, index, Why.FAULTS)
            if isinstance(step, Decision) and step.seat == seat and step.fallback and not faulty:
                return ForfeitEntry(seat, index, Why.GRACE)
        return None

    def _list_misfit(self) -> Deviation | None:
        """The list of forfeits by itself: those of `forfeits`, in the order of steps, none after the end."""
        seats, steps = [entry.seat for entry in self.entries], [entry.step for entry in self.entries]
        last = len(self._replay.steps)
        if seats != list(self._forfeits):
            return Deviation(None, f"seats {list(self._forfeits)} forfeited, but the reasons are those of {seats}")
        if steps != sorted(steps) or any(not 0 <= step <= last for step in steps):
            return Deviation(None, f"forfeits are listed at steps {steps} of {last}, which is not their order")
        if len(steps) >= self._enough and steps[self._enough - 1] < last:
            step = steps[self._enough - 1]
            return Deviation(step, "the match goes on although at most one seat has not forfeited")
        return None

    def _entry_misfit(self, entry: ForfeitEntry) -> Deviation | None:
        """The reason that the record gives for a forfeit."""
        steps = [fault.step for fault in self._replay.result.faults if fault.seat == entry.seat]
        limit = self._replay.max_faults
        said = f"seat {entry.seat} is said to have forfeited"
        if entry.why is Why.GRACE:
            if limit is not None and len(steps) >= limit:
                return Deviation(entry.step, f"{said} by grace time, but it made {len(steps)} of {limit} faults")
            if self._points is not None and entry.step not in self._points:
                return Deviation(entry.step, f"{said} by grace time where the match did not wait for a decision")
        elif steps[-1:] != [entry.step] or limit not in (None, len(steps)):
            return Deviation(entry.step, f"{said} by its faults, but {self._shown_faults(steps)}")
        return None

    def _shown_faults(self, steps: Sequence[int]) -> str:
        limit = "" if self._replay.max_faults is None else f" of {self._replay.max_faults}"
        return f"it made {len(steps)}{limit}, the last at step {steps[-1]}" if steps else "it made none"

    def _is_out(self, seat: int, index: int) -> bool:
        """Whether the seat had forfeited before this step. The fault with which it does stands at its own step."""
        entry = self._entry_of.get(seat)
        return entry is not None and index >= entry.step + (entry.why is Why.FAULTS)

    def _walk_misfit(self) -> Deviation | None:
        for index, step in enumerate(self._replay.steps):
            here = self._faults.pop(index, [])
            if isinstance(step, Decision) and step.fallback:
                what = self._fallback_misfit(step.seat, index, here)
            else:
                what = self._plain_misfit(step, index, here)
            if what:
                return Deviation(index, what)
        return self._ending_misfit()

    def _plain_misfit(self, step: Step, index: int, here: list[FaultEntry]) -> str | None:
        if here:
            return f"a fault of seat {here[0].seat} is listed, but the fallback did not decide"
        if isinstance(step, Decision) and self._is_out(step.seat, index):
            return f"seat {step.seat} decides itself after it has forfeited"
        return None

    def _fallback_misfit(self, seat: int, index: int, here: list[FaultEntry]) -> str | None:
        if here:
            self._counts[seat] += 1
            what = self._fault_misfit(seat, index, here)
            if what or self._counts[seat] != self._replay.max_faults:
                return what
        if seat not in self._forfeits:
            reason = f"after {self._counts[seat]} faults" if here else "without a fault"
            return f"the fallback decides for seat {seat} {reason}, but it is not among the forfeits"
        if not here and not self._is_out(seat, index):
            return f"the fallback decides for seat {seat} without a fault, before it forfeited"
        return None

    def _fault_misfit(self, seat: int, index: int, here: list[FaultEntry]) -> str | None:
        if len(here) > 1:
            return f"{len(here)} faults are listed for one decision"
        if here[0].seat != seat:
            return f"the fallback decides for seat {seat}, but the fault is listed for seat {here[0].seat}"
        return f"a fault of seat {seat} is listed after it has forfeited" if self._is_out(seat, index) else None

    def _ending_misfit(self) -> Deviation | None:
        last = len(self._replay.steps)
        here = self._faults.pop(last, [])
        by_forfeit = self._replay.result.termination == FORFEIT
        if here and not (by_forfeit and self._ends_match(here)):
            return Deviation(last, f"a fault of seat {here[0].seat} is listed that did not end the match")
        if self._faults:
            return Deviation(None, f"a fault is listed at step {min(self._faults)}, but the record has {last} steps")
        if by_forfeit and len(self._forfeits) < self._enough:
            return Deviation(None, f"nobody wins by forfeit when only {list(self._forfeits)} have forfeited")
        if not by_forfeit and len(self._forfeits) >= self._enough:
            return Deviation(None, "at most one seat has not forfeited, so the termination is 'forfeit'")
        return None

    def _ends_match(self, here: list[FaultEntry]) -> bool:
        """Whether there is one fault after the last step, and it made its seat the last one to forfeit."""
        seat = here[0].seat
        reached = self._replay.max_faults in (None, self._counts[seat] + 1)
        return len(here) == 1 and reached and seat in self._forfeits[self._enough - 1 :]
