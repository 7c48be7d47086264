"""Every way in which a tiny Karteneck table can have come about, counted one by one.

A `Course` is what happened from the first reshuffle on, on a table with a handful of cards. `seen_by` makes of it the
view that one seat has; `count_worlds` counts, with physical cards, all worlds that would have shown that seat the same.
For views of real matches, which have far too many worlds, `expected_hands` sums over the origins of the cards laid.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from roost_games.karteneck import Card, Drew, Laid, Shuffled, Trace, View
from tests.support.games.karteneck_deals import SHEET, cards, table

Hands = tuple[tuple[Card, ...], ...]
LaidBy = Counter[tuple[int, Card]]
"""How many of which card each seat has laid."""
LaidOld = frozenset[tuple[tuple[int, Card], int]]
"""The items of a `LaidBy`: those of the cards laid that were in hands at the reshuffle."""


class Found(NamedTuple):
    """Where the cards are that a seat does not see."""

    hands: Hands
    """The hands of the other seats by rising seat, each sorted."""
    next: Card | None
    """The first card of the pile."""


class Course(NamedTuple):
    """What happened since the first reshuffle."""

    hands: tuple[str, ...]
    """What each seat held at the first reshuffle."""
    pile: str
    """The cards of the first reshuffle, first drawn first."""
    steps: str
    """Steps such as "0 draws", "1 lays 3 3", "1 clears" (the display goes to the discard pile) or "shuffle 4 3" (the
    discard pile becomes the pile, in this order), separated by commas."""


class Step(NamedTuple):
    """One step of a course."""

    what: str
    seat: int
    cards: tuple[Card, ...]


def steps_of(course: Course) -> Iterator[Step]:
    for text in course.steps.split(","):
        first, _, rest = text.strip().partition(" ")
        if first == "shuffle":
            yield Step("shuffle", -1, cards(rest))
        else:
            what, _, which = rest.partition(" ")
            yield Step(what, int(first), cards(which))


def in_order(some: list[Card]) -> tuple[Card, ...]:
    return tuple(sorted(some, key=SHEET.index))


def seen_by(seat: int | None, course: Course) -> View:
    """What `seat` knows at the end of `course`: the trace, its hand and its draws. The rest of the view is no use."""
    hands = [list(cards(hand)) for hand in course.hands]
    trace: list[Trace] = []
    drawn: list[Card] = []
    pile: list[Card] = []

    def shuffle(order: tuple[Card, ...]) -> None:
        pile.extend(order)
        held = in_order([card for hand in hands for card in hand])
        trace.append(Shuffled(in_order(pile), held, tuple(map(len, hands))))

    shuffle(cards(course.pile))
    for step in steps_of(course):
        if step.what == "shuffle":
            assert not pile
            shuffle(step.cards)
        elif step.what == "draws":
            card = pile.pop(0)
            hands[step.seat].append(card)
            drawn += [card] * (step.seat == seat)
            trace.append(Drew(step.seat))
        elif step.what == "lays":
            for card in step.cards:
                hands[step.seat].remove(card)
            trace.append(Laid(step.seat, step.cards))
    view = table(*[""] * len(hands)).observe(seat)
    return view._replace(
        trace=tuple(trace),
        hand=() if seat is None else in_order(hands[seat]),
        drawn=tuple(drawn),
        hand_sizes=tuple(map(len, hands)),
        pile_size=len(pile),
    )


class World(NamedTuple):
    """A world on its way. Physical cards are numbers."""

    hands: tuple[frozenset[int], ...]
    displays: tuple[frozenset[int], ...]
    pile: frozenset[int]
    """In no order: what is drawn is decided when it is drawn, each card once, so all orders are counted."""
    discard: frozenset[int]
    drawn: Hands
    """What each seat drew, in that order."""


def count_worlds(seat: int | None, course: Course) -> Counter[Found]:
    """In how many worlds that look like `course` to `seat` the unseen cards are where."""
    worlds = _Worlds(seat, course)
    found: Counter[Found] = Counter()
    for world, times in worlds.count().items():
        next_cards: list[Card | None] = [worlds.kinds[card] for card in world.pile]
        for card in next_cards or [None]:
            found[Found(worlds.others(world), card)] += times
    return found


def count_draws(seat: int | None, course: Course) -> Counter[Hands]:
    """In how many worlds that look like `course` to `seat` the other seats drew what, each in that order."""
    found: Counter[Hands] = Counter()
    for world, times in _Worlds(seat, course).count().items():
        found[tuple(drawn for other, drawn in enumerate(world.drawn) if other != seat)] += times
    return found


class _Worlds:
    def __init__(self, seat: int | None, course: Course) -> None:
        self.seat = seat
        self.course = course
        self.kinds = cards(" ".join([*course.hands, course.pile]))
        self.steps = list(steps_of(course))
        self.drawn = seen_by(seat, course).drawn

    def count(self) -> Counter[World]:
        worlds = Counter(self.starts())
        for step in self.steps:
            after: Counter[World] = Counter()
            for world, times in worlds.items():
                for follower in self.after(step, world):
                    after[follower] += times
            worlds = after
        return worlds

    def others(self, world: World) -> Hands:
        return tuple(self.sorted_kinds(hand) for seat, hand in enumerate(world.hands) if seat != self.seat)

    def sorted_kinds(self, some: frozenset[int]) -> tuple[Card, ...]:
        return tuple(sorted(self.kinds[card] for card in some))

    def starts(self) -> Iterator[World]:
        """All ways to split the cards that were held, the own hand being known."""
        sizes = [len(hand.split()) for hand in self.course.hands]
        held = frozenset(range(sum(sizes)))
        pile = frozenset(range(sum(sizes), len(self.kinds)))
        nothing = (frozenset[int](),) * len(sizes)
        for hands in _splits(held, sizes):
            own = () if self.seat is None else self.sorted_kinds(hands[self.seat])
            if self.seat is None or own == tuple(sorted(cards(self.course.hands[self.seat]))):
                yield World(hands, nothing, pile, frozenset(), ((),) * len(sizes))

    def after(self, step: Step, world: World) -> Iterator[World]:
        """All worlds that `step` can lead to."""
        if step.what == "draws":
            return self.after_draw(step.seat, world)
        if step.what == "lays":
            return self.after_lay(step, world)
        return self.after_clearing(step, world)

    def after_draw(self, seat: int, world: World) -> Iterator[World]:
        for card in world.pile:
            drawn = (*world.drawn[seat], self.kinds[card])
            if seat == self.seat and drawn != self.drawn[: len(drawn)]:
                continue
            yield world._replace(
                hands=_put(world.hands, seat, frozenset({card})),
                pile=world.pile - {card},
                drawn=(*world.drawn[:seat], drawn, *world.drawn[seat + 1 :]),
            )

    def after_lay(self, step: Step, world: World) -> Iterator[World]:
        fitting = [card for card in world.hands[step.seat] if self.kinds[card] in step.cards]
        for laid in map(frozenset, combinations(fitting, len(step.cards))):
            if self.sorted_kinds(laid) == tuple(sorted(step.cards)):
                hands, displays = _take(world.hands, step.seat, laid), _put(world.displays, step.seat, laid)
                yield world._replace(hands=hands, displays=displays)

    def after_clearing(self, step: Step, world: World) -> Iterator[World]:
        if step.what == "clears":
            gone = world.displays[step.seat]
            yield world._replace(displays=_take(world.displays, step.seat, gone), discard=world.discard | gone)
        elif not world.pile and self.sorted_kinds(world.discard) == tuple(sorted(step.cards)):
            yield world._replace(pile=world.discard, discard=frozenset())


def _splits(held: frozenset[int], sizes: list[int]) -> Iterator[tuple[frozenset[int], ...]]:
    if not sizes:
        yield ()
        return
    for chosen in map(frozenset, combinations(sorted(held), sizes[0])):
        for rest in _splits(held - chosen, sizes[1:]):
            yield (chosen, *rest)


def _put(places: tuple[frozenset[int], ...], seat: int, more: frozenset[int]) -> tuple[frozenset[int], ...]:
    return tuple(place | more if index == seat else place for index, place in enumerate(places))


def _take(places: tuple[frozenset[int], ...], seat: int, gone: frozenset[int]) -> tuple[frozenset[int], ...]:
    return tuple(place - gone if index == seat else place for index, place in enumerate(places))


class Part(NamedTuple):
    """The cards that were in hands at the reshuffle, or those of the new pile, without those the seat has seen."""

    cards: Counter[Card]
    places: Counter[int]
    """How many cards of it each other seat has had in its hand so far."""

    def ways_to_lay(self, seat: int, card: Card, gone: LaidBy) -> float:
        """The share of all ways to fill the places in which `seat` lays this `card` next; `gone` are laid before."""
        places = self.places[seat] - sum(times for (who, _), times in gone.items() if who == seat)
        fitting = self.cards[card] - sum(times for (_, what), times in gone.items() if what == card)
        return places * fitting / (self.cards.total() - gone.total()) if places > 0 and fitting > 0 else 0.0

    def expected(self, gone: LaidBy) -> Iterator[tuple[int, Card, float]]:
        """Who holds how many of which card on average, after `gone` were laid."""
        left = Counter(self.cards)
        places = Counter(self.places)
        for (who, what), times in gone.items():
            left[what] -= times
            places[who] -= times
        for seat, held in places.items():
            for card, times in left.items():
                yield seat, card, held * times / (left.total() or 1)


def expected_hands(view: View) -> dict[tuple[int, Card], float]:
    """How many of each card each other seat holds, on average over all worlds, after exactly one reshuffle."""
    old, new = _parts(view)
    ways: dict[LaidOld, float] = {frozenset(): 1.0}
    laid: LaidBy = Counter()
    for event in view.trace[1:]:
        if isinstance(event, Drew) and event.seat != view.seat:
            new.places[event.seat] += 1
        elif isinstance(event, Laid) and event.seat != view.seat:
            for card in event.cards:
                ways = _after_a_lay(event.seat, card, ways, laid, old, new)
                laid[event.seat, card] += 1
    total = sum(ways.values())
    expected: dict[tuple[int, Card], float] = defaultdict(float)
    for laid_old, weight in ways.items():
        gone = Counter(dict(laid_old))
        for seat, card, times in [*old.expected(gone), *new.expected(laid - gone)]:
            expected[seat, card] += times * weight / total
    return expected


def _after_a_lay(
    seat: int,
    card: Card,
    ways: dict[LaidOld, float],
    laid: LaidBy,
    old: Part,
    new: Part,
) -> dict[LaidOld, float]:
    """Per choice of which of the cards laid so far were old, the share of worlds, when `seat` has laid `card` too."""
    after: dict[LaidOld, float] = defaultdict(float)
    for laid_old, weight in ways.items():
        gone = Counter(dict(laid_old))
        if from_new := new.ways_to_lay(seat, card, laid - gone):
            after[laid_old] += weight * from_new
        if from_old := old.ways_to_lay(seat, card, gone):
            gone[seat, card] += 1
            after[frozenset(gone.items())] += weight * from_old
    return after


def _parts(view: View) -> tuple[Part, Part]:
    shuffle, *events = view.trace
    assert isinstance(shuffle, Shuffled)
    assert not any(isinstance(event, Shuffled) for event in events)
    own = Counter(view.hand)
    for event in events:
        if isinstance(event, Laid) and event.seat == view.seat:
            own.update(event.cards)
    own.subtract(view.drawn)
    places = Counter({seat: size for seat, size in enumerate(shuffle.hand_sizes) if seat != view.seat})
    return Part(Counter(shuffle.held) - own, places), Part(Counter(shuffle.cards) - Counter(view.drawn), Counter())
