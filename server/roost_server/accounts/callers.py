"""From which address a call comes: what limits for callers without a key count by."""

from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import unquote

import structlog

from roost_games.errors import UsageError

FORWARDED = "x-forwarded-for"
"""The header in which a proxy says for whom it asks."""
INSIDE = "unix"
"""What the host itself has started beside the arena: it comes in by a socket that nobody else can open."""
log = structlog.get_logger()


class Addresses:
    """Knows the address of every caller. Proxies that the host trusts say for whom they ask."""

    def __init__(self, proxies: Collection[str] = ()) -> None:
        """Raises `UsageError` for a proxy that is not an address."""
        self._proxies = frozenset(map(_proxy, proxies))
        self._warned = False

    def of(self, context: Any) -> str:
        """From which address a call comes."""
        host = host_of(context.peer())
        if host is None:
            return INSIDE
        if host not in self._proxies:
            if host.is_loopback and not self._warned:
                self._warn(host, context)
            return address_of(host)
        # A proxy adds the address that it sees at the end. What is before that, its caller can choose.
        told = _host(_header(context).rpartition(",")[2].strip())
        return address_of(told or host)

    def _warn(self, host: "Host", context: Any) -> None:
        if _header(context):
            self._warned = True
            log.warning("a proxy asks for others, who all count as one address; give --proxy", proxy=str(host))


Host = IPv4Address | IPv6Address


def host_of(peer: str) -> Host | None:
    """The host in what gRPC calls a peer, such as `ipv4:192.0.2.1:5000`. `None` for a socket of this machine."""
    kind, _, rest = unquote(peer).partition(":")
    return _host(rest.rpartition(":")[0].strip("[]")) if kind in ("ipv4", "ipv6") else None


def address_of(host: Host) -> str:
    """What counts as one address. Of an IPv6 address the first half: the other half is the caller's to choose."""
    return str(host) if isinstance(host, IPv4Address) else str(IPv6Network((host, 64), strict=False))


def _proxy(text: str) -> Host:
    host = _host(text)
    if host is None:
        raise UsageError(f"--proxy {text} is not an address; write one such as 127.0.0.1")
    return host


def _host(text: str) -> Host | None:
    try:
        host = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (host.ipv4_mapped or host) if isinstance(host, IPv6Address) else host


def _header(context: Any) -> str:
    metadata: Iterable[tuple[str, str | bytes]] = context.invocation_metadata() or ()
    found = [value for name, value in metadata if name == FORWARDED]
    return found[-1] if found and isinstance(found[-1], str) else ""
