"""Callers from many addresses, on one machine: behind a proxy that the arena trusts."""

from roost_server.accounts.callers import FORWARDED

BEHIND_A_PROXY = {"proxies": ("127.0.0.1",)}
"""What a hall needs for that."""


def coming_from(address: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call from there."""
    return ((FORWARDED, address),)
