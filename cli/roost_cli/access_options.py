"""Options with which commands show who asks, and over which kind of connection."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from roost_cli.access import Access

KeyFileOption = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="The key to show; by default that in ROOST_KEY, or none."),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="The key itself; others on this machine can see it. Better a file."),
]
TlsOption = Annotated[bool, typer.Option("--tls", help="Connect with TLS.")]
TlsCaOption = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE", help="Connect with TLS, and trust this certificate in PEM form."),
]


def access(key_file: Path | None, tls: bool, tls_ca: Path | None, key: str | None = None) -> "Access":
    """What a person wants to show. Raises `UsageError` if a file cannot be used."""
    from roost_cli.access import read_access

    return read_access(key_file, key=key, tls=tls, tls_ca=tls_ca)
