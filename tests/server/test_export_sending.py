"""Exports for anybody who asks: written once for all, bounded, and no reader can hold one up."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_server.errors import TooMuchError
from roost_server.export import sender
from roost_server.export.sender import Sender
from roost_server.serving import rpc
from roost_server.store import open_store
from tests.support.arenas.hall import CUP, bounded, hall, refusal, settings
from tests.support.records.export_world import complaints, play_and_export


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sending")
    play_and_export(folder, "swiss")
    return folder / "roost.db"


async def saved(pieces: AsyncGenerator[Message, None], folder: Path) -> Path:
    folder.mkdir()
    async for piece in pieces:
        assert isinstance(piece, arena_pb2.ExportCompetitionResponse)
        with (folder / piece.file).open("ab") as file:
            file.write(piece.data)
    return folder


def test_six_at_once_get_the_same_files_from_one_writer(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    run = sender._run

    async def counted(order: Path) -> None:
        written.append(order)
        await run(order)

    monkeypatch.setattr(sender, "_run", counted)

    async def ask() -> list[Path]:
        with open_store(f"sqlite:///{database}", read_only=True) as store:
            exports = Sender(store)
            found = await asyncio.gather(*(saved(exports.send("cup"), tmp_path / str(n)) for n in range(6)))
            (kept,) = exports._kept.values()
            exports.close()
        assert not kept.folder.exists()
        return found

    folders = asyncio.run(ask())
    assert len(written) == 1
    assert complaints(folders[0]) == []
    contents = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert all(each == contents[0] for each in contents)


def test_no_more_than_some_are_sent_at_once(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "MOST_AT_ONCE", 1)

    async def ask() -> None:
        with open_store(f"sqlite:///{database}", read_only=True) as store:
            exports = Sender(store)
            first = exports.send("cup")
            await anext(first)
            with pytest.raises(TooMuchError, match="ask again in a few minutes"):
                await anext(exports.send("cup"))
            await first.aclose()
            again = exports.send("cup")
            await anext(again)
            await again.aclose()
            exports.close()

    asyncio.run(ask())


def test_what_cannot_be_exported(database: Path) -> None:
    async def ask() -> None:
        with open_store(f"sqlite:///{database}", read_only=True) as store:
            exports = Sender(store)
            with pytest.raises(UsageError, match="there is no competition 'cap'; the competitions are: cup"):
                await anext(exports.send("cap"))
            with pytest.raises(UsageError, match="cup has no phase 'freeze' in which matches are played"):
                await anext(exports.send("cup", "freeze"))

    asyncio.run(ask())


async def read_on(call: Any) -> None:
    """Read what has been sent, and then the status."""
    while await call.read() is not grpc.aio.EOF:
        pass


def test_a_reader_that_stops_reading_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has room for a few pieces in its buffers, takes none, and must not keep its place."""
    monkeypatch.setattr(rpc, "STALLED_SECONDS", 0.5)

    async def endless(*_: str, everything: bool) -> AsyncGenerator[Message, None]:
        try:
            while True:
                yield arena_pb2.ExportCompetitionResponse(file="matches.jsonl", data=os.urandom(1 << 18))
        finally:
            ended.set()

    ended = asyncio.Event()

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP) as place:
            place.server._reading._exports.send = endless  # type: ignore[method-assign,assignment]
            call: Any = place.stub.ExportCompetition(arena_pb2.ExportCompetitionRequest(competition="cup"))
            await call.read()
            await ended.wait()
            assert await refusal(read_on(call)) == ("ABORTED", "the answer was read too slowly, or not at all")

    bounded(script)
