"""The rare positions of a game, and ways to play that lead into them. For testing bots.

Each game has a module `situations` beside its rules with two tuples. `SITUATIONS` are the kinds of positions that
random play seldom reaches but that a bot must survive. `POLICIES` are simple players that reach them.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from roost_games.game import JsonValue, Variant
from roost_games.registry import part_of

Policy = Callable[[Random, Any, Sequence[Any]], Any]
"""Chooses a move from a view and the legal moves. It plays for an unusual position, not to win."""


class Situation(NamedTuple):
    """A kind of position that is rare in play."""

    name: str
    """What is rare about it, as in `the last portion`."""
    holds: Callable[[Any, Sequence[Any]], bool]
    """Whether a view with these legal moves is of this kind."""
    variant: Variant | None = None
    """The only variant in which it arises; `None`: in all of them."""

    def arises(self, options: Mapping[str, JsonValue]) -> bool:
        """Whether it can come up in a match with these options."""
        return self.variant is None or self.variant.options.items() <= options.items()


def situations_of(game: str, options: Mapping[str, JsonValue]) -> list[Situation]:
    """The rare situations that can come up in a game with these options."""
    known: tuple[Situation, ...] = part_of(game, "situations").SITUATIONS
    return [situation for situation in known if situation.arises(options)]


def policies_of(game: str) -> tuple[Policy, ...]:
    """The ways to play that together lead into every rare situation of a game."""
    policies: tuple[Policy, ...] = part_of(game, "situations").POLICIES
    return policies


def play_random(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    """Any legal move."""
    return rng.choice(legal)


def play_first(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    """The first legal move."""
    return legal[0]


def play_last(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
    """The last legal move."""
    return legal[-1]


MOVES_LOOKED_AT = 40
"""How many legal moves `prefer` looks at: in rare positions there are thousands."""


def prefer(wanted: Callable[[Any, Any], bool]) -> Policy:
    """Play a random move among those that are `wanted` (told the view and a move), or any if there is none."""

    def policy(rng: Random, view: Any, legal: Sequence[Any]) -> Any:
        liked = [move for move in legal[:MOVES_LOOKED_AT] if wanted(view, move)]
        return rng.choice(liked or legal)

    return policy
