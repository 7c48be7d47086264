"""What happens in a match, told to a person: words with roles, and the table in a few lines.

Each game has a module `narration` beside its rules whose `NARRATION` is a subclass of `Narration`. It says what to
tell, and which part of it is a bot, a card or a worm; a terminal or a page gives these roles their colours.
`narrator` follows a match with it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from roost_games.registry import part_of
from roost_games.wording import counted

Role = Literal["plain", "seat", "card", "strong", "worm", "dim", "notice", "fault"]
"""What a piece of text is:

- `seat`: a bot at the table; `number` is its seat;
- `card`: a card of a kind; `number` tells the kinds of a game apart;
- `strong`: a value or card that matters;
- `worm`: worms, on any component;
- `dim`: what others at the table cannot see, or what is said in passing;
- `notice`: what deserves a second look;
- `fault`: what a bot did wrong.

Everything must be readable without colour.
"""

Mark = Literal["steal", "closed", "spoiled", "suspicion", "slap"]
"""Why an event of a game deserves to be found again."""


class Span(NamedTuple):
    """A piece of text with its role."""

    text: str
    role: Role = "plain"
    number: int | None = None
    """Which seat or kind it is, for the roles that have several."""


Words = tuple[Span, ...]
SEPARATOR = "  |  "


class Look(NamedTuple):
    """The table at one moment, from all sides."""

    public: Any
    """A spectator's view."""
    seats: tuple[Any, ...]
    """By seat, what it sees itself; empty for a spectator, who may not see that."""


class SeatRow(NamedTuple):
    """A seat's line on the board."""

    seat: int
    bot: str
    deciding: bool
    """Whether this seat has to decide now."""
    cells: tuple[Words, ...]


class Board(NamedTuple):
    """The table in a few lines."""

    head: Words
    rows: tuple[SeatRow, ...]
    widths: tuple[int, ...] = ()
    """The least width of each cell but the last, in characters, so that printed columns seldom jump."""
    foot: Words = ()


class Narration(ABC):
    """What one game tells, and how it draws its table."""

    legend: str
    """How to read the board, in one line without a full stop."""
    private: ClassVar[Mapping[str, str]] = {}
    """The fields of a view that hold what only its seat knows, each with its name where all seats are shown together:
    `hand` is one of `hands`. Empty if the game hides nothing."""
    omitted: ClassVar[frozenset[str]] = frozenset()
    """The fields of a view that tell the past or help to reckon, so that nobody needs them to draw the table."""

    def __init__(self, bots: Sequence[str]) -> None:
        self.bots = bots

    @abstractmethod
    def move(self, seat: int, move: Any, before: Any, after: Any) -> Words | None:
        """What `seat` did, to be read after its name; `None` if the events say it all.

        `before` and `after` are a spectator's views.
        """

    @abstractmethod
    def event(self, event: Any) -> Words | None:
        """What followed, as a sentence; `None` for what needs no words."""

    @abstractmethod
    def board(self, look: Look, before: Look | None) -> Board | None:
        """The table in a few lines; less, or `None`, if that tells all that has changed since `before`."""

    @abstractmethod
    def points(self, view: Any) -> tuple[int, ...]:
        """By seat, what it has on the table of `view`."""

    @abstractmethod
    def round(self, view: Any) -> int:
        """The number of the round that is played in `view`, from 1; after the end, of the last one."""

    @abstractmethod
    def mark(self, event: Any) -> Mark | None:
        """Why `event` deserves to be found again; `None` if it does not."""

    def on_turn(self, view: Any) -> int | None:
        """The seat whose turn it is; `None` if it cannot be told, since the match is over."""
        return view.to_move[0] if view.to_move else None

    def opening(self, view: Any) -> Words:
        """The table after the deal, as a sentence."""
        return sentence(self.name(view.to_move[0]), " begins")

    def seen(self, before: Any, after: Any, moves: Mapping[int, Any]) -> Iterable[object]:
        """The events that a spectator can tell, for those who are not told the game's own.

        `moves` are by seat those of one step: one move, or several at the same time. `before` and `after` are a
        spectator's views around it.
        """
        return ()

    def row(self, seat: int, view: Any, *cells: Words) -> SeatRow:
        """The line of a seat at the table of `view`."""
        return SeatRow(seat, self.bots[seat], seat in view.to_move, cells)

    def name(self, seat: int) -> Words:
        """The seat in a sentence: `seat 2 (random)`, or `seat 2` if the name of its bot is hidden."""
        bot = f" ({self.bots[seat]})" if self.bots[seat] else ""
        return (Span(f"seat {seat}{bot}", "seat", seat),)


def narration_of(game: str, bots: Sequence[str]) -> Narration:
    """The narration of a match of `game` between `bots`, by seat."""
    narration: Narration = part_of(game, "narration").NARRATION(bots)
    return narration


def sentence(*parts: "str | Span | Words") -> Words:
    """Words in a row; strings are plain, and empty ones are left out."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            spans += [Span(part)] if part else []
        else:
            spans += [part] if isinstance(part, Span) else part
    return tuple(spans)


def listed(items: Iterable["str | Span | Words"], between: str = " ", nothing: str = "-") -> Words:
    """Items beside each other, or `nothing`."""
    first, *others = [sentence(item) for item in items] or [sentence(nothing)]
    return sentence(first, *(span for item in others for span in (Span(between), *item)))


def seat(number: int) -> Span:
    """A seat whose bot has been named just before: `seat 2`."""
    return Span(f"seat {number}", "seat", number)


def hand(look: Look, seat: int, in_words: Callable[[Any], str]) -> Words:
    """The hand of a seat; for a spectator only how many cards it holds."""
    held = f"hand {in_words(look.seats[seat].hand)}" if look.seats else counted(look.public.hand_sizes[seat], "card")
    return (Span(held, "dim"),)


def with_worms(value: int, worms: int) -> Words:
    """A portion or tile: its value and its worms, `31~~~`."""
    return sentence(Span(str(value), "strong"), Span("~" * worms if worms < 7 else f"~{worms}", "worm"))


def worm_count(worms: int) -> str:
    """`1 worm`, `3 worms`."""
    return counted(worms, "worm")
