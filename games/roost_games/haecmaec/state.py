"""The rules of Häc Mäc: what may be done in a match, and what follows."""

from bisect import insort
from collections.abc import Sequence
from random import Random
from typing import Literal, NoReturn, TypeVar

from roost_games.chance import Chance
from roost_games.errors import IllegalMove
from roost_games.game import SEAT_ALONE
from roost_games.haecmaec.legal import HAS_DOUBLE, HAS_FLY, HAS_NORMAL, closable_from, reactions_to, turn_moves
from roost_games.haecmaec.moves import (
    DOUBLE,
    FLY,
    NO_SLAP,
    NORMAL,
    Close,
    Move,
    Play,
    React,
    SlapMeans,
    Top,
    check_form,
)
from roost_games.haecmaec.sheet import Options
from roost_games.haecmaec.table import MOST_PLAYERS, NOT_ASKED, SEATS_IN, HaecMaecTable
from roost_games.haecmaec.unseen import deal_unseen
from roost_games.haecmaec.view import (
    Closed,
    ClosedBurger,
    Laid,
    Opened,
    RanOut,
    Reacted,
    Slapped,
    SpoiledBurger,
    Suspected,
)

T = TypeVar("T")

SUSPECT_TYPES = (bool, type(None))
"""Equality alone would accept 1 for True."""
AFTER = tuple(
    tuple(tuple((seat + step) % players for step in range(1, players)) for seat in range(players))
    for players in range(MOST_PLAYERS + 1)
)
"""`AFTER[players][seat]`: all others, in turn order."""


class HaecMaecState(HaecMaecTable):
    """A match in progress.

    A player whose turn it is always has a legal move. Of four cards dealt at most three are flies, so everyone holds an
    ingredient at first. The match ends as soon as someone holds none, or when a burger would be begun without a bottom.
    """

    __slots__ = ()

    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        self._begin_turn(self.starter)

    # What may be done

    def legal(self, seat: int) -> Sequence[Move]:
        if seat not in self.to_move:
            return ()
        if self._waiting:
            return self._legal_reactions(seat)
        burger = len(self.burger)
        return turn_moves(self._sheet, self.hands[seat], burger, self._closing_tops(seat), self.bottoms)

    def _legal_reactions(self, seat: int) -> tuple[React, ...]:
        if not self.options.slap:
            return self._legal_answers[0]
        holds_fly = HAS_FLY if self.hands[seat][-1] == self._sheet.fly else 0
        return self._legal_answers[self._tops(seat) | holds_fly]

    def _tops(self, seat: int) -> int:
        return (HAS_NORMAL if self.normal_tops[seat] else 0) | (HAS_DOUBLE if self.doubling_tops[seat] else 0)

    def _closing_tops(self, seat: int) -> int:
        return self._tops(seat) if len(self.burger) >= closable_from(self.players) else 0

    def _number(self, card: object) -> int:
        """The number of `card` in the sheet; -1 for anything that is not in it."""
        try:
            return self._sheet.numbers[card]  # type: ignore[index]
        except (KeyError, TypeError):
            return -1

    # What follows

    def apply(self, seat: int, move: Move) -> None:
        if seat not in self.to_move:
            raise IllegalMove(f"seat {seat} has nothing to decide now")
        if self._waiting:
            self._react(seat, move)
        elif type(move) is Play:
            self._play(seat, move)
        elif type(move) is Close:
            self._close(seat, move)
        else:
            _refuse(move, "there is nothing to react to; play a card or close the burger")

    def _play(self, seat: int, move: Play) -> None:
        number = self._number(move.card)
        if number not in self.hands[seat]:
            _refuse(move, "the card is not in the hand")
        if number != self._sheet.fly:
            self.reactions = ()
            self._lay(seat, number)
        elif self.burger:
            self.reactions = ()
            self._spoil(seat)
            self._end_move(AFTER[self.players][seat][0])
        else:
            _refuse(move, "there is no burger to spoil; play an ingredient")

    def _close(self, seat: int, move: Close) -> None:
        top, card = move
        bit = HAS_NORMAL if top == NORMAL else HAS_DOUBLE if top == DOUBLE else 0
        if not self._closing_tops(seat) & bit:
            needed = closable_from(self.players)
            _refuse(move, f"that needs a burger of {needed} ingredients, and you need a top of this kind")
        if (card is None) == (self.bottoms > 0):
            _refuse(move, "a close has an ingredient if a bottom is left, and none otherwise")
        number = -1 if card is None else self._number(card)
        if card is not None and (number not in self.hands[seat] or number == self._sheet.fly):
            _refuse(move, "the card is not an ingredient in the hand")
        self.reactions = ()
        self._take(seat, top)
        if card is None:
            self._end_move(AFTER[self.players][seat][0])
        else:
            self._lay(seat, number)

    def _react(self, seat: int, move: Move) -> None:
        if (
            type(move) is not React
            or type(move.suspect) not in SUSPECT_TYPES
            or move not in self._legal_reactions(seat)
        ):
            _refuse(move, "answer what is asked, and slap only with what you have")
        self._answers[seat] = move
        self._waiting ^= 1 << seat
        if self._waiting:
            self.to_move = SEATS_IN[self._waiting]
        else:
            self._resolve()

    def _lay(self, seat: int, number: int) -> None:
        """Lay an ingredient, with a bottom under it if there is no burger, and ask for reactions or end the move."""
        self.hands[seat].remove(number)
        card = self._sheet.cards[number]
        if not self.burger:
            self.bottoms -= 1
            if self.events is not None:
                self.events.append(Opened(seat, self.bottoms))
        self.burger += (card,)
        self.laid_by += (seat,)
        if self.events is not None:
            self.events.append(Laid(seat, card))
        legal_answers = reactions_to(len(self.burger), self.options.slap)
        if legal_answers is None:
            self._end_move(AFTER[self.players][seat][0])
        else:
            self._legal_answers = legal_answers
            self._answers = [NOT_ASKED] * self.players
            self._waiting = self._asked()
            self.to_move = SEATS_IN[self._waiting]

    def _resolve(self) -> None:
        """All reactions are in: first suspicion, then slaps."""
        self.reactions = tuple(self._answers)
        if self.events is not None:
            self.events.append(Reacted(self.reactions))
        after = AFTER[self.players][self.turn]
        for seat in after:
            if self.reactions[seat].suspect:
                self._judge(seat)
                break
        following = after[0]
        if self.options.slap:
            slaps = {seat: slap for seat, (_, slap) in enumerate(self.reactions) if slap and slap != NO_SLAP}
            if slaps:
                following = self._slap(slaps)
        self.rounds += 1
        self._end_move(following)

    def _judge(self, accuser: int) -> None:
        card = self.burger[-1]
        right = sum(laid.kind == card.kind for laid in self.burger) > 2
        self.burger = self.burger[:-1]
        self.laid_by = self.laid_by[:-1]
        loser = self.turn if right else accuser
        self.penalties = with_entry(self.penalties, loser, (*self.penalties[loser], card))
        if self.events is not None:
            self.events.append(Suspected(accuser, self.turn, card, right))

    def _slap(self, slaps: dict[int, SlapMeans]) -> int:
        """Give the burger to the quickest of those who slap, by seat ascending. Returns who opens the next one."""
        slappers = list(slaps)
        winner = slappers[0] if len(slappers) == 1 else self.chance.pick(f"slap/{self.rounds}", slappers)
        means = slaps[winner]
        if self.events is not None:
            self.events.append(Slapped(winner, means, tuple(slappers)))
        for seat in slappers:
            if slaps[seat] == FLY:
                self.shown_flies = with_entry(self.shown_flies, seat, True)
        if means in (NORMAL, DOUBLE):
            self._take(winner, means)
            return winner
        self._spoil(winner)
        self._draw(winner)
        return AFTER[self.players][winner][0]

    def _take(self, seat: int, top: Top) -> None:
        if top == NORMAL:
            self.normal_tops = with_entry(self.normal_tops, seat, self.normal_tops[seat] - 1)
        else:
            self.doubling_tops = with_entry(self.doubling_tops, seat, self.doubling_tops[seat] - 1)
        burger = ClosedBurger(self.burger, top)
        self.closed = with_entry(self.closed, seat, (*self.closed[seat], burger))
        self.burger = self.laid_by = ()
        if self.events is not None:
            self.events.append(Closed(seat, burger))

    def _spoil(self, seat: int) -> None:
        self.hands[seat].pop()  # flies are the last of a hand
        self.shown_flies = with_entry(self.shown_flies, seat, False)
        burger = SpoiledBurger(seat, self.burger)
        self.spoiled += (burger,)
        self.burger = self.laid_by = ()
        if self.events is not None:
            self.events.append(burger)

    def _end_move(self, following: int) -> None:
        """After a move and all its reactions: the end of the match, or the next turn."""
        hand = self.hands[self.turn]  # no one else can have run out: others part only with flies
        if not hand or hand[0] == self._sheet.fly:
            self._end("no ingredient")
        elif not self.burger and not self.bottoms:
            self._end("no bottom")
        else:
            self._begin_turn(following)

    def _end(self, reason: Literal["no ingredient", "no bottom"]) -> None:
        self.to_move = ()
        self.termination = "finished"
        if self.events is not None:
            self.events.append(RanOut(reason, self.turn))

    def _begin_turn(self, seat: int) -> None:
        self.turn = seat
        self.to_move = SEAT_ALONE[seat]
        self._draw(seat)

    def _draw(self, seat: int) -> None:
        if self.pile:
            insort(self.hands[seat], self.pile.pop())

    def scramble(self, seat: int | None, rng: Random) -> None:
        """Deal what `seat` cannot see again, and replace the reactions of others by random ones."""
        self._conceal(*deal_unseen(self.observe(seat), rng))
        if self._waiting:
            for other in SEATS_IN[self._asked() ^ self._waiting]:
                if other != seat:
                    self._answers[other] = rng.choice(self._legal_reactions(other))


def with_entry(entries: tuple[T, ...], seat: int, entry: T) -> tuple[T, ...]:
    """`entries` with that of `seat` replaced."""
    return (*entries[:seat], entry, *entries[seat + 1 :])


def _refuse(move: object, reason: str) -> NoReturn:
    check_form(move)
    raise IllegalMove(f"{move} is not legal now: {reason}")
