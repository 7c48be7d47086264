"""What a program shows to an arena: a key that says who it is, and over which kind of connection.

    credentials = read_credentials(key_file=Path("greedy.key"), tls_ca=Path("roost-cert.pem"))
    await client.run(grpc_links("arena.example:50051", credentials))

An arena without accounts wants no key. The key itself is never an argument of a program, since every user of a machine
sees arguments. It is in a file, or in the environment as `ROOST_KEY`.
"""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import grpc

from roost_games.errors import UsageError

KEY_VARIABLE = "ROOST_KEY"
ON_THIS_MACHINE = ("127.", "localhost:", "[::1]:", "::1:")
ChannelOptions = tuple[tuple[str, int], ...]
log = logging.getLogger("roost_sdk")


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is shown to an arena; by default nothing, over a connection that is not encrypted."""

    key: str | None = field(default=None, repr=False)
    tls: bool = False
    ca: bytes | None = None
    """The authorities that vouch for an arena, in PEM form; `None` for those that this machine trusts."""

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes along with every call."""
        return () if self.key is None else (("authorization", f"Bearer {self.key}"),)

    def channel(self, address: str, options: ChannelOptions) -> grpc.Channel:
        """A connection that is yet to be made, for programs that wait for answers."""
        self._warn(address)
        if not self.tls:
            return grpc.insecure_channel(address, options=options)
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(self.ca), options=options)

    def aio_channel(self, address: str, options: ChannelOptions) -> grpc.aio.Channel:
        """The same inside a running event loop."""
        self._warn(address)
        if not self.tls:
            return grpc.aio.insecure_channel(address, options=options)
        return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(self.ca), options=options)

    def _warn(self, address: str) -> None:
        if self.key is not None and not self.tls and not address.startswith(ON_THIS_MACHINE):
            _warn_of_readers(address)


@cache
def _warn_of_readers(address: str) -> None:
    """Say once for each arena, to which a program may connect again and again, that the key is not safe."""
    log.warning("the key goes to %s unencrypted; use --tls", address)


NOTHING = Credentials()


def read_credentials(
    key_file: Path | None = None,
    *,
    key: str | None = None,
    tls: bool = False,
    tls_ca: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Credentials:
    """The credentials that a person means: the key given, or the one in the file, or in `ROOST_KEY`, or none.

    With `tls_ca` the connection is encrypted, too. Raises `UsageError` if a file cannot be used.
    """
    if key_file is not None:
        key = _read(key_file).decode(errors="replace")
    elif key is None:
        key = environment.get(KEY_VARIABLE) or None
    return Credentials(_checked(key), tls or tls_ca is not None, _certificate(tls_ca))


def _checked(key: str | None) -> str | None:
    """Raise `UsageError` for what cannot be a key: gRPC would refuse it with a message that does not help."""
    if key is None:
        return None
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError("this is not a key; a key is one word that begins with roost_")
    return key


def _certificate(path: Path | None) -> bytes | None:
    if path is None:
        return None
    text = _read(path)
    if b"-----BEGIN CERTIFICATE-----" not in text:
        raise UsageError(f"{path} is not a certificate in PEM form")
    return text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
