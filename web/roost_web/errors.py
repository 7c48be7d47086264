"""What a visitor may be told instead of a page, each with its HTTP status and what to do about it."""

from roost_games.errors import RoostError


class PageError(RoostError):
    """There is no page to show."""

    status = 500
    title = "Something went wrong here"
    retry_seconds = 0
    """When it makes sense to try again; 0 if that does not help."""


class BadRequestError(PageError):
    """The address asks for something that makes no sense."""

    status = 400
    title = "Something in this address is wrong"


class NotThereError(PageError):
    """There is nothing at this address."""

    status = 404
    title = "Not found"


class TooEarlyError(PageError):
    """It will be there, but not yet."""

    status = 409
    title = "Not yet"


class NotAllowedError(PageError):
    """The arena does not show it to this page."""

    status = 403
    title = "Not shown here"


class TooLargeError(PageError):
    """The file is larger than any replay."""

    status = 413
    title = "Too large"


class TooManyError(PageError):
    """The page or the arena is asked too often."""

    status = 429
    title = "Too many requests"
    retry_seconds = 5


class ArenaAwayError(PageError):
    """The arena does not answer now."""

    status = 503
    title = "The arena is not answering"
    retry_seconds = 3


class ForeignArenaError(PageError):
    """Something answers, but not in a way that this page understands."""

    status = 502
    title = "The arena cannot answer this"
