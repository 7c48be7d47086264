"""Draws a match for somebody who sees only what is public, and who is told moves but not what followed from them."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from roost_cli.terminal.show.base import Look
from roost_cli.terminal.show.watch import Frame, show_for
from roost_games.referee import Played
from roost_games.registry import get_game


class Spectator:
    """Told every move and, now and then, a view of the table after the moves so far. `draw` gets each frame."""

    def __init__(self, game: str, bots: Sequence[str], draw: Callable[[Frame], None]) -> None:
        self.show = show_for(game, bots)
        self._game = get_game(game)
        self._draw = draw
        self._moves: list[Played] = []
        self._view: Any = None
        self._drawn: Look | None = None

    def hear(self, played: Played) -> None:
        """A move was played."""
        self._moves.append(played)

    def see(self, view: Any) -> None:
        """This is the table after all moves heard so far."""
        look = Look(view, ())
        words = self._first_words() if self._view is None else self._words(view)
        table = self.show.table(look, self._drawn)
        if words or table is not None:
            self._draw(Frame(words, table))
        self._view = view
        self._drawn = self._drawn if table is None else look
        self._moves.clear()

    def _first_words(self) -> list[RenderableType]:
        return [Text(f"{self.show.legend}.", style="dim")]

    def _words(self, after: Any) -> list[RenderableType]:
        if not self._are_one_step():
            return [self._notation(played) for played in self._moves]
        words: list[RenderableType] = []
        for played in self._moves:
            told = self.show.move(played.seat, played.move, self._view, after)
            if told:
                words.append(Text.assemble(self._who(played), " ", told))
        followed = filter(None, map(self.show.event, self.show.seen(self._view, after)))
        return words + [Padding(told, (0, 0, 0, 4), expand=False) for told in followed]

    def _are_one_step(self) -> bool:
        """Whether the two views lie around these moves alone: one move, or several at the same time."""
        seats = [played.seat for played in self._moves]
        return len(seats) == 1 or seats == list(self._view.to_move)

    def _notation(self, played: Played) -> Text:
        """A move of which only the notation is known: the table it was made at was not seen."""
        move = json.dumps(self._game.encode_move(played.move), ensure_ascii=False)
        return Text.assemble(self._who(played), f" plays {move}")

    def _who(self, played: Played) -> Text:
        return Text.assemble(self.show.name(played.seat), " [fallback]" if played.fallback else "")
