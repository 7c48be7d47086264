"""A match as a row of moments: each decision, what followed from it, and the table after it.

`Chronicle` hears what happens and hands out the moments. It does not care where it comes from: `frames` tells it
a record that is played again, `live` what a spectator of an arena hears.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from roost_games.game import JsonValue
from roost_games.narration import Look, Narration, Span
from roost_games.narration import Mark as EventMark
from roost_games.narrator import TextLine, blame_line, event_lines, move_lines
from roost_games.referee import Faulted, Forfeited, Played

Mark = EventMark | Literal["fault", "forfeit", "lead"]
"""Why a moment deserves to be found again. `lead`: another seat leads."""

BROKEN_OFF = TextLine((Span("the match ends before all have decided", "notice"),))


class Choice(NamedTuple):
    """What a seat decided, or the fallback for it."""

    seat: int
    move: Mapping[str, JsonValue]
    """The move in replay notation."""
    fallback: bool
    ms: float | None
    """How long it took in milliseconds; `None` if that is not known."""


class Blame(NamedTuple):
    """What a seat did wrong."""

    seat: int
    kind: str
    sent: JsonValue = None
    """What was refused, if there was an answer and it is known."""


class Remark(NamedTuple):
    """What somebody says afterwards about a decision, such as what another bot would have done."""

    seat: int
    """Whose decision it was. The remark is for those who see what this seat saw."""
    text: str
    swing: float = 0.0
    """What the decision cost, as a share of the match, if that was weighed."""


@dataclass(slots=True)
class Moment:
    """One decision, or several that were made at the same time, and the table after it."""

    look: Look
    """The table after it."""
    step: int = 0
    """How many decisions have been made. A last moment without a decision counts as one."""
    turn: int = 0
    round: int = 1
    points: tuple[int, ...] = ()
    """By seat, what it has on the table."""
    choices: list[Choice] = field(default_factory=list)
    blames: list[Blame] = field(default_factory=list)
    lines: list[TextLine] = field(default_factory=list)
    """What happened, in words that everybody may read."""
    marks: list[Mark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    resolved: bool = True
    """Whether all seats that were asked have decided. Otherwise they do not know each other's choices."""


class Chronicle:
    """Hears what happens in a match, in order, and tells each moment when the next one begins, or at a `flush`."""

    def __init__(self, narration: Narration, look: Look, tell: Callable[[Moment], None]) -> None:
        """`look`: the table after the deal, which is the first moment."""
        self._narration = narration
        self._tell = tell
        self._on_turn = narration.on_turn(look.public)
        points = narration.points(look.public)
        self._leader = _leader(points)
        opening = TextLine(narration.opening(look.public))
        self._tell_and_go_on(Moment(look, round=narration.round(look.public), points=points, lines=[opening]))

    def move(self, played: Played, choice: Choice, look: Look) -> None:
        """A seat decided, and this is the table now."""
        moment = self._current()
        self._moves += move_lines(self._narration, played, moment.look.public, look.public)
        self._deciding.discard(played.seat)
        moment.choices.append(choice)
        moment.look = look

    def event(self, event: object) -> None:
        """This followed from the decision heard last."""
        self._followed += event_lines(self._narration, [event])
        mark = self._narration.mark(event)
        if mark is not None:
            self._mark(mark)

    def fault(self, faulted: Faulted, sent: JsonValue = None) -> None:
        """A seat did something wrong; its fallback follows, or the end."""
        moment = self._current()
        moment.blames.append(Blame(faulted.seat, faulted.kind, sent))
        moment.lines.append(blame_line(self._narration, faulted))
        self._mark("fault")

    def forfeit(self, forfeited: Forfeited) -> None:
        """A seat is out."""
        self._current().lines.append(blame_line(self._narration, forfeited))
        self._mark("forfeit")

    @property
    def waiting(self) -> bool:
        """Whether seats that were asked at the same time have yet to decide."""
        return bool(self._deciding)

    def flush(self) -> None:
        """Tell the moment now: nothing more will be heard about it."""
        if self._moment.choices or self._moment.lines:
            self._finish()

    def _current(self) -> Moment:
        """The moment that what is heard now belongs to: the next one if all who were asked have decided."""
        if not self._deciding:
            self._finish()
        return self._moment

    def _mark(self, mark: Mark) -> None:
        if mark not in self._moment.marks:
            self._moment.marks.append(mark)

    def _finish(self) -> None:
        moment, view = self._moment, self._moment.look.public
        moment.resolved = not self._deciding
        moment.lines += self._moves + self._followed if moment.resolved else [BROKEN_OFF] * bool(moment.choices)
        moment.step += len(moment.choices) or 1
        moment.round, moment.points = self._narration.round(view), self._narration.points(view)
        self._follow_turn(moment)
        self._follow_lead(moment.points)
        self._tell_and_go_on(moment)

    def _follow_turn(self, moment: Moment) -> None:
        on_turn = self._narration.on_turn(moment.look.public)
        if on_turn is not None and (on_turn != self._on_turn or moment.round != self._round):
            moment.turn += 1
            self._on_turn = on_turn

    def _follow_lead(self, points: tuple[int, ...]) -> None:
        """Mark that another seat leads. A tie changes nothing, and neither does the first lead."""
        leader = _leader(points)
        if leader is None or leader == self._leader:
            return
        if self._leader is not None:
            self._mark("lead")
        self._leader = leader

    def _tell_and_go_on(self, moment: Moment) -> None:
        self._tell(moment)
        self._moment = Moment(moment.look, moment.step, moment.turn)
        self._round = moment.round
        self._deciding = set(moment.look.public.to_move)
        self._moves: list[TextLine] = []
        self._followed: list[TextLine] = []


def _leader(points: tuple[int, ...]) -> int | None:
    """The seat with the most points; `None` if several have them."""
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None
