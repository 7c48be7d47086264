"""Heckmeck am Bratwurmeck, the dice game. rules.md beside this file has the rules in words."""

from roost_games.bratwurmeck.game import GAME, Bratwurmeck
from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.sheet import Options, Tile
from roost_games.bratwurmeck.state import BratwurmeckState
from roost_games.bratwurmeck.view import Event, Failed, Reason, Rolled, SetAside, Stole, TookTile, View

Move = Take
"""Every move is a `Take`."""

__all__ = [
    "GAME",
    "Bratwurmeck",
    "BratwurmeckState",
    "Event",
    "Failed",
    "Move",
    "Options",
    "Reason",
    "Rolled",
    "SetAside",
    "Stole",
    "Take",
    "Tile",
    "TookTile",
    "View",
]
