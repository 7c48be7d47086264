"""A match of the examined client: its seat is the client's, and the others move at random."""

from random import Random

from roost.v1 import play_pb2
from roost_games.referee import Fault
from roost_ladder.workshop.tables import MatchKind
from roost_sdk.testing import ScriptedMatch
from roost_sdk.wire import codec_for

MOST_LEGAL_LISTED = 1000


class HostedMatch:
    """One match, as the client knows it by `number`."""

    def __init__(self, number: int, match_id: str, table: MatchKind, seed: str, seconds: float) -> None:
        game, options = table.found()
        self.number = number
        self.table = table
        self.request = 0
        """The latest question; 0 before the first."""
        self.answer: play_pb2.Answer | None = None
        """The answer to it."""
        self.ready = False
        self.over = False
        """Whether the client was told that it has ended."""
        self._id = match_id
        self._rng = Random(seed)
        self._ms = round(seconds * 1000)
        self._script = ScriptedMatch(game.name, table.players, seed, options)
        self._codec = codec_for(game.name).for_match(options)
        self._seat = number % table.players
        self._told = 0
        self.asked: set[int] = set()
        """Every request so far."""

    def __str__(self) -> str:
        return f"match {self.number}: {self.table}"

    def started(self) -> play_pb2.MatchStarted:
        """Its announcement."""
        message = self._script.started(self._seat, self.number)
        message.match_id = self._id
        message.clock.decision_ms = self._ms
        return message

    def advance(self) -> bool:
        """Play the other seats until only the client has to decide. Returns whether it has to."""
        referee = self._script.referee
        while (others := [seat for seat in referee.waiting if seat != self._seat]) and not referee.over:
            referee.answer(others[0], self._rng.choice(referee.legal(others[0])))
        return not referee.over

    def ask(self, latency_us: int, *, again: bool = False) -> play_pb2.Decision:
        """The client's next decision, or the open one again."""
        self.answer = None
        # Requests only grow. That they grow by one is nothing to rely on.
        self.request += 0 if again else self._rng.randint(1, 3)
        self.asked.add(self.request)
        message = self._script.decision(self._seat, self.number)
        message.request, message.time_left_ms, message.latency_us = self.request, self._ms, latency_us
        legal = self._script.referee.legal(self._seat)
        message.legal_count = len(legal)
        for move in legal[:MOST_LEGAL_LISTED]:
            self._codec.move_to_wire(move, message.legal.add())
        return message

    def play_answer(self) -> Fault | None:
        """Play what the client answered. Returns what was wrong with it, if anything was."""
        return None if self.answer is None else self._script.take(self._seat, self.answer)

    def run_out(self) -> None:
        """The client's time is up."""
        self._script.referee.fault(self._seat, Fault.LATE)

    def events(self) -> list[play_pb2.Event]:
        """The moves since the last call."""
        new = self._script.played[self._told :]
        self._told = len(self._script.played)
        return [self._script.event(played, self.number) for played in new]

    def ended(self) -> play_pb2.MatchEnded:
        """Its end; voided if it is not over."""
        self.over = True
        if not self._script.referee.over:
            self._script.referee.void("the examination went on")
        return self._script.ended(self.number)
