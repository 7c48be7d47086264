"""Errors as programs get them."""

from typing import Any

from pydantic import BaseModel, Field


class ShownError(BaseModel):
    """Why there is no answer."""

    status: int = Field(description="The HTTP status.")
    error: str = Field(description="What is wrong, in words.")


def may_answer(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of these statuses. Every question may find the arena away or busy."""
    words = {
        400: "A parameter is wrong.",
        403: "The arena does not show it to this page.",
        404: "There is no such thing.",
        409: "Not yet: the match or its deal is still being played.",
        413: "The file is larger than any replay.",
        429: "Too many requests; see Retry-After.",
        502: "The arena is of a version that cannot answer this.",
        503: "The arena does not answer now; see Retry-After.",
    }
    return {status: {"model": ShownError, "description": words[status]} for status in (*statuses, 403, 429, 502, 503)}
