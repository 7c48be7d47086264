"""Matches at many tables at once, whose bots have processes of their own: the way to play with code of others.

    with closing(Hall(limits)) as hall:
        for table in hall.play(fixtures):
            print(table.referee.result)

Each bot has one process for all of its tables, which is asked in batches: what all its tables want to know at that
moment. So a hand-over is paid for many decisions: nobody is asked before all have answered, when most is wanted. A bot
that thinks for long has the machine for itself, since its time counts: no other bot of this hall is asked meanwhile.

If a process is lost, it is certain which bot is to blame, and at which table it was asked. It forfeits that match
(see `LadderTable.stop`). Its other matches begin again with a fresh process, because what it knew of them is gone, and
they are none of its faults. A match is a function of its seed, so they come out as if nothing had happened.
"""

import selectors
import time
from asyncio import Runner
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

from roost_games.errors import RoostError
from roost_games.referee import Referee
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits
from roost_ladder.running.table import AwaySeat, HereSeat, LadderTable
from roost_sdk.bot_process.answers import NotAnAnswer
from roost_sdk.bot_process.process import LOOK_SECONDS, BotCall, BotLimits, BotLost, BotProcess, Wrap
from roost_sdk.bot_process.sandbox import sandbox_for
from roost_sdk.load import STDIO, LoadedBot

TABLES_EACH = 32
"""How many matches are played at once for each bot at most: they take memory in the bots' processes."""
SLOW_TABLES = 2
"""How many while a bot thinks for longer: the next decision is ready when it has answered."""
MOST_PROCESSES = 16
"""How many processes are kept for later matches."""
Watch = Callable[[Referee[Any, Any]], Callable[[object], None]]
"""Makes what hears of a match, before its first move."""


@dataclass(eq=False, slots=True)
class HostedBot:
    """A bot's process in a hall."""

    process: BotProcess
    wants_moves: bool
    calls: list[BotCall] = field(default_factory=list)
    """Those to hand over next."""


class HallSeat(NamedTuple):
    """Where the seat is that a process knows by its number."""

    match: int
    """The number of its match, in the order of the fixtures."""
    seat: int
    guest: HostedBot


class Hall:
    """Plays matches. One at a time may ask it to."""

    def __init__(
        self,
        limits: MatchLimits,
        *,
        prints: bool = False,
        beat: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`prints`: what bots print is shown, and not dropped. `beat` is called several times a second.

        `tell` gets a line when a bot hangs.
        """
        self._limits = limits
        self._bot_limits = BotLimits(
            limits.patience, limits.memory_mb, prints=prints, slow=limits.clock.decision_ms / 1000
        )
        self._beat = beat
        self._tell = tell
        self._runner = Runner()
        self._selector = selectors.DefaultSelector()
        self._guests: dict[str, HostedBot] = {}
        """By what their bots are named, those that were needed last at the end."""
        self._broken: dict[str, BotLost] = {}
        """Bots that cannot be imported without ending their process."""
        self._numbers = count(1)
        self._placed: dict[int, HallSeat] = {}
        self._tables: dict[int, LadderTable] = {}
        """Those that are being played, by index."""
        self._moved: set[int] = set()
        """Those of which something has been heard."""
        self._ended = 0

    def close(self) -> None:
        """End all processes."""
        for guest in self._guests.values():
            guest.process.stop()
        self._guests.clear()
        self._selector.close()
        self._runner.close()

    def play(self, fixtures: Iterable[Fixture], watch: Watch | None = None) -> Iterator[LadderTable]:
        """Play these matches. They come back in their order, each when it is over.

        With `watch` one is played after the other. Raises `UsageError` if a bot cannot be loaded.
        """
        waiting = enumerate(fixtures)
        done: dict[int, LadderTable] = {}
        given = 0
        more = True
        while more or self._tables:
            while more and len(self._tables) < (1 if watch else self._room()):
                following = next(waiting, None)
                if more := following is not None:
                    self._open(*following, watch)
            self._hand_over()
            self._wait()
            done |= self._take_done()
            while given in done:
                yield done.pop(given)
                given += 1
        self._dismiss()

    def _room(self) -> int:
        """How many matches may be played at once: few at first, since nobody knows the bots, and few of slow ones."""
        guests = self._guests.values()
        quick = all(guest.process.quick and not guest.process.text.startswith(STDIO) for guest in guests)
        return min(TABLES_EACH * max(1, len(guests)), 1 + self._ended) if quick else SLOW_TABLES

    def _open(self, index: int, fixture: Fixture, watch: Watch | None) -> None:
        table = LadderTable(fixture, self._limits)
        for bot in fixture.bots:
            self._find(bot)
        self._tables[index] = table
        self._moved.add(index)
        seats = [self._seat(index, seat, bot, table) for seat, bot in enumerate(fixture.bots)]
        table.begin(seats, watch(table.referee) if watch else None)

    def _find(self, bot: BotSpec) -> None:
        """See to it that the bot has a process, unless it needs none or cannot be imported."""
        if bot.trusted or bot.text in self._guests or bot.text in self._broken:
            return
        wrap: Wrap = sandbox_for(bot.text) if self._limits.sandbox else list
        process = BotProcess(bot.text, self._bot_limits, wrap, tell=self._tell)
        try:
            self._guests[bot.text] = guest = HostedBot(process, process.load(self._beat))
            self._selector.register(process, selectors.EVENT_READ, guest)
        except BotLost as lost:
            self._broken[bot.text] = lost
        except RoostError:
            process.stop()
            raise

    def _seat(self, index: int, seat: int, bot: BotSpec, table: LadderTable) -> HereSeat | AwaySeat:
        if bot.trusted:
            return table.here(seat, loaded(bot), self._runner)
        number = next(self._numbers)
        if bot.text in self._broken:
            return AwaySeat(number, [], lost=self._broken[bot.text])
        # The last one is the one that was needed last.
        guest = self._guests[bot.text] = self._guests.pop(bot.text)
        self._placed[number] = HallSeat(index, seat, guest)
        return AwaySeat(number, guest.calls, wants_moves=guest.wants_moves)

    def _hand_over(self) -> None:
        """Once all have answered, send each what is wanted of it; but of bots that think, only one at a time."""
        if any(guest.process.asked for guest in self._guests.values()):
            return
        ready = [guest for guest in self._guests.values() if guest.calls]
        for guest in [guest for guest in ready if guest.process.quick] or ready[:1]:
            try:
                guest.process.send(guest.calls)
                guest.calls.clear()
            except BotLost as lost:
                self._lose(guest, lost)

    def _wait(self) -> None:
        """Take the answers that come, for a moment."""
        self._beat()
        busy = [guest for guest in self._guests.values() if guest.process.asked]
        if not busy:
            return
        began = time.monotonic()
        heard = [key.data for key, _ in self._selector.select(LOOK_SECONDS)]
        waited = time.monotonic() - began
        for guest in busy:
            guest.process.note_wait(waited)
        for guest in (*heard, *(guest for guest in busy if guest not in heard)):
            try:
                if guest in heard:
                    self._receive(guest)
                else:
                    guest.process.check_patience()
            except BotLost as lost:
                self._lose(guest, lost)

    def _receive(self, guest: HostedBot) -> None:
        try:
            for (number, kind, _), answer in guest.process.receive():
                # Of a match that has begun again, nothing counts.
                if placed := self._placed.get(number):
                    self._moved.add(placed.match)
                    self._tables[placed.match].answered(placed.seat, kind, answer)
        except NotAnAnswer as error:
            raise guest.process.babble(error) from None

    def _lose(self, guest: HostedBot, lost: BotLost) -> None:
        """A process is gone. Its bot forfeits the match that it was asked in, and its others begin again."""
        self._selector.unregister(guest.process)
        del self._guests[guest.process.text]
        indices = sorted({placed.match for placed in self._placed.values() if placed.guest is guest})
        asked = self._placed.get(lost.number)
        blamed = asked.match if asked else next(iter(indices), None)
        for index in indices:
            if index != blamed:
                self._begin_again(index)
                continue
            its = {
                n: placed.seat for n, placed in self._placed.items() if (placed.guest, placed.match) == (guest, index)
            }
            self._forget(its)
            self._moved.add(index)
            self._tables[index].stop(sorted(its.values()), lost)

    def _begin_again(self, index: int) -> None:
        numbers = {number for number, placed in self._placed.items() if placed.match == index}
        for guest in self._guests.values():
            guest.calls[:] = [call for call in guest.calls if call[0] not in numbers]
            guest.calls += [(number, "drop", ()) for number in numbers if self._placed[number].guest is guest]
        self._forget(numbers)
        self._open(index, self._tables[index].fixture, None)

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            del self._placed[number]

    def _take_done(self) -> dict[int, LadderTable]:
        done = {index: self._tables[index] for index in self._moved if self._tables[index].done}
        self._moved.clear()
        for index in done:
            del self._tables[index]
            self._forget([number for number, placed in self._placed.items() if placed.match == index])
        self._ended += len(done)
        return done

    def _dismiss(self) -> None:
        """End the processes that were not needed for the longest time."""
        while len(self._guests) > MOST_PROCESSES:
            guest = self._guests.pop(next(iter(self._guests)))
            self._selector.unregister(guest.process)
            guest.process.close()


@lru_cache(maxsize=256)
def loaded(bot: BotSpec) -> LoadedBot:
    """A trusted bot, imported here."""
    return bot.load()
