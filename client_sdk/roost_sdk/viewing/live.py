"""Frames of a running match, from what an arena tells a spectator who watches it from the beginning.

    live = LiveMatch()
    for update in arena.watch(match_id, from_beginning=True):
        for piece in live.hear(update):
            send(json.dumps(piece))

The first piece is the document, then each new frame comes by itself, and the last piece is the result. The record will
give the spectator's eye the same frames, and in addition what spectators are told only at the end: thinking times,
faults, and in Bratwurmeck the dice of a roll that fails.
"""

from typing import Any

from roost.v1 import arena_pb2, play_pb2
from roost_games.narration import Look, Narration, narration_of
from roost_games.referee import Played
from roost_games.registry import AnyGame
from roost_games.replay import Seat
from roost_sdk.viewing.frames import SPECTATOR, Document, frame, head, plain_ending
from roost_sdk.viewing.moments import Choice, Chronicle
from roost_sdk.wire import AnyMatchCodec, WireError, codec_for, result_from_wire

NOT_SHOWN = "the arena does not show the table after every decision; one of this version does"


class LiveMatch:
    """A match that is being watched. Raises `WireError` for updates that no arena may send."""

    def __init__(self) -> None:
        self._table: _Table | None = None
        self._head: Document = {}
        self._frames: list[Document] = []
        self._result: Document | None = None

    def document(self) -> Document:
        """Everything so far, for somebody who begins to watch now; empty until the deal has been shown."""
        if not self._frames:
            return {}
        ending = {"result": self._result, "chance": None}
        return {**self._head, "eye": SPECTATOR, "eyes": [SPECTATOR], **ending, "frames": list(self._frames)}

    def hear(self, update: arena_pb2.WatchMatchResponse) -> list[Document]:
        """What is new with this update: the document, frames, the result, or nothing."""
        begun = len(self._frames)
        match update.WhichOneof("update"):
            case "started":
                self._start(update.started)
            case "ended":
                return self._end(update.ended)
            case "event":
                self._known_table().hear(update.event)
            case "view":
                self._known_table().see(update.view)
        return [self.document()] if self._frames and not begun else self._frames[begun:]

    def _start(self, started: play_pb2.MatchStarted) -> None:
        codec = codec_for(started.game)
        options = codec.options_from_wire(started.options)
        seats = [Seat(bot) for bot in started.bots]
        clock = {"decision_ms": started.clock.decision_ms, "bank_ms": started.clock.bank_ms}
        about = head(codec.game, options, seats, started.match_id, started.commitment.hex() or None, None)
        self._head = {**about, "clock": clock}
        narration = narration_of(started.game, started.bots)
        self._table = _Table(codec.game, codec.for_match(options), narration, self._frames)

    def _known_table(self) -> "_Table":
        if self._table is None:
            raise WireError("a match is told before it has started")
        return self._table

    def _end(self, ended: play_pb2.MatchEnded) -> list[Document]:
        begun = len(self._frames)
        self._known_table().end()
        self._result = plain_ending(result_from_wire(ended.result))
        return [*self._frames[begun:], {"result": self._result}]


class _Table:
    """The table as a spectator sees it, and what was decided since it was last seen."""

    def __init__(self, game: AnyGame, codec: AnyMatchCodec, narration: Narration, frames: list[Document]) -> None:
        self._game = game
        self._codec = codec
        self._narration = narration
        self._frames = frames
        self._chronicle: Chronicle | None = None
        self._before: Any = None
        """The table before the decisions in `_moves`."""
        self._moves: dict[int, Any] = {}
        """By seat, what was decided in the present step."""
        self._told: Played | None = None
        """The decision after which the table has not been seen."""

    def hear(self, event: play_pb2.Event) -> None:
        if self._told is not None or self._chronicle is None:
            raise WireError(NOT_SHOWN)
        self._told = Played(event.seat, self._codec.move_from_wire(event.move), event.fallback)

    def see(self, message: play_pb2.View) -> None:
        view = self._codec.view_from_wire(message)
        if self._chronicle is None:
            self._before = view
            self._chronicle = Chronicle(
                self._narration,
                Look(view, ()),
                lambda moment: self._frames.append(frame(moment, self._narration, SPECTATOR)),
            )
        elif self._told is not None:
            self._go_on(self._chronicle, self._told, view)
            self._told = None

    def _go_on(self, chronicle: Chronicle, played: Played, view: Any) -> None:
        move = self._game.encode_move(played.move)
        chronicle.move(played, Choice(played.seat, move, played.fallback, None), Look(view, ()))
        self._moves[played.seat] = played.move
        if chronicle.waiting:
            return
        for event in self._narration.seen(self._before, view, self._moves):
            chronicle.event(event)
        chronicle.flush()
        self._before = view
        self._moves = {}

    def end(self) -> None:
        if self._chronicle is not None:
            self._chronicle.flush()
