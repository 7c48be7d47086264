"""A toy game for tests of everything that must work with any game: small enough to work out results by hand.

Twelve cards "c1" to "c12", two in each hand. In every round the leader shows a card (a decision alone) and draws one;
then all seats bid 0, 1 or 2 at once. The highest bid, the lowest seat among equals, scores the card's number and pays
its bid; each worm among two dice gives the leader a point. Then the lead goes to the next seat. When the pile is empty
the cards shown are shuffled into a new one. Option `rounds` (4 by default), and `cut` ends the match as a `horizon`.

`play_out` drives a referee with random answers, for this game and every other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, Self

from roost_games.chance import Chance, Quick
from roost_games.errors import IllegalMove, MalformedMove, OptionError
from roost_games.game import Component, Game, JsonValue, OptionDoc, State
from roost_games.referee import Fault, Referee

CARDS = tuple(f"c{number}" for number in range(1, 13))
FACES = ("1", "2", "3", "4", "5", "W")


class Show(NamedTuple):
    card: str


class Bid(NamedTuple):
    amount: int


Move = Show | Bid
BIDS = (Bid(0), Bid(1), Bid(2))


class ToyView(NamedTuple):
    seat: int | None
    players: int
    to_move: tuple[int, ...]
    round: int
    leader: int
    hand: tuple[str, ...]
    shown: tuple[str, ...]
    scores: tuple[int, ...]
    bidding: bool


class Scored(NamedTuple):
    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class ToyOptions:
    rounds: int = 4
    cut: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        changed: dict[str, JsonValue] = {} if self.rounds == 4 else {"rounds": self.rounds}
        return changed | ({"cut": True} if self.cut else {})


class ToyState(State[Move, ToyView]):
    def __init__(self, players: int, options: ToyOptions, chance: Chance) -> None:
        self.players = players
        self.termination = ""
        self.chance = chance
        self.events = None
        self.options = options
        self.round = 0
        self.leader = chance.pick("starter", range(players))
        self.pile = chance.draw("deck", CARDS, len(CARDS))
        self.hands = [[self.pile.pop(0), self.pile.pop(0)] for _ in range(players)]
        self.shown: list[str] = []
        self.scores = [0] * players
        self.bids: dict[int, int] = {}
        self.bidding = False
        self.reshuffles = 0
        self.to_move = (self.leader,)

    def legal(self, seat: int) -> Sequence[Move]:
        if seat not in self.to_move:
            return ()
        return BIDS if self.bidding else tuple(Show(card) for card in sorted(self.hands[seat]))

    def apply(self, seat: int, move: Move) -> None:
        if type(move) not in (Show, Bid) or type(move[0]) not in (str, int) or move[0] not in (*CARDS, 0, 1, 2):
            raise MalformedMove("a move is Show(card) or Bid(0 to 2)")
        if move not in self.legal(seat):
            raise IllegalMove(f"seat {seat} may not do that now")
        if isinstance(move, Show):
            self._show(seat, move.card)
        else:
            self._bid(seat, move.amount)

    def _show(self, seat: int, card: str) -> None:
        if not self.pile:
            self.reshuffles += 1
            self.pile = self.chance.draw(f"reshuffle/{self.reshuffles}", sorted(self.shown), len(self.shown))
            self.shown = []
        self.hands[seat].remove(card)
        self.shown.append(card)
        if self.pile:
            self.hands[seat].append(self.pile.pop(0))
        self.bidding = True
        self.to_move = tuple(range(self.players))

    def _bid(self, seat: int, amount: int) -> None:
        self.bids[seat] = amount
        self.to_move = tuple(other for other in self.to_move if other != seat)
        if not self.to_move:
            self._score()

    def _score(self) -> None:
        best = max(range(self.players), key=lambda seat: (self.bids[seat], -seat))
        points = int(self.shown[-1][1:]) - self.bids[best]
        self.scores[best] += points
        rolled = self.chance.dice(f"roll/{self.round}", FACES, 2)
        self.scores[self.leader] += rolled.count(FACES.index("W"))
        if self.events is not None:
            self.events.append(Scored(best, points))
        self.bids, self.bidding = {}, False
        self.round += 1
        self.leader = (self.leader + 1) % self.players
        self.to_move = (self.leader,)
        if self.round == self.options.rounds:
            self.termination = "horizon" if self.options.cut else "finished"
            self.to_move = ()

    def observe(self, seat: int | None) -> ToyView:
        hand = () if seat is None else tuple(sorted(self.hands[seat]))
        shown, scores = tuple(self.shown), tuple(self.scores)
        return ToyView(seat, self.players, self.to_move, self.round, self.leader, hand, shown, scores, self.bidding)

    def copy(self) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        for slot in ("players", "termination", "chance", "to_move"):
            setattr(new, slot, getattr(self, slot))
        new.events = None
        new.pile, new.shown, new.scores = self.pile[:], self.shown[:], self.scores[:]
        new.hands = [hand[:] for hand in self.hands]
        new.bids = dict(self.bids)
        return new

    def merits(self) -> tuple[tuple[int, ...], ...]:
        return tuple((score,) for score in self.scores)

    def inventory(self) -> list[str]:
        return [*self.pile, *self.shown, *(card for hand in self.hands for card in hand)]

    def scramble(self, seat: int | None, rng: Random) -> None:
        others = [hand for other, hand in enumerate(self.hands) if other != seat]
        hidden = [*self.pile, *(card for hand in others for card in hand)]
        rng.shuffle(hidden)
        for hand in others:
            hand[:] = [hidden.pop() for _ in hand]
        self.pile = hidden


class ToyGame(Game[Move, ToyView, ToyOptions]):
    name = "toy"
    title = "Toy"
    summary = "Show a card, bid for it."
    components = (Component("12 cards", "assumed"),)
    option_docs = (OptionDoc("rounds", "how many rounds", "4"), OptionDoc("cut", "end as a horizon", "false"))

    def options(self, given: Mapping[str, JsonValue]) -> ToyOptions:
        self.check_option_names(given)
        rounds, cut = given.get("rounds", 4), given.get("cut", False)
        if type(rounds) is not int or not 1 <= rounds <= 100 or not isinstance(cut, bool):
            raise OptionError("rounds is an integer from 1 to 100, cut is true or false")
        return ToyOptions(rounds, cut)

    def players(self, options: ToyOptions) -> range:
        return range(2, 6)

    def start(self, players: int, options: ToyOptions, chance: Chance) -> ToyState:
        self.check_players(players, options)
        return ToyState(players, options, chance)

    def legal(self, view: ToyView) -> Sequence[Move]:
        if view.seat not in view.to_move:
            return ()
        return BIDS if view.bidding else tuple(Show(card) for card in view.hand)

    def fallback(self, view: ToyView) -> Move:
        return BIDS[0] if view.bidding else Show(view.hand[0])

    def encode_move(self, move: Move) -> dict[str, JsonValue]:
        return {"show": move.card} if isinstance(move, Show) else {"bid": move.amount}

    def decode_move(self, data: JsonValue) -> Move:
        match data:
            case {"show": str(card), **rest} if card in CARDS and not rest:
                return Show(card)
            case {"bid": int(amount), **rest} if amount in range(3) and type(amount) is int and not rest:
                return BIDS[amount]
        raise MalformedMove('a move is {"show": card} or {"bid": 0 to 2}')

    def determinise(self, view: ToyView, rng: Random) -> ToyState:
        state = ToyState(view.players, ToyOptions(), Quick(rng))
        state.to_move, state.round, state.leader, state.bidding = view.to_move, view.round, view.leader, view.bidding
        state.shown, state.scores = list(view.shown), list(view.scores)
        known = {*view.hand, *view.shown}
        hidden = rng.sample([card for card in CARDS if card not in known], len(CARDS) - len(known))
        state.hands = [
            list(view.hand) if seat == view.seat else [hidden.pop(), hidden.pop()] for seat in range(view.players)
        ]
        state.pile = hidden
        return state


TOY = ToyGame()


def play_out(referee: Referee[Any, Any], rng: Random, fault_rate: float = 0.0, grace_rate: float = 0.0) -> None:
    """Play to the end, answers in random order; a share of the decisions are faults or forfeits by grace time."""
    while not referee.over:
        seat = rng.choice(referee.waiting)
        if rng.random() < grace_rate:
            referee.forfeit(
                rng.choice([each for each in range(referee.view(None).players) if each not in referee.forfeits])
            )
        elif rng.random() < fault_rate:
            referee.fault(seat, rng.choice(tuple(Fault)))
        else:
            referee.answer(seat, rng.choice(referee.legal(seat)), round(rng.random(), 3))
