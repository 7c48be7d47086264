"""Actions and moves correspond, and an observation tells what the view tells.

The arrays are read back here by the description in docs/bots/training.md, not with the code that writes them.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from roost_games import bratwurmeck, haecmaec, karteneck
from roost_games.chance import Tape, seed_of
from roost_games.errors import IllegalMove, MalformedMove, UsageError
from roost_games.game import State
from roost_games.karteneck import Card, Lay
from roost_games.karteneck.legal import sheet_of
from roost_games.registry import get_game
from roost_sdk.pettingzoo import Coding, coding_for, coding_of
from tests.golden.cases import all_cases

AnyState = State[Any, Any]
Options = dict[str, object]

FEW_TILES: Options = {"tiles": [[40, 0], [3, 7], [25, 2]]}
SLAP: Options = {"slap": True}
ODD_SHEET: Options = {
    "signposts": [*range(90, 65, -1)],
    "portions": [*([0, 2] for _ in range(12)), *([value, value % 5] for value in range(12, 30))],
}
TWO_KINDS: Options = {"ingredients": [["egg", 9, 40], ["ham", 1, 30], ["egg", 2, 15]]}

TABLES: list[tuple[str, int, Options]] = [
    *((case.game.name, case.players, dict(case.options)) for case in all_cases()),
    ("karteneck", 3, ODD_SHEET),
    ("bratwurmeck", 3, FEW_TILES),
    ("haecmaec", 4, {**SLAP, **TWO_KINDS}),
]
every_table = pytest.mark.parametrize(("game", "players", "options"), TABLES)


def states(game: str, players: int, options: Options, matches: int = 1) -> Iterator[AnyState]:
    """States of matches that are played at random, the last ones included.

    At random nearly every turn of Bratwurmeck fails, so there the dull but successful fallback decides mostly.
    """
    rng = Random(f"{game}{players}")
    rules = get_game(game)
    for match in range(matches):
        state = rules.start(players, rules.options(options), Tape(seed_of("coding", match)))
        while state.to_move:
            yield state
            seat = rng.choice(state.to_move)
            dull = game == "bratwurmeck" and rng.random() < 0.7
            legal = state.legal(seat)
            move = rules.fallback(state.observe(seat)) if dull else legal[int(rng.random() * len(legal))]
            state.apply(seat, move)
        yield state


def seats_seen(game: str, players: int, options: Options, matches: int = 1) -> Iterator[tuple[AnyState, int]]:
    """The same, each with a seat to look from."""
    rng = Random("seats")
    for state in states(game, players, options, matches):
        yield state, rng.choice([*state.to_move, *range(players)])


def read(coding: Coding[Any, Any], view: Any) -> dict[str, list[float]]:
    """The fields of an observation."""
    observation = coding.encode(view)
    return {name: observation[place].tolist() for name, place in coding.slices.items()}


# Actions


@every_table
def test_the_mask_is_the_legal_moves_one_to_one(game: str, players: int, options: Options) -> None:
    coding = coding_of(game, players, options)
    for state, seat in seats_seen(game, players, options):
        view, legal = state.observe(seat), state.legal(seat)
        allowed = np.flatnonzero(coding.mask(view, legal)).tolist()
        moves = [coding.decode(action, view) for action in allowed]
        assert all(move in legal for move in moves)
        assert [coding.code(move, view) for move in moves] == allowed
        assert bool(moves) == bool(legal)
        if game != "karteneck":
            assert len(moves) == len(legal)


def hands_of_karteneck() -> Iterator[karteneck.View]:
    """Views with all sorts of hands, up to many worms."""
    rng = Random(2)
    state = next(states("karteneck", 3, ODD_SHEET))
    view = state.observe(state.to_move[0])
    sheet = sheet_of(view.options)
    for worms in (*range(9), 14, 25):
        for _ in range(4):
            numbers = sorted(rng.choices(sheet.cards[:5], k=6))
            yield view._replace(
                hand=(*numbers, *(sheet.cards[code] for code in sorted(rng.sample(range(5, 30), worms))))
            )


def test_a_move_of_karteneck_without_an_action_is_a_worse_lay_of_worms() -> None:
    rng = Random(3)
    left_out = 0
    for view in hands_of_karteneck():
        coding, legal = coding_for(view), karteneck.GAME.legal(view)
        coded = {coding.decode(action, view) for action in np.flatnonzero(coding.mask(view, legal)).tolist()}
        assert all(move in legal for move in coded)
        numbers = range(len(legal)) if len(legal) < 300 else rng.choices(range(len(legal)), k=20)
        for move in {legal[number] for number in numbers} - coded:
            left_out += 1
            assert coding.code(move, view) is None
            assert any(no_worse(better, move, view.hand) for better in coded)
    assert left_out > 1000


def no_worse(lay: Any, other: Any, hand: tuple[Card, ...]) -> bool:
    """Whether `lay` has the same total and highest signpost as `other`, and leaves signposts that are no lower."""
    if not all(isinstance(move, Lay) and move.cards[0].is_worm for move in (lay, other)):
        return False
    signposts, others = ([card.signpost for card in move.cards] for move in (lay, other))
    left, left_by_other = (
        sorted(card.signpost for card in hand if card.is_worm and card not in move.cards) for move in (lay, other)
    )
    same = len(signposts) == len(others) and max(signposts) == max(others)
    return same and all(mine >= theirs for mine, theirs in zip(left, left_by_other, strict=True))


def test_the_actions_are_those_of_the_documentation() -> None:
    view = next(states("karteneck", 2, {})).observe(0)._replace(hand=tuple(map(Card, ("3", "W2", "W5", "W9"))))
    coding = coding_for(view)
    assert coding.actions == 412
    assert coding.decode(0, view) == karteneck.PASS
    assert coding.decode(1, view) == karteneck.PASS_AND_STEAL
    assert coding.decode(2 + 17 * 2 + 3, view) == Lay((Card("3"),) * 4)
    # The ninth worm card begins at 87 + 8 * 9 / 2; one, two or three cards with it as the highest.
    assert coding.decode(123, view) == Lay((Card("W9"),))
    assert coding.decode(124, view) == Lay((Card("W2"), Card("W9")))
    assert coding.decode(125, view) == Lay((Card("W2"), Card("W5"), Card("W9")))
    assert coding.code(Lay((Card("W9"), Card("W2"))), view) == 124
    assert coding.code(Lay((Card("W5"), Card("W9"))), view) is None
    dice = coding_of("bratwurmeck", 2)
    assert dice.actions == 24
    assert dice.decode(0, None) == bratwurmeck.Take("1", "roll")
    assert dice.decode(4 * 5 + 2, None) == bratwurmeck.Take("W", "stop", True)
    burgers = coding_of("haecmaec", 2)
    assert burgers.actions == 92
    assert burgers.decode(25, None) == haecmaec.Play(haecmaec.FLY)
    assert burgers.decode(26, None) == haecmaec.Close("normal", haecmaec.Card("patty-1"))
    assert burgers.decode(77, None) == haecmaec.Close("double", None)
    assert burgers.decode(82, None) == haecmaec.React(False, None)
    assert burgers.decode(91, None) == haecmaec.React(True, "fly")


def test_what_is_no_action_or_not_possible_is_refused() -> None:
    view = next(states("karteneck", 2, {})).observe(0)._replace(hand=(Card("W2"), Card("W9")))
    coding = coding_for(view)
    for action in (-1, 412):
        with pytest.raises(MalformedMove, match="from 0 to 411"):
            coding.decode(action, view)
    with pytest.raises(IllegalMove, match="W9 is not in the hand with 2 worms of lower signposts"):
        coding.decode(125, view)


# Observations


@every_table
def test_observations_keep_their_bounds(game: str, players: int, options: Options) -> None:
    coding = coding_of(game, players, options)
    low, high = coding.low, coding.high
    for state, seat in seats_seen(game, players, options):
        view = state.observe(seat)
        observation = coding.encode(view)
        assert observation.dtype == np.float32
        assert observation.shape == low.shape == high.shape == (coding.size,)
        assert (low <= observation).all()
        assert (observation <= high).all()
        assert coding_for(view) is coding


def test_only_views_of_a_seat_are_encoded() -> None:
    state = next(states("bratwurmeck", 3, {}))
    with pytest.raises(UsageError, match="3 players"):
        coding_of("bratwurmeck", 3).encode(state.observe(None))
    with pytest.raises(UsageError, match="2 players"):
        coding_of("bratwurmeck", 2).encode(state.observe(0))
    with pytest.raises(UsageError, match="a str is not a view"):
        coding_for("a view")
    with pytest.raises(UsageError, match="by 8; it is for 2 to 7 players"):
        coding_of("bratwurmeck", 8)


def from_own(numbers: Sequence[Any], seat: int) -> list[Any]:
    return [*numbers[seat:], *numbers[:seat]]


def rows(numbers: list[float], count: int) -> list[list[float]]:
    """A field with several numbers per seat, by seat."""
    size = len(numbers) // count
    return [numbers[size * row : size * (row + 1)] for row in range(count)]


def stack_of(numbers: list[float], sheet: Sequence[Any]) -> tuple[Any, ...]:
    """The stack, bottom to top, that is written as 1 / depth."""
    places = [place for place, number in enumerate(numbers) if number]
    assert sorted(round(1 / numbers[place]) for place in places) == [*range(1, len(places) + 1)]
    return tuple(sheet[place] for place in sorted(places, key=numbers.__getitem__))


def counted(numbers: list[float], cards: Sequence[str], copies: Sequence[int]) -> Counter[str]:
    """The cards that are written as shares of their copies."""
    counts = [number * of for number, of in zip(numbers, copies, strict=True)]
    assert all(abs(count - round(count)) < 1e-4 for count in counts)
    return Counter({card: round(count) for card, count in zip(cards, counts, strict=True) if round(count)})


@pytest.mark.parametrize(("players", "options"), [(2, {}), (5, {}), (3, FEW_TILES)])
def test_bratwurmeck_can_be_read_back(players: int, options: Options) -> None:
    coding = coding_of("bratwurmeck", players, options)
    tiles = bratwurmeck.GAME.options(options).tiles
    for state, seat in seats_seen("bratwurmeck", players, options):
        view = state.observe(seat)
        seen = read(coding, view)
        assert seen["to_move"] == from_own([float(each in view.to_move) for each in range(players)], seat)
        assert seen["turns_left"] == pytest.approx([1 - view.turn / (100 * players)])
        assert tuple(tile for tile, open_ in zip(tiles, seen["grill"], strict=True) if open_) == view.grill
        turned = {tile for tile, over in zip(tiles, seen["turned"], strict=True) if over}
        assert turned == set(view.turned)
        stacks = [stack_of(row, tiles) for row in rows(seen["stacks"], players)]
        assert stacks == from_own(view.stacks, seat)
        worms = [sum(tile.worms for tile in stack) / sum(tile.worms for tile in tiles) for stack in stacks]
        assert seen["worms"] == pytest.approx(worms)
        assert counted(seen["aside"], "12345W", [8] * 6) == Counter(view.aside)
        assert counted(seen["roll"], "12345W", [8] * 6) == Counter(view.roll)
        assert seen["total"] == pytest.approx([view.total / 40])


class HandsAtShuffle(list[object]):
    """Listens to a match of Karteneck for what everybody holds at the moment of a shuffle."""

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.state = state
        self.hands: list[Counter[str]] = []

    def append(self, event: object) -> None:
        if isinstance(event, karteneck.Shuffled):
            self.hands = [Counter(self.state.hand(seat)) for seat in range(self.state.players)]


@pytest.mark.parametrize(("players", "options"), [(4, {}), (3, ODD_SHEET)])
def test_karteneck_can_be_read_back(players: int, options: Options) -> None:
    coding = coding_of("karteneck", players, options)
    sheet = karteneck.GAME.options(options)
    cards = ["1", "2", "3", "4", "5", *(f"W{signpost}" for signpost in sorted(sheet.signposts))]
    copies = [17] * 5 + [1] * 25
    portions = sorted(sheet.portions)
    shuffled_views = 0
    for state, seat in seats_seen("karteneck", players, options, matches=2):
        if state.events is None:
            state.events = HandsAtShuffle(state)
        view = state.observe(seat)
        seen = read(coding, view)
        assert seen["to_move"] == from_own([float(each in view.to_move) for each in range(players)], seat)
        assert seen["rounds_left"] == pytest.approx([1 - (view.round - 1) / {2: 9, 3: 8, 4: 7}[players]])
        assert seen["starter"] == from_own([float(each == view.starter) for each in range(players)], seat)
        assert tuple(p for p, there in zip(portions, seen["grill"], strict=True) if there) == view.grill
        stacks = [stack_of(row, portions) for row in rows(seen["stacks"], players)]
        assert stacks == from_own(view.stacks, seat)
        all_worms = sum(portion.worms for portion in portions)
        worms = [sum(portion.worms for portion in stack) / all_worms for stack in stacks]
        assert seen["worms"] == pytest.approx(worms)
        displays = [counted(row, cards, copies) for row in rows(seen["displays"], players)]
        assert displays == from_own([Counter(display) for display in view.displays], seat)
        assert seen["valid"] == from_own([float(status == "valid") for status in view.status], seat)
        assert seen["invalid"] == from_own([float(status == "invalid") for status in view.status], seat)
        highest = portions[-1].value
        assert seen["totals"] == pytest.approx(from_own([total / highest for total in view.totals], seat))
        assert seen["hand_sizes"] == pytest.approx(from_own([size / 6 for size in view.hand_sizes], seat))
        assert counted(seen["hand"], cards, copies) == Counter(view.hand)
        assert counted(seen["discard"], cards, copies) == Counter(view.discard)
        assert seen["pile"] == pytest.approx([view.pile_size / 110])
        listener = state.events
        hands = listener.hands if isinstance(listener, HandsAtShuffle) else []
        assert seen["shuffled"] == [bool(hands)]
        others = sum((hand for other, hand in enumerate(hands) if other != seat), Counter[str]())
        assert counted(seen["others_held"], cards, copies) == others
        shuffled_views += bool(hands)
        laid = [counted(row, cards, copies) for row in rows(seen["laid_since"], players)]
        drew = [round(6 * number) for number in seen["drew_since"]]
        now = [Counter(state.observe(each).hand) for each in from_own(range(players), seat)]
        check_changes_since(from_own(hands, seat), now, laid, drew)
    assert shuffled_views > 20


def check_changes_since(
    then: list[Counter[str]], now: list[Counter[str]], laid: list[Counter[str]], drew: list[int]
) -> None:
    """What each held at the shuffle and drew since is what it holds now or has laid since."""
    if not then:
        assert not any(drew)
        assert not any(laid)
    for held, holds, has_laid, number in zip(then, now, laid, drew, strict=False):
        drawn = holds + has_laid
        assert held <= drawn
        assert (drawn - held).total() == number


@pytest.mark.parametrize(("players", "options"), [(2, {}), (4, SLAP), (6, SLAP), (3, TWO_KINDS)])
def test_haecmaec_can_be_read_back(players: int, options: Options) -> None:
    coding = coding_of("haecmaec", players, options)
    ingredients = haecmaec.GAME.options(options).ingredients
    cards = [*(f"{row.kind}-{row.value}" for row in ingredients), "fly"]
    copies = [*(row.copies for row in ingredients), 3]
    kinds = list(dict.fromkeys(row.kind for row in ingredients))
    tops = {2: 8, 3: 5, 4: 4, 5: 3, 6: 2}[players]
    all_points = sum(row.value * row.copies for row in ingredients)
    for state, seat in seats_seen("haecmaec", players, options, matches=2):
        view: haecmaec.View = state.observe(seat)
        seen = read(coding, view)
        assert seen["phase"] == [float(view.phase == phase) for phase in ("open", "turn", "react")]
        assert seen["turn"] == from_own([float(each == view.turn) for each in range(players)], seat)
        assert counted(seen["hand"], cards, copies) == Counter(view.hand)
        assert counted(seen["burger"], cards[:-1], copies[:-1]) == Counter(view.burger)
        on_burger = Counter(card.kind for card in view.burger)
        assert seen["kinds"] == [on_burger[kind] / 2 for kind in kinds]
        assert counted(seen["top_card"], cards[:-1], [1] * len(ingredients)) == Counter(view.burger[-1:])
        assert seen["laid_by"] == from_own([float(view.laid_by.count(each)) for each in range(players)], seat)
        assert seen["bottoms"] == pytest.approx([view.bottoms / {2: 18, 3: 18, 4: 20, 5: 20, 6: 18}[players]])
        assert seen["pile"] == pytest.approx([view.pile / 88])
        assert seen["hand_sizes"] == from_own([size / 4 for size in view.hand_sizes], seat)
        assert seen["normal_tops"] == pytest.approx(from_own([left / tops for left in view.normal_tops], seat))
        assert seen["doubling_tops"] == from_own([float(left) for left in view.doubling_tops], seat)
        points = [view.points(each) / all_points for each in range(players)]
        assert seen["points"] == pytest.approx(from_own(points, seat))
        everywhere = counted(seen["gone"], cards, copies) + Counter(view.hand) + Counter(view.burger)
        assert everywhere + Counter(view.unseen()) == Counter(dict(zip(cards, copies, strict=True)))
        assert seen["shown_flies"] == from_own([float(shown) for shown in view.shown_flies], seat)
        answers = view.reactions or (haecmaec.React(),) * players
        assert seen["suspected"] == from_own([float(answer.suspect is True) for answer in answers], seat)
        slaps = [[float(answer.slap == means) for means in ("normal", "double", "fly")] for answer in answers]
        assert rows(seen["slapped"], players) == from_own(slaps, seat)


def test_codings_need_neither_pettingzoo_nor_gymnasium() -> None:
    """A bot that plays a trained policy should not wait for them, nor need them."""
    code = (
        "import sys; from roost_sdk.pettingzoo import coding_of; coding_of('haecmaec', 3);"
        "sys.exit(bool({'pettingzoo', 'gymnasium'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
