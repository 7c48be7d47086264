"""Matches to look at, the same in every run."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

from roost_bots.greedy import GreedyBot
from roost_games.chance import seed_of
from roost_games.referee import Fault, Referee
from roost_games.registry import get_game
from roost_games.replay import Replay, Seat
from roost_sdk.viewing.frames import Recorded

HOSTILE = "<script>alert(1)</script>\u202e"
"""A bot's name that tries to be markup and to turn the direction of the text around it."""
LEFTWARD = "\u05ea\u05e8\u05e0\u05d2\u05d5\u05dc"
"""A bot's name that is read from right to left: rooster."""


class Deal(NamedTuple):
    """What makes a match."""

    game: str
    bots: tuple[str, ...]
    slap: bool = False
    mistakes: bool = False
    most_faults: int = 100
    voided_after: int | None = None
    """The number of decisions after which the host voids it."""


MATCHES = {
    "karteneck": Deal("karteneck", (LEFTWARD, "bob", HOSTILE)),
    "faulty": Deal("karteneck", ("ann", "bob"), mistakes=True),
    "bratwurmeck": Deal("bratwurmeck", ("ann", "bob", "cleo")),
    "haecmaec": Deal("haecmaec", ("ann", "bob", "cleo", "dora")),
    "slap": Deal("haecmaec", ("ann", "bob", "cleo"), slap=True),
    "forfeited": Deal("haecmaec", ("ann", "bob", "cleo"), mistakes=True, most_faults=1),
    "voided": Deal("karteneck", ("ann", "bob"), voided_after=9),
}


@cache
def replay_of(name: str, rotated: bool = False) -> Replay:
    """The record of a match; `rotated` is the same deal with every bot one seat further, and other choices."""
    deal = MATCHES[name]
    bots = deal.bots[1:] + deal.bots[:1] if rotated else deal.bots
    game = get_game(deal.game)
    seats = [Seat(bot) for bot in bots]
    referee = Referee(
        game,
        seats,
        seed_of(name),
        options=game.options({"slap": True} if deal.slap else {}),
        match=name,
        max_faults=deal.most_faults,
    )
    rng = Random(7)
    decisions = 0
    while referee.waiting:
        if decisions == deal.voided_after:
            referee.void("the arena lost its power")
        for seat in referee.waiting:
            decisions += 1
            if deal.mistakes and decisions % 10 == 0:
                referee.fault(seat, Fault.MALFORMED, rng.random() * 90, "nonsense")
            else:
                pick = Random(8) if rotated and decisions > 5 else rng
                move = _chosen(deal.game, referee.view(seat), referee.legal(seat), pick)
                referee.answer(seat, move, rng.random() * 90)
    return referee.replay()


def _chosen(game: str, view: Any, legal: Sequence[Any], rng: Random) -> Any:
    """A move at random; in Bratwurmeck, where that would go on for long, a sensible one."""
    return GreedyBot().bratwurmeck(view, legal) if game == "bratwurmeck" else rng.choice(legal)


@cache
def documents(name: str, rotated: bool = False) -> dict[str, dict[str, Any]]:
    """The frames of a match by eye."""
    recorded = Recorded(replay_of(name, rotated))
    return {str(eye): dict(recorded.document(eye)) for eye in recorded.eyes}
