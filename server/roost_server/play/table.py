"""A table: one match between connected bots. It drives the referee with what the streams deliver, and keeps time."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

from roost.v1 import play_pb2
from roost_games.chance import commitment_of
from roost_games.errors import MalformedMove
from roost_games.game import Game
from roost_games.referee import Fault, Played, Referee, Seat
from roost_sdk.wire import codec_for
from roost_sdk.wire.fields import REMEMBERED, bytes_field, keys_of, number_field, pack
from roost_server.clocks import Instant, Pulse
from roost_server.settings import Rules, Settings

MOST_LEGAL_LISTED = 1000
MATCH, REQUEST, VIEW, TIME_LEFT, BANK_LEFT, LATENCY, *_ = keys_of(play_pb2.Decision)
OWN_DELAY = "the arena itself was late"
UNWRITTEN_SECONDS = 2.0
"""A question waits no longer than this to be written: a bot that does not read must not stop its clock by that."""


class Player(Protocol):
    """What a table needs of the bot in a seat: a session of the lobby."""

    connected: bool
    wants_legal: bool
    wants_events: bool

    @property
    def allowance_ms(self) -> float:
        """What of its answers' time is the network's."""

    @property
    def latency_ms(self) -> float:
        """The round-trip time as last measured."""

    def tell_started(self, table: "Table", seat: int) -> None:
        """The match is to begin."""

    def tell_decision(self, table: "Table", seat: int, request: "Request") -> None:
        """The seat has to decide. `Table.question` says about what."""

    def tell_event(self, table: "Table", event: play_pb2.Event) -> None:
        """A seat has decided."""

    def tell_ended(self, table: "Table", ended: play_pb2.MatchEnded) -> None:
        """The match is over and recorded."""


Watcher = Callable[[play_pb2.Event], None]


class Request:
    """An open question to a seat."""

    __slots__ = ("number", "put", "sent")

    def __init__(self, number: int, put: Instant) -> None:
        self.number = number
        self.put = put
        """When the question came up."""
        self.sent: Instant | None = None
        """When it was written: from then on its clock runs."""

    def start_clock(self, now: Instant) -> None:
        """The question is written, perhaps once more."""
        if self.sent is None:
            self.sent = now


@lru_cache(maxsize=64)
def _options_message(game: str, options: Any) -> play_pb2.GameOptions:
    message = play_pb2.GameOptions()
    codec_for(game).options_to_wire(options, message)
    return message


@lru_cache(REMEMBERED)
def _time_fields(left: float, bank: float, latency_ms: float) -> bytes:
    """What a bot is told about time: mostly the same, since quick bots leave their bank alone."""
    return pack((TIME_LEFT, int(left), BANK_LEFT, int(min(bank, left)), LATENCY, int(latency_ms * 1000)))


class Table:
    """One match. `on_end` is called once, when the referee has a result."""

    def __init__(
        self,
        rules: Rules,
        game: Game[Any, Any, Any],
        players: Sequence[Player],
        seats: Sequence[Seat],
        *,
        match_id: str,
        seed: bytes,
        settings: Settings,
        pulse: Pulse,
        on_end: Callable[["Table"], None],
    ) -> None:
        self.rules = rules
        self.match_id = match_id
        self.players = tuple(players)
        self.seats = tuple(seats)
        self.codec = codec_for(rules.game).for_match(rules.options)
        self.settings = settings
        self.commitment = bytes.fromhex(commitment_of(seed))
        self._decision_ms = settings.clock.decision_ms
        self._bank_ms = settings.clock.bank_ms
        self._pulse = pulse
        self._on_end = on_end
        self._unready = set(range(len(players)))
        self._begun = False
        """Whether questions are put: everybody is ready, or should have been."""
        self._ready_by = pulse.read().time + settings.ready_seconds
        self._requests: dict[int, Request] = {}
        self.referee: Referee[Any, Any] = Referee(
            game,
            seats,
            seed,
            options=rules.options,
            clock=settings.clock,
            max_faults=settings.max_faults,
            match=match_id,
        )
        self._watchers: list[Watcher] = [partial(player.tell_event, self) for player in players if player.wants_events]
        if self._watchers:
            self.referee.listen(self._heard)

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` every decision from now on."""
        self._watchers.append(watcher)
        self.referee.listen(self._heard)

    def unwatch(self, watcher: Watcher) -> None:
        """Tell `watcher` no more."""
        self._watchers.remove(watcher)

    def _heard(self, notice: object) -> None:
        if isinstance(notice, Played):
            event = play_pb2.Event(seat=notice.seat, fallback=notice.fallback)
            self.codec.move_to_wire(notice.move, event.move)
            for watcher in self._watchers:
                watcher(event)

    def start(self) -> None:
        """Announce the match to its bots."""
        for seat, player in enumerate(self.players):
            player.tell_started(self, seat)

    def ready(self, seat: int) -> bool:
        """The bot in `seat` is ready. The clocks start when all are. False if that was known or does not matter."""
        if seat not in self._unready:
            return False
        self._unready.remove(seat)
        if not self._unready and not self._begun:
            self._begin(self._pulse.read())
        return True

    def lost(self, seat: int) -> None:
        """The bot in `seat` lost its connection. What it was to be asked waits no longer: its clock starts."""
        request = self._requests.get(seat)
        if request is not None:
            request.start_clock(self._pulse.read())

    def request_of(self, seat: int) -> Request | None:
        """The open question to `seat`, if there is one."""
        return self._requests.get(seat)

    def question(self, seat: int, request: Request, match: int) -> bytes:
        """The open question to `seat` as bytes of a `roost.v1.Decision`, in which the match is called `match`.

        Its clock does not start by that, but with `start_clock`, when it is written.
        """
        player = self.players[seat]
        bank = self._bank_ms - self.referee.bank_used[seat]
        left = self._decision_ms + bank
        if request.sent is not None:
            left = max(0.0, left - self._counted_ms(seat, request.sent, self._pulse.read()))
        # Put together as bytes, since the view comes as bytes: to go through a message would double the cost of both.
        data = (
            number_field(MATCH, match)
            + number_field(REQUEST, request.number)
            + _time_fields(left, bank, player.latency_ms)
            + bytes_field(VIEW, self.codec.view_bytes(self.referee.view(seat)))
        )
        return data + self._legal_bytes(seat) if player.wants_legal else data

    def _legal_bytes(self, seat: int) -> bytes:
        legal = self.referee.legal(seat)
        message = play_pb2.Decision(legal_count=len(legal))
        for move in legal[:MOST_LEGAL_LISTED]:
            self.codec.move_to_wire(move, message.legal.add())
        return message.SerializeToString()

    def answer(self, seat: int, answer: play_pb2.Answer, now: Instant) -> bool:
        """The bot in `seat` answered. False if nobody asked, or no longer."""
        request = self._requests.get(seat)
        if request is None or request.number != answer.request or request.sent is None:
            return False
        passed_ms = now.ms_since(request.sent) - self.players[seat].allowance_ms
        ms = max(0.0, passed_ms - now.delay_since(request.sent))
        if passed_ms > self._decision_ms and passed_ms > self.referee.time_left(seat):
            if ms <= self.referee.time_left(seat):
                self.void(OWN_DELAY)
            else:
                self._fault(seat, Fault.LATE, passed_ms, now)
        elif answer.crashed:
            self._fault(seat, Fault.CRASHED, ms, now)
        else:
            self._play(seat, answer.move, ms, now)
        return True

    def sweep(self, now: Instant) -> None:
        """Look for seats whose time is up."""
        if not self._begun:
            if now.time > self._ready_by:
                self._begin(now)
            return
        for seat, request in list(self._requests.items()):
            # What an earlier seat's fault led to may have answered or ended it all.
            if self._requests.get(seat) is not request:
                continue
            if request.sent is None:
                if now.time - request.put.time > UNWRITTEN_SECONDS:
                    request.sent = now
            elif (ms := self._counted_ms(seat, request.sent, now)) > self.referee.time_left(seat):
                self._fault(seat, Fault.LATE if self.players[seat].connected else Fault.GONE, ms, now)

    def forfeit(self, seat: int) -> None:
        """The bot in `seat` will not come back."""
        if self.referee.over or seat in self.referee.forfeits:
            return
        self._requests.pop(seat, None)
        self._unready.discard(seat)
        self.referee.forfeit(seat)
        if self._begun or self.referee.over:
            self._ask(self._pulse.read())
        elif not self._unready:
            self._begin(self._pulse.read())

    def void(self, reason: str) -> None:
        """End the match here; it does not count."""
        if not self.referee.over:
            self.referee.void(reason)
            self._end()

    def start_message(self, seat: int | None, match: int) -> play_pb2.MatchStarted:
        """What is told about the match before it begins; without a seat to a spectator."""
        message = play_pb2.MatchStarted(
            match=match,
            match_id=self.match_id,
            game=self.rules.game,
            players=self.rules.players,
            seat=seat or 0,
            bots=self._names_for(seat),
            commitment=self.commitment,
            clock=play_pb2.Clock(
                decision_ms=int(self.settings.clock.decision_ms), bank_ms=int(self.settings.clock.bank_ms)
            ),
            max_faults=self.settings.max_faults,
        )
        message.options.CopyFrom(_options_message(self.rules.game, self.rules.options))
        return message

    def _names_for(self, seat: int | None) -> list[str]:
        """Who plays, as far as a seat may know it; spectators may."""
        hidden = self.settings.hide_names and seat is not None
        return ["" if hidden and number != seat else each.bot for number, each in enumerate(self.seats)]

    def _begin(self, now: Instant) -> None:
        self._begun = True
        self._ask(now)

    def _ask(self, now: Instant) -> None:
        """Put the next questions, or end. A seat that did not get ready in time has no answer to any."""
        referee = self.referee
        while self._unready and (absent := [seat for seat in referee.waiting if seat in self._unready]):
            referee.fault(absent[0], Fault.GONE)
        if not referee.waiting:
            self._end()
            return
        for seat in referee.waiting:
            if seat not in self._requests:
                self._put_question(seat, now)

    def _put_question(self, seat: int, now: Instant) -> None:
        self._requests[seat] = request = Request(self.referee.decision + 1, now)
        player = self.players[seat]
        if player.connected:
            player.tell_decision(self, seat, request)
        else:
            request.sent = now

    def _counted_ms(self, seat: int, sent: Instant, now: Instant) -> float:
        return max(0.0, now.ms_since(sent) - self.players[seat].allowance_ms - now.delay_since(sent))

    def _play(self, seat: int, message: play_pb2.Move, ms: float, now: Instant) -> None:
        try:
            move = self.codec.known_move(message)
        except MalformedMove:
            self._fault(seat, Fault.MALFORMED, ms, now, sent=str(message))
            return
        del self._requests[seat]
        self.referee.answer(seat, move, ms)
        self._ask(now)

    def _fault(self, seat: int, kind: Fault, ms: float, now: Instant, sent: object = None) -> None:
        del self._requests[seat]
        self.referee.fault(seat, kind, ms, sent)
        self._ask(now)

    def _end(self) -> None:
        self._requests.clear()
        self._unready.clear()
        self._begun = True
        self._on_end(self)
