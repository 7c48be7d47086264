"""A local ladder's book in a database like an arena's, which the same commands read.

A run is a row of `competition`, with its charter as the document. One database holds one run.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import exists, insert, select

from roost_games.chance import commitment_of, seed_of
from roost_games.errors import UsageError
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.running.book import Charter, FinishedBlock
from roost_server.store import results
from roost_server.store.models import BLOCK, COMPETITION, BlockState, CompetitionKind
from roost_server.store.recording import Group
from roost_server.store.records import BlockClosed, MatchRows, NewBlock, Planned, Row, json_text, seat_rows
from roost_server.store.store import Store

NAME = "ladder"
"""The name of the run among competitions, and of its one phase."""
KEEP_SECONDS = 30.0
IS_RUN = COMPETITION.c.kind == CompetitionKind.LADDER


class LadderBook:
    """A `roost_ladder.running.book.Book` in a store that is open for writing.

    `keep` is called after writing, every `KEEP_SECONDS`: it saves what standings are made of.
    """

    def __init__(self, store: Store, keep: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._keep = keep
        self._kept = time.monotonic()
        self._run = 0
        self._version_ids: tuple[int, ...] = ()

    def charter(self) -> dict[str, Any] | None:
        """The charter of the run in the database; `None` if there is none. Raises `UsageError` for an arena's."""
        with self._store.reading() as reading:
            document = reading.scalar(select(COMPETITION.c.document).where(IS_RUN))
            others = reading.scalar(select(exists().where(~IS_RUN) | exists(BLOCK.c.id)))
        if document is None:
            if others:
                raise UsageError(f"{self._store.name} belongs to an arena; give a ladder a file of its own")
            return None
        charter: dict[str, Any] = json.loads(document)
        return charter

    def begin(self, charter: Charter) -> Iterable[tuple[MatchFacts, ...]]:
        recorded = self.charter()
        if recorded is None:
            self._enter(charter)
        else:
            charter.check_same(recorded, self._store.name)
        self._version_ids = tuple(self._store.register_version(bot.name, bot.version) for bot in charter.bots)
        with self._store.reading() as connection:
            self._run = connection.execute(select(COMPETITION.c.id).where(IS_RUN)).scalar_one()
        return self._recorded()

    def _enter(self, charter: Charter) -> None:
        master = seed_of(charter.seed)
        row = {
            "name": NAME,
            "document": json.dumps(charter.to_json(), ensure_ascii=False),
            "seed": master.hex(),
            "commitment": commitment_of(master),
            "phase": NAME,
            "created_ms": time.time_ns() // 1_000_000,
            "kind": CompetitionKind.LADDER.value,
        }
        with self._store.writing() as connection:
            connection.execute(insert(COMPETITION).values(**row))

    def _recorded(self) -> list[tuple[MatchFacts, ...]]:
        numbers = {version_id: number for number, version_id in enumerate(self._version_ids)}
        with self._store.reading() as reading:
            matches = [
                match._replace(bots=tuple([numbers[version_id] for version_id in match.bots]))
                for match in results.facts(reading)
            ]
        return [tuple(of_block) for _, of_block in groupby(matches, key=attrgetter("block_id"))]

    def add(self, blocks: Sequence[FinishedBlock]) -> None:
        matches = [rows for block in blocks for rows in self._match_rows(block)]
        closed = [BlockClosed(each.block.block_id, BlockState.DONE) for each in blocks]
        self._store.write(Group([self._new_block(block) for block in blocks], matches, closed))
        if time.monotonic() > self._kept + KEEP_SECONDS:
            self._keep()
            self._kept = time.monotonic()

    def _new_block(self, finished: FinishedBlock) -> NewBlock:
        block = finished.block
        return NewBlock(
            block.block_id,
            block.game,
            finished.options,
            block.seed.hex(),
            block.rotation.value,
            self._ids(block.group),
            finished.played[0].started_ms,
            Planned(self._run, NAME, finished.serial),
            block.deals.value,
        )

    def _ids(self, bots: Iterable[int]) -> tuple[int, ...]:
        return tuple([self._version_ids[bot] for bot in bots])

    def _match_rows(self, finished: FinishedBlock) -> Iterator[MatchRows]:
        block = finished.block
        options = json_text(finished.options)
        for rotation, (played, facts) in enumerate(zip(finished.played, finished.facts, strict=True)):
            match: Row = {
                "id": played.match,
                "block_id": block.block_id,
                "rotation": rotation,
                "game": block.game,
                "options": options,
                "players": len(block.group),
                "seed": block.seed_of(rotation).hex(),
                "started_ms": played.started_ms,
                "ended_ms": played.ended_ms,
                "termination": played.result.termination,
            }
            seats = seat_rows(facts._replace(bots=self._ids(facts.bots)))
            yield MatchRows(match, seats, played.document)
