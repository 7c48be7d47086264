"""Who has been away for how long. By the event loop's clock: a jump of the time of day makes nobody absent."""

from collections.abc import Callable, Iterable

from roost_server.play.contest import OpenBlock


class Attendance:
    """Knows since when bots are missed: not before the arena began to run, since until then it was away itself."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._at = self._since = now()
        self._seen: dict[int, float] = {}

    def note(self, version_ids: Iterable[int]) -> None:
        """These are here, ready to play."""
        self._at = self._now()
        self._seen.update(dict.fromkeys(version_ids, self._at))

    def missing(self, open_block: OpenBlock, seconds: float) -> frozenset[int]:
        """The bots of a block that were away for longer than that when it was last noted who is here.

        Time in which the block was not even planned does not count.
        """
        if self._at - open_block.waits_since <= seconds:
            return frozenset()
        return frozenset(bot for bot in open_block.block.group if self._away(bot) > seconds)

    def _away(self, version_id: int) -> float:
        return self._at - self._seen.get(version_id, self._since)
