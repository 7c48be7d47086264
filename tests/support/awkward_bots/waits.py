"""A bot whose coroutine waits for what never comes."""

import asyncio
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Waits(Bot):
    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return await nothing(legal)


async def nothing(legal: Sequence[Any]) -> Any:
    await asyncio.Event().wait()
    return legal[0]
