"""Ports for tests."""

import socket


def free_port() -> int:
    """A port on which nobody listened a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
