"""The matches that a bot plays on its link: takes what the arena says, asks the bot, gathers what is to be sent."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import lru_cache, partial
from random import Random

from roost.v1 import play_pb2
from roost_games.referee import STANDARD_CLOCK, Clock
from roost_games.registry import get_game
from roost_games.replay import VOIDED, Result
from roost_games.wording import as_text
from roost_sdk.arena.journal import Journal, MatchJournal, about_match
from roost_sdk.arena.stats import Stats
from roost_sdk.bot import Bot
from roost_sdk.calls import Calls, Outcome, PlainCalls, WaitingCalls
from roost_sdk.seat import Decide, has_coroutines, method_for, seat_bot
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.wire import AnyMatchCodec, WireError, codec_for, result_from_wire

COMMITMENTS_REMEMBERED = 10_000
log = logging.getLogger("roost_sdk")


class Outbox:
    """What waits to be sent. While one message is being sent, the next one gathers here."""

    def __init__(self) -> None:
        self._message = play_pb2.BotMessage()
        self._wake = asyncio.Event()

    def reset(self) -> None:
        """Forget what waits: the link it was for is gone, and the arena will ask again."""
        self._message = play_pb2.BotMessage()
        self._wake.clear()

    async def next_message(self) -> play_pb2.BotMessage:
        """Everything that waits, as soon as there is anything."""
        await self._wake.wait()
        message = self._message
        self.reset()
        return message

    def add_ready(self, match: int) -> None:
        """The bot is ready for a match."""
        self._message.ready.append(match)
        self._wake.set()

    def add_answer(self, answer: play_pb2.Answer) -> None:
        """The bot has decided."""
        self._message.answers.append(answer)
        self._wake.set()

    def add_pong(self, ping: int) -> None:
        """The arena measures the latency."""
        self._message.pong = ping
        self._wake.set()

    def add_leaving(self) -> None:
        """The bot wants no new matches."""
        self._message.leaving = True
        self._wake.set()


class Stale(Exception):
    """A decision is no longer wanted: its time is up, or the match is over."""


class NotStarted(Exception):
    """A decision is wanted from a bot that raised an error before the match."""


class Match:
    """One match from the view of a seat: the bot that plays it, and what was asked last."""

    def __init__(
        self, started: play_pb2.MatchStarted, bot_class: type[Bot], calls: Calls, journal: Journal | None = None
    ) -> None:
        self.number = started.match
        self.match_id = started.match_id
        self.game = started.game
        self.seat = started.seat
        self.players = started.players
        self.calls = calls
        self.ready = False
        self.request: int | None = None
        """The latest question, if there is one."""
        self.answer: play_pb2.Answer | None = None
        """The answer to it, once there is one."""
        self.codec: AnyMatchCodec
        self.bot: Bot | None = None
        self._decide: Decide
        self._bot_class = bot_class
        self._started = started
        self._journal = journal
        self.journal: MatchJournal | None = None
        """What is kept about it, if its author wants that."""

    def __str__(self) -> str:
        return f"match {self.match_id} ({self.game}, seat {self.seat} of {self.players})"

    def start(self) -> object:
        """Make the bot and call its `start`."""
        self.codec = _match_codec(self.game, self._started.options.SerializeToString())
        # Not from the seed or its commitment: that would let opponents foresee what the bot will do.
        rng_seed = secrets.token_hex(16)
        log.debug("%s begins: %s; Random(%r)", self, ", ".join(self._started.bots), rng_seed)
        bot = seat_bot(self._bot_class, self.game, self.seat, self.players, Random(rng_seed), _clock_of(self._started))
        self._decide = method_for(bot, self.game)
        self._legal = get_game(self.game).legal
        if self._journal is not None:
            self.journal = self._journal.begin(about_match(self._started, rng_seed))
        waiting = self._call(bot.start)
        self.bot = bot
        return waiting

    def decide(self, request: int, message: play_pb2.View) -> object:
        """Ask the bot for its move."""
        if request != self.request:
            raise Stale
        if self.bot is None:
            raise NotStarted
        view = self.codec.view_from_wire(message)
        if self.journal is None:
            return self._decide(view, self._legal(view))
        self.journal.asked(request, view)
        return self.journal.call(self._decide, view, self._legal(view))

    def seen(self, event: play_pb2.Event) -> object:
        """Tell the bot what a seat has played."""
        if self.bot is None:
            return None
        return self._call(self.bot.seen, event.seat, self.codec.move_from_wire(event.move))

    def end(self, result: Result) -> object:
        """Tell the bot how the match ended."""
        return self._call(self.bot.end, result) if self.bot is not None else None

    def _call(self, method: Callable[..., object], *arguments: object) -> object:
        return method(*arguments) if self.journal is None else self.journal.call(method, *arguments)


def _clock_of(started: play_pb2.MatchStarted) -> Clock:
    """What the arena says about time; if it says nothing, the usual."""
    return Clock(started.clock.decision_ms, started.clock.bank_ms) if started.HasField("clock") else STANDARD_CLOCK


@lru_cache(maxsize=64)
def _match_codec(game: str, options: bytes) -> AnyMatchCodec:
    """The codec for a match with these options, which an arena sends with every match though they seldom change."""
    codec = codec_for(game)
    return codec.for_match(codec.options_from_wire(play_pb2.GameOptions.FromString(options)))


class Playing:
    """All matches that run on a link, and on the next one if they are resumed there."""

    def __init__(
        self,
        bot_class: type[Bot],
        outbox: Outbox,
        stats: Stats,
        on_change: Callable[[Stats], object],
        journal: Journal | None = None,
    ) -> None:
        self.matches: dict[int, Match] = {}
        self._journal = journal
        self._bot_class = bot_class
        self._outbox = outbox
        self._stats = stats
        self._on_change = on_change
        self._plain = PlainCalls(asyncio.get_running_loop())
        self._commitments: dict[str, bytes] = {}
        self._ending = 0
        self._settled = asyncio.Event()
        self._settled.set()

    def resume(self, numbers: Collection[int]) -> None:
        """The arena is there (again), and only about the matches with these numbers there is more to hear."""
        for match in [match for match in self.matches.values() if match.number not in numbers]:
            log.warning("%s ended while the connection was lost", match)
            self._stats.dropped += 1
            self._forget(match)

    def take(self, message: play_pb2.ArenaMessage) -> None:
        """Do what the arena says. Quick bots have answered when this returns."""
        self._plain.begin_batch()
        for started in message.started:
            self._start(started)
        for event in message.events:
            self._tell_seen(event)
        for decision in message.decisions:
            self._ask(decision)
        for ended in message.ended:
            self._end(ended)
        for reveal in message.reveals:
            self._check(reveal)

    async def settle(self, seconds: float) -> None:
        """Wait until all bots whose matches ended know about it, but no longer than this."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), seconds)

    def close(self) -> None:
        """Ask no bot any more."""
        for match in list(self.matches.values()):
            self._forget(match)
        self._plain.close()

    def _start(self, started: play_pb2.MatchStarted) -> None:
        known = self.matches.get(started.match)
        if known is not None and known.match_id == started.match_id:
            # Resumed: the bot is there already. Whether the arena heard that it is ready, nobody knows.
            if known.ready:
                self._outbox.add_ready(known.number)
            return
        calls: Calls = WaitingCalls() if has_coroutines(self._bot_class, started.game) else self._plain
        match = Match(started, self._bot_class, calls, self._journal)
        self.matches[match.number] = match
        self._remember(match.match_id, started.commitment)
        self._count()
        calls.do("start", match.start, partial(self._started, match))

    def _started(self, match: Match, outcome: Outcome) -> None:
        if outcome.error is not None:
            # The arena is told that the bot is ready all the same: to wait for it would not help anybody.
            match.bot = None
            _log_error(match, "did not start", outcome.error)
        match.ready = True
        if self._is_on(match):
            self._outbox.add_ready(match.number)

    def _ask(self, decision: play_pb2.Decision) -> None:
        match = self.matches.get(decision.match)
        if match is None:
            return
        self._stats.latency_ms = decision.latency_us / 1000.0
        request = decision.request
        if request != match.request:
            match.request, match.answer = request, None
            match.calls.do(
                "decide", partial(match.decide, request, decision.view), partial(self._decided, match, request)
            )
        elif match.answer is not None:
            # Asked again after a resume, and the answer got lost on the way.
            self._outbox.add_answer(match.answer)

    def _decided(self, match: Match, request: int, outcome: Outcome) -> None:
        if match.journal is not None:
            match.journal.decided(request, outcome.value, outcome.error, outcome.ms, self._stats.latency_ms)
        if request != match.request or isinstance(outcome.error, Stale):
            log.debug("%s: decision %d came too late", match, request)
            return
        self._stats.decided(outcome.ms)
        match.answer = answer = play_pb2.Answer(match=match.number, request=request)
        if outcome.error is None:
            _write_move(match, outcome.value, answer)
        else:
            answer.crashed = True
            if not isinstance(outcome.error, NotStarted):
                _log_error(match, "crashed", outcome.error)
        if log.isEnabledFor(logging.DEBUG):
            latency = self._stats.latency_ms
            log.debug("%s: %s in %.3f ms, latency %.3f ms", match, as_text(outcome.value), outcome.ms, latency)
        self._outbox.add_answer(answer)

    def _tell_seen(self, event: play_pb2.Event) -> None:
        match = self.matches.get(event.match)
        if match is not None:
            match.calls.do("seen", partial(match.seen, event), partial(_told, match, "seen"))

    def _end(self, ended: play_pb2.MatchEnded) -> None:
        match = self.matches.pop(ended.match, None)
        if match is None:
            return
        match.request = None
        result = _result_of(match, ended)
        self._stats.ended(result, match.seat)
        if match.journal is not None:
            match.journal.ended(result)
        _log_result(match, result)
        self._ending += 1
        self._settled.clear()
        match.calls.do("end", partial(match.end, result), partial(self._ended, match))
        self._count()

    def _ended(self, match: Match, outcome: Outcome) -> None:
        _told(match, "end", outcome)
        if match.journal is not None:
            match.journal.close()
        self._ending -= 1
        if not self._ending:
            self._settled.set()

    def _forget(self, match: Match) -> None:
        match.request = None
        if match.journal is not None:
            match.journal.close()
        del self.matches[match.number]
        if match.calls is not self._plain:
            match.calls.close()
        self._count()

    def _is_on(self, match: Match) -> bool:
        return self.matches.get(match.number) is match

    def _count(self) -> None:
        self._stats.playing = len(self.matches)
        self._on_change(self._stats)

    def _remember(self, match_id: str, commitment: bytes) -> None:
        self._commitments[match_id] = commitment
        if len(self._commitments) > COMMITMENTS_REMEMBERED:
            del self._commitments[next(iter(self._commitments))]

    def _check(self, reveal: play_pb2.Reveal) -> None:
        """Whether the arena dealt what it had committed itself to."""
        commitment = self._commitments.pop(reveal.match_id, None)
        if commitment is not None and hashlib.sha256(reveal.seed).digest() != commitment:
            log.error("the seed of match %s is not the one that the arena committed itself to", reveal.match_id)


def _write_move(match: Match, move: object, answer: play_pb2.Answer) -> None:
    """Put what the bot returned into `answer`. If that is not a move, the answer has an empty one: malformed."""
    try:
        match.codec.move_to_wire(move, answer.move)
    except Exception as error:
        # An author may return anything, and nothing about it may end the process.
        answer.move.Clear()
        answer.move.SetInParent()
        log.warning("%s: the bot's answer is not a move: %s (%s)", match, as_text(move), headline(error))


def _result_of(match: Match, ended: play_pb2.MatchEnded) -> Result:
    try:
        result = result_from_wire(ended.result)
    except WireError as error:
        _log_error(match, "", error)
        return Result((), (), VOIDED)
    return result if len(result.places) in (0, match.players) else Result((), (), VOIDED)


def _told(match: Match, hook: str, outcome: Outcome) -> None:
    if outcome.error is not None:
        _log_error(match, f"crashed in {hook}(), which changes nothing about the match", outcome.error)


def _log_error(match: Match, what: str, error: BaseException) -> None:
    if isinstance(error, WireError):
        log.error("%s: the arena sent what is not understood here: %s", match, error)
    else:
        log.error("%s: the bot %s: %s\n%s", match, what, headline(error), authors_lines(error))


def _log_result(match: Match, result: Result) -> None:
    place = f"place {result.places[match.seat]}" if result.places else result.reason or result.termination
    log.debug("%s ended: %s, scores %s", match, place, result.scores)
    faults = [f"{fault.kind} at step {fault.step}" for fault in result.faults if fault.seat == match.seat]
    if faults:
        log.warning("%s: faults of the bot: %s", match, ", ".join(faults))
