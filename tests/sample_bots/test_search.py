"""The tree search: on a game whose best moves are plain, on all games with their guides, and in positions by hand."""

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_bots.strong import StrongBot
from roost_bots.thinking import search
from roost_bots.thinking.haecmaec_guide import HaecMaecGuide
from roost_bots.thinking.haecmaec_playout import CLOSE, LAY, Playout
from roost_bots.thinking.karteneck_guide import KarteneckGuide
from roost_bots.thinking.search import TRUST, Guide, Search, SearchBot
from roost_games import karteneck
from roost_games.chance import Quick, seed_of
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_games.replay import Decision
from roost_sdk import LoadedBot, LocalMatch
from roost_sdk.seat import seat_bot
from tests.support.games.karteneck_deals import cards, table
from tests.support.games.toy import Bid, Show, ToyOptions, ToyState

TABLES = [
    ("karteneck", 2, {}),
    ("karteneck", 3, {}),
    ("karteneck", 4, {}),
    ("haecmaec", 2, {}),
    ("haecmaec", 4, {}),
    ("haecmaec", 3, {"slap": True}),
    ("haecmaec", 6, {"slap": True}),
    ("bratwurmeck", 3, {}),
]
GUIDES: dict[str, Guide] = {"karteneck": KarteneckGuide(), "haecmaec": HaecMaecGuide()}


class Quicker(StrongBot):
    """As `strong`, with less thought."""

    iterations = 40


def states(game: str, players: int, options: dict[str, Any], seed: int) -> Iterator[Any]:
    """The states of a random match."""
    rng = Random(seed)
    found = get_game(game)
    state = found.start(players, found.options(options), Quick(rng))
    while state.to_move:
        yield state
        for seat in state.to_move:
            state.apply(seat, rng.choice(state.legal(seat)))


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_a_guide_knows_the_rules(game: str, players: int, options: dict[str, Any]) -> None:
    """What it proposes is legal, what it looks at is not changed, and one seat's gain is the others' loss."""
    guide = GUIDES.get(game, Guide())
    rng = Random(1)
    for seed in range(8):
        for number, state in enumerate(states(game, players, options, seed)):
            seat = state.to_move[0]
            before = state.observe(seat)
            start = guide.begin(state, seat)
            legal = state.legal(seat)
            candidates = guide.candidates(state, seat, start)
            assert candidates
            assert len(set(candidates)) == len(candidates)
            assert all(move in legal for move in candidates)
            assert guide.quick_move(state, seat, start, rng) in legal
            assert state.observe(seat) == before
            if number % 40 == 0:
                assert sum(guide.outcome(state.copy(), start, rng)) == pytest.approx(players / 2)


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_candidates_are_the_same_in_every_world(game: str, players: int, options: dict[str, Any]) -> None:
    guide, found, rng = GUIDES.get(game, Guide()), get_game(game), Random(2)
    for number, state in enumerate(states(game, players, options, 3)):
        if number % 5 == 0:
            seat = state.to_move[-1]
            worlds = [guide.imagine(found, state.observe(seat), rng) for _ in range(3)]
            first, *others = [list(guide.candidates(world, seat, guide.begin(world, seat))) for world in worlds]
            assert others == [first, first]


class First(Quick):
    """Luck that always picks what comes first, for the engine and for a playout."""

    def pick(self, what: str, options: Sequence[Any]) -> Any:
        return options[0]


class FirstOf(Random):
    def choice(self, seq: Any) -> Any:
        return seq[0]


@pytest.mark.parametrize(("players", "options"), [(2, {}), (3, {}), (4, {}), (3, {"slap": True}), (6, {"slap": True})])
def test_a_playout_ends_as_the_engine_does(players: int, options: dict[str, Any]) -> None:
    """The same choices, made on the engine and refereed there, lead to the same points, if nobody is rash."""
    guide, rng = HaecMaecGuide(), FirstOf(4)
    for seed in range(3):
        for number, state in enumerate(states("haecmaec", players, options, seed)):
            if number % 6 == 0 and len(state.to_move) in (1, players - 1):
                start = guide.begin(state, state.to_move[0])
                start = start._replace(opinion=start.opinion._replace(rash={}))
                playout = Playout(state, start.points, start.opinion, rng)
                played = state.copy()
                played.chance = First(rng)
                while played.to_move:
                    for seat in played.to_move:
                        played.apply(seat, guide.quick_move(played, seat, start, rng))
                assert playout.finish() == [points for (points,) in played.merits()]


def test_a_match_with_the_same_seed_is_the_same_match() -> None:
    def played(game: str) -> Any:
        bots = [LoadedBot("quicker", Quicker), LoadedBot("greedy", SAMPLES["greedy"])]
        unhurried = Clock(decision_ms=60_000, bank_ms=0)  # with less time a busy machine makes it think less
        match = LocalMatch(get_game(game), bots, seed_of("again"), clock=unhurried)
        match.play()
        return [(step.seat, step.move) for step in match.referee.replay().steps if isinstance(step, Decision)]

    for game in ("karteneck", "haecmaec"):
        assert played(game) == played(game)


def decision(state: Any, seat: int, bot_class: type[SearchBot] = StrongBot) -> Any:
    bot = seat_bot(bot_class, "karteneck", seat, state.players, Random(5))
    assert isinstance(bot, SearchBot)
    return bot.choose(state.observe(seat), state.legal(seat))


def last_to_leave(hand: str, *moves: karteneck.Move) -> karteneck.KarteneckState:
    """Seat 0 has left with worms and fives, 25 in all, for a grill of 16 and 42; seat 1, with `hand`, made `moves`."""
    state = table("W24 W25 5 5 5 1", hand, values=(16, 42))
    for own, other in zip((karteneck.Lay(cards("W24 W25")), karteneck.Lay(cards("5 5 5"))), moves, strict=True):
        state.apply(0, own)
        state.apply(1, other)
    state.apply(0, karteneck.PASS)
    return state


def test_overtakes_when_it_can() -> None:
    """Worms and a 3 make 18, and two fours 26, for three worms more. A card in between does no harm."""
    state = last_to_leave("W1 W2 W3 3 4 4", karteneck.Lay(cards("W1 W2 W3")), karteneck.Lay(cards("3")))
    while state.to_move == (1,) and not state.stacks[1]:
        state.apply(1, decision(state, 1))
    assert [portion.value for portion in state.stacks[1]] == [42]


def test_without_a_guide_it_wins_the_race_of_the_last_round() -> None:
    """A search that knows only the rules of the toy game: the highest bid takes twelve points, and seat 0 wins ties.

    Two bids are more than anybody can beat; with less, a bid of another seat can be higher.
    """
    state = ToyState(3, ToyOptions(rounds=1), Quick(Random(2)))
    leader = state.leader
    state.hands[leader] = ["c12", "c11"]
    state.apply(leader, Show("c12"))
    search = Search(Guide(), state.copy, 0, Random(3))
    for _ in range(300):
        search.iterate()
    assert search.best() == Bid(2)
    assert sum(node.visits for node in search.moves.values()) == 300


def test_the_worse_half_of_the_moves_is_given_up() -> None:
    state = ToyState(3, ToyOptions(rounds=1), Quick(Random(2)))
    state.apply(state.leader, state.legal(state.leader)[0])
    search = Search(Guide(), state.copy, state.to_move[0], Random(3))
    moves = list(search.moves)
    for node, reward in zip(search.moves.values(), range(len(moves)), strict=True):
        node.visits, node.reward = 2, float(reward)
    search.halve()
    assert list(search.moves) == moves[::-1][: (len(moves) + 1) // 2]
    assert search.best() == moves[-1]


def test_it_can_think_for_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that ticks a millisecond at each look, each round ends at its share of the time."""
    ticks = count()
    moves = []
    monkeypatch.setattr(search, "perf_counter", lambda: next(ticks) / 1000)
    monkeypatch.setattr(Search, "iterate", lambda self: moves.append(len(self.moves)))

    class Timed(StrongBot):
        seconds = 0.0315

    state = last_to_leave("W1 W2 W3 4 4 4", karteneck.Lay(cards("W1 W2 W3")), karteneck.Lay(cards("4 4 4")))
    decision(state, 1, Timed)
    candidates = moves[0]
    rounds = len(set(moves))
    assert rounds == (candidates - 1).bit_length()
    assert [moves.count(number) for number in sorted(set(moves))] == [int(31.5 / rounds)] * rounds


def test_it_stops_in_time_for_the_clock_of_its_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a millisecond: of 60 ms it uses 30, however much it would like to try."""
    ticks = count()
    tried = []
    monkeypatch.setattr(search, "perf_counter", lambda: next(ticks) / 1000)
    monkeypatch.setattr(Search, "iterate", lambda self: tried.append(len(self.moves)))
    state = last_to_leave("W1 W2 W3 4 4 4", karteneck.Lay(cards("W1 W2 W3")), karteneck.Lay(cards("4 4 4")))

    class Eager(StrongBot):
        iterations = 10_000

    class Slow(StrongBot):
        seconds = 100.0

    for bot_class in (Eager, Slow):
        tried.clear()
        bot = seat_bot(bot_class, "karteneck", 1, 2, Random(5), Clock(decision_ms=60, bank_ms=0))
        assert bot.choose(state.observe(1), state.legal(1)) in state.legal(1)
        assert 20 < len(tried) <= 30


def test_calls_every_bluff_and_nothing_else() -> None:
    found = get_game("haecmaec")
    reactions = 0
    for seed in range(6):
        for state in states("haecmaec", 3, {}, seed):
            if len(state.to_move) > 1:
                seat = state.to_move[0]
                bot = seat_bot(StrongBot, "haecmaec", seat, 3, Random(1))
                kinds = [card.kind for card in state.burger]
                move = bot.choose(state.observe(seat), found.legal(state.observe(seat)))
                assert move.suspect == (kinds.count(kinds[-1]) > 2)
                reactions += move.suspect
    assert reactions > 5


@pytest.mark.parametrize(("lead", "chosen"), [(TRUST - 0.02, 0), (TRUST + 0.02, 1)])
def test_a_favourite_is_left_for_a_clearly_better_move_only(lead: float, chosen: int) -> None:
    state = next(states("karteneck", 2, {}, 1))
    seat = state.to_move[0]
    moves: Sequence[Any] = state.legal(seat)[:4]

    class Partial(Guide):
        def candidates(self, state: Any, seat: int, start: Any) -> Sequence[Any]:
            return moves[1:]

        def favourite(self, state: Any, seat: int, start: Any) -> Any:
            return moves[0]

    tree = Search(Partial(), state.copy, seat, Random(1))
    for move, node in tree.moves.items():
        node.visits, node.reward = 10, 10 * (0.5 + lead if move == moves[1] else 0.5)
    tree.halve()
    assert {moves[0], moves[1]} <= tree.moves.keys()
    assert len(tree.moves) < 4
    assert tree.best() == moves[chosen]


def test_favours_its_rules_at_calm_tables_of_more_than_two() -> None:
    guide, rng = HaecMaecGuide(), Random(1)
    calm = 0
    for state in states("haecmaec", 4, {}, 1):
        seat = state.turn
        start = guide.begin(state, seat)
        if start.opinion.calm and state.to_move == (seat,):
            favourite = guide.favourite(state, seat, start)
            assert favourite == guide.quick_move(state, seat, start, rng)
            assert favourite in state.legal(seat)
            calm += 1
    assert calm > 5
    for players, options in [(2, {}), (3, {"slap": True})]:
        for state in states("haecmaec", players, options, 1):
            assert guide.favourite(state, state.turn, guide.begin(state, state.turn)) is None


def test_waits_for_a_fatter_burger_when_the_others_have_no_tops_left() -> None:
    guide, rng = HaecMaecGuide(), Random(1)
    state = next(states("haecmaec", 4, {}, 1))
    start = guide.begin(state, state.turn)
    opinion = start.opinion._replace(patient=True, fat=(8, 8, 8, 8))
    playout = Playout(state, start.points, opinion, rng)
    playout.kinds, playout.points = [0, 1, 2], 9
    assert playout.choose()[0] == CLOSE
    for seat in range(4):
        if seat != state.turn:
            playout.normal_tops[seat] = playout.doubling_tops[seat] = 0
    assert playout.choose()[0] == LAY
