"""Information-set Monte-Carlo tree search, in any game: a bot that tries out what may happen.

It cannot see the other hands, so it imagines them. A *world* is a complete table that shows this seat exactly what it
sees (`Game.determinise`). In each iteration it takes a world, makes one of its moves there and plays on. At first it
follows a tree of moves that it remembers, choosing at each step a move that has done well or that has seldom been tried
(UCB1). Then it makes one new move. Then it plays quickly to a horizon, where it looks at what every seat has. All moves
on the way are credited with that.

Its own moves take turns, and the worse half of them is dropped repeatedly until one is left (sequential halving). So
all of them meet the same worlds, and most of the time goes to the last few.

The tree belongs to what this seat knows and not to a world: a node stands for the moves made, regardless of the hidden
cards. Where several seats decide at once, none can wait for the others, so such decisions are played quickly and have
no nodes, except this seat's own at the root.

What is special about a game is left to a *guide*: which moves to consider, how to play on quickly, how far, and what a
table is worth. The base class `Guide` plays any game with random moves to the end.

It thinks for `iterations` iterations, so a seeded run repeats itself. A subclass that sets `seconds` thinks for that
time instead, and plays better on a faster machine. Either way it stops in time for the clock of its match.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, log, sqrt
from random import Random
from time import perf_counter
from types import MappingProxyType
from typing import Any, cast

from roost_games.game import State, left_behind
from roost_games.registry import AnyGame, get_game
from roost_sdk import Bot

AnyState = State[Any, Any]
CURIOSITY = 0.25
"""How much seldom tried moves are preferred; rewards are mostly between 0 and 1."""
TRUST = 0.4
"""By how much a move must be better than the one that a guide favours, which knows what few playouts cannot show."""
VISITS_PER_MOVE = 50
"""How often a place in the tree is visited before another move is tried there."""
CLOCK_SHARE = 0.5
"""The share of the match's time for a decision that is used at most."""


class Guide:
    """What a search wants to know about a game. This one knows only the rules; subclasses know better.

    States, seats and moves are as in `State`. `start` is what `begin` noted about the first state. Where a search
    begins, candidates must not depend on what its seat cannot see.
    """

    worlds = 100
    """How many worlds to imagine for a decision at most; iterations take turns on them."""
    effort = 1
    """The factor on the usual number of iterations for a decision; more where they are quick."""

    def imagine(self, game: AnyGame, view: Any, rng: Random) -> Any:
        """A world in which the seat of `view` sees what it sees."""
        return game.determinise(view, rng)

    def begin(self, state: Any, seat: int) -> Any:
        """Note what a search for `seat` will ask for repeatedly."""
        return None

    def is_far(self, state: Any, start: Any) -> bool:
        """Whether play has gone far enough to judge the state."""
        return False

    def candidates(self, state: Any, seat: int, start: Any) -> Sequence[Any]:
        """The legal moves that are worth considering; at least one."""
        return cast(Sequence[Any], state.legal(seat))

    def favourite(self, state: Any, seat: int, start: Any) -> Any:
        """The move that rules of thumb suggest where a search begins, if there is one."""
        return None

    def quick_move(self, state: Any, seat: int, start: Any, rng: Random) -> Any:
        """A sensible move, found at once."""
        legal = state.legal(seat)
        return legal[int(rng.random() * len(legal))]

    def outcome(self, state: Any, start: Any, rng: Random) -> Sequence[float]:
        """Play on with quick moves until `is_far`. Returns by seat how good that is, mostly between 0 and 1."""
        while state.to_move and not self.is_far(state, start):
            for seat in state.to_move:
                state.apply(seat, self.quick_move(state, seat, start, rng))
        return self.rewards(state, start)

    def rewards(self, state: Any, start: Any) -> Sequence[float]:
        """By seat, how good the state is for it: the share of opponents that it has left behind; a tie is half."""
        return left_behind(state.merits())


def rewards_by_lead(worths: Sequence[float], half: float) -> list[float]:
    """By seat, the mean of what its leads over the others are worth: a lead of `half` is half way from level to sure.

    So the size of a lead over a seat far behind hardly matters.
    """
    others = len(worths) - 1
    rewards = []
    for own in worths:
        share = 0.0
        for other in worths:
            lead = own - other
            share += lead / (half + abs(lead))
        rewards.append(0.5 + 0.5 * share / others)
    return rewards


class Node:
    """What is known about a move, at the place in the tree where it was made."""

    __slots__ = ("available", "children", "reward", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        """How often it could have been chosen."""
        self.reward = 0.0
        """The sum of what it brought to the seat that made it."""
        self.children: dict[Any, Node] = {}


class Search:
    """A tree, the worlds in which it is grown, and the moves that may still be the best."""

    def __init__(self, guide: Guide, imagine: Callable[[], AnyState], seat: int, rng: Random) -> None:
        """`imagine` makes a world in which `seat` is to move."""
        self.guide = guide
        self.seat = seat
        self._imagine = imagine
        self._rng = rng
        self._worlds = [imagine()]
        self._start = guide.begin(self._worlds[0], seat)
        self.moves = {move: Node() for move in guide.candidates(self._worlds[0], seat, self._start)}
        self._favourite = guide.favourite(self._worlds[0], seat, self._start)
        if self._favourite is not None:
            self.moves.setdefault(self._favourite, Node())

    def iterate(self) -> None:
        """Play once from the present to the horizon, and record how that went.

        Moves take turns, and each meets the worlds in the same order. So they are compared by what they do, not by
        luck.
        """
        move, node = min(self.moves.items(), key=_visits)
        state = self._world(node.visits).copy()
        self._let_others_decide(state, self.seat)
        state.apply(self.seat, move)
        path = [(self.seat, node)]
        if node.visits:
            self._descend(state, path)
        rewards = self.guide.outcome(state, self._start, self._rng)
        for seat, node in path:
            node.visits += 1
            node.reward += rewards[seat]

    def halve(self) -> None:
        """Drop the worse half of the moves, but not the favourite."""
        ranked = sorted(self.moves.items(), key=_mean_reward, reverse=True)
        kept = (len(ranked) + 1) // 2
        self.moves = dict(ranked[:kept] + [known for known in ranked[kept:] if known[0] == self._favourite])

    def best(self) -> Any:
        """The move that did best; the favourite, if it did nearly as well."""
        best = max(self.moves.items(), key=_mean_reward)
        favourite = self.moves.get(self._favourite)
        if favourite is not None and _mean_reward(best) < _mean_reward((self._favourite, favourite)) + TRUST:
            return self._favourite
        return best[0]

    def _world(self, number: int) -> AnyState:
        number %= self.guide.worlds
        if number == len(self._worlds):
            self._worlds.append(self._imagine())
        return self._worlds[number]

    def _descend(self, state: AnyState, path: list[tuple[int, Node]]) -> None:
        """Walk down the tree to a new node, and add to `path` the nodes on the way with the seats that chose them."""
        is_new = False
        while not is_new and state.to_move and not self.guide.is_far(state, self._start):
            if len(state.to_move) > 1:
                self._let_others_decide(state, None)
                continue
            seat = state.to_move[0]
            move, node, is_new = self._step(path[-1][1], state, seat)
            path.append((seat, node))
            state.apply(seat, move)

    def _step(self, node: Node, state: AnyState, seat: int) -> tuple[Any, Node, bool]:
        """The move to follow below `node`: the guide's own at first, others when the node has been visited often."""
        width = 1 + node.visits // VISITS_PER_MOVE
        moves = [self.guide.quick_move(state, seat, self._start, self._rng)]
        if width > 1:
            moves += [move for move in self.guide.candidates(state, seat, self._start) if move != moves[0]]
        return self._select(node, moves, width)

    def _let_others_decide(self, state: AnyState, but: int | None) -> None:
        """Where decisions are made at once, play those of the other seats quickly."""
        if len(state.to_move) > 1:
            for seat in state.to_move:
                if seat != but:
                    state.apply(seat, self.guide.quick_move(state, seat, self._start, self._rng))

    def _select(self, node: Node, moves: Sequence[Any], width: int) -> tuple[Any, Node, bool]:
        """One of the first `width` of `moves` that are known or can be added, its node, and whether that is new."""
        children = node.children
        best, best_move, highest = node, None, -inf
        for move in moves:
            child = children.get(move)
            if child is None:
                if width <= 0:
                    continue
                child = children[move] = Node()
                child.available = 1
                return move, child, True
            width -= 1
            child.available += 1
            bound = child.reward / child.visits + CURIOSITY * sqrt(log(child.available) / child.visits)
            if bound > highest:
                best, best_move, highest = child, move, bound
        return best_move, best, False


def _visits(known: tuple[Any, Node]) -> int:
    return known[1].visits


def _mean_reward(known: tuple[Any, Node]) -> float:
    node = known[1]
    return node.reward / node.visits if node.visits else -inf


class SearchBot(Bot):
    """Searches, in the games in which that pays."""

    iterations = 120
    seconds: float | None = None
    guides: Mapping[str, Guide] = MappingProxyType({})
    """By the name of the game."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        if len(legal) == 1:
            return legal[0]
        game, guide = get_game(self.game), self.guides.get(self.game, Guide())
        search = Search(guide, lambda: guide.imagine(game, view, self.rng), self.seat, self.rng)
        for _ in range(rounds := (len(search.moves) - 1).bit_length()):
            self._think(search, 1 / rounds)
            search.halve()
        return search.best()

    def _think(self, search: Search, share: float) -> None:
        """Search with this share of the iterations or time for a decision."""
        most, seconds = inf, CLOCK_SHARE * self.clock.decision_ms / 1000
        if self.seconds is None:
            most = round(self.iterations * search.guide.effort * share)
        else:
            seconds = min(seconds, self.seconds)
        end = perf_counter() + seconds * share
        while most > 0 and perf_counter() < end:
            search.iterate()
            most -= 1
