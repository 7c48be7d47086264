"""What an arena needs beyond what a bot needs: is it installed?"""

from collections.abc import Iterator
from contextlib import contextmanager

from roost_games.errors import UsageError


@contextmanager
def server_extra(what: str) -> Iterator[None]:
    """Around imports of `roost_server`: if a package is not there, say how to get it. `what` is what needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("roost"):
            raise
        raise UsageError(
            f"{what} needs packages that are not installed, such as {error.name}: pip install 'roost[server]'"
        ) from None
