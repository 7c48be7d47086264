"""Where an arena is and how one connects to it: addresses, and the options of connections on both sides.

It imports no gRPC, so that a command can show the default address in its help without waiting for it.
"""

from roost_games.errors import UsageError

DEFAULT_SERVER = "127.0.0.1:50051"
"""Where a program looks for an arena, and where `roost serve` listens."""
SOCKET = "unix:/"
"""How the address of an arena begins for what it has started beside itself on its machine."""
LARGEST_MESSAGE = 16 << 20
KEEPALIVE = (
    # Both sides say something every few seconds. If one has been silent for longer, the other asks whether it is there.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)
"""How both sides of a connection find out that the other one has disappeared."""
CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    *KEEPALIVE,
    # How long an attempt to connect may take.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    # A connection of its own for each link: bots in one process share neither a connection nor its pauses.
    ("grpc.use_local_subchannel_pool", 1),
)
"""The options of every connection to an arena."""


def host_and_port(text: str) -> tuple[str, int] | None:
    """The two parts of HOST:PORT, or `None` if `text` is not of that form. The port may be 0."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        return None
    return host, int(port)


def check_address(address: str) -> str:
    """Return `address` if it is of the form HOST:PORT, or a socket of this machine. Raises `UsageError` otherwise."""
    if address.startswith(SOCKET):
        return address
    parts = host_and_port(address)
    if parts is None or parts[1] == 0:
        raise UsageError(f"{address!r} is not the address of an arena; write HOST:PORT, such as {DEFAULT_SERVER}")
    return address
