"""The arena as a whole, as everybody may know it, as a message of `roost.v1`, from a store alone."""

import threading
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import version

from roost.v1 import records_pb2
from roost_server.clocks import epoch_ms
from roost_server.store import Store, queries
from roost_server.store.measures.holds import EVERYTHING_SEEN, Held, Veil

STATES_TOLD_APART = 1024
"""How many numbers of open blocks a revision tells apart. One that has changed by as many is very unlikely."""


class ArenaOnRecord:
    """Answers what there is. It remembers which games it has seen, so that each match is looked at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = threading.Lock()
        self._seen = 0
        self._kinds: set[tuple[str, int]] = set()
        self._held: tuple[Held, int, int] = ((), 0, 0)
        """What was held back at the match of a number, and how many matches that was."""

    def get_arena(self, _: records_pb2.GetArenaRequest, veil: Veil = EVERYTHING_SEEN) -> records_pb2.GetArenaResponse:
        """The part of the answer that is on record. A running arena adds the rest."""
        recorded, open_blocks = queries.match_count(self._store), queries.open_block_count(self._store, veil.held)
        matches = recorded - self._held_until(recorded, veil.held)
        return records_pb2.GetArenaResponse(
            version=version("roost"),
            matches=matches,
            games=played_games(self._kinds_until(recorded)),
            now_ms=epoch_ms(),
            revision=matches * STATES_TOLD_APART + open_blocks % STATES_TOLD_APART,
        )

    def _held_until(self, last: int, held: Held) -> int:
        if not held:
            return 0
        with self._turn:
            known, through, count = self._held if self._held[0] == held else (held, 0, 0)
            if last > through:
                count, through = count + queries.held_count(self._store, held, through, last), last
            self._held = known, through, count
            return count

    def _kinds_until(self, matches: int) -> set[tuple[str, int]]:
        with self._turn:
            self._kinds |= queries.kinds_after(self._store, self._seen)
            self._seen = max(self._seen, matches)
            return set(self._kinds)


def played_games(kinds: Iterable[tuple[str, int]]) -> list[records_pb2.PlayedGame]:
    """Games and their table sizes, from pairs of these, on the wire."""
    counts: dict[str, set[int]] = defaultdict(set)
    for game, players in kinds:
        counts[game].add(players)
    return [records_pb2.PlayedGame(game=game, player_counts=sorted(counts[game])) for game in sorted(counts)]
