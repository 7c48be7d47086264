"""What running the `roost` command gives."""

from collections.abc import Callable
from typing import NamedTuple


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Roost = Callable[..., Outcome]
