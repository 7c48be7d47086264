"""Karteneck tables by script: a test says who starts, which portions come, who holds what and what is drawn."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple, TypeVar, cast

from roost_games.chance import Tape, seed_of
from roost_games.conformance import Snapshot, snapshot
from roost_games.karteneck import GAME, PASS, PASS_AND_STEAL, Card, KarteneckState, Lay, Move, Options, Portion

T = TypeVar("T")

HAND_SIZE = 6
WORMS_BY_VALUE = {
    0: 0,
    **dict.fromkeys(range(16, 23), 1),
    **dict.fromkeys(range(23, 30), 2),
    **dict.fromkeys(range(30, 37), 3),
    **dict.fromkeys(range(37, 43), 4),
}
"""The worms on the portions of the default sheet, written off the rules page."""
SHEET = [kind for kind in "12345" for _ in range(17)] + [f"W{signpost}" for signpost in range(1, 26)]
"""All 110 cards of the default sheet, in its order."""


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a line such as "3 3 W4"."""
    return tuple(Card(word) for word in text.split())


def portion(value: int) -> Portion:
    """The portion of that value on the default sheet."""
    return Portion(value, WORMS_BY_VALUE[value])


def portions(*values: int) -> tuple[Portion, ...]:
    """The portions of those values on the default sheet."""
    return tuple(portion(value) for value in values)


class Asked(NamedTuple):
    """One question to chance."""

    purpose: str
    items: tuple[object, ...]
    wanted: int


class Scripted:
    """Chance that gives what the script says, and then what is left over in the order of the sheet.

    `hands` are filled up to six cards; cards that are named anywhere in the script are never used to fill up.
    """

    def __init__(
        self,
        starter: int,
        values: Sequence[int],
        hands: Sequence[str],
        draws: str,
        reshuffles: Sequence[str],
    ) -> None:
        self.starter = starter
        self.values = values
        self.hands = [cards(hand) for hand in hands]
        self.draws = cards(draws)
        self.reshuffles = [cards(text) for text in reshuffles]
        self.asked: list[Asked] = []

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        self.asked.append(Asked(purpose, tuple(items), 1))
        assert purpose == "starter"
        return items[self.starter]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        self.asked.append(Asked(purpose, tuple(items), count))
        name, _, number = purpose.partition("/")
        if name == "portions":
            order: list[object] = _filled([self.values], [], items)
        elif name == "deck":
            order = _filled([*self.hands, self.draws], [HAND_SIZE] * len(self.hands), items)
        else:
            assert name == "reshuffle"
            named = self.reshuffles[int(number) - 1 :][:1]
            order = _filled(named, [], items)
        return cast(list[T], order[:count])

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        raise AssertionError("no dice in this game")


def _filled(parts: Sequence[Sequence[object]], sizes: Sequence[int], items: Sequence[object]) -> list[object]:
    """All `items`: `parts` one after the other, those with a size filled up to it, and the rest at the end."""
    rest = list(items)
    for part in parts:
        for item in part:
            rest.remove(item)
    order: list[object] = []
    for index, part in enumerate(parts):
        missing = sizes[index] - len(part) if index < len(sizes) else 0
        assert missing >= 0
        order += [*part, *rest[:missing]]
        rest = rest[missing:]
    return order + rest


def table(
    *hands: str,
    draws: str = "",
    values: Sequence[int] = (),
    starter: int = 0,
    reshuffles: Sequence[str] = (),
    options: Options | None = None,
) -> KarteneckState:
    """A new match for as many players as there are `hands`, with somebody listening to its events.

    `values` are the first portions that come to the grill, `draws` the first cards drawn after the deal.
    """
    chance = Scripted(starter, values, hands, draws, reshuffles)
    state = GAME.start(len(hands), options or GAME.options({}), chance)
    state.events = []
    return state


def asked(state: KarteneckState) -> list[Asked]:
    """What a scripted table has asked of chance so far."""
    assert isinstance(state.chance, Scripted)
    return state.chance.asked


def told(state: KarteneckState) -> list[object]:
    """The events since the last call."""
    assert state.events is not None
    events = list(state.events)
    state.events.clear()
    return events


def move_of(text: str) -> Move:
    """The move of a word such as "pass", "steal" (a pass that steals) or of cards such as "3 3"."""
    if text == "pass":
        return PASS
    return PASS_AND_STEAL if text == "steal" else Lay(cards(text))


def play(state: KarteneckState, *turns: str) -> None:
    """Play turns such as "0: 3 3", "1: pass" or "0: steal", and check that each seat is the one to move."""
    for turn in turns:
        seat, _, text = turn.partition(":")
        assert state.to_move == (int(seat),), f"{turn!r} is due, but {state.to_move} is to move"
        state.apply(int(seat), move_of(text.strip()))


def legal_now(state: KarteneckState) -> list[Move]:
    """The moves of the seat that is to move."""
    return list(state.legal(state.to_move[0]))


def stack(state: KarteneckState, seat: int) -> list[int]:
    """The values that `seat` owns, the newest last."""
    return [owned.value for owned in state.observe(None).stacks[seat]]


def grill(state: KarteneckState) -> list[int]:
    """The values on the grill."""
    return [offered.value for offered in state.observe(None).grill]


def hand(state: KarteneckState, seat: int) -> Counter[str]:
    """What `seat` holds, as it sees it."""
    return Counter(state.observe(seat).hand)


def bag(text: str) -> Counter[str]:
    """The cards of a line, in no order."""
    return Counter(text.split())


def bury(state: KarteneckState, left: int) -> None:
    """Leave `left` cards in the pile and put the others onto the discard pile, as if they had been laid before."""
    deep = len(state.pile) - left
    state.discard += [state.sheet.cards[code] for code in state.pile[:deep]]
    state.pile = state.pile[deep:]


class Everything(NamedTuple):
    """All that can be asked of a table."""

    snapshot: Snapshot
    legal: tuple[tuple[Move, ...], ...]
    events: tuple[object, ...]


def everything(state: KarteneckState) -> Everything:
    """All that can be asked of `state` now."""
    legal = tuple(tuple(state.legal(seat)) for seat in range(state.players))
    return Everything(snapshot(state), legal, tuple(state.events or ()))


def subsets(worms: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """Every way to choose at least one of `worms`."""
    for chosen in range(1, 1 << len(worms)):
        yield tuple(card for index, card in enumerate(worms) if chosen >> index & 1)


def same_moves(one: Iterable[Move], other: Iterable[Move]) -> bool:
    """Whether two lists hold the same moves, whatever their order and the order of the cards in a lay."""
    return _unordered(one) == _unordered(other)


def _unordered(moves: Iterable[Move]) -> Counter[object]:
    return Counter(tuple(sorted(move.cards)) if isinstance(move, Lay) else move for move in moves)


def sparing(moves: Sequence[Move], rng: Random) -> Move:
    """Lay one card if possible: many turns, many draws, so even two players come to a reshuffle."""
    single = [move for move in moves if isinstance(move, Lay) and len(move.cards) == 1]
    return rng.choice(single) if single else PASS


def lavish(moves: Sequence[Move], rng: Random) -> Move:
    """Lay all cards of a kind, as players do who want a high total."""
    most = {move.cards[0].kind: move for move in moves if isinstance(move, Lay)}
    return rng.choice(list(most.values())) if most and rng.random() < 0.9 else PASS


def match_states(players: int, seed: int, choose: Callable[[Sequence[Move], Random], Move]) -> list[KarteneckState]:
    """The states at all decisions of a match, played by `choose`, and at its end."""
    rng = Random(seed)
    state = GAME.start(players, GAME.options({}), Tape(seed_of("karteneck", seed)))
    course = [state.copy()]
    while state.to_move:
        seat = state.to_move[0]
        state.apply(seat, choose(state.legal(seat), rng))
        course.append(state.copy())
    return course


def sparing_match(players: int, seed: int) -> list[KarteneckState]:
    """The states of a match in which everybody is `sparing`."""
    return match_states(players, seed, sparing)
