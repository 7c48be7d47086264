"""One match that a bot plays at an arena, and the tasks that it makes for the bot."""

import logging
import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from time import perf_counter

from roost.v1 import play_pb2
from roost_games.referee import STANDARD_CLOCK, Clock, from_notation
from roost_games.registry import get_game
from roost_games.replay import Result, Seat
from roost_games.wording import as_text
from roost_sdk.arena.journal import Journal, MatchJournal, about_match
from roost_sdk.bot import Bot
from roost_sdk.clock import TimeLeft
from roost_sdk.seat import CRASHES, BotSeat, Call, Kind, NotStarted, Outcome, SeatedBot, decide_many
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.troubles.log import Trouble, TroubleLog
from roost_sdk.wire import AnyMatchCodec, WireError, codec_for

log = logging.getLogger("roost_sdk")


class ArenaMatch:
    """One match from the view of a seat: the bot that plays it, and what was asked last."""

    def __init__(
        self,
        started: play_pb2.MatchStarted,
        bot_class: type[Bot],
        troubles: TroubleLog,
        journal: Journal | None = None,
    ) -> None:
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
        self.left = TimeLeft.of(_clock_of(started))
        """What the arena said last about time."""
        self.codec: AnyMatchCodec
        self.bot: SeatedBot | None = None
        self.journal: MatchJournal | None = None
        """What is written down about it, if its author wants that."""
        self.troubles = troubles
        """Where its author is told what goes wrong."""
        self.takes_many = bot_class.takes_many(started.game)
        """Whether its decisions may be asked together with those of other matches."""
        self._bot_class = bot_class
        self._started = started
        self._folder = journal

    def __str__(self) -> str:
        return f"match {self.match_id} ({self.game}, seat {self.seat} of {self.players})"

    @property
    def slow_seconds(self) -> float:
        """A call that takes longer is slow."""
        return _clock_of(self._started).decision_ms / 1000

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
        place = BotSeat(
            self.game,
            self.seat,
            self.players,
            Random(rng_seed),
            _clock_of(started),
            _bots_of(started),
            lambda: self.left,
        )
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
        call = self.prepared()
        if call is not None and self.match.bot is not None:
            self.conclude(*getattr(self.match.bot, call.kind)(*call.given))

    async def wait(self) -> None:
        """Call a bot that has coroutines."""
        call = self.prepared()
        if call is not None and self.match.bot is not None:
            self.conclude(*await self.match.bot.wait(call))

    def prepared(self) -> Call | None:
        """The call to make, if it is still wanted and can be made."""
        try:
            return self.prepare()
        except Exception as error:
            self.conclude(None, error, 0.0)
            return None

    def conclude(self, value: object, error: BaseException | None, ms: float) -> None:
        """The call was made, with this outcome."""
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
            match.journal.decided(request, move, error, ms, match.left.latency_ms)
        answer = play_pb2.Answer(match=match.number, request=request)
        if error is None:
            _write_move(match, move, answer)
        else:
            answer.crashed = True
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s: %s in %.3f ms, latency %.3f ms", match, as_text(move), ms, match.left.latency_ms)
        return answer


def run_together(tasks: Sequence[Task]) -> None:
    """Ask a bot that takes many for all these decisions at once."""
    calls = [(task, call) for task in tasks if (call := task.prepared()) is not None]
    asked = [(task, task.match.bot, *call.given) for task, call in calls if task.match.bot is not None]
    outcomes = decide_many([(bot, view, legal) for _, bot, view, legal in asked])
    for (task, *_), outcome in zip(asked, outcomes, strict=True):
        task.conclude(*outcome)


def _clock_of(started: play_pb2.MatchStarted) -> Clock:
    """What the arena says about time; if it says nothing, the usual."""
    return Clock(started.clock.decision_ms, started.clock.bank_ms) if started.HasField("clock") else STANDARD_CLOCK


def _bots_of(started: play_pb2.MatchStarted) -> tuple[Seat, ...]:
    """Who sits where. Older arenas tell no versions."""
    versions = started.versions or [""] * len(started.bots)
    return tuple(map(Seat, started.bots, versions))


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
        trouble = Trouble(match.seat, "the bot", f"sent what is not a move: {headline(error)}")
        text = f"{match}: the bot's answer is not a move: {as_text(move)} ({headline(error)})"
        match.troubles.tell(trouble, match.match_id, text)


def log_error(match: ArenaMatch, what: str, error: BaseException) -> None:
    """Tell the author what went wrong, and whose fault it is."""
    if isinstance(error, WireError):
        log.error("%s: the arena sent something that this version does not understand: %s", match, error)
    else:
        trouble = Trouble(match.seat, "the bot", f"{what}: {headline(error)}")
        match.troubles.tell(trouble, match.match_id, f"{match}: the bot {trouble.what}\n{authors_lines(error)}")
