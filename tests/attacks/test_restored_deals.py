"""A participant who saved the deals that were played after a backup, and waits for the host to restore it.

The deals of a competition follow from its master seed and the numbers of its blocks. A restored arena used to number
the same blocks again, and so to deal the same cards: the attacker knew every card of every match until the restored
ladder was as far as the lost one.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roost.v1 import admin_pb2, arena_pb2
from roost.v1.admin_pb2_grpc import AccountsStub
from roost_bots import SAMPLES
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import grpc_links
from roost_server.export.checker import check_export
from roost_server.export.reader import read_competition
from roost_server.export.writer import export
from roost_server.store import Store, open_store, queries
from roost_server.store.copies.backup import back_up, restore
from roost_server.store.store import backend_of
from tests.support.arenas.hall import Hall, bounded, hall, settings, until
from tests.support.cups import cup

CUP = cup("ladder", "done", clock={"decision_ms": 60_000}, entry={"who": "open"})
BEFORE, SAVED = 4, 16
"""How many matches were played before the backup, and how many the attacker has notes of after it."""


class People:
    """Two owners with a bot each, who come back after the restore."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}

    @asynccontextmanager
    async def playing(self, place: Hall) -> AsyncIterator[None]:
        accounts = AccountsStub(place.channel)
        for name in ("ann", "bob"):
            if name not in self.keys:
                self.keys[name] = (await accounts.Register(admin_pb2.RegisterRequest(owner=name))).key
        bots = {name: Client(SAMPLES["random"], name=name, version="v1", max_matches=2) for name in self.keys}
        tasks = [
            asyncio.create_task(bot.run(grpc_links(place.address, Credentials(self.keys[name]))))
            for name, bot in bots.items()
        ]
        try:
            yield
        finally:
            for bot in bots.values():
                bot.stop()
            await asyncio.gather(*tasks)


def decks(store: Store) -> list[str]:
    """Every deal that is on record, for anybody to write down."""
    lines = [json.loads(line) for line in queries.replays(store)]
    return [str(step["outcome"]) for line in lines for step in line["steps"] if step.get("chance") == "deck"]


def by_command(copy: Path, database: Path) -> None:
    """The host runs `roost admin restore`."""
    restore(copy, backend_of(f"sqlite:///{database}"), lambda _: None)


def by_hand(copy: Path, database: Path) -> None:
    """The host copies the file back."""
    shutil.copyfile(copy, database)


@pytest.mark.long
@pytest.mark.parametrize("put_back", [by_command, by_hand])
def test_the_deals_after_a_backup_are_never_dealt_again(tmp_path: Path, put_back: Callable[[Path, Path], None]) -> None:
    people, copy, database = People(), tmp_path / "copy.db", tmp_path / "roost.db"
    saved: set[str] = set()

    async def play_and_save() -> None:
        async with hall(tmp_path, settings(), CUP) as place, people.playing(place):
            await place.matches(BEFORE)
            await asyncio.to_thread(back_up, place.store.backend, copy)
            await place.matches(BEFORE + SAVED)
            saved.update(await asyncio.to_thread(decks, place.store))

    async def play_on() -> None:
        async with hall(tmp_path, settings(), CUP) as place, people.playing(place):
            kept = len(decks(place.store))
            await place.matches(kept + SAVED)
            assert not saved.intersection(decks(place.store)[kept:]), "cards that the attacker has in its notes"
            told = (await place.stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())).competitions[0]
            assert told.epoch > 0, "everybody can see that the records were restored"
            await place.arena.change_phase(place.arena.directors[0], "done", "test")
            await until(lambda: not place.arena.seating.tables)

    bounded(play_and_save)
    assert len(saved) >= BEFORE + SAVED
    put_back(copy, database)
    bounded(play_on)
    with open_store(f"sqlite:///{database}") as store:
        export(store, "cup", tmp_path / "cup")
    assert [str(wrong) for wrong in check_export(tmp_path / "cup")] == []
    assert [cause for _, cause in read_competition(tmp_path / "cup").epochs] == ["restored"]
