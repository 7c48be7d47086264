"""Draws a match for a person, move by move.

`base.Show` is what a game's renderer implements; there is one module for each game. `watch.Watcher` listens to a
referee, hands what it hears to the renderer and prints frames. `spectator.Spectator` does so with what is public.
"""

from roost_cli.terminal.show.base import Look, Show
from roost_cli.terminal.show.spectator import Spectator
from roost_cli.terminal.show.watch import Frame, Watcher, show_for

__all__ = ["Frame", "Look", "Show", "Spectator", "Watcher", "show_for"]
