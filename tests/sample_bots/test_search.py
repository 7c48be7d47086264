"""The tree search: on a game whose best moves are plain, on all games with their guides, and in positions by hand."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from roost_bots import SAMPLES, search
from roost_bots.haecmaec_guide import HaecMaecGuide
from roost_bots.karteneck_guide import KarteneckGuide
from roost_bots.search import Guide, NoGuide, Search, SearchBot
from roost_bots.strong import StrongBot
from roost_games import karteneck
from roost_games.chance import Quick, seed_of
from roost_games.registry import get_game
from roost_games.replay import Decision
from roost_sdk import LoadedBot, LocalMatch
from roost_sdk.bot import seat_bot
from tests.games.karteneck_deals import cards, table
from tests.games.toy import Bid, Show, ToyOptions, ToyState

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
    guide = GUIDES.get(game, NoGuide())
    rng = Random(1)
    for seed in range(8):
        for state in states(game, players, options, seed):
            seat = state.to_move[0]
            before = state.observe(seat)
            start = guide.begin(state)
            legal = state.legal(seat)
            candidates = guide.candidates(state, seat, start)
            assert candidates
            assert len(set(candidates)) == len(candidates)
            assert all(move in legal for move in candidates)
            assert guide.quick_move(state, seat, start, rng) in legal
            assert sum(guide.rewards(state, start)) == pytest.approx(players / 2)
            assert state.observe(seat) == before


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_candidates_are_the_same_in_every_world(game: str, players: int, options: dict[str, Any]) -> None:
    guide, found, rng = GUIDES.get(game, NoGuide()), get_game(game), Random(2)
    for number, state in enumerate(states(game, players, options, 3)):
        if number % 5 == 0:
            seat = state.to_move[-1]
            worlds = [found.determinise(state.observe(seat), rng) for _ in range(3)]
            first, *others = [list(guide.candidates(world, seat, guide.begin(world))) for world in worlds]
            assert others == [first, first]


def test_a_match_with_the_same_seed_is_the_same_match() -> None:
    def played(game: str) -> Any:
        bots = [LoadedBot("quicker", Quicker), LoadedBot("greedy", SAMPLES["greedy"])]
        match = LocalMatch(get_game(game), bots, seed_of("again"))
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
    """Worms and a 3 make 18, and two fours 26: three worms more than the lowest portion."""
    state = last_to_leave("W1 W2 W3 3 4 4", karteneck.Lay(cards("W1 W2 W3")), karteneck.Lay(cards("3")))
    assert decision(state, 1) == karteneck.Lay(cards("4 4"))


def test_without_a_guide_it_wins_the_race_of_the_last_round() -> None:
    """A search that knows only the rules of the toy game: whoever bids most takes twelve points, and seat 0 wins ties.

    Two bids are more than anybody can beat; with less, a bid of another seat can be higher.
    """
    state = ToyState(3, ToyOptions(rounds=1), Quick(Random(2)))
    leader = state.leader
    state.hands[leader] = ["c12", "c11"]
    state.apply(leader, Show("c12"))
    search = Search(NoGuide(), state.copy, 0, Random(3))
    for _ in range(300):
        search.iterate()
    assert search.best() == Bid(2)
    assert sum(node.visits for node in search.root.children.values()) == 300


def test_it_can_think_for_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that ticks a millisecond at each look, ten milliseconds are nine looks that are not too late."""
    now = iter(range(1000))
    iterations = []
    monkeypatch.setattr(search, "perf_counter", lambda: next(now) / 1000)
    monkeypatch.setattr(
        Search, "iterate", lambda self: iterations.append(self.root.children.setdefault(self.moves[0], search.Node()))
    )

    class Timed(StrongBot):
        seconds = 0.01

    state = last_to_leave("W1 W2 W3 4 4 4", karteneck.Lay(cards("W1 W2 W3")), karteneck.Lay(cards("4 4 4")))
    decision(state, 1, Timed)
    assert len(iterations) == 9


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
