"""Addresses of the form HOST:PORT, of arenas and of what listens beside them."""


def host_and_port(text: str) -> tuple[str, int] | None:
    """The two parts of `text`; `None` if it is not of that form. The port may be 0."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        return None
    return host, int(port)
