"""A table: one match between bots. It asks their players, gives the answers to the referee, and keeps the time."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from roost.v1 import play_pb2
from roost_games.chance import commitment_of
from roost_games.errors import MalformedMove
from roost_games.referee import Fault, Played, Referee, Seat
from roost_games.registry import get_game
from roost_sdk.wire import codec_for, result_to_wire
from roost_sdk.wire.fields import REMEMBERED, bytes_field, keys_of, number_field, pack
from roost_server.clocks import Elapsed, Instant, Pulse, elapsed, epoch_ms
from roost_server.play.pacing.places import Gathering, Places
from roost_server.settings import Rules, Settings

MOST_LEGAL_LISTED = 1000
MATCH, REQUEST, VIEW, TIME_LEFT, BANK_LEFT, LATENCY, *_ = keys_of(play_pb2.Decision)
OWN_DELAY = "the arena itself was late"
UNWRITTEN_SECONDS = 2.0
"""The clock of a question starts after this time at the latest: a bot must not stop it by not reading."""


News = play_pb2.MatchStarted | play_pb2.Event | play_pb2.MatchEnded
"""What a table tells a player: how a match begins, what the others play, how it ends."""


class Player(Protocol):
    """What a table needs of the bot in a seat."""

    connected: bool

    @property
    def allowance_ms(self) -> float:
        """The part of its answers' time that is the network's."""

    def ask(self, question: "Question") -> None:
        """The seat has to decide."""

    def tell(self, place: "Place", news: News) -> None:
        """Something happened in one of its matches."""


class Chair(NamedTuple):
    """A player in its seat."""

    player: Player
    seat: Seat
    places: Places
    """How many matches the player can be given."""
    match: int = 0
    """The number of the match on the player's stream."""
    wants_events: bool = False


class Place(NamedTuple):
    """A seat at a table: what a player may do there. Beside the questions it is all that a player sees of a table."""

    table: "Table"
    seat: int

    @property
    def question(self) -> "Question | None":
        """What the seat is asked at the moment."""
        return self.table.questions.get(self.seat)

    def start_message(self) -> play_pb2.MatchStarted:
        """What the seat is told about the match before it begins."""
        return self.table.start_message(self.seat)

    def ready(self) -> bool:
        """The bot is ready. False if the table did not wait for that."""
        return self.table.ready(self.seat)

    def answer(self, answer: play_pb2.Answer, now: Instant) -> bool:
        """The bot answered. False if there is no such question, or it is closed."""
        return self.table.answer(self.seat, answer, now)

    def lost(self) -> None:
        """The bot lost its connection."""
        self.table.lost(self.seat)

    def forfeit(self) -> None:
        """The bot will not come back."""
        self.table.forfeit(self.seat)


Watcher = Callable[[play_pb2.Event], None]


class RecordLength(NamedTuple):
    """How long the record of a match was at some time."""

    steps: int
    time: float
    """By the event loop's clock."""


class Question:
    """An open question to a seat: all that is needed to ask it."""

    __slots__ = ("number", "put", "seat", "sent", "table")

    def __init__(self, table: "Table", seat: int, number: int, put: Instant) -> None:
        self.table = table
        self.seat = seat
        self.number = number
        self.put = put
        """When the question came up."""
        self.sent: Instant | None = None
        """When it was written: from then on its clock runs."""

    @property
    def is_open(self) -> bool:
        """Whether an answer is still wanted."""
        return self.table.questions.get(self.seat) is self

    def encode(self, latency_ms: float, *, with_legal: bool) -> bytes:
        """The question as bytes of a `roost.v1.Decision`. This does not start its clock."""
        table, seat = self.table, self.seat
        referee = table.referee
        left = referee.time_left(seat)
        if self.sent is not None:
            left = max(0.0, left - self.counted_ms(table.now()))
        # Bytes are joined because the view comes as bytes: going through a message would double the cost of both.
        data = (
            number_field(MATCH, table.chairs[seat].match)
            + number_field(REQUEST, self.number)
            + _time_fields(left, referee.bank_left(seat), latency_ms)
            + bytes_field(VIEW, table.view_bytes(referee.view(seat)))
        )
        return data + table.legal_bytes(seat) if with_legal else data

    def start_clock(self, now: Instant) -> None:
        """The question is written. Its clock goes on if it was written before."""
        if self.sent is None:
            self.sent = now

    def counted_ms(self, now: Instant) -> float:
        """How much time the bot has used since its clock started."""
        sent = now if self.sent is None else self.sent
        return elapsed(sent, now, self.table.players[self.seat].allowance_ms).counted_ms


@lru_cache(maxsize=64)
def _options_message(game: str, options: Any) -> play_pb2.GameOptions:
    message = play_pb2.GameOptions()
    codec_for(game).options_to_wire(options, message)
    return message


@lru_cache(REMEMBERED)
def _time_fields(left: float, bank: float, latency_ms: float) -> bytes:
    """What a bot is told about time. It is mostly the same, because fast bots do not touch their bank."""
    return pack((TIME_LEFT, int(left), BANK_LEFT, int(min(bank, left)), LATENCY, int(latency_ms * 1000)))


class Table:
    """One match. `on_end` is called once, when the referee has a result."""

    def __init__(
        self,
        rules: Rules,
        chairs: Sequence[Chair],
        *,
        match_id: str,
        seed: bytes,
        settings: Settings,
        pulse: Pulse,
        on_end: Callable[["Table"], None],
        voidable: bool = True,
    ) -> None:
        self.rules = rules
        self.match_id = match_id
        self.started_ms = epoch_ms()
        self.chairs = tuple(chairs)
        self.players = tuple(chair.player for chair in chairs)
        self.codec = codec_for(rules.game).for_match(rules.options)
        self.view_bytes = self.codec.view_writer()
        self.settings = settings
        self.seed = seed
        self.commitment = bytes.fromhex(commitment_of(seed))
        self._decision_ms = settings.clock.decision_ms
        self._most_credited_ms = settings.own_delay_ms if voidable else math.inf
        self.now = pulse.read
        self._on_end = on_end
        self._begun = False
        """Whether questions are asked: all bots are ready, or had time enough to be."""
        self._dealt = self.now()
        self.dealt_at = self._dealt.time
        """By the event loop's clock."""
        self.taken_ms = [0.0] * len(chairs)
        """By seat, how long the others have waited for it, to get ready and to decide."""
        self._most_ms = 1000 * settings.seat_seconds
        self.gathering = Gathering([chair.places for chair in chairs], self.dealt_at, settings.ready_seconds)
        self.questions: dict[int, Question] = {}
        """The open questions by seat."""
        self.referee: Referee[Any, Any] = Referee(
            get_game(rules.game),
            [chair.seat for chair in chairs],
            seed,
            options=rules.options,
            clock=settings.clock,
            max_faults=settings.max_faults,
            match=match_id,
        )
        self._watchers: list[Watcher] = []
        self._delayed = settings.spectator_delay_seconds > 0
        self._moments: list[RecordLength] = []
        """In the order of time, if spectators see the match with a delay."""
        if any(chair.wants_events for chair in chairs):
            self.referee.listen(self._heard)

    def played_at(self, step: int) -> float:
        """When a step was made, by the event loop's clock. Without a delay for spectators it does not matter."""
        later = bisect_right(self._moments, step, key=attrgetter("steps"))
        return self._moments[later].time if later < len(self._moments) else self.now().time

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` every decision from now on."""
        self._watchers.append(watcher)
        self.referee.listen(self._heard)

    def unwatch(self, watcher: Watcher) -> None:
        """Stop telling `watcher`."""
        self._watchers.remove(watcher)

    def _heard(self, notice: object) -> None:
        if isinstance(notice, Played):
            event = play_pb2.Event(seat=notice.seat, fallback=notice.fallback)
            self.codec.move_to_wire(notice.move, event.move)
            for watcher in self._watchers:
                watcher(event)
            for seat, chair in enumerate(self.chairs):
                if chair.wants_events:
                    told = play_pb2.Event(match=chair.match)
                    told.MergeFrom(event)
                    chair.player.tell(Place(self, seat), told)

    def start(self) -> None:
        """Announce the match to its bots."""
        for seat, player in enumerate(self.players):
            player.tell(Place(self, seat), self.start_message(seat))

    def tell_ended(self) -> None:
        """Tell the bots how the match ended, once that is on record."""
        result = self.referee.result
        assert result is not None  # noqa: S101  it has ended
        for seat, chair in enumerate(self.chairs):
            ended = play_pb2.MatchEnded(match=chair.match)
            result_to_wire(result, ended.result)
            chair.player.tell(Place(self, seat), ended)

    def ready(self, seat: int) -> bool:
        """The bot in `seat` is ready. The match begins when all are. False if the table did not wait for that."""
        if seat not in self.gathering.unready:
            return False
        self.gathering.ready(seat)
        if not self._begun:
            now = self.now()
            self.taken_ms[seat] = elapsed(self._dealt, now, self.players[seat].allowance_ms).counted_ms
            self._begin_if_possible(now)
        return True

    def lost(self, seat: int) -> None:
        """The bot in `seat` lost its connection. The clock of its question starts, even if it was not written yet."""
        question = self.questions.get(seat)
        if question is not None:
            question.start_clock(self.now())

    def legal_bytes(self, seat: int) -> bytes:
        """What `seat` may do, as bytes of a `roost.v1.Decision`."""
        legal = self.referee.legal(seat)
        message = play_pb2.Decision(legal_count=len(legal))
        for move in legal[:MOST_LEGAL_LISTED]:
            self.codec.move_to_wire(move, message.legal.add())
        return message.SerializeToString()

    def answer(self, seat: int, answer: play_pb2.Answer, now: Instant) -> bool:
        """The bot in `seat` answered. False if there is no such question, or it is closed."""
        question = self.questions.get(seat)
        if question is None or question.number != answer.request or question.sent is None:
            return False
        took = elapsed(question.sent, now, self.players[seat].allowance_ms)
        if took.passed_ms > self._decision_ms and self._is_late(seat, took, now):
            return True
        if answer.crashed:
            self._fault(seat, Fault.CRASHED, took.counted_ms, now)
        else:
            self._play(seat, answer.move, took.counted_ms, now)
        return True

    def _is_late(self, seat: int, took: Elapsed, now: Instant) -> bool:
        """Whether an answer does not count. What is our own delay is not the bot's, up to a limit.

        A bot that used up its own time is late, whatever we did. If only a delay beyond the limit excuses it, nobody
        knows when the answer came, and the match is voided.
        """
        left = self.referee.time_left(seat)
        if took.counted_ms > left:
            self._fault(seat, Fault.LATE, took.counted_ms, now)
        elif took.passed_ms - self._most_credited_ms > left:
            self.void(OWN_DELAY)
        else:
            return False
        return True

    def sweep(self, now: Instant) -> None:
        """Look for seats whose time is up."""
        if not self._begun:
            self._begin_if_possible(now)
            return
        for question in list(self.questions.values()):
            # The fault of an earlier seat may have closed this question, or ended the match.
            if question.is_open:
                self._check_time(question, now)

    def _check_time(self, question: Question, now: Instant) -> None:
        seat = question.seat
        if question.sent is None:
            if now.time - question.put.time > UNWRITTEN_SECONDS:
                question.start_clock(now)
        elif (ms := question.counted_ms(now)) > self.referee.time_left(seat):
            self._fault(seat, Fault.LATE if self.players[seat].connected else Fault.GONE, ms, now)
        elif self.taken_ms[seat] + ms > self._most_ms:
            self._close(seat, ms)
            self.forfeit(seat)

    def forfeit(self, seat: int) -> None:
        """The bot in `seat` will not come back."""
        if self.referee.over or seat in self.referee.forfeits:
            return
        self.questions.pop(seat, None)
        self.gathering.leave(seat)
        self.referee.forfeit(seat)
        if self._begun or self.referee.over:
            self._ask(self.now())
        else:
            self._begin_if_possible(self.now())

    def void(self, reason: str, *, by_host: bool = False) -> None:
        """End the match here; it does not count. If the host wants that, it does not matter who is being asked."""
        if not self.referee.over:
            self.referee.void(reason, () if by_host else self.questions)
            self._end()

    def start_message(self, seat: int | None) -> play_pb2.MatchStarted:
        """What a seat is told about the match before it begins; without a seat, what a spectator is told."""
        shown = self._shown_to(seat)
        message = play_pb2.MatchStarted(
            match=0 if seat is None else self.chairs[seat].match,
            match_id=self.match_id,
            game=self.rules.game,
            players=self.rules.players,
            seat=seat or 0,
            bots=[each.bot for each in shown],
            versions=[each.version for each in shown if seat is not None],
            commitment=self.commitment,
            clock=play_pb2.Clock(
                decision_ms=int(self.settings.clock.decision_ms), bank_ms=int(self.settings.clock.bank_ms)
            ),
            max_faults=self.settings.max_faults,
        )
        message.options.CopyFrom(_options_message(self.rules.game, self.rules.options))
        return message

    def _shown_to(self, seat: int | None) -> list[Seat]:
        """Who sits where, as the seat may know it. Spectators see all names."""
        hidden = self.settings.hide_names and seat is not None
        return [Seat("") if hidden and number != seat else chair.seat for number, chair in enumerate(self.chairs)]

    def _begin_if_possible(self, now: Instant) -> None:
        if self.gathering.may_begin(now.time):
            self._begun = True
            for seat in self.gathering.unready:
                # Not more, if the others had no place for the match at once.
                most_ms = 1000 * self.settings.ready_seconds
                self.taken_ms[seat] = min(most_ms, elapsed(self._dealt, now, 0.0).counted_ms)
            self.gathering.begin()
            self._ask(now)

    def _close(self, seat: int, ms: float) -> None:
        """The question to a seat is answered, or no longer wanted."""
        del self.questions[seat]
        self.taken_ms[seat] += ms
        self.chairs[seat].places.note_answer(ms, self._decision_ms)

    def _ask(self, now: Instant) -> None:
        """Ask the next questions, or end. A seat that was not ready in time is not asked: it is gone."""
        referee = self.referee
        unready = self.gathering.unready
        while unready and (absent := [seat for seat in referee.waiting if seat in unready]):
            referee.fault(absent[0], Fault.GONE)
        while max(self.taken_ms) > self._most_ms and (slow := self._out_of_time()):
            referee.forfeit(slow[0])
        if self._delayed:
            self._moments.append(RecordLength(referee.steps, self.now().time))
        if not referee.waiting:
            self._end()
            return
        for seat in referee.waiting:
            if seat not in self.questions:
                self.questions[seat] = question = Question(self, seat, referee.decision + 1, now)
                player = self.players[seat]
                if player.connected:
                    player.ask(question)
                else:
                    question.start_clock(now)

    def _out_of_time(self) -> list[int]:
        """The seats that would be asked, and have taken as long for the match as they may."""
        return [seat for seat in self.referee.waiting if self.taken_ms[seat] > self._most_ms]

    def _play(self, seat: int, message: play_pb2.Move, ms: float, now: Instant) -> None:
        # First, since everything else takes time that other matches wait for.
        data = message.SerializeToString()
        if len(data) > self.settings.max_move_bytes:
            self._fault(seat, Fault.MALFORMED, ms, now, sent=f"a move of {len(data)} bytes")
            return
        try:
            move = self.codec.known_move(data)
        except MalformedMove:
            self._fault(seat, Fault.MALFORMED, ms, now, sent=str(message))
            return
        self._close(seat, ms)
        self.referee.answer(seat, move, ms)
        self._ask(now)

    def _fault(self, seat: int, kind: Fault, ms: float, now: Instant, sent: object = None) -> None:
        self._close(seat, ms)
        self.referee.fault(seat, kind, ms, sent)
        self._ask(now)

    def _end(self) -> None:
        self.questions.clear()
        # Nobody is to blame for not being ready for a match that ends before it begins.
        self.gathering.unready.clear()
        if not self._begun:
            self.gathering.begin()
        self._begun = True
        self._on_end(self)
