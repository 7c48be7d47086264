"""What a seat sees of a match of Häc Mäc, and the public events that tell what followed from a move."""

from collections import Counter
from itertools import chain
from typing import Literal, NamedTuple

from roost_games.haecmaec.moves import DOUBLE, FLY, Card, React, SlapMeans, Top
from roost_games.haecmaec.sheet import Options, sheet_of

Phase = Literal["open", "turn", "react", "over"]


class ClosedBurger(NamedTuple):
    """A burger that a player took."""

    cards: tuple[Card, ...]
    """Its ingredients, lowest first."""
    top: Top
    """What it was closed with."""

    @property
    def points(self) -> int:
        """What it counts at the end."""
        return sum(card.value for card in self.cards) * (2 if self.top == DOUBLE else 1)


class SpoiledBurger(NamedTuple):
    """A burger that is out of the game, and the fly with it. Also the event of its spoiling."""

    seat: int
    """Who played or slapped the fly."""
    cards: tuple[Card, ...]
    """Its ingredients, lowest first, without the fly."""


def table_points(closed: tuple[ClosedBurger, ...], penalties: tuple[Card, ...]) -> int:
    """What a player has on the table: its burgers less twice its penalties."""
    return sum(burger.points for burger in closed) - 2 * sum(card.value for card in penalties)


class View(NamedTuple):
    """All that a seat knows. Tuples "by seat" have one entry per seat.

    Every card is in `hand`, `burger`, `closed`, `penalties` or `spoiled` (with one fly for each burger there), or it is
    in another hand or in the pile; `unseen()` lists the latter.
    """

    seat: int | None
    """Whose view this is; `None` for a spectator."""
    players: int
    """How many seats there are."""
    to_move: tuple[int, ...]
    """The seats that decide now, ascending; empty when the match is over.

    While reactions come in, these are all the seats that are asked. Whether others have answered is secret; only your
    own seat leaves as soon as it has answered.
    """
    hand: tuple[Card, ...]
    """Your cards in the order of the ingredient sheet, flies last; empty for a spectator."""
    answer: React | None
    """Your reaction, while others may still have to answer."""
    phase: Phase
    """What is decided: `open` (a turn without a burger on the table, so only an ingredient may be played),
    `turn` (there is a burger), `react` (reactions to the top card of the burger), or `over`."""
    turn: int
    """Whose turn it is; in `react`, who laid the card in question; after the end, whose turn was the last."""
    starter: int
    """Who had the first turn."""
    options: Options
    """The options of the match."""
    burger: tuple[Card, ...]
    """The ingredients of the burger in the middle, lowest first; empty if there is none."""
    laid_by: tuple[int, ...]
    """Who laid each card of `burger`."""
    bottoms: int
    """The bottoms left in the middle, without the one under the burger."""
    pile: int
    """How many cards can still be drawn."""
    hand_sizes: tuple[int, ...]
    """By seat, how many cards it holds."""
    normal_tops: tuple[int, ...]
    """By seat, the normal tops that it has left."""
    doubling_tops: tuple[int, ...]
    """By seat, the doubling tops that it has left: 0 or 1."""
    closed: tuple[tuple[ClosedBurger, ...], ...]
    """By seat, the burgers that it took, oldest first."""
    penalties: tuple[tuple[Card, ...], ...]
    """By seat, its penalty cards, oldest first. At the end each costs twice its value."""
    spoiled: tuple[SpoiledBurger, ...]
    """The burgers that are out of the game, oldest first."""
    shown_flies: tuple[bool, ...]
    """By seat, whether it is known to hold a fly: it slapped with one, was not quickest, and has kept it since."""
    reactions: tuple[React, ...]
    """By seat, the reactions to the latest move, once all are in; the seat that laid the card has `React()`.
    Empty if no one was asked."""
    rounds: int
    """How many rounds of reactions are complete."""

    def is_third(self, card: Card) -> bool:
        """Whether `card`, laid on the burger as it is, would be the third of its kind or a later one."""
        return sum(laid.kind == card.kind for laid in self.burger) >= 2

    def points(self, seat: int) -> int:
        """What `seat` has on the table: its burgers less twice its penalties. Hands count only at the end."""
        return table_points(self.closed[seat], self.penalties[seat])

    def unseen(self) -> list[Card]:
        """The cards in other hands and in the pile, taken together, in the order of the ingredient sheet."""
        unseen = Counter(sheet_of(self.options.ingredients).deck)
        unseen.subtract(self.hand)
        unseen.subtract(self.burger)
        unseen[FLY] -= len(self.spoiled)
        closed = (burger.cards for burgers in self.closed for burger in burgers)
        for cards in chain(closed, self.penalties, (burger.cards for burger in self.spoiled)):
            unseen.subtract(cards)
        return list(unseen.elements())


class Opened(NamedTuple):
    """A bottom was laid for a new burger."""

    seat: int
    """Who laid it."""
    bottoms: int
    """How many are left."""


class Laid(NamedTuple):
    """An ingredient was laid on the burger."""

    seat: int
    """Who laid it."""
    card: Card
    """The ingredient."""


class Reacted(NamedTuple):
    """All reactions to the latest ingredient are in."""

    reactions: tuple[React, ...]
    """By seat; the seat that laid the card has `React()`."""


class Suspected(NamedTuple):
    """A suspicion was judged; its card left the burger."""

    accuser: int
    """The first suspecting seat in turn order."""
    player: int
    """Who laid the card."""
    card: Card
    """The card in question."""
    right: bool
    """Whether it was a third of its kind or a later one: then it is the player's penalty, else the accuser's."""


class Slapped(NamedTuple):
    """The burger was slapped."""

    seat: int
    """Who was quickest."""
    means: SlapMeans
    """With what."""
    slappers: tuple[int, ...]
    """The seats that slapped, ascending."""


class Closed(NamedTuple):
    """A burger was closed and taken."""

    seat: int
    """Who took it."""
    burger: ClosedBurger
    """What it is."""


class RanOut(NamedTuple):
    """The match is over because something has run out."""

    reason: Literal["no ingredient", "no bottom"]
    """`no ingredient`: the seat has none left; `no bottom`: the next burger has nothing to lie on."""
    seat: int
    """Whose turn was the last."""
