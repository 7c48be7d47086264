"""`check_game` passes a correct game and finds each kind of broken one; then it checks every registered game."""

import random
import re
from collections.abc import Mapping, Sequence
from copy import copy as shallow_copy
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, Self

import pytest

from roost_games.chance import Chance, Quick
from roost_games.conformance import ConformanceError, Promise, check_game
from roost_games.errors import IllegalMove, MalformedMove, OptionError
from roost_games.game import STANDARD, Game, JsonValue, OptionDoc, State, Variant
from roost_games.registry import AnyGame
from tests.golden.cases import Case, all_cases

CARDS = [f"c{number:02}" for number in range(1, 15)]


class Bid(NamedTuple):
    """Everybody bids a card at once; the highest wins the trick."""

    card: str


class Refill(NamedTuple):
    """The winner of the trick draws a card, or does not."""

    draw: bool


class Trick(NamedTuple):
    winner: int
    cards: tuple[str, ...]


Move = Bid | Refill


class View(NamedTuple):
    seat: int | None
    players: int
    to_move: tuple[int, ...]
    hand: Any
    hand_sizes: tuple[int, ...]
    pile_size: int
    discard: tuple[str, ...]
    won: tuple[int, ...]
    hint: Any = ""
    """Always empty, unless a broken game says here what it should not."""


@dataclass(frozen=True, slots=True)
class Options:
    hand_size: int = 3

    def to_json(self) -> dict[str, JsonValue]:
        return {} if self.hand_size == 3 else {"hand_size": self.hand_size}


class Toy(State[Any, View]):
    """A correct little game with secrets, chance, simultaneous and single decisions."""

    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        self.players, self.chance, self.events, self.termination = players, chance, None, ""
        self.starter = chance.pick("starter", range(players))
        self.pile = chance.draw("deck", CARDS, len(CARDS))
        self.hands = [sorted(self.pile.pop() for _ in range(options.hand_size)) for _ in range(players)]
        self.discard: list[str] = []
        self.won = [0] * players
        self.bids: dict[int, str] = {}
        self.to_move = tuple(range(players))

    def legal(self, seat: int) -> Sequence[Any]:
        if seat not in self.to_move:
            return ()
        if len(self.to_move) == 1 and not self.bids:
            return (Refill(False), Refill(True)) if self.pile else (Refill(False),)
        return tuple(Bid(card) for card in self.hands[seat])

    def apply(self, seat: int, move: Any) -> None:
        if not isinstance(move, Bid | Refill):
            raise MalformedMove("not a move")
        if move not in self.legal(seat):
            raise IllegalMove("not now")
        if isinstance(move, Bid):
            self.bid(seat, move.card)
        else:
            self.refill(seat, move.draw)

    def bid(self, seat: int, card: str) -> None:
        self.bids[seat] = card
        self.to_move = tuple(other for other in self.to_move if other != seat)
        if not self.to_move:
            self.resolve()

    def resolve(self) -> None:
        cards = [self.bids[seat] for seat in range(self.players)]
        winner = max(self.bids, key=lambda seat: self.bids[seat])
        for seat, card in enumerate(cards):
            self.hands[seat].remove(card)
            self.discard.append(card)
        self.won[winner] += 1
        self.bids = {}
        self.to_move = (winner,)
        if self.events is not None:
            self.events.append(Trick(winner, tuple(cards)))

    def refill(self, seat: int, draw: bool) -> None:
        if draw:
            self.hands[seat] = sorted([*self.hands[seat], self.pile.pop()])
        if all(self.hands):
            self.to_move = tuple(range(self.players))
        else:
            self.to_move, self.termination = (), "finished"

    def observe(self, seat: int | None) -> View:
        hand = () if seat is None else tuple(self.hands[seat])
        sizes = tuple(len(cards) for cards in self.hands)
        public = (len(self.pile), tuple(self.discard), tuple(self.won))
        return View(seat, self.players, self.asked_as_seen_by(seat), hand, sizes, *public)

    def asked_as_seen_by(self, seat: int | None) -> tuple[int, ...]:
        """Who has bid already is nobody's business, except the own bid."""
        return tuple(
            other for other in range(self.players) if other in self.to_move or (other in self.bids and other != seat)
        )

    def copy(self) -> Self:
        twin = shallow_copy(self)
        twin.events = None
        twin.pile, twin.hands = self.pile[:], [hand[:] for hand in self.hands]
        twin.discard, twin.won, twin.bids = self.discard[:], self.won[:], dict(self.bids)
        return twin

    def merits(self) -> tuple[tuple[int, ...], ...]:
        return tuple((won,) for won in self.won)

    def inventory(self) -> list[str]:
        return [*self.pile, *self.discard, *(card for hand in self.hands for card in hand)]

    def scramble(self, seat: int | None, rng: Random) -> None:
        others = [other for other in range(self.players) if other != seat]
        hidden = self.pile + [card for other in others for card in self.hands[other]]
        rng.shuffle(hidden)
        for other in others:
            self.hands[other] = sorted(hidden.pop() for _ in self.hands[other])
        self.pile = hidden


class ToyGame(Game[Any, View, Options]):
    name = title = summary = "toy"
    components = ()
    option_docs = (OptionDoc("hand_size", "cards at the start", "3"),)

    def __init__(self, state: type[Toy] = Toy) -> None:
        self.state = state

    def options(self, given: Mapping[str, JsonValue]) -> Options:
        self.check_option_names(given)
        size = given.get("hand_size", 3)
        if not isinstance(size, int):
            raise OptionError("hand_size is a number")
        return Options(size)

    def players(self, options: Options) -> range:
        return range(2, 4)

    def start(self, players: int, options: Options, chance: Chance) -> Toy:
        self.check_players(players, options)
        return self.state(players, options, chance)

    def legal(self, view: View) -> Sequence[Any]:
        if view.seat not in view.to_move:
            return ()
        if len(view.to_move) == 1:
            return (Refill(False), Refill(True)) if view.pile_size else (Refill(False),)
        return tuple(Bid(card) for card in view.hand)

    def fallback(self, view: View) -> Any:
        return self.legal(view)[0]

    def encode_move(self, move: Any) -> dict[str, JsonValue]:
        return {"bid": move.card} if isinstance(move, Bid) else {"draw": move.draw}

    def decode_move(self, data: JsonValue) -> Any:
        match data:
            case {"bid": str(card)}:
                return Bid(card)
            case {"draw": bool(draw)}:
                return Refill(draw)
        raise MalformedMove("not a move")

    def determinise(self, view: View, rng: Random) -> Toy:
        state = self.state(view.players, Options(0), Quick(rng))
        unseen = [card for card in CARDS if card not in {*view.hand, *view.discard}]
        rng.shuffle(unseen)
        state.hands = [
            list(view.hand) if seat == view.seat else sorted(unseen.pop() for _ in range(size))
            for seat, size in enumerate(view.hand_sizes)
        ]
        state.pile, state.discard, state.won = unseen, list(view.discard), list(view.won)
        state.to_move = view.to_move
        return state


class LeakyView(Toy):
    def observe(self, seat: int | None) -> View:
        return super().observe(seat)._replace(hint=self.pile[-1] if self.pile else "")


class LeakyMoves(Toy):
    def legal(self, seat: int) -> Sequence[Any]:
        return super().legal(seat)[: 1 if self.hands[0][:1] < self.hands[1][:1] else None]


class ScramblesNothing(Toy):
    def scramble(self, seat: int | None, rng: Random) -> None:
        pass


class ScramblesCardsAway(Toy):
    def scramble(self, seat: int | None, rng: Random) -> None:
        super().scramble(seat, rng)
        self.pile = self.pile[1:]


class LosesCards(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        super().refill(seat, draw)
        self.discard = self.discard[:5]


class LosesACardInOneMove(Toy):
    """Drawing loses a card. Random play might do without; trying every listed move may not."""

    def refill(self, seat: int, draw: bool) -> None:
        super().refill(seat, draw)
        if draw:
            self.discard.pop()


class SharesItsPile(Toy):
    def copy(self) -> Self:
        twin = super().copy()
        twin.pile = self.pile
        return twin


class SharesItsListeners(Toy):
    def copy(self) -> Self:
        twin = super().copy()
        twin.events = self.events
        return twin


class SharesItsAnswers(Toy):
    """What half-answered copies share does not show before the last answer."""

    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        self.answers = [""] * players

    def bid(self, seat: int, card: str) -> None:
        self.answers[seat] = card
        super().bid(seat, card)

    def resolve(self) -> None:
        last = self.answers[0]
        super().resolve()
        self.won[0] += last == self.discard[-self.players]


class ForgetsInCopies(Toy):
    def copy(self) -> Self:
        twin = super().copy()
        twin.won = [0] * self.players
        return twin


class AcceptsAnyCard(Toy):
    """Accepts a bid of a card in another's hand, by exchanging it, so that nothing is lost."""

    def apply(self, seat: int, move: Any) -> None:
        if isinstance(move, Bid) and move not in self.legal(seat) and self.bidding(seat):
            for hand in (*self.hands, self.pile):
                if move.card in hand:
                    hand[hand.index(move.card)] = self.hands[seat][0]
                    self.hands[seat][0] = move.card
        super().apply(seat, move)

    def bidding(self, seat: int) -> bool:
        return any(isinstance(move, Bid) for move in self.legal(seat))


class ListsTooMuch(Toy):
    def legal(self, seat: int) -> Sequence[Any]:
        moves = super().legal(seat)
        return (*moves, Bid("c99")) if moves else ()

    def apply(self, seat: int, move: Any) -> None:
        if move == Bid("c99"):
            raise IllegalMove("no such card")
        super().apply(seat, move)


class ListsTwice(Toy):
    def legal(self, seat: int) -> Sequence[Any]:
        return (*super().legal(seat), *super().legal(seat)[:1])


class GivesNoMove(Toy):
    def legal(self, seat: int) -> Sequence[Any]:
        return [move for move in super().legal(seat) if isinstance(move, Bid)]


class ChangesBeforeItRefuses(Toy):
    def apply(self, seat: int, move: Any) -> None:
        if isinstance(move, Refill) and move.draw and self.bids == {} and len(self.to_move) > 1:
            self.pile.reverse()
            self.won[0] += 1
        super().apply(seat, move)


class FallsOverRubbish(Toy):
    def apply(self, seat: int, move: Any) -> None:
        if move is None:
            raise TypeError("None has no card")
        super().apply(seat, move)


class LetsAnybodyMove(Toy):
    def apply(self, seat: int, move: Any) -> None:
        if isinstance(move, Refill) and len(self.to_move) == 1:
            seat = self.to_move[0]
        super().apply(seat, move)


class ListsMovesForOthers(Toy):
    def legal(self, seat: int) -> Sequence[Any]:
        return super().legal(seat) or [Refill(False)]


class NamesSeatsDescending(Toy):
    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        self.to_move = self.to_move[::-1]


class ShowsListsInViews(Toy):
    def observe(self, seat: int | None) -> View:
        return super().observe(seat)._replace(hint=[])


class ShowsDictsDeepInViews(Toy):
    def observe(self, seat: int | None) -> View:
        return super().observe(seat)._replace(hint=(1, (Options(), {})))


class TellsLists(Toy):
    def resolve(self) -> None:
        super().resolve()
        if self.events is not None:
            self.events.append(Trick(0, [*"ab"]))  # type: ignore[arg-type]


class TellsPlainText(Toy):
    def resolve(self) -> None:
        super().resolve()
        if self.events is not None:
            self.events.append("a trick was won")


class HasItsOwnLuck(Toy):
    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        self.scramble(None, random.SystemRandom())


class HasItsOwnLuckLater(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        self.scramble(seat, random.SystemRandom())
        super().refill(seat, draw)


class PlaysDifferentlyWhenWatched(Toy):
    def resolve(self) -> None:
        super().resolve()
        if self.events is None:
            self.won[0] += 1


class IgnoresItsDeal(Toy):
    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        deck = CARDS[:]
        self.hands = [[deck.pop() for _ in range(options.hand_size)] for _ in range(players)]
        self.pile = deck


class NeverEnds(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        super().refill(seat, draw)
        if not self.to_move:
            self.termination = ""
            Toy.__init__(self, self.players, Options(), self.chance)


class EndsWithoutSayingSo(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        super().refill(seat, draw)
        self.termination = ""


class EndsTooSoon(Toy):
    def bid(self, seat: int, card: str) -> None:
        super().bid(seat, card)
        self.termination = "finished"


class RanksTooFew(Toy):
    def merits(self) -> tuple[tuple[int, ...], ...]:
        return super().merits()[1:]


class RanksWithoutTuples(Toy):
    def merits(self) -> Any:
        return tuple(self.won)


class FirstAnswerWins(Toy):
    def resolve(self) -> None:
        first = next(iter(self.bids))
        super().resolve()
        self.won[first] += 1


class ShowsAnswersEarly(Toy):
    def observe(self, seat: int | None) -> View:
        return super().observe(seat)._replace(hint=tuple(sorted(self.bids)))


class ShowsWhoAnswered(Toy):
    def observe(self, seat: int | None) -> View:
        return super().observe(seat)._replace(to_move=self.to_move)


class AsksThePurposeAgain(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        self.chance.pick("bonus", range(6))
        super().refill(seat, draw)


class AsksAboutObjects(Toy):
    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        chance.pick("colour", [("red", 1), ("blue", 2)])


class Crashes(Toy):
    def refill(self, seat: int, draw: bool) -> None:
        if draw:
            raise ZeroDivisionError("divided by a worm")
        super().refill(seat, draw)


BROKEN_STATES: list[tuple[Promise, type[Toy]]] = [
    (Promise.NO_LEAK, LeakyView),
    (Promise.NO_LEAK, LeakyMoves),
    (Promise.NO_LEAK, ScramblesNothing),
    (Promise.CONSERVATION, ScramblesCardsAway),
    (Promise.CONSERVATION, LosesCards),
    (Promise.CONSERVATION, LosesACardInOneMove),
    (Promise.COPY, SharesItsPile),
    (Promise.COPY, SharesItsListeners),
    (Promise.COPY, SharesItsAnswers),
    (Promise.COPY, ForgetsInCopies),
    (Promise.LEGAL, AcceptsAnyCard),
    (Promise.LEGAL, ListsTooMuch),
    (Promise.LEGAL, ListsTwice),
    (Promise.LEGAL, GivesNoMove),
    (Promise.REFUSAL, ChangesBeforeItRefuses),
    (Promise.REFUSAL, FallsOverRubbish),
    (Promise.TURNS, LetsAnybodyMove),
    (Promise.TURNS, ListsMovesForOthers),
    (Promise.TURNS, NamesSeatsDescending),
    (Promise.VALUES, ShowsListsInViews),
    (Promise.VALUES, ShowsDictsDeepInViews),
    (Promise.VALUES, TellsLists),
    (Promise.VALUES, TellsPlainText),
    (Promise.SAME_SEED, HasItsOwnLuck),
    (Promise.SAME_SEED, HasItsOwnLuckLater),
    (Promise.SAME_SEED, PlaysDifferentlyWhenWatched),
    (Promise.SAME_SEED, IgnoresItsDeal),
    (Promise.END, NeverEnds),
    (Promise.END, EndsWithoutSayingSo),
    (Promise.END, EndsTooSoon),
    (Promise.MERITS, RanksTooFew),
    (Promise.MERITS, RanksWithoutTuples),
    (Promise.SIMULTANEOUS, FirstAnswerWins),
    (Promise.SIMULTANEOUS, ShowsAnswersEarly),
    (Promise.SIMULTANEOUS, ShowsWhoAnswered),
    (Promise.PURPOSES, AsksThePurposeAgain),
    (Promise.PURPOSES, AsksAboutObjects),
    (Promise.NO_CRASH, Crashes),
]


class LegalFromAnotherView(ToyGame):
    def legal(self, view: View) -> Sequence[Any]:
        return super().legal(view)[::-1]


class LegalForOnlookers(ToyGame):
    def legal(self, view: View) -> Sequence[Any]:
        return super().legal(view) or [Refill(False)]


class FallsBackIllegally(ToyGame):
    def fallback(self, view: View) -> Any:
        return Bid(CARDS[0])


class EncodesTooLittle(ToyGame):
    def encode_move(self, move: Any) -> dict[str, JsonValue]:
        return {"draw": True} if isinstance(move, Refill) else super().encode_move(move)


class EncodesNoObject(ToyGame):
    def encode_move(self, move: Any) -> Any:
        return [move.card] if isinstance(move, Bid) else super().encode_move(move)


class DecodesAnything(ToyGame):
    def decode_move(self, data: JsonValue) -> Any:
        return Refill(False) if data == {} else super().decode_move(data)


class DeterminisesAnotherHand(ToyGame):
    def determinise(self, view: View, rng: Random) -> Toy:
        state = super().determinise(view, rng)
        state.scramble(None, rng)
        return state


class DeterminisesTooFewCards(ToyGame):
    def determinise(self, view: View, rng: Random) -> Toy:
        state = super().determinise(view, rng)
        other = int(view.seat == 0)
        state.hands[other] = ["c99"] * len(state.hands[other])
        return state


class DeterminisesEndlessly(ToyGame):
    def determinise(self, view: View, rng: Random) -> Toy:
        state = super().determinise(view, rng)
        state.__class__ = NeverEnds
        return state


class ForgetsOptions(ToyGame):
    def options(self, given: Mapping[str, JsonValue]) -> Options:
        return Options(given["hand_size"] + 1) if "hand_size" in given else super().options(given)  # type: ignore[operator]


class SwallowsOptions(ToyGame):
    def check_option_names(self, given: Mapping[str, JsonValue]) -> None:
        pass


class DefaultsAreNoDefaults(ToyGame):
    def options(self, given: Mapping[str, JsonValue]) -> Options:
        return super().options({"hand_size": 2, **given})


class NamesAVariantTwice(ToyGame):
    variants = (STANDARD, Variant("short", {"hand_size": 2}, ""), Variant("short", {"hand_size": 1}, ""))


class HidesItsStandardGame(ToyGame):
    variants = (Variant("short", {"hand_size": 2}, ""), STANDARD)


class NamesAnUnknownOption(ToyGame):
    variants = (STANDARD, Variant("short", {"cards": 2}, ""))


class NamesTheStandardGameAgain(ToyGame):
    variants = (STANDARD, Variant("usual", {"hand_size": 3}, ""))


class SeatsAnybody(ToyGame):
    def check_players(self, players: int, options: Options) -> None:
        pass


BROKEN_GAMES: list[tuple[Promise, type[ToyGame]]] = [
    (Promise.VIEW, LegalFromAnotherView),
    (Promise.VIEW, LegalForOnlookers),
    (Promise.FALLBACK, FallsBackIllegally),
    (Promise.NOTATION, EncodesTooLittle),
    (Promise.NOTATION, EncodesNoObject),
    (Promise.NOTATION, DecodesAnything),
    (Promise.DETERMINISE, DeterminisesAnotherHand),
    (Promise.DETERMINISE, DeterminisesTooFewCards),
    (Promise.DETERMINISE, DeterminisesEndlessly),
    (Promise.OPTIONS, ForgetsOptions),
    (Promise.OPTIONS, SwallowsOptions),
    (Promise.OPTIONS, DefaultsAreNoDefaults),
    (Promise.VARIANTS, NamesAVariantTwice),
    (Promise.VARIANTS, HidesItsStandardGame),
    (Promise.VARIANTS, NamesAnUnknownOption),
    (Promise.VARIANTS, NamesTheStandardGameAgain),
    (Promise.PLAYERS, SeatsAnybody),
]


def find(game: AnyGame) -> ConformanceError:
    with pytest.raises(ConformanceError) as caught:
        check_game(game, options={"hand_size": 4}, most_decisions=500)
    return caught.value


def test_a_correct_game_passes() -> None:
    check_game(ToyGame())
    check_game(ToyGame(), options={"hand_size": 4}, players=[3], seed="another", matches=30)


@pytest.mark.parametrize(("promise", "state"), BROKEN_STATES, ids=[state.__name__ for _, state in BROKEN_STATES])
def test_a_broken_state_is_found(promise: Promise, state: type[Toy]) -> None:
    error = find(ToyGame(state))
    assert error.promise is promise, str(error)
    assert str(promise) in str(error)


@pytest.mark.parametrize(("promise", "game"), BROKEN_GAMES, ids=[game.__name__ for _, game in BROKEN_GAMES])
def test_a_broken_game_is_found(promise: Promise, game: type[ToyGame]) -> None:
    error = find(game())
    assert error.promise is promise, str(error)
    assert str(promise) in str(error)


def test_every_promise_has_a_game_that_breaks_it() -> None:
    broken = {promise for promise, _ in BROKEN_STATES} | {promise for promise, _ in BROKEN_GAMES}
    assert broken == set(Promise)


def test_the_message_leads_back_to_the_match() -> None:
    first = find(ToyGame(LosesACardInOneMove))
    found = re.search(r"\((\d) players, seed (\w{64}), step (\d+)\)$", str(first))
    assert found is not None
    players, seed, _step = found.groups()
    with pytest.raises(ConformanceError) as again:
        check_game(ToyGame(LosesACardInOneMove), options={"hand_size": 4}, matches=1, seed=seed, players=[int(players)])
    assert str(again.value) == str(first)


def test_it_is_an_assertion_error() -> None:
    """So that a test runner reports it as a failure of the game, not of the test."""
    assert issubclass(ConformanceError, AssertionError)


class Guess(NamedTuple):
    number: int


class Guesses(Sequence[Any]):
    """More moves than anybody could list."""

    made = 0

    def __len__(self) -> int:
        return 2**40

    def __getitem__(self, index: Any) -> Any:
        Guesses.made += 1
        return Guess(range(2**40)[index])


class GuessingState(Toy):
    """Each seat guesses once."""

    def __init__(self, players: int, options: Options, chance: Chance) -> None:
        super().__init__(players, options, chance)
        self.to_move = (0,)

    def legal(self, seat: int) -> Sequence[Any]:
        return Guesses() if seat in self.to_move else ()

    def apply(self, seat: int, move: Any) -> None:
        if not isinstance(move, Guess):
            raise MalformedMove("not a guess")
        if seat not in self.to_move or not 0 <= move.number < 2**40:
            raise IllegalMove("not now")
        self.to_move = (seat + 1,) if seat + 1 < self.players else ()
        self.termination = "" if self.to_move else "finished"


class GuessingGame(ToyGame):
    def __init__(self) -> None:
        super().__init__(GuessingState)

    def legal(self, view: View) -> Sequence[Any]:
        return Guesses() if view.seat in view.to_move else ()

    def encode_move(self, move: Any) -> dict[str, JsonValue]:
        return {"guess": move.number}

    def decode_move(self, data: JsonValue) -> Any:
        match data:
            case {"guess": int(number)}:
                return Guess(number)
        raise MalformedMove("not a guess")


def test_a_sequence_too_long_to_list_is_sampled() -> None:
    Guesses.made = 0
    check_game(GuessingGame(), matches=1, players=[2])
    assert 200 < Guesses.made < 20_000


@pytest.mark.short(4)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_registered_games(case: Case) -> None:
    check_game(case.game, matches=2, options=case.options, players=[case.players])
