"""Matches to look at, played by random choice and the same in every run."""

from functools import cache
from random import Random
from typing import Any, NamedTuple

from roost_games.chance import seed_of
from roost_games.referee import Fault, Referee
from roost_games.registry import get_game
from roost_games.replay import Replay, Seat
from roost_sdk.viewing.frames import Recorded

HOSTILE = "<script>alert(1)</script>\u202e"
"""A bot's name that tries to be markup and to turn the direction of the text around it."""


class Deal(NamedTuple):
    """What makes a match."""

    game: str
    bots: tuple[str, ...]
    slap: bool = False
    mistakes: bool = False


MATCHES = {
    "karteneck": Deal("karteneck", ("ann", "bob", HOSTILE)),
    "faulty": Deal("karteneck", ("ann", "bob"), mistakes=True),
    "bratwurmeck": Deal("bratwurmeck", ("ann", "bob", "cleo")),
    "haecmaec": Deal("haecmaec", ("ann", "bob", "cleo", "dora")),
    "slap": Deal("haecmaec", ("ann", "bob", "cleo"), slap=True),
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
        max_faults=100,
    )
    rng = Random(7)
    decisions = 0
    while referee.waiting:
        for seat in referee.waiting:
            decisions += 1
            if deal.mistakes and decisions % 10 == 0:
                referee.fault(seat, Fault.MALFORMED, rng.random() * 90, "nonsense")
            else:
                choices = referee.legal(seat)
                pick = Random(8) if rotated and decisions > 5 else rng
                referee.answer(seat, pick.choice(choices), rng.random() * 90)
    return referee.replay()


@cache
def documents(name: str, rotated: bool = False) -> dict[str, dict[str, Any]]:
    """The frames of a match by eye."""
    recorded = Recorded(replay_of(name, rotated))
    return {str(eye): dict(recorded.document(eye)) for eye in recorded.eyes}
