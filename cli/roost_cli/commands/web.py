"""`roost web`: the page of an arena, a database or an export. `roost serve` runs one beside the arena."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    PrefixOption,
    PublicServerOption,
    PublicTlsOption,
    ServerOption,
    TlsCaOption,
    TlsOption,
    check_web,
    database_url,
    needs_server,
    own_words,
    page_beside,
)
from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER
from roost_web import DEFAULT_LISTEN

if TYPE_CHECKING:
    from roost_web.settings import PageSettings


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
    if folder is not None or db is not None:
        _of_records(folder, db, listen, path_prefix, static)
    elif static is not None:
        typer.echo(_write_arena(settings, static))
    else:
        _show_arena(settings, listen)


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


def _of_records(folder: Path | None, db: str | None, listen: str, path_prefix: str, static: Path | None) -> None:
    """Show records, or write them as files."""
    from roost_cli.terminal.live import progress

    with needs_server("--db" if folder is None else "roost web FOLDER"):
        from roost_server.serving.records import records_in, show_records, write_records
    records = records_in(folder, database_url(db or ""), progress)
    if static is not None:
        typer.echo(write_records(records, own_words("web"), static))
        return
    with page_beside(listen, path_prefix) as page:
        show_records(records, page, lambda: _tell_where(page.url))


def _write_arena(settings: "PageSettings", folder: Path) -> str:
    """Write what an arena shows as files. Returns what to tell."""
    from roost_web.static_site import write_site

    pages = write_site(settings, folder)
    return f"{pages} pages written; {folder / 'index.html'} is the first"


def _tell_where(url: str) -> None:
    typer.echo(f"the page is at {url}")
    typer.echo("Ctrl-C stops it.")
