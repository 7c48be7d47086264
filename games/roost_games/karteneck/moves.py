"""The moves of Karteneck and how a replay writes them."""

from typing import NamedTuple

from roost_games.errors import MalformedMove
from roost_games.game import JsonValue
from roost_games.karteneck.sheet import Card


class Lay(NamedTuple):
    """Lay cards of one kind that your display does not have yet, then draw one."""

    cards: tuple[Card, ...]
    """Which cards, in any order. For worms it matters which ones: the highest signpost breaks ties."""


class Pass(NamedTuple):
    """Leave the round."""

    steal: bool
    """Whether to steal the top portion that equals your total. True is legal only where there is one."""


Move = Lay | Pass

PASS = Pass(False)
PASS_AND_STEAL = Pass(True)


def encode_move(move: Move) -> dict[str, JsonValue]:
    """`move` as a replay shows it."""
    if isinstance(move, Lay):
        return {"lay": [str(card) for card in move.cards]}
    return {"pass": True, "steal": move.steal}


def decode_move(data: JsonValue) -> Move:
    """The move in a replay's JSON. Raises `MalformedMove`."""
    match data:
        case {"lay": [*cards], **rest} if not rest and cards and all(isinstance(card, str) and card for card in cards):
            return Lay(tuple(Card(card) for card in cards))
        case {"pass": True, "steal": bool(steal), **rest} if not rest:
            return PASS_AND_STEAL if steal else PASS
    raise MalformedMove('a move is {"lay": [cards]} or {"pass": true, "steal": true or false}')
