"""Plays a match in this process: bots are called, not connected to.

    match = LocalMatch(get_game("karteneck"), [bot, bot], seed_of("spring"))
    result = match.play()
    replay = match.referee.replay()

The same referee as in the arena decides about faults. A bot that thinks for too long cannot be
stopped in one process. Its answer is late when it comes, and a bot that never answers blocks the match.
"""

import sys
from asyncio import Runner
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from random import Random
from reprlib import Repr
from typing import Any

from roost_games.errors import UsageError
from roost_games.referee import STANDARD_CLOCK, Clock, Fault, Played, Referee, Seat
from roost_games.registry import AnyGame
from roost_games.replay import Result
from roost_games.wording import harmless
from roost_sdk.bot import OutOfTime
from roost_sdk.clock import TimeLeft
from roost_sdk.load import LoadedBot
from roost_sdk.seat import CRASHES, BotSeat, Kind, NotStarted, SeatedBot, blocking, has_coroutines
from roost_sdk.tracebacks import authors_lines, headline
from roost_sdk.troubles.debugger import DebuggerWatch
from roost_sdk.troubles.log import Trouble

DEBUGGED = "was looked at with a debugger, so its clock stands still; at an arena it would run"
SHOWN_MOVES = 6
"""How many legal moves are listed for an author whose bot did something else."""
SHORT = Repr()
"""Shows what a bot sent, whatever that is: it survives objects that cannot show themselves."""
SHORT.maxother = SHORT.maxstring = 100


def tell_stderr(trouble: Trouble) -> None:
    """Write a bot's trouble to stderr, which is its author's log."""
    sys.stderr.write(f"{harmless(str(trouble))}\n")


def rng_of(seed: bytes, seat: int) -> Random:
    """The randomness of the bot at `seat` in the match with this seed.

    It is Python's `Random`, seeded with the SHA-256 of the text `roost-bot/2:SEED:SEAT` in hex, where `SEED` is the
    match's seed in hex. So it differs between the seats, and repeats when a match is repeated.
    """
    return Random(rng_seed(seed, seat))


def rng_seed(seed: bytes, seat: int) -> str:
    """What the randomness of a bot is seeded with. It is a hash, since a bot can compute this back from its `rng`."""
    return sha256(f"roost-bot/2:{seed.hex()}:{seat}".encode()).hexdigest()


class LocalMatch:
    """One match between bots in this process. Build it, `play` it, then ask its `referee` for the record."""

    def __init__(
        self,
        game: AnyGame,
        bots: Sequence[LoadedBot],
        seed: bytes,
        *,
        options: Any = None,
        clock: Clock = STANDARD_CLOCK,
        max_faults: int = 3,
        match: str = "",
        versions: Sequence[str] = (),
        listener: Callable[[object], None] | None = None,
        tell: Callable[[Trouble], None] = tell_stderr,
    ) -> None:
        """`tell` hears about what went wrong in a bot; `options` and what follows it is as for the referee.

        Bots are told the names and `versions` of all.
        """
        for bot in bots:
            check_plays(bot, game.name, len(bots))
        self.bots = tuple(bots)
        self.game = game
        self.seed = seed
        self._tell = tell
        self._listener = listener
        self._calling: int | None = None
        """The seat that is being called, unless that is the next one of those that decide."""
        self._seats = tuple(map(Seat, (bot.name for bot in bots), versions or [""] * len(bots)))
        self._seeing: list[SeatedBot] = []
        self.referee: Referee[Any, Any] = Referee(
            game,
            [Seat(bot.name) for bot in bots],
            seed,
            options=options,
            clock=clock,
            max_faults=max_faults,
            match=match,
            listener=self._heard if any(bot.bot_class.wants_moves() for bot in bots) else listener,
            at_once=True,
        )

    @property
    def called(self) -> str:
        """The bot that is being called, as another thread sees it; empty if none is."""
        seats = self.referee.waiting if self._calling is None else (self._calling,)
        return self.bots[seats[0]].name if seats else ""

    @property
    def slow_seconds(self) -> float:
        """What takes longer than this is slow."""
        return self.referee.clock.decision_ms / 1000

    def progress(self) -> tuple[object, ...]:
        """What changes as long as bots answer, for another thread."""
        return self.referee.steps, self.referee.waiting, self._calling

    def play(self) -> Result:
        """Play to the end. Coroutines of bots run in an event loop of this match, so there must be no other here."""
        with closing(Runner()) as runner:
            seated = [self._seat(seat, runner) for seat in range(len(self.bots))]
            self._calling = None
            self._debugger = DebuggerWatch()
            self._decide(seated)
            result = self.referee.result
            assert result is not None  # noqa: S101  no decision is open, so the match is over
            for seat, bot in enumerate(seated):
                self._calling = seat
                self._note(seat, "end", bot.end(result)[1])
            return result

    def _seat(self, seat: int, runner: Runner) -> SeatedBot:
        self._calling = seat
        referee, count = self.referee, len(self.bots)
        place = BotSeat(
            self.game.name,
            seat,
            count,
            rng_of(self.seed, seat),
            referee.clock,
            self._seats,
            partial(time_left, referee, seat),
        )
        bot_class = self.bots[seat].bot_class
        bot = SeatedBot(bot_class, place, blocking(runner) if has_coroutines(bot_class, place.game) else None)
        self._note(seat, "start", bot.start()[1])
        if bot_class.wants_moves():
            self._seeing.append(bot)
        return bot

    def _decide(self, seated: Sequence[SeatedBot]) -> None:
        """All decisions of the match. One loop and local names: with quick bots, every call costs noticeable time."""
        referee = self.referee
        view, legal, answer = referee.view, referee.legal, referee.answer
        most_ms = referee.clock.decision_ms
        decide = [bot.decide for bot in seated]
        while waiting := referee.waiting:
            for seat in waiting:
                allowed = legal(seat)
                move, error, ms = decide[seat](view(seat), allowed)
                if ms > most_ms and self._debugger.was_used():
                    ms = 0.0
                    self._tell(Trouble(seat, self.bots[seat].name, DEBUGGED))
                if error is not None:
                    self._raised(seat, error, ms)
                    continue
                fault = answer(seat, move, ms)
                if fault is not None:
                    self._tell(refusal_of(seat, self.bots[seat].name, fault, move, allowed))

    def _raised(self, seat: int, error: BaseException, ms: float) -> None:
        self.referee.fault(seat, Fault.LATE if isinstance(error, OutOfTime) else Fault.CRASHED, ms)
        if not isinstance(error, NotStarted):
            self._note(seat, "decide", error)

    def _heard(self, notice: object) -> None:
        if self._listener is not None:
            self._listener(notice)
        if isinstance(notice, Played):
            for bot in self._seeing:
                self._note(bot.place.seat, "seen", bot.seen(notice.seat, notice.move)[1])

    def _note(self, seat: int, kind: Kind, error: BaseException | None) -> None:
        """Tell the author about an error, if there is one."""
        if error is not None:
            self._tell(trouble_of(seat, self.bots[seat].name, kind, error))


def time_left(referee: Referee[Any, Any], seat: int) -> TimeLeft:
    """What a bot in this process is told about its time."""
    return TimeLeft.of(referee.clock, referee.bank_used[seat])


def check_plays(bot: LoadedBot, game: str, players: int | None = None) -> None:
    """Raise `UsageError` if the bot has no method for the game, or does not play with this number of players."""
    kind = bot.bot_class
    check_able(bot.name, game, [game] if kind.plays(game) else [], kind.player_counts, players)


def check_able(
    bot: str, game: str, games: Collection[str], player_counts: Collection[int], players: int | None = None
) -> None:
    """The same for a bot that need not be here."""
    if game not in games:
        raise UsageError(
            f"{bot} does not play {game}: it has neither a method {game}(self, view, legal) "
            "nor choose(self, view, legal)"
        )
    if players is not None and player_counts and players not in player_counts:
        counts = ", ".join(map(str, player_counts))
        raise UsageError(f"{bot} does not play with {players} players; its player_counts are {counts}")


def trouble_of(seat: int, bot: str, kind: Kind, error: BaseException) -> Trouble:
    """What its author is told about a bot that has raised an error."""
    what = "was late" if isinstance(error, OutOfTime) else CRASHES[kind]
    return Trouble(seat, bot, f"{what}: {headline(error)}", authors_lines(error))


def refusal_of(seat: int, bot: str, fault: Fault, move: object, legal: Sequence[object]) -> Trouble:
    """What its author is told about a bot whose answer does not count."""
    return refusal_in_words(seat, bot, fault, SHORT.repr(move), legal)


def refusal_in_words(seat: int, bot: str, fault: Fault, sent: str, legal: Sequence[object]) -> Trouble:
    """The same, if what it sent is text about it."""
    if fault is Fault.LATE:
        return Trouble(seat, bot, "was late: its answer came after its time was up")
    listed = ", ".join(str(each) for each in legal[:SHOWN_MOVES])
    more = f" and {len(legal) - SHOWN_MOVES} more" if len(legal) > SHOWN_MOVES else ""
    return Trouble(seat, bot, f"sent a move that is {fault}: {sent}", f"  legal were: {listed}{more}")
