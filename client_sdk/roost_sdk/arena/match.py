"""One match that a bot plays at an arena, and the tasks that it makes for the bot."""

import logging
import secrets
from collections.abc import Callable
from functools import lru_cache
from random import Random
from time import perf_counter

from roost.v1 import play_pb2
from roost_games.referee import STANDARD_CLOCK, Clock, from_notation
from roost_games.registry import get_game
from roost_games.replay import Result
from roost_games.wording import as_text
from roost_sdk.arena.journal import Journal, MatchJournal, about_match
from roost_sdk.bot import Bot
from roost_sdk.seat import CRASHES, BotSeat, Call, Kind, NotStarted, Outcome, SeatedBot
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.wire import AnyMatchCodec, WireError, codec_for

log = logging.getLogger("roost_sdk")


class ArenaMatch:
    """One match from the view of a seat: the bot that plays it, and what was asked last."""

    def __init__(self, started: play_pb2.MatchStarted, bot_class: type[Bot], journal: Journal | None = None) -> None:
        self.number = started.match
        self.match_id = started.match_id
        self.game = started.game
        self.seat = started.seat
        self.players = started.players
        self.ready = False
        self.request: int | None = None
        """The latest question, if there is one."""
        self.answer: play_pb2.Answer | None = None
        """The answer to it, once there is one."""
        self.latency_ms = 0.0
        self.codec: AnyMatchCodec
        self.bot: SeatedBot | None = None
        self.journal: MatchJournal | None = None
        """What is written down about it, if its author wants that."""
        self._bot_class = bot_class
        self._started = started
        self._folder = journal

    def __str__(self) -> str:
        return f"match {self.match_id} ({self.game}, seat {self.seat} of {self.players})"

    def start(self) -> Call:
        """Seat the bot."""
        started = self._started
        self.codec = _match_codec(self.game, started.options.SerializeToString())
        self._read_view = self.codec.view_reader(self.players)
        # Not from the seed or its commitment: that would let opponents foresee what the bot will do.
        rng_seed = secrets.token_hex(16)
        log.debug("%s begins: %s; Random(%r)", self, ", ".join(started.bots), rng_seed)
        if self._folder is not None:
            self.journal = self._folder.begin(about_match(started, rng_seed))
        bind = None if self.journal is None else self.journal.bind
        place = BotSeat(self.game, self.seat, self.players, Random(rng_seed), _clock_of(started))
        self.bot = SeatedBot(self._bot_class, place, bind)
        self._legal = get_game(self.game).legal
        return Call("start")

    def decide(self, request: int, message: play_pb2.View) -> Call | None:
        """Ask the bot for its move, unless the question is out of date."""
        if request != self.request:
            return None
        if self.bot is None:
            raise NotStarted
        view = self._read_view(message)
        if self.journal is not None:
            self.journal.asked(request, view)
        return Call("decide", (view, self._legal(view)))

    def seen(self, event: play_pb2.Event) -> Call | None:
        """Tell the bot what a seat has played."""
        return None if self.bot is None else Call("seen", (event.seat, self.codec.move_from_wire(event.move)))

    def end(self, result: Result) -> Call | None:
        """Tell the bot how the match ended."""
        return None if self.bot is None else Call("end", (result,))


class Task:
    """One call of the bot of a match. All of it runs where bots run: even the text of an error is an author's code."""

    __slots__ = ("answer", "ended", "kind", "match", "outcome", "prepare", "request")

    def __init__(
        self, match: ArenaMatch, kind: Kind, prepare: Callable[[], Call | None], request: int | None = None
    ) -> None:
        self.match = match
        self.kind: Kind = kind
        self.prepare = prepare
        """Decodes what the arena said."""
        self.request = request
        """The number of the question, if it is one."""
        self.outcome: Outcome | None = None
        """`None` until the bot was called; that is forever if there was no need to."""
        self.answer: play_pb2.Answer | None = None
        self.ended = 0.0

    def run(self) -> None:
        """Call the bot."""
        call = self._call()
        if call is not None and self.match.bot is not None:
            self._conclude(*getattr(self.match.bot, call.kind)(*call.given))

    async def wait(self) -> None:
        """Call a bot that has coroutines."""
        call = self._call()
        if call is not None and self.match.bot is not None:
            self._conclude(*await self.match.bot.wait(call))

    def _call(self) -> Call | None:
        try:
            return self.prepare()
        except Exception as error:
            self._conclude(None, error, 0.0)
            return None

    def _conclude(self, value: object, error: BaseException | None, ms: float) -> None:
        self.ended = perf_counter()
        self.outcome = value, error, ms
        if self.request is not None:
            self.answer = self._answer(self.request, value, error, ms)
        if error is not None and self.kind == "start":
            self.match.bot = None
        if error is not None and not isinstance(error, NotStarted):
            log_error(self.match, CRASHES[self.kind], error)

    def _answer(self, request: int, move: object, error: BaseException | None, ms: float) -> play_pb2.Answer:
        match = self.match
        if match.journal is not None:
            match.journal.decided(request, move, error, ms, match.latency_ms)
        answer = play_pb2.Answer(match=match.number, request=request)
        if error is None:
            _write_move(match, move, answer)
        else:
            answer.crashed = True
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s: %s in %.3f ms, latency %.3f ms", match, as_text(move), ms, match.latency_ms)
        return answer


def _clock_of(started: play_pb2.MatchStarted) -> Clock:
    """What the arena says about time; if it says nothing, the usual."""
    return Clock(started.clock.decision_ms, started.clock.bank_ms) if started.HasField("clock") else STANDARD_CLOCK


@lru_cache(maxsize=64)
def _match_codec(game: str, options: bytes) -> AnyMatchCodec:
    """The codec for a match with these options, which an arena sends with every match though they seldom change."""
    codec = codec_for(game)
    return codec.for_match(codec.options_from_wire(play_pb2.GameOptions.FromString(options)))


def _write_move(match: ArenaMatch, move: object, answer: play_pb2.Answer) -> None:
    """Put what the bot returned into `answer`. If that is not a move, the answer has an empty one: malformed."""
    try:
        if isinstance(move, dict):
            move = from_notation(get_game(match.game), move)
        match.codec.move_to_wire(move, answer.move)
    except Exception as error:
        # An author may return anything, and nothing about it may end the process.
        answer.move.Clear()
        answer.move.SetInParent()
        log.warning("%s: the bot's answer is not a move: %s (%s)", match, as_text(move), headline(error))


def log_error(match: ArenaMatch, what: str, error: BaseException) -> None:
    """Tell the author what went wrong, and whose fault it is."""
    if isinstance(error, WireError):
        log.error("%s: the arena sent what is not understood here: %s", match, error)
    else:
        log.error("%s: the bot %s: %s\n%s", match, what, headline(error), authors_lines(error))
