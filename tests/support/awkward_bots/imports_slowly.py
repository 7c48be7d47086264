"""A bot whose import takes a while, as that of a large library does."""

import time
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot

time.sleep(3.5)


class ImportsSlowly(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]
