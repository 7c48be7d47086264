"""A bot that loops, and lets no exception through, not even that of Ctrl-C."""

import contextlib
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Swallows(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        while True:
            with contextlib.suppress(BaseException):
                view.lost.in_thought  # noqa: B018  it raises an error
