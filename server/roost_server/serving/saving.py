"""Saving what need not be saved with each match, every few seconds while an arena runs, and at its end."""

import asyncio
from time import monotonic

import structlog

from roost_server.answers.ratings import Ratings
from roost_server.store import Store, StoreError, queries
from roost_server.store.copies.epochs import note_progress

KEEP_SECONDS = 5.0
TELL_SECONDS = 2.0
log = structlog.get_logger()


class RecordsKeeper:
    """Saves the sums and histories of an arena, and notes how far its records go. `start`, then `stop`.

    What was not saved when an arena ends is not lost: the next reader adds it up. So a failure is only logged.
    """

    def __init__(self, store: Store, ratings: Ratings) -> None:
        self._store = store
        self._ratings = ratings
        self._told = monotonic()
        self._saving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Add up what is on record and not in the sums, which takes a while for a large database of an older Roost."""
        await self._save()
        self._saving = asyncio.create_task(self._save_on())

    async def stop(self) -> None:
        """Save what is new."""
        if self._saving is not None:
            self._saving.cancel()
            await asyncio.wait([self._saving])
        await self._save()
        await self._note()

    async def _save_on(self) -> None:
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            await self._save()
            await self._note()

    async def _save(self) -> None:
        try:
            await asyncio.to_thread(self._ratings.keep, self._tell)
        except StoreError as error:
            log.warning("cannot save the sums for standings; they are saved later", error=str(error))

    async def _note(self) -> None:
        try:
            await asyncio.to_thread(note_progress, self._store)
        except StoreError as error:
            log.warning("cannot note how far the records go; that is done later", error=str(error))

    def _tell(self, through: int) -> None:
        if monotonic() > self._told + TELL_SECONDS:
            self._told = monotonic()
            log.info("adding up matches for standings", added=through, of=queries.match_count(self._store))
