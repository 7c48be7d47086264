"""How the arena ends a call: with a status that says why, and so that nothing of the call stays in memory."""

from contextlib import suppress
from typing import Any

import grpc


async def end(context: Any, status: grpc.StatusCode, text: str) -> None:
    """End a call with a status, unless the caller has gone without waiting for it. The handler has to return then.

    gRPC keeps what `abort` raises with the call, and raises it again when the handler has returned. What it came
    through, and what was being handled, leads back to the call: a circle that only the garbage collector could undo,
    long after. Under a flood that is a lot of memory.
    """
    with suppress(grpc.aio.InternalError):
        try:
            await context.abort(status, text)
        except grpc.aio.AbortError as kept:
            kept.__traceback__ = kept.__context__ = None
