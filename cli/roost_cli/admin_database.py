"""A host's questions, answered from a database. What changes something needs an arena that is stopped."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.message import Message
from sqlalchemy import Connection, inspect

from roost.v1 import admin_pb2
from roost_server.accounts import audit
from roost_server.accounts import requests as desk
from roost_server.accounts.requests import COMMAND, Caller
from roost_server.answers import host
from roost_server.store import Store, open_store
from roost_server.store.backup import back_up, restore
from roost_server.store.people import AUDIT
from roost_server.store.store import backend_of

AnswerT = TypeVar("AnswerT", bound=Message)
READING: dict[str, Callable[[Store, Caller, Any], Message]] = {
    "ListOwners": desk.list_owners,
    "ListOwnedBots": desk.list_bots,
    "ListKeys": desk.list_keys,
    "ListInvitations": desk.list_invitations,
    "ListActs": desk.list_acts,
    "GetStatus": lambda store, caller, request: host.status(store),
    "Backup": lambda store, caller, request: admin_pb2.BackupResponse(bytes=back_up(store.backend, Path(request.path))),
}
"""These can be answered while an arena has the database, too."""
WRITING: dict[str, Callable[[Store, Caller, Any], Message]] = {
    "AddOwner": desk.add_owner,
    "AddBot": desk.add_bot,
    "MakeKey": desk.make_key,
    "EndKey": desk.end_key,
    "Invite": desk.invite,
    "ChangePhase": host.change_phase,
}


class DatabaseDesk:
    """A `Desk` that needs no arena."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.option = f"--db {shlex.quote(url.removeprefix('sqlite:///'))}"

    def ask(self, method: str, request: Message, answer: type[AnswerT]) -> AnswerT:
        with open_store(self._url, read_only=method in READING) as store:
            answered = (READING | WRITING)[method](store, Caller(COMMAND), request)
        if not isinstance(answered, answer):
            raise TypeError(f"{method} answers with {type(answered).__name__}")
        return answered


def restore_into(copy: Path, url: str) -> Path | None:
    """Put a copy in the place of a database. Returns where the former one was moved to, if there was one."""

    def note(connection: Connection) -> None:
        # A database of an older Roost may have no log yet.
        if inspect(connection).has_table(AUDIT.name):
            audit.note(connection, COMMAND, "database restored", copy=str(copy))

    return restore(copy, backend_of(url), note)
