"""From which address a call comes, and whom it counts for."""

from typing import NamedTuple

import pytest
import structlog

from roost_games.errors import UsageError
from roost_server.accounts.callers import INSIDE, Addresses


class Call(NamedTuple):
    """What is known of a call."""

    host: str
    forwarded: str = ""

    def peer(self) -> str:
        return self.host

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("x-forwarded-for", self.forwarded),) if self.forwarded else ()


PROXIED = Addresses(("127.0.0.1", "::1"))


def test_ports_do_not_matter_nor_the_half_of_an_address_that_a_caller_chooses() -> None:
    direct = Addresses()
    assert direct.of(Call("ipv4:10.0.0.1:5000")) == direct.of(Call("ipv4:10.0.0.1:5001"))
    assert direct.of(Call("ipv4:10.0.0.1:5000")) != direct.of(Call("ipv4:10.0.0.2:5000"))
    one, same, other = (
        direct.of(Call(f"ipv6:%5B{each}%5D:5000"))
        for each in ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1")
    )
    assert one == same != other


def test_a_proxy_that_is_trusted_says_for_whom_it_asks() -> None:
    plain = PROXIED.of(Call("ipv4:192.0.2.7:1"))
    assert PROXIED.of(Call("ipv4:127.0.0.1:1", "192.0.2.7")) == plain
    assert PROXIED.of(Call("ipv6:%5B::1%5D:1", "192.0.2.7")) == plain
    assert PROXIED.of(Call("ipv4:127.0.0.1:1", "::ffff:192.0.2.7")) == plain


def test_only_what_the_proxy_itself_has_seen_is_believed() -> None:
    plain = PROXIED.of(Call("ipv4:192.0.2.7:1"))
    assert PROXIED.of(Call("ipv4:127.0.0.1:1", "198.51.100.1, 192.0.2.7")) == plain
    assert PROXIED.of(Call("ipv4:192.0.2.7:1", "198.51.100.1")) == plain
    unclear = {PROXIED.of(Call("ipv4:127.0.0.1:1", text)) for text in ("", "nonsense", "192.0.2.7,")}
    assert unclear == {PROXIED.of(Call("ipv4:127.0.0.1:1"))}


def test_what_the_host_has_started_is_inside_and_nobody_else() -> None:
    assert Addresses().of(Call("unix:")) == Addresses().of(Call("unix:/tmp/roost/arena")) == INSIDE
    assert PROXIED.of(Call("ipv4:127.0.0.1:1", INSIDE)) != INSIDE


def test_a_proxy_that_is_not_named_is_reported_once() -> None:
    unnamed = Addresses()
    with structlog.testing.capture_logs() as entries:
        unnamed.of(Call("ipv4:192.0.2.7:1", "198.51.100.1"))
        assert not entries
        addresses = {unnamed.of(Call("ipv4:127.0.0.1:1", f"192.0.2.{each}")) for each in range(3)}
    assert len(addresses) == 1
    (told,) = entries
    assert (told["log_level"], told["proxy"]) == ("warning", "127.0.0.1")
    assert "give --proxy" in told["event"]


@pytest.mark.parametrize("text", ["nginx", "127.0.0.1:80", "", "10.0.0.0/8"])
def test_a_proxy_is_named_by_its_address(text: str) -> None:
    with pytest.raises(UsageError, match="is not an address; write one such as"):
        Addresses((text,))
