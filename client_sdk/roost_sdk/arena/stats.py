"""What a bot has done at an arena since its process started, for a display that is kept up to date."""

from collections import Counter, deque
from dataclasses import dataclass, field
from statistics import median

from roost_games.replay import Fault, Result
from roost_games.wording import counted

DECISIONS_REMEMBERED = 1000


@dataclass(slots=True)
class Stats:
    """Numbers that change while a bot plays. Read them whenever you like, in the thread of the event loop."""

    connected: bool = False
    """Whether the arena is there now."""
    connections: int = 0
    """How many times it was reached."""
    playing: int = 0
    """Matches running now."""
    matches: int = 0
    """Finished matches that count."""
    voided: int = 0
    """Matches that do not count, because the arena itself was late or shut down."""
    dropped: int = 0
    """Matches that ended out of sight, because the connection was lost."""
    places: Counter[int] = field(default_factory=Counter)
    """How often the bot took each place; ties share one."""
    faults: Counter[Fault] = field(default_factory=Counter)
    """What it did wrong, by kind."""
    decisions: int = 0
    latency_ms: float = 0.0
    """The round-trip time, as the arena last measured it."""
    recent_ms: deque[float] = field(default_factory=lambda: deque(maxlen=DECISIONS_REMEMBERED))
    """How long the latest decisions took the bot, oldest first."""

    @property
    def wins(self) -> int:
        """First places, shared ones included."""
        return self.places[1]

    @property
    def thinking_ms(self) -> float:
        """The median time of the latest decisions; 0 before the first."""
        return median(self.recent_ms) if self.recent_ms else 0.0

    @property
    def pace(self) -> str:
        """`12 at once, 3.0 ms a decision`: how many matches run, and what the arena chooses their number by."""
        return f"{self.playing} at once, {self.thinking_ms:.1f} ms a decision"

    def decided(self, ms: float) -> None:
        """A decision took `ms`."""
        self.decisions += 1
        self.recent_ms.append(ms)

    def ended(self, result: Result, seat: int) -> None:
        """A match that was played from `seat` ended."""
        self.faults.update(fault.kind for fault in result.faults if fault.seat == seat)
        if result.places:
            self.matches += 1
            self.places[result.places[seat]] += 1
        else:
            self.voided += 1

    def __str__(self) -> str:
        """In one line, for a person."""
        faults = ", ".join(f"{count} {kind}" for kind, count in self.faults.most_common()) or "none"
        return (
            f"{counted(self.matches, 'match')}, {self.wins} won, {self.pace}, faults: {faults}, "
            f"latency {self.latency_ms:.1f} ms"
        )
