"""Places: how many matches a bot plays at once, and what a match uses up before it begins.

A bot shows that it gets ready and answers before it is given several matches at once: see `Width`. A match that waits
for somebody uses up no place of the others, nor of the arena: they play something else meanwhile. When it can begin, it
waits for their places.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum, auto

from roost_server.play.pacing.width import Width

PATIENT_SECONDS = 1.0
"""How long bots keep their places for a match that somebody is not ready for."""


class Wait(Enum):
    """How a bot takes part in a match that has not begun for a while."""

    FOR_OTHERS = auto()
    """It is ready, and somebody else is not."""
    FOR_PLACES = auto()
    """The match could begin, but some of its bots play others meanwhile."""
    HOLDING_UP = auto()
    """It is not ready."""


class Places:
    """How many matches a bot can be given. `taken` says in how many it is that are not over."""

    def __init__(self, width: Width, taken: Callable[[], int] = lambda: 0) -> None:
        self.width = width
        self._taken = taken
        self._waits: Counter[Wait] = Counter()
        self.on_room: Callable[[], None] = lambda: None
        """Called when the bot can be given more."""

    @property
    def at_once(self) -> int:
        """How many matches it is given at once."""
        return self.width.number

    @property
    def playing(self) -> int:
        """How many of its places are taken."""
        return self._taken() - self._waits[Wait.FOR_OTHERS]

    @property
    def is_free(self) -> bool:
        """Whether it can be given another match."""
        return self.playing < self.width.number

    @property
    def can_begin(self) -> bool:
        """Whether a match that has waited for its place may begin."""
        return self._taken() - self._waits.total() < self.width.number

    @property
    def holds_up(self) -> bool:
        """Whether others wait for it to get ready."""
        return self._waits[Wait.HOLDING_UP] > 0

    def note_ready(self) -> None:
        """It got ready for a match."""
        if self.width.note_ready():
            self.on_room()

    def note_not_ready(self) -> None:
        """It did not get ready for a match in time, and has to show again that it does."""
        self.width.restart()

    def note_answer(self, ms: float, limit_ms: float) -> None:
        """It took this long for an answer, of the time for a decision."""
        if self.width.note_answer(ms, limit_ms) and self.width.look(self.playing):
            self.on_room()

    def change(self, before: Wait | None, after: Wait | None) -> None:
        """One of its matches waits in another way."""
        if before is not None:
            self._waits[before] -= 1
        if after is not None:
            self._waits[after] += 1
        if after is Wait.FOR_OTHERS:
            self.on_room()


class Gathering:
    """A match before it begins: who is not ready, and who plays something else meanwhile."""

    def __init__(self, places: Sequence[Places], dealt_at: float, seconds: float) -> None:
        self.unready = set(range(len(places)))
        """The seats that are not ready."""
        self._places = places
        self._waits: list[Wait | None] = [None] * len(places)
        self._patient_until = dealt_at + PATIENT_SECONDS
        self._ready_by = dealt_at + seconds

    @property
    def is_held_up(self) -> bool:
        """Whether the match takes up no place for now."""
        return any(self._waits)

    def ready(self, seat: int) -> None:
        """The bot in a seat is ready."""
        self.unready.remove(seat)
        if self._waits[seat] is not None:
            self._change(seat, Wait.FOR_OTHERS)
        self._places[seat].note_ready()

    def leave(self, seat: int) -> None:
        """The bot in a seat will not come back."""
        self.unready.discard(seat)
        self._change(seat, None)

    def may_begin(self, now: float) -> bool:
        """Whether the match can begin: all are ready, or had time enough to be, and have a place for it."""
        if self.unready and now <= self._ready_by:
            if now > self._patient_until and not self.is_held_up:
                self._give_places_away()
            return False
        for seat, wait in enumerate(self._waits):
            if wait is Wait.FOR_OTHERS:
                self._change(seat, Wait.FOR_PLACES)
        return all(
            places.can_begin for places, wait in zip(self._places, self._waits, strict=True) if wait is Wait.FOR_PLACES
        )

    def begin(self) -> None:
        """The match begins, or has ended."""
        for seat, places in enumerate(self._places):
            if seat in self.unready:
                places.note_not_ready()
            self._change(seat, None)

    def _give_places_away(self) -> None:
        for seat in range(len(self._places)):
            self._change(seat, Wait.HOLDING_UP if seat in self.unready else Wait.FOR_OTHERS)

    def _change(self, seat: int, wait: Wait | None) -> None:
        before, self._waits[seat] = self._waits[seat], wait
        self._places[seat].change(before, wait)
