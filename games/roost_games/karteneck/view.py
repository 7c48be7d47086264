"""What a seat at a Karteneck table sees, and what everyone is told."""

from typing import Literal, NamedTuple

from roost_games.karteneck.sheet import Card, Options, Portion

Status = Literal["in", "valid", "invalid"]


class Shuffled(NamedTuple):
    """The discard pile became the new pile."""

    cards: tuple[Card, ...]
    """The cards in it, in the order of the sheet: public, since the discard pile was."""
    held: tuple[Card, ...]
    """The cards in all hands together at that moment: all that was neither in the pile nor on the table."""
    hand_sizes: tuple[int, ...]
    """How many cards each seat held at that moment."""


class Drew(NamedTuple):
    """A seat drew one card."""

    seat: int
    """Who drew."""


class Laid(NamedTuple):
    """A seat laid cards into its display."""

    seat: int
    """Who laid."""
    cards: tuple[Card, ...]
    """What."""


class Revealed(NamedTuple):
    """A round began and its portions came to the grill."""

    round: int
    """The round's number, from 1."""
    starter: int
    """Who decides first."""
    portions: tuple[Portion, ...]
    """The grill, lowest first."""


class Took(NamedTuple):
    """A seat took a portion from the grill."""

    seat: int
    """Who took."""
    portion: Portion
    """Which portion."""
    valid: bool
    """True in the menu distribution; false for the lowest portion that goes with an invalid display."""


class Stole(NamedTuple):
    """A seat stole the top portion of another."""

    seat: int
    """Who stole."""
    victim: int
    """From whom."""
    portion: Portion
    """Which portion."""


Trace = Shuffled | Drew | Laid
Event = Revealed | Took | Stole | Shuffled


class View(NamedTuple):
    """Everything that one seat knows. Sequences over seats are indexed by seat number."""

    seat: int | None
    """Your seat; `None` for a spectator."""
    players: int
    """How many seats there are."""
    to_move: tuple[int, ...]
    """The seat that decides now; empty when the match is over."""
    options: Options
    """The component sheet: all portions and signposts."""
    round: int
    """The round being played, from 1."""
    rounds: int
    """How many rounds the match has."""
    starter: int
    """Who began this round."""
    grill: tuple[Portion, ...]
    """The portions on the grill, lowest first."""
    stacks: tuple[tuple[Portion, ...], ...]
    """The portions that each seat owns, the newest last: only that one can be stolen."""
    displays: tuple[tuple[Card, ...], ...]
    """The cards in front of each seat, in the order laid."""
    totals: tuple[int, ...]
    """The total of each display."""
    status: tuple[Status, ...]
    """Per seat: still "in" the round, or out with a "valid" or an "invalid" display."""
    hand: tuple[Card, ...]
    """Your cards, numbers first; empty for a spectator."""
    hand_sizes: tuple[int, ...]
    """How many cards each seat holds."""
    discard: tuple[Card, ...]
    """The discard pile, oldest first."""
    pile_size: int
    """How many cards are left to draw before the discard pile is shuffled."""
    supply_size: int
    """How many portions will still come to the grill."""
    trace: tuple[Trace, ...]
    """Since the first shuffle of the discard pile: every shuffle, draw and lay. It tells what must be in hands."""
    drawn: tuple[Card, ...]
    """The cards that you drew since then, one for each `Drew` of yours in `trace`."""

    @property
    def display(self) -> tuple[Card, ...]:
        """The cards in front of you."""
        return () if self.seat is None else self.displays[self.seat]

    @property
    def total(self) -> int:
        """The total of your display."""
        return 0 if self.seat is None else self.totals[self.seat]
