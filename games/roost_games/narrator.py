"""Follows a match and tells it in frames: for each decision who did what, what followed, and the table after it.

`Narrator` listens to a referee, or to a record that is played again. `PublicNarrator` is for those who are told only
what is public, such as the spectators of an arena.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from roost_games.narration import Board, Look, Narration, Role, Span, Words, narration_of, sentence
from roost_games.referee import Ended, Faulted, Forfeited, Played
from roost_games.registry import get_game


class TextLine(NamedTuple):
    """A sentence."""

    words: Words
    follows: bool = False
    """Whether it tells what followed from the lines before it; then it is indented."""


@dataclass(slots=True)
class Frame:
    """What is told about one decision, or about several that were made at the same time."""

    lines: list[TextLine] = field(default_factory=list)
    """Who did what, then what followed."""
    board: Board | None = None
    """The table after it."""


class Watched(Protocol):
    """What a narrator looks at: a referee, or a match that is played again from its record."""

    view: Callable[[int | None], Any]
    """`view(seat)`: what that seat knows. `view(None)`: what a spectator may know."""


class Narrator:
    """A listener for a referee; call `begin` before the first move.

    `tell` gets each frame when it is finished, which is when the next one begins or the match ends. A frame has the
    board only where it has changed, unless it is to be `whole`.
    """

    def __init__(self, game: str, bots: Sequence[str], tell: Callable[[Frame], None], *, whole: bool = False) -> None:
        self._narration = narration_of(game, bots)
        self._tell = tell
        self._whole = whole

    def begin(self, match: Watched) -> None:
        """Show the table after the deal."""
        self._view = match.view
        self._look = self._look_now()
        self._shown: Look | None = None
        self._deciding = set(self._look.public.to_move)
        note = "; only you see all hands" if self._narration.private else ""
        self._frame = Frame([_legend(f"{self._narration.legend}{note}")])
        self._finish()

    def listen(self, notice: object) -> None:
        """Hear a notice of the referee or an event of the game."""
        if isinstance(notice, Played | Faulted | Forfeited | Ended) and not self._deciding:
            self._finish()
        match notice:
            case Played():
                self._hear_move(notice)
            case Faulted() | Forfeited():
                self._frame.lines.append(blame_line(self._narration, notice))
            case Ended():
                if self._frame.lines:
                    self._finish()
            case event:
                self._frame.lines += event_lines(self._narration, [event])

    def remark(self, text: str, role: Role = "plain") -> None:
        """Add a line to what is told about the decision that was heard last."""
        self._frame.lines.append(TextLine((Span(text, role),), follows=True))

    def _hear_move(self, played: Played) -> None:
        before, self._look = self._look, self._look_now()
        self._deciding.discard(played.seat)
        self._frame.lines += move_lines(self._narration, played, before.public, self._look.public)

    def _finish(self) -> None:
        """Hand out the frame, and begin the next."""
        self._frame.board = self._narration.board(self._look, None if self._whole else self._shown)
        if self._frame.board is not None:
            self._shown = self._look
        self._tell(self._frame)
        self._frame = Frame()
        self._deciding = set(self._look.public.to_move)

    def _look_now(self) -> Look:
        public = self._view(None)
        return Look(public, tuple(self._view(seat) for seat in range(public.players)))


class PublicNarrator:
    """Hears every move and, now and then, sees the table after the moves so far. `tell` gets each frame."""

    def __init__(self, game: str, bots: Sequence[str], tell: Callable[[Frame], None]) -> None:
        self._narration = narration_of(game, bots)
        self._game = get_game(game)
        self._tell = tell
        self._moves: list[Played] = []
        self._view: Any = None
        self._shown: Look | None = None

    def hear(self, played: Played) -> None:
        """A move was played."""
        self._moves.append(played)

    def see(self, view: Any) -> None:
        """This is the table after all moves heard so far."""
        look = Look(view, ())
        lines = [_legend(self._narration.legend)] if self._view is None else self._lines(view)
        board = self._narration.board(look, self._shown)
        if lines or board is not None:
            self._tell(Frame(lines, board))
        self._view = view
        self._shown = self._shown if board is None else look
        self._moves.clear()

    def _lines(self, after: Any) -> list[TextLine]:
        if not self._are_one_step():
            return [self._notation(played) for played in self._moves]
        moves = [line for played in self._moves for line in move_lines(self._narration, played, self._view, after)]
        played = {played.seat: played.move for played in self._moves}
        return moves + event_lines(self._narration, self._narration.seen(self._view, after, played))

    def _are_one_step(self) -> bool:
        """Whether only these moves lie between the two views: one move, or several at the same time."""
        seats = [played.seat for played in self._moves]
        return len(seats) == 1 or seats == list(self._view.to_move)

    def _notation(self, played: Played) -> TextLine:
        """A move in notation: for words, the table before it would have to be known."""
        move = json.dumps(self._game.encode_move(played.move), ensure_ascii=False)
        return TextLine(sentence(_who(self._narration.name(played.seat), played), f" plays {move}"))


def move_lines(narration: Narration, played: Played, before: Any, after: Any) -> list[TextLine]:
    """What a seat did, between two views of a spectator; nothing if the events say it all."""
    words = narration.move(played.seat, played.move, before, after)
    return [TextLine(sentence(_who(narration.name(played.seat), played), " ", words))] if words else []


def event_lines(narration: Narration, events: Iterable[object]) -> list[TextLine]:
    """What followed."""
    return [TextLine(words, follows=True) for words in map(narration.event, events) if words]


def blame_line(narration: Narration, notice: Faulted | Forfeited) -> TextLine:
    """What went wrong with a seat."""
    what = f" is at fault: {notice.kind}" if isinstance(notice, Faulted) else " forfeits"
    return TextLine(sentence(narration.name(notice.seat), Span(what, "fault")))


def _legend(text: str) -> TextLine:
    return TextLine((Span(f"{text}.", "dim"),))


def _who(name: Words, played: Played) -> Words:
    return sentence(name, " [fallback]" if played.fallback else "")
