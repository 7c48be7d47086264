"""Following a challenge, which an owner has asked an arena for, to its end."""

import time
from collections.abc import Iterator
from math import inf

from roost.v1 import records_pb2
from roost_sdk.arena.reader import NoArenaError, Reader

PAUSE_SECONDS = 1.0
PATIENCE_SECONDS = 120.0
"""How long an arena may be away: it plays on when it is back."""


def follow_challenge(
    reader: Reader, challenge_id: str, *, pause: float = PAUSE_SECONDS, patience: float = PATIENCE_SECONDS
) -> Iterator[records_pb2.GetChallengeResponse]:
    """How far a challenge is, again and again until it is over. Raises `RoostError` if nobody knows it.

    An arena that has answered and is away then is waited for, for as long as `patience` says.
    """
    answered = -inf
    while True:
        try:
            found = reader.challenge(challenge_id)
        except NoArenaError:
            if time.monotonic() - answered > patience:
                raise
        else:
            answered = time.monotonic()
            yield found
            if found.over:
                return
        time.sleep(pause)
