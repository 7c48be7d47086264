"""A bot that changes the working directory of its process."""

import os
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class ChangesFolder(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        os.chdir("/")
        return legal[0]
