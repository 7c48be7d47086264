"""Plays a recorded match again: a listener is told what a listener of the referee was told at the time.

`verify` checks a record, `Playback` shows one. Both take chance and decisions from `verify.Scripted`.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roost_games.errors import MoveError, ReplayError
from roost_games.referee import Ended, Faulted, Forfeited, Played, try_out
from roost_games.registry import get_game
from roost_games.replay import Decision, Replay
from roost_games.verify import Ledger, Scripted, verify

Listener = Callable[[object], None]
Before = Callable[[int, Decision, int], None]
"""Is told before a decision: the seat, what it decided, and the step of the record. Simultaneous decisions are
told before the first of them is made."""


class NotDealt(ReplayError):
    """The match was voided before there was a position."""


class Playback:
    """A match as it was recorded. Raises `ReplayError` if `verify` finds fault with the record, or `NotDealt`.

    Older records do not say when an absent seat ran out of grace time. It is told before the first decision that the
    fallback made for the seat without a fault, or at the end.
    """

    view: Callable[[int | None], Any]
    """As a referee's: `view(seat)` is what that seat knows, `view(None)` what a spectator may know."""

    def __init__(self, replay: Replay) -> None:
        deviation = verify(replay)
        if deviation is not None:
            raise ReplayError(f"this record cannot be shown, because it is wrong: {deviation}")
        self._replay = replay
        self.game = get_game(replay.game)
        self._script = Scripted(replay)
        self._faults = {fault.step: fault for fault in replay.result.faults}
        self._forfeits = deque(Ledger(replay, None).entries)
        options = self.game.options(replay.options)
        try:
            self._state = self.game.start(len(replay.seats), options, self._script)
        except Exception:
            if self._record_goes_on:
                raise
            raise NotDealt("this match was voided before the cards were dealt; there is nothing to show") from None
        self._state.events = []
        self.view = self._state.observe

    @property
    def _record_goes_on(self) -> bool:
        return self._script.position < len(self._replay.steps)

    @property
    def purposes(self) -> Mapping[int, str]:
        """By step of the record, what chance was asked for, with its numbers; for all that has been played so far."""
        return self._script.purposes

    def legal(self, seat: int) -> Sequence[Any]:
        """Every move that the seat may make now."""
        return self._state.legal(seat)

    def objection(self, seat: int, move: Any) -> MoveError | None:
        """Why the seat cannot play `move` now; `None` if it can."""
        try:
            try_out(self._state, seat, move)
        except MoveError as error:
            return error
        return None

    def play(self, listener: Listener, before: Before = lambda seat, decision, step: None) -> None:
        """Play the match to the end of its record."""
        while self._state.to_move and self._record_goes_on:
            self._announce(before)
            for seat in self._state.to_move:
                if self._record_goes_on:
                    self._decide(seat, listener)
        self._tell_trouble(listener)
        listener(Ended(self._replay.result))

    def _announce(self, before: Before) -> None:
        """Tell the decisions that are due now. They follow each other in the record."""
        for step, seat in enumerate(self._state.to_move, self._script.position):
            decision = self._replay.steps[step] if step < len(self._replay.steps) else None
            if isinstance(decision, Decision):
                before(seat, decision, step)

    def _decide(self, seat: int, listener: Listener) -> None:
        self._tell_trouble(listener)
        decision = self._script.decision(seat)
        move = self.game.decode_move(decision.move)
        try:
            self._state.apply(seat, move)
        except Exception:
            # The record of a voided match may end where chance is due.
            if self._record_goes_on:
                raise
            return
        listener(Played(seat, move, decision.fallback))
        for event in self._state.events or ():
            listener(event)
        self._state.events = []

    def _tell_trouble(self, listener: Listener) -> None:
        """The fault of the decision that is due, if there was one, and who has forfeited by now."""
        fault = self._faults.get(self._script.position)
        if fault is not None:
            listener(Faulted(fault.seat, fault.kind))
        while self._forfeits and self._forfeits[0].step <= self._script.position:
            listener(Forfeited(self._forfeits.popleft().seat))
