"""The bot that tries out what may happen: information-set Monte-Carlo tree search, in any game.

It cannot see the other hands, so it imagines them. A *world* is a complete table that shows this seat exactly what it
sees (`Game.determinise`). In each iteration it takes a world and plays in it: first along a tree of moves that it
remembers, choosing at each step a move that has done well or that has seldom been tried (UCB1); then one new move;
then quickly on to a horizon, where it looks at what everybody has. All moves on the way are credited with that.

The tree belongs to what this seat knows and not to a world: a node stands for the moves made, whatever the hidden cards
are. Where several seats decide at once nobody can wait for the others, so such decisions are played quickly and have no
nodes, except this seat's own at the root.

What is special about a game is left to a *guide*: which moves to consider, how to play on quickly, how far, and what a
table is worth. Without one, `SearchBot` plays any game with random moves up to the end.

It thinks for `iterations` iterations, so a seeded run repeats itself. A subclass that sets `seconds` thinks for so long
instead, and plays better on a faster machine.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, log, sqrt
from random import Random
from time import perf_counter
from types import MappingProxyType
from typing import Any, Protocol

from roost_games.game import State
from roost_games.registry import get_game
from roost_sdk import Bot

AnyState = State[Any, Any]
CURIOSITY = 0.25
"""How much a move that has seldom been tried is preferred; rewards lie mostly between 0 and 1."""


VISITS_PER_MOVE = 12
"""So often a place in the tree is visited before another move is tried there."""


class Guide(Protocol):
    """What a search wants to know about a game. Seats and moves are as in `State`.

    `start` is whatever `begin` has noted about the first state. At the place where a search begins, candidates must not
    depend on what its seat cannot see.
    """

    worlds: int
    """How many worlds to imagine for a decision, at the most; iterations take turns on them."""

    def begin(self, state: Any) -> Any:
        """Note what will be asked for again and again, and by what `is_far` recognises how far play has gone."""

    def is_far(self, state: Any, start: Any) -> bool:
        """Whether play has gone far enough to judge the state."""

    def candidates(self, state: Any, seat: int, start: Any) -> Sequence[Any]:
        """The legal moves that are worth a thought; at least one."""

    def quick_move(self, state: Any, seat: int, start: Any, rng: Random) -> Any:
        """A sensible move, found at once."""

    def rewards(self, state: Any, start: Any) -> Sequence[float]:
        """By seat, how good the state is for it, mostly between 0 and 1."""


class NoGuide:
    """Knows nothing about a game but its rules."""

    worlds = 100

    def begin(self, state: AnyState) -> None:
        return None

    def is_far(self, state: AnyState, start: None) -> bool:
        return False

    def candidates(self, state: AnyState, seat: int, start: None) -> Sequence[Any]:
        return state.legal(seat)

    def quick_move(self, state: AnyState, seat: int, start: None, rng: Random) -> Any:
        legal = state.legal(seat)
        return legal[int(rng.random() * len(legal))]

    def rewards(self, state: AnyState, start: None) -> list[float]:
        """The share of opponents that each seat has left behind; a tie is half."""
        merits = state.merits()
        return [
            (sum((own > other) + (own == other) / 2 for other in merits) - 0.5) / (len(merits) - 1) for own in merits
        ]


def rewards_by_lead(worths: Sequence[float], half: float) -> list[float]:
    """By seat, the mean of what its leads over the others are worth: a lead of `half` is half way from level to sure.

    So it does not matter by how much one is ahead of somebody who is far behind.
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
    """A tree, and the worlds in which it is grown."""

    def __init__(self, guide: Guide, imagine: Callable[[], AnyState], seat: int, rng: Random) -> None:
        """`imagine` makes a world in which `seat` is to move."""
        self.guide = guide
        self.seat = seat
        self.root = Node()
        self._imagine = imagine
        self._rng = rng
        self._worlds = [imagine()]
        self._start = guide.begin(self._worlds[0])
        self.moves = guide.candidates(self._worlds[0], seat, self._start)

    def iterate(self) -> None:
        """Play once from the present to the horizon, and remember how that went.

        Each move meets the worlds in the same order. So moves are compared by what they do and not by their luck.
        """
        move, node, is_new = self._select(self.root, self.moves, len(self.moves))
        state = self._world(node.visits).copy()
        self._let_others_decide(state, self.seat)
        state.apply(self.seat, move)
        path = [(self.seat, node)]
        if not is_new:
            self._descend(state, path)
        self._play_on(state)
        rewards = self.guide.rewards(state, self._start)
        for seat, node in path:
            node.visits += 1
            node.reward += rewards[seat]

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
        """Where decisions are made at once, play those of everybody else quickly."""
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

    def _play_on(self, state: AnyState) -> None:
        guide, start, rng = self.guide, self._start, self._rng
        while state.to_move and not guide.is_far(state, start):
            for seat in state.to_move:
                state.apply(seat, guide.quick_move(state, seat, start, rng))

    def best(self) -> Any:
        """The move that was tried most often."""
        return max(self.root.children, key=lambda move: self.root.children[move].visits)


class SearchBot(Bot):
    """Searches, in the games in which that pays."""

    iterations = 200
    seconds: float | None = None
    guides: Mapping[str, Guide] = MappingProxyType({})
    """By the name of the game."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        if len(legal) == 1:
            return legal[0]
        game, guide = get_game(self.game), self.guides.get(self.game, NoGuide())
        search = Search(guide, lambda: game.determinise(view, self.rng), self.seat, self.rng)
        if len(search.moves) > 1:
            self._think(search)
            return search.best()
        return search.moves[0]

    def _think(self, search: Search) -> None:
        if self.seconds is None:
            for _ in range(self.iterations):
                search.iterate()
            return
        end = perf_counter() + self.seconds
        while perf_counter() < end:
            search.iterate()
