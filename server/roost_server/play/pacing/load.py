"""How many matches an arena plays at once: as many as it can serve and hardly be late itself.

The right number is not known in advance. It depends on the machine, and on how long bots think. So the arena begins
with some, goes on to more while all of them are played and it is hardly late, and to fewer when it is late too often.
An arena that is late with next to nothing to do is held up by others on its machine, such as bots that start. Then
fewer matches would not help.
"""

import math

from roost_server.clocks import Instant

FIRST, LEAST = 64, 16
"""How many matches may be played at once in the beginning, and at the least."""
LOOK_SECONDS = 0.5
UP, DOWN = 1.2, 0.8


class Load:
    """Decides how many matches are played at once, by the share of the time in which the arena is late itself."""

    def __init__(self, most_late: float) -> None:
        self.limit = FIRST
        self._most_late = most_late
        self._since: Instant | None = None

    def look(self, now: Instant, playing: int) -> bool:
        """Adapt the limit to how late the arena has been. Returns whether it may play more from now on."""
        before = self._since
        if before is not None and now.time - before.time < LOOK_SECONDS:
            return False
        self._since = now
        return before is not None and self._adapt(_share(before, now), playing)

    def _adapt(self, late: float, playing: int) -> bool:
        former = self.limit
        if late > self._most_late and playing > LEAST:
            self.limit = max(LEAST, int(DOWN * min(former, playing)))
        elif late < self._most_late / 2 and playing >= former / UP:
            self.limit = math.ceil(UP * former)
        return self.limit > former


def _share(before: Instant, now: Instant) -> float:
    """The share of the time between these moments in which the arena was late."""
    return (now.delayed_ms - before.delayed_ms) / 1000 / (now.time - before.time)
