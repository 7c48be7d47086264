"""All matches that a bot plays over a link: messages become tasks for the bot, and what comes of them messages."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter

from roost.v1 import play_pb2
from roost_games.replay import VOIDED, Result
from roost_sdk.arena.drivers import HELD_SECONDS, Driver
from roost_sdk.arena.journal import Journal
from roost_sdk.arena.match import ArenaMatch, Task, log_error
from roost_sdk.arena.stats import Stats
from roost_sdk.bot import Bot
from roost_sdk.clock import TimeLeft
from roost_sdk.seat import Kind
from roost_sdk.troubles.hangs import LOOK_SECONDS, Hang, dump_if_held, hang_line
from roost_sdk.troubles.log import Trouble, TroubleLog
from roost_sdk.wire import WireError, result_from_wire

COMMITMENTS_REMEMBERED = 10_000
USUAL_MAX_BYTES = 64 << 10
"""The largest message for an arena that does not say which it takes."""
ANSWER_OVERHEAD = 4
"""The bytes before an answer in a message: its field number, and its length."""
MOST_HANGS = 100
"""How many lines are told about bots that hang, for different times."""
METHODS: dict[Kind, str] = {"start": "start()", "decide": "a decision", "seen": "seen()", "end": "end()"}
log = logging.getLogger("roost_sdk")


class Unsent:
    """What waits to be sent. While one message is being sent, the next one gathers here."""

    def __init__(self) -> None:
        self._message = play_pb2.BotMessage()
        self._wake = asyncio.Event()
        self.max_bytes = USUAL_MAX_BYTES
        """The largest message that the arena takes."""

    def reset(self) -> None:
        """Forget what waits: the link it was for is gone, and the arena will ask again."""
        self._message = play_pb2.BotMessage()
        self._wake.clear()

    async def next_message(self) -> play_pb2.BotMessage:
        """Everything that waits, as soon as there is anything; of too many answers, as many as the arena takes."""
        await self._wake.wait()
        message = self._message
        self.reset()
        if message.ByteSize() > self.max_bytes:
            self._keep_rest(message)
        return message

    def _keep_rest(self, message: play_pb2.BotMessage) -> None:
        """Leave in a message what the arena takes at once. The other answers wait for the next one."""
        answers = list(message.answers)
        del message.answers[:]
        size = message.ByteSize()
        for sent, answer in enumerate(answers):
            size += answer.ByteSize() + ANSWER_OVERHEAD
            if size > self.max_bytes and sent:
                self._message.answers.extend(answers[sent:])
                self._wake.set()
                break
            message.answers.append(answer)

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


class Matches:
    """All matches that run on a link, and on the next one if they are resumed there. Belongs to the network."""

    def __init__(
        self,
        bot_class: type[Bot],
        unsent: Unsent,
        stats: Stats,
        on_change: Callable[[Stats], object],
        journal: Journal | None = None,
    ) -> None:
        self.running: dict[int, ArenaMatch] = {}
        self.driver: Driver
        """Runs the tasks; to be set before the first message is taken."""
        self._journal = journal
        self._bot_class = bot_class
        self._unsent = unsent
        self._stats = stats
        self._on_change = on_change
        self._commitments: dict[str, bytes] = {}
        self._ending = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._longest_held: dict[Kind, float] = {}
        self._troubles = TroubleLog(partial(log.error, "%s"))
        # Apart, because a single bot that hangs is told of again and again, and must not hide what comes later.
        self._hangs = TroubleLog(partial(log.error, "%s"), most_told=MOST_HANGS)
        self._hang = Hang()
        self._armed = False
        self.came = 0.0
        """When the message has come that is being taken, by `perf_counter`."""
        self._since: dict[Task, float] = {}
        """Since when calls have been seen to be under way."""

    def resume(self, numbers: Collection[int]) -> None:
        """The arena is reached (again), and only the matches with these numbers go on."""
        for match in [match for match in self.running.values() if match.number not in numbers]:
            log.warning("%s ended while the connection was lost", match)
            self._stats.dropped += 1
            self._forget(match)

    def take(self, message: play_pb2.ArenaMessage) -> None:
        """Hand over to the bots what the arena says."""
        # Slices: iterating over a list of protobuf takes twice the time.
        batch: list[Task | None] = [self._start(started) for started in message.started[:]]
        batch += map(self._tell_seen, message.events[:])
        batch += map(self._ask, message.decisions[:])
        batch += map(self._end, message.ended[:])
        tasks = [task for task in batch if task is not None]
        if tasks:
            self.driver.take(tasks)
        for reveal in message.reveals[:]:
            self._check(reveal)

    def finish(self, tasks: Sequence[Task]) -> None:
        """Send the results of these tasks."""
        for task in tasks:
            if task.kind == "decide":
                self._decided(task)
            elif task.kind == "start":
                self._started(task.match)
            elif task.kind == "end":
                self._ended(task.match)
            if task.outcome is not None and task.outcome[2] > HELD_SECONDS * 1000.0:
                self._blame(task, task.outcome[2] / 1000.0)

    async def look_for_hangs(self) -> None:
        """Say it when a bot does not answer, while it does not."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._look()

    def _look(self) -> None:
        now = perf_counter()
        self._since = {task: self._since.get(task, now) for task in self.driver.calling()}
        self._arm(bool(self.running))
        longest = min(self._since, key=self._since.__getitem__, default=None)
        seconds = 0.0 if longest is None else now - self._since[longest]
        slow = 0.0 if longest is None else longest.match.slow_seconds
        if self._hang.is_news(seconds, slow) and longest is not None:
            line = hang_line("the bot", seconds, self.driver.where(longest))
            trouble = Trouble(longest.match.seat, "the bot", f"has not answered for {seconds:.0f} s")
            self._hangs.tell(trouble, longest.match.match_id, f"{longest.match}: {line}")

    def _arm(self, armed: bool) -> None:
        """Have Python itself tell where a bot is that holds the interpreter, as long as matches run."""
        self._armed = armed
        dump_if_held(armed=armed)

    async def settle(self, seconds: float) -> None:
        """Wait until all bots whose matches ended know about it, but no longer than this."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), seconds)

    def close(self) -> None:
        """Ask no bot again."""
        for match in list(self.running.values()):
            self._forget(match)
        self.driver.close()
        self._arm(False)
        self._troubles.close()
        self._hangs.close()

    def _start(self, started: play_pb2.MatchStarted) -> Task | None:
        known = self.running.get(started.match)
        if known is not None and known.match_id == started.match_id:
            # Resumed, with the bot that it had. The arena may not have heard that it is ready.
            if known.ready:
                self._unsent.add_ready(known.number)
            return None
        match = ArenaMatch(started, self._bot_class, self._troubles, self._journal)
        self.running[match.number] = match
        if not self._armed:
            self._arm(True)
        self._remember(match.match_id, started.commitment)
        self._count()
        return Task(match, "start", match.start)

    def _started(self, match: ArenaMatch) -> None:
        # A bot that failed to start counts as ready: waiting for it would help nobody.
        match.ready = True
        if self.running.get(match.number) is match:
            self._unsent.add_ready(match.number)

    def _ask(self, decision: play_pb2.Decision) -> Task | None:
        match = self.running.get(decision.match)
        if match is None:
            return None
        self._stats.latency_ms = latency_ms = decision.latency_us / 1000.0
        request = decision.request
        if request != match.request:
            match.request, match.answer = request, None
            match.left = TimeLeft(decision.time_left_ms, decision.bank_left_ms, latency_ms, self.came)
            return Task(match, "decide", partial(match.decide, request, decision.view), request)
        if match.answer is not None:
            # Asked again after a resume, and the answer got lost on the way.
            self._unsent.add_answer(match.answer)
        return None

    def _decided(self, task: Task) -> None:
        match = task.match
        if task.request != match.request or task.answer is None or task.outcome is None:
            log.debug("%s: decision %s came too late", match, task.request)
            return
        self._stats.decided(task.outcome[2])
        match.answer = task.answer
        self._unsent.add_answer(task.answer)

    def _tell_seen(self, event: play_pb2.Event) -> Task | None:
        match = self.running.get(event.match)
        return None if match is None else Task(match, "seen", partial(match.seen, event))

    def _end(self, ended: play_pb2.MatchEnded) -> Task | None:
        match = self.running.pop(ended.match, None)
        if match is None:
            return None
        match.request = None
        result = _result_of(match, ended)
        self._stats.ended(result, match.seat)
        if match.journal is not None:
            match.journal.ended(result)
        self._log_result(match, result)
        self._ending += 1
        self._settled.clear()
        self._count()
        return Task(match, "end", partial(match.end, result))

    def _log_result(self, match: ArenaMatch, result: Result) -> None:
        place = f"place {result.places[match.seat]}" if result.places else result.reason or result.termination
        log.debug("%s ended: %s, scores %s", match, place, result.scores)
        own = [fault for fault in result.faults if fault.seat == match.seat]
        if own:
            faults = ", ".join(f"{fault.kind} at step {fault.step}" for fault in own)
            kinds = ", ".join(sorted({fault.kind for fault in own}))
            trouble = Trouble(match.seat, "the bot", f"had faults ({kinds})")
            self._troubles.tell(trouble, match.match_id, f"{match}: faults of the bot: {faults}")

    def _ended(self, match: ArenaMatch) -> None:
        if match.journal is not None:
            match.journal.close()
        self._ending -= 1
        if not self._ending:
            self._settled.set()

    def _forget(self, match: ArenaMatch) -> None:
        match.request = None
        if match.journal is not None:
            match.journal.close()
        del self.running[match.number]
        self.driver.drop(match)
        self._count()

    def _blame(self, task: Task, seconds: float) -> None:
        """Say so if a call kept the connection waiting: the first time, and when it is twice as bad."""
        held = self.driver.held(task.ended - seconds, task.ended)
        if held > HELD_SECONDS and held > 2 * self._longest_held.get(task.kind, 0.0):
            self._longest_held[task.kind] = held
            log.warning(
                "%s: the bot held the interpreter for %.1f s in %s, and nothing could be sent or received meanwhile; "
                "do this in smaller steps, or in another process",
                task.match,
                held,
                METHODS[task.kind],
            )

    def _count(self) -> None:
        self._stats.playing = len(self.running)
        self._on_change(self._stats)

    def _remember(self, match_id: str, commitment: bytes) -> None:
        self._commitments[match_id] = commitment
        if len(self._commitments) > COMMITMENTS_REMEMBERED:
            del self._commitments[next(iter(self._commitments))]

    def _check(self, reveal: play_pb2.Reveal) -> None:
        """Check that the arena dealt what it had committed to."""
        commitment = self._commitments.pop(reveal.match_id, None)
        if commitment is not None and hashlib.sha256(reveal.seed).digest() != commitment:
            log.error("the seed of match %s is not the one that the arena committed to", reveal.match_id)


def _result_of(match: ArenaMatch, ended: play_pb2.MatchEnded) -> Result:
    try:
        result = result_from_wire(ended.result)
    except WireError as error:
        log_error(match, "", error)
        return Result((), (), VOIDED)
    return result if len(result.places) in (0, match.players) else Result((), (), VOIDED)
