"""Where the questions of hosts and owners go: to a running arena, with a key, or to the database of a stopped one.

A command gets its desk by `at_desk` or `at_own_desk`, which add the options that say where it is.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from roost_cli.access_options import KeyFileOption, KeyOption, TlsCaOption, TlsOption, access
from roost_cli.arena_options import ServerOption, database_url
from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from roost_cli.arena_source import RemoteSource
    from roost_server.answers.database import DatabaseAdministration

AnswerT = TypeVar("AnswerT", bound="Message")
Command = Callable[..., None]
DatabaseOption = Annotated[
    str | None, typer.Option("--db", metavar="FILE", help="Use this database instead, of an arena that is stopped.")
]
OWN_OPTIONS: dict[str, tuple[Any, object]] = {
    "server": (ServerOption, None),
    "key_file": (KeyFileOption, None),
    "key": (KeyOption, None),
    "tls": (TlsOption, False),
    "tls_ca": (TlsCaOption, None),
}
"""By parameter: how it is written, and its default."""
OPTIONS: dict[str, tuple[Any, object]] = {"db": (DatabaseOption, None), **OWN_OPTIONS}


class Desk(Protocol):
    """Whom one asks. Raises `RoostError`, which says what is wrong."""

    option: str
    """How a command is told to ask here."""

    def ask(self, method: str, request: "Message", answer: type[AnswerT]) -> AnswerT:
        """Call a method of the service that the desk stands for."""


class RemoteDesk:
    """A service of a running arena."""

    def __init__(self, source: "RemoteSource", service: str) -> None:
        self.option = source.option
        self._source = source
        self._service = service

    def ask(self, method: str, request: "Message", answer: type[AnswerT]) -> AnswerT:
        return self._source.ask(f"/{self._service}/{method}", request, answer)


class DatabaseDesk:
    """The database of an arena that is stopped."""

    def __init__(self, database: "DatabaseAdministration") -> None:
        self.option = database.option
        self._database = database

    def ask(self, method: str, request: "Message", answer: type[AnswerT]) -> AnswerT:
        answered: AnswerT = self._database.ask(request)
        return answered


def at_desk(command: Command) -> Command:
    """Make a command of a function whose first argument is the host's `Desk`, `roost.v1.Admin`."""
    return _with_desk(command, OPTIONS, open_desk)


def at_own_desk(command: Command) -> Command:
    """Make a command of a function whose first argument is an owner's `Desk`, `roost.v1.Accounts`."""
    return _with_desk(command, OWN_OPTIONS, open_own_desk)


def _with_desk(
    command: Command, options: dict[str, tuple[Any, object]], opened: Callable[..., AbstractContextManager[Desk]]
) -> Command:
    def run(**given: Any) -> None:
        where = {name: given.pop(name) for name in options}
        with opened(**where) as desk:
            command(desk, **given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [each.replace(kind=keyword) for each in list(inspect.signature(command).parameters.values())[1:]]
    added = [inspect.Parameter(name, keyword, default=each[1], annotation=each[0]) for name, each in options.items()]
    setattr(run, "__signature__", inspect.Signature([*own, *added]))  # noqa: B010  functions have none for mypy
    run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


@contextmanager
def open_desk(*, db: str | None, server: str | None, **shown: Any) -> Iterator[Desk]:
    """The desk that a host means. Raises `UsageError` for two at once."""
    if server is not None and db is not None:
        raise UsageError("--server asks an arena and --db is for one that is stopped; choose one")
    if db is None:
        with _open_remote("roost.v1.Admin", server, or_database=True, **shown) as desk:
            yield desk
        return
    from roost_cli.server_extra import server_extra

    with server_extra("--db"):
        from roost_server.answers.database import DatabaseAdministration
    yield DatabaseDesk(DatabaseAdministration(database_url(db)))


@contextmanager
def open_own_desk(*, server: str | None, **shown: Any) -> Iterator[Desk]:
    """The desk that an owner means."""
    with _open_remote("roost.v1.Accounts", server, or_database=False, **shown) as desk:
        yield desk


@contextmanager
def _open_remote(service: str, server: str | None, *, or_database: bool, **shown: Any) -> Iterator[Desk]:
    from roost_cli.arena_source import open_remote

    with open_remote(server or DEFAULT_SERVER, access(**shown), or_database=or_database) as source:
        yield RemoteDesk(source, service)
