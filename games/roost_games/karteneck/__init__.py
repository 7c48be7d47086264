"""Heckmeck am Karteneck: the card game. rules.md beside this file has the rules in words."""

from roost_games.karteneck.game import GAME, Karteneck
from roost_games.karteneck.moves import PASS, PASS_AND_STEAL, Lay, Move, Pass
from roost_games.karteneck.sheet import Card, Options, Portion
from roost_games.karteneck.state import KarteneckState
from roost_games.karteneck.view import (
    Drew,
    Event,
    Laid,
    Revealed,
    Shuffled,
    Status,
    Stole,
    Took,
    Trace,
    View,
)

__all__ = [
    "GAME",
    "PASS",
    "PASS_AND_STEAL",
    "Card",
    "Drew",
    "Event",
    "Karteneck",
    "KarteneckState",
    "Laid",
    "Lay",
    "Move",
    "Options",
    "Pass",
    "Portion",
    "Revealed",
    "Shuffled",
    "Status",
    "Stole",
    "Took",
    "Trace",
    "View",
]
