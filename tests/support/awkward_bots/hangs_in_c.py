"""A bot that hangs in C code, which holds the interpreter and looks for no signals."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class HangsInC(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[sum(range(10**12))]
