"""Häc Mäc, the burger card game: 2 to 6 players, or 3 to 6 in the variant `slap`. rules.md has the rules in words."""

from roost_games.haecmaec.game import GAME, HaecMaec
from roost_games.haecmaec.moves import FLY, Card, Close, Move, Play, React
from roost_games.haecmaec.sheet import Options, Row
from roost_games.haecmaec.state import HaecMaecState
from roost_games.haecmaec.view import (
    Closed,
    ClosedBurger,
    Laid,
    Opened,
    RanOut,
    Reacted,
    Slapped,
    SpoiledBurger,
    Suspected,
    View,
)

__all__ = [
    "FLY",
    "GAME",
    "Card",
    "Close",
    "Closed",
    "ClosedBurger",
    "HaecMaec",
    "HaecMaecState",
    "Laid",
    "Move",
    "Opened",
    "Options",
    "Play",
    "RanOut",
    "React",
    "Reacted",
    "Row",
    "Slapped",
    "SpoiledBurger",
    "Suspected",
    "View",
]
