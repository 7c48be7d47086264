"""What a person shows to an arena, and how to say so once more in a next command."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roost_sdk.arena.credentials import Credentials, read_credentials


@dataclass(frozen=True, slots=True)
class Access(Credentials):
    """Credentials from the options of a command."""

    option: str = ""
    """What a next command needs to connect in the same way: `--tls-ca cert.pem`. The key is not part of it."""


def read_access(
    key_file: Path | None = None,
    *,
    key: str | None = None,
    tls: bool = False,
    tls_ca: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Access:
    """As `read_credentials`."""
    found = read_credentials(key_file, key=key, tls=tls, tls_ca=tls_ca, environment=environment)
    trusting = f"--tls-ca {shlex.quote(str(tls_ca))}" if tls_ca is not None else ""
    return Access(found.key, found.tls, found.ca, trusting or ("--tls" if tls else ""))
