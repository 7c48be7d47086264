"""The coding of Häc Mäc: every move has its action, and the actions are the same with and without slapping."""

from array import array
from itertools import product

from roost_games.haecmaec import Card, Close, Move, Options, Play, React, View
from roost_games.haecmaec.legal import reaction
from roost_games.haecmaec.moves import NO_SLAP, SLAP_MEANS, TOPS, SlapAnswer
from roost_games.haecmaec.sheet import HAND, LAST_CLOSES, NORMAL_TOPS, Sheet, sheet_of
from roost_sdk.pettingzoo.coding import Coding, Field, flags, write_counts, write_seats

SLAP_ANSWERS: tuple[SlapAnswer | None, ...] = (None, NO_SLAP, *SLAP_MEANS)
REACTIONS = tuple(reaction(suspect, slap) for suspect, slap in product((None, False, True), SLAP_ANSWERS))[1:]
"""Every answer: not asked, no or yes to suspicion, with each answer to slapping; the first of them answers nothing."""
PHASES = ("open", "turn", "react")
ALLOWED_OF_KIND = 2
"""How many cards of a kind a burger may have without risk."""


class HaecMaecCoding(Coding[Move, View]):
    """Häc Mäc with an ingredient sheet."""

    def __init__(self, players: int, options: Options) -> None:
        self._sheet = sheet = sheet_of(options.ingredients)
        self._kinds: dict[str, int] = {}
        for row in options.ingredients:
            self._kinds.setdefault(row.kind, len(self._kinds))
        super().__init__(players, _fields(players, options, len(self._kinds)), _moves(sheet))

    def _write(self, values: "array[float]", view: View, own: int) -> None:
        at, numbers = self._at, self._sheet.numbers
        if view.phase in PHASES:
            values[at["phase"] + PHASES.index(view.phase)] = 1
        values[at["turn"] + (view.turn - own) % self.players] = 1
        write_counts(values, at["hand"], view.hand, numbers)
        self._write_burger(values, view, own)
        values[at["bottoms"]] = view.bottoms
        values[at["pile"]] = view.pile
        write_seats(values, at["hand_sizes"], view.hand_sizes, own)
        write_seats(values, at["normal_tops"], view.normal_tops, own)
        write_seats(values, at["doubling_tops"], view.doubling_tops, own)
        write_seats(values, at["points"], [view.points(seat) for seat in range(self.players)], own)
        write_counts(values, at["gone"], _gone(view), numbers)
        values[at["gone"] + self._sheet.fly] = len(view.spoiled)
        write_seats(values, at["shown_flies"], view.shown_flies, own)
        for seat, answer in enumerate(view.reactions):
            self._write_reaction(values, answer, (seat - own) % self.players)

    def _write_burger(self, values: "array[float]", view: View, own: int) -> None:
        at, burger = self._at, view.burger
        write_counts(values, at["burger"], burger, self._sheet.numbers)
        write_counts(values, at["kinds"], [card.kind for card in burger], self._kinds)
        write_counts(values, at["top_card"], burger[-1:], self._sheet.numbers)
        for seat in view.laid_by:
            values[at["laid_by"] + (seat - own) % self.players] += 1

    def _write_reaction(self, values: "array[float]", answer: React, offset: int) -> None:
        values[self._at["suspected"] + offset] = bool(answer.suspect)
        if answer.slap in SLAP_MEANS:
            values[self._at["slapped"] + offset * len(SLAP_MEANS) + SLAP_MEANS.index(answer.slap)] = 1


def _moves(sheet: Sheet) -> list[Move]:
    closes: list[Close] = [close for top in TOPS for close in (*sheet.closes[top], LAST_CLOSES[top])]
    plays: tuple[Play, ...] = sheet.plays
    return [*plays, *closes, *REACTIONS]


def _fields(players: int, options: Options, kinds: int) -> tuple[Field, ...]:
    sheet = sheet_of(options.ingredients)
    copies = tuple(float(sheet.deck.count(card)) for card in sheet.cards)
    ingredients = len(sheet.cards) - 1
    deck = len(sheet.deck)
    tops = NORMAL_TOPS // players
    worth = sum(card.value for card in sheet.deck)
    return (
        flags("phase", len(PHASES)),
        flags("turn", players),
        Field("hand", copies),
        Field("burger", copies[:-1]),
        Field("kinds", (ALLOWED_OF_KIND,) * kinds, most=deck / ALLOWED_OF_KIND),
        flags("top_card", ingredients),
        Field("laid_by", (1,) * players, most=deck),
        Field("bottoms", (players * (tops + 1),)),
        Field("pile", (deck,)),
        Field("hand_sizes", (HAND,) * players, most=deck / HAND),
        Field("normal_tops", (tops,) * players),
        flags("doubling_tops", players),
        Field("points", (worth,) * players, least=-2, most=2),
        Field("gone", copies),
        flags("shown_flies", players),
        flags("suspected", players),
        flags("slapped", players * len(SLAP_MEANS)),
    )


def _gone(view: View) -> list[Card]:
    """The ingredients that are out of the game or in front of a player."""
    gone = [card for burger in view.spoiled for card in burger.cards]
    for burgers, penalties in zip(view.closed, view.penalties, strict=True):
        gone += penalties
        for burger in burgers:
            gone += burger.cards
    return gone


CODING = HaecMaecCoding
