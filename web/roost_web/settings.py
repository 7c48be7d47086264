"""What a page is told when it starts: which arena it reads, with what credentials, and under which path it is found."""

import re
from dataclasses import dataclass
from typing import Self

from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER, check_address
from roost_sdk.arena.credentials import NOTHING, Credentials

PREFIX_FORM = re.compile(r"(/[\w.~-]+)+")
"""A path prefix: one part of a path or more. Nothing in it needs quoting, in a header, a link or a cookie."""


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The settings of one page."""

    server: str = DEFAULT_SERVER
    """The arena, as HOST:PORT: a running one, or the reading half of one over its records."""
    credentials: Credentials = NOTHING
    """What the arena is shown. Visitors see what the key in it may read."""
    path_prefix: str = ""
    """Where the page begins on its host: empty, or like `/arena`, without a slash at the end."""

    public_server: str = ""
    """The arena's address for authors, if the page reads it at another one."""
    public_tls: bool = False
    """Whether authors connect to that with TLS."""

    @classmethod
    def checked(
        cls,
        server: str,
        credentials: Credentials = NOTHING,
        path_prefix: str = "",
        public_server: str = "",
        *,
        public_tls: bool = False,
    ) -> Self:
        """The settings as a person gives them. Raises `UsageError`, which says how to write them."""
        if public_tls and not public_server:
            raise UsageError("--public-tls goes with --public-server, the address for authors")
        public = check_address(public_server) if public_server else ""
        return cls(check_address(server), credentials, checked_prefix(path_prefix), public, public_tls)

    @property
    def server_option(self) -> str:
        """The options with which an author's command reaches the arena, such as `--server HOST:PORT --tls`."""
        tls = self.public_tls if self.public_server else self.credentials.tls
        return f"--server {self.public_server or self.server}{' --tls' if tls else ''}"


def checked_prefix(text: str) -> str:
    """A path prefix in its usual form. Raises `UsageError`."""
    prefix = text.strip().strip("/")
    if not prefix:
        return ""
    prefix = f"/{prefix}"
    if not PREFIX_FORM.fullmatch(prefix) or not prefix.isascii() or {".", ".."} & set(prefix.split("/")):
        raise UsageError(f"{text!r} is not a path prefix; one is /arena, of letters, digits and - . _ ~")
    return prefix
