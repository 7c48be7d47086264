"""`roost web`: the page of an arena, a database or an export. `roost serve` runs one beside the arena."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    ServerOption,
    TlsCaOption,
    TlsOption,
    check_web,
    database_url,
    needs_server,
)
from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from roost_server.serving.children import PageBeside
    from roost_server.store import Store
    from roost_web.settings import PageSettings

DEFAULT_LISTEN = "127.0.0.1:8080"
PrefixOption = Annotated[
    str, typer.Option("--path-prefix", metavar="PATH", help="Where the page begins behind a proxy, such as /arena.")
]
PublicServerOption = Annotated[
    str,
    typer.Option(
        "--public-server", metavar="HOST:PORT", help="The arena's address for authors, if the page uses another one."
    ),
]
PublicTlsOption = Annotated[bool, typer.Option("--public-tls", help="Authors connect to that with TLS.")]


def web(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Show the export of a competition instead of an arena.")
    ] = None,
    server: ServerOption = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="FILE", help="Show this database, whether or not its arena is running."),
    ] = None,
    listen: Annotated[
        str,
        typer.Option(metavar="HOST:PORT", help="Where to listen. Port 0 takes a free one; fd:N is an open socket."),
    ] = DEFAULT_LISTEN,
    path_prefix: PrefixOption = "",
    public_server: PublicServerOption = "",
    public_tls: PublicTlsOption = False,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="A key for an arena that is not public. Every visitor sees what it may read.",
        ),
    ] = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
    static: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write it as files for any web host into this new folder instead."),
    ] = None,
) -> None:
    """Show an arena in the browser: standings, bots, matches, replays. Without an arena, its records.

    Ctrl-C stops it. The page stays up while the arena restarts.
    """
    _check_source(folder, server, db, (key_file, tls, tls_ca, public_server))
    check_web("roost web")
    from roost_sdk.arena.credentials import read_credentials
    from roost_web.settings import PageSettings

    # A key in the environment may be a host's own, with which visitors would read.
    credentials = read_credentials(key_file, tls=tls, tls_ca=tls_ca, environment={})
    settings = PageSettings.checked(
        server or DEFAULT_SERVER, credentials, path_prefix, public_server, public_tls=public_tls
    )
    if static is not None and path_prefix:
        raise UsageError("files link to each other wherever they are; leave --path-prefix out")
    records = None if folder is None and db is None else _records(folder, db)
    if static is not None:
        typer.echo(_write_arena(settings, static) if records is None else _write_records(records, static))
    elif records is None:
        _show_arena(settings, listen)
    else:
        _show_records(records, listen, path_prefix)


def _check_source(folder: Path | None, server: str | None, db: str | None, for_arena: tuple[object, ...]) -> None:
    if sum(each is not None for each in (folder, server, db)) > 1:
        raise UsageError("FOLDER shows an export, --db a database and --server an arena; choose one")
    if (folder is not None or db is not None) and any(for_arena):
        raise UsageError("the options about keys, TLS and authors are for an arena; leave them out")


def _show_arena(settings: "PageSettings", listen: str) -> None:
    from roost_web.app import create_app
    from roost_web.serving import listen as listening
    from roost_web.serving import serve_page, url_of

    with listening(listen) as listener:
        _tell_where(url_of(listener, settings.path_prefix))
        serve_page(create_app(settings), listener)


def _show_records(records: "AbstractContextManager[Store]", listen: str, path_prefix: str) -> None:
    from roost_server.serving.records import show_records

    with page_beside(listen, path_prefix) as page:
        show_records(records, page, lambda: _tell_where(page.url))


def _write_arena(settings: "PageSettings", folder: Path) -> str:
    """Write what an arena shows as files. Returns what to tell."""
    from roost_web.static_site import write_site

    pages = write_site(settings, folder)
    return f"{pages} pages written; {folder / 'index.html'} is the first"


def _write_records(records: "AbstractContextManager[Store]", folder: Path) -> str:
    import roost_cli
    from roost_sdk.processes import python_words
    from roost_server.serving.records import ask_records

    return ask_records(
        records, lambda address: python_words(roost_cli, "web", "--server", address, "--static", str(folder))
    )


def _tell_where(url: str) -> None:
    typer.echo(f"the page is at {url}")
    typer.echo("Ctrl-C stops it.")


def _records(folder: Path | None, db: str | None) -> "AbstractContextManager[Store]":
    """What is shown instead of an arena, to be opened."""
    from roost_cli.terminal.live import progress

    if folder is not None:
        with needs_server("roost web FOLDER"):
            from roost_server.export.loader import loaded
        return loaded(folder, progress)
    with needs_server("--db"):
        from roost_server.store import open_store
    return open_store(database_url(db or ""), read_only=True)


@contextlib.contextmanager
def page_beside(
    listen: str, path_prefix: str = "", public_server: str = "", *, public_tls: bool = False
) -> "Iterator[PageBeside]":
    """The page for a process of its own. Its socket is open from now on. Raises `UsageError` if that is not possible.

    `public_server` is the arena's address for authors, if it is not the one that the arena knows.
    """
    import roost_cli
    from roost_sdk.arena.connection import check_address
    from roost_sdk.processes import python_words
    from roost_server.serving.children import PageBeside
    from roost_web.serving import listen as listening
    from roost_web.serving import url_of
    from roost_web.settings import checked_prefix

    prefix = checked_prefix(path_prefix)
    public = check_address(public_server) if public_server else ""
    with listening(listen) as listener:
        serves = ["web", "--listen", f"fd:{listener.fileno()}", *(["--path-prefix", prefix] if prefix else [])]

        def words(address: str, for_authors: str) -> list[str]:
            told = ["--public-server", public or for_authors] if public or for_authors else []
            tls = ["--public-tls"] if told and public_tls else []
            return python_words(roost_cli, *serves, "--server", address, *told, *tls)

        yield PageBeside(url_of(listener, prefix), listener, words)
