"""The class that every bot is a subclass of, and what a bot may be called."""

import re
from collections.abc import Awaitable, Collection, Sequence
from random import Random
from typing import Any, NamedTuple

from roost_games.errors import UsageError
from roost_games.replay import Result, Seat
from roost_sdk.clock import MatchClock

LONGEST_NAME = 40
NAME_FORM = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_NAME}}}")
"""What a bot may be called at an arena."""
NAME_RULE = f"a bot's name has 1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores"
VERSION_FORM = re.compile(r"[A-Za-z0-9._+:-]{1,80}")
VERSION_RULE = "a bot's version has 1 to 80 letters, digits and . _ + : -"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class OpenDecision(NamedTuple):
    """A decision that waits for its move: see `Bot.choose_many`."""

    bot: Any
    """The bot of that match: what `self` is in `choose`, with its `rng` and its `clock`."""
    view: Any
    legal: Sequence[Any]


class Bot:
    """A player. Subclass it, write `choose`, and you have a bot:

        from roost_sdk import Bot

        class First(Bot):
            def choose(self, view, legal):
                return legal[0]

    For each decision you get a `view`, which is everything that your seat knows, and `legal`, which is every move that
    you may make now. Return one of the legal moves, or build an equal one yourself. The views and moves of a game are
    described in its package: `roost_games.karteneck.View` and so on.

    A bot that plays several games can have a method for each, named after the game; `choose` plays the rest:

            def karteneck(self, view, legal): ...
            def bratwurmeck(self, view, legal): ...

    There is a fresh instance for each match, made without arguments. So everything you keep in `self` belongs to one
    match, and nothing has to be reset. The attributes below are set before `start` is called, but after `__init__`.

    Every method can be plain or `async def`. Plain methods never run at the same time; coroutines of different matches
    take turns in one event loop.

    An answer that is not a legal move, or an exception, is a fault: the referee plays a fallback move for you, and
    after a few faults you forfeit the match.
    """

    version: str = ""
    """Set this in your class if something besides its code makes it play differently, such as a file with weights:
    an arena keeps a record for each version, and what is written here becomes part of the version."""
    player_counts: Collection[int] = ()
    """Set this in your class if your bot plays only with some numbers of players: `(2,)`, or `range(2, 5)`. Empty means
    every number that the game allows."""
    matches_at_once: int = 128
    """The most matches that your bot plays at once at an arena, which finds out by measuring how many it can. Set this
    in your class to have it play fewer."""
    game: str
    """The name of the game, such as `"karteneck"`."""
    seat: int
    """Your seat, from 0. Turns go to the next higher seat and around."""
    players: int
    """How many seats there are."""
    bots: tuple[Seat, ...]
    """Who sits where, you included: each has a `bot`, which is its name, and a `version`. Both are empty where the host
    hides them."""
    rng: Random
    """Your own source of randomness. A seeded run repeats exactly if you use this one and no other."""
    clock: MatchClock
    """How long you may think: `clock.decision_ms` for each decision, and `clock.bank_ms` more in the whole match. While
    you decide, `clock.time_left_ms` and `clock.bank_left_ms` are what is left, and `clock.deadline()` is the moment of
    `time.monotonic()` at which to stop thinking."""

    def start(self) -> Awaitable[None] | None:
        """Called once before the first decision. It is the place to prepare a match; nothing has to be done."""
        return None

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        """Return the move that you want to make: one of `legal`, which is never empty.

        `legal` can be very long in rare positions, since Karteneck lists every way to lay some of many worm cards. It
        makes such moves on demand, so `len(legal)`, `legal[i]` and `random.choice(legal)` are always quick.
        """
        if not self.takes_many():
            raise NotImplementedError(f"{type(self).__name__} has no method choose(self, view, legal)")
        (move,) = self.choose_many((OpenDecision(self, view, legal),))
        return move

    @classmethod
    def choose_many(cls, asked: Sequence[OpenDecision]) -> Sequence[Any]:
        """Instead of `choose`, for a bot that answers many decisions as fast as one, such as a neural network.

        `asked` are all decisions that wait, of all matches of the bot, and never empty. Return a move for each, in
        their order. It is a plain class method. All of them take as long as the whole batch, so the earliest
        `each.bot.clock.deadline()` counts.
        """
        raise NotImplementedError(f"{cls.__name__} has no method choose_many(cls, asked)")

    def seen(self, seat: int, move: Any) -> Awaitable[None] | None:
        """Called after every decision in the match, your own too: `seat` has played `move`. Nothing has to be done.

        A view is complete without this, so most bots do well to leave it out: an arena tells moves only to bots that
        have this method, and it costs time. Simultaneous moves are told when all of them are made.
        """
        return None

    def end(self, result: Result) -> Awaitable[None] | None:
        """Called once after the last decision, with the places and scores. Nothing has to be done."""
        return None

    @classmethod
    def plays(cls, game: str, players: int | None = None) -> bool:
        """Whether this bot has a method for `game`, and plays with this number of players if one is given."""
        if players is not None and cls.player_counts and players not in cls.player_counts:
            return False
        return cls.choose is not Bot.choose or cls.takes_many() or callable(getattr(cls, game, None))

    @classmethod
    def takes_many(cls, game: str = "") -> bool:
        """Whether this bot has a method `choose_many`, and none that is named after `game`."""
        own = getattr(cls.choose_many, "__func__", None) is not getattr(Bot.choose_many, "__func__", None)
        return own and not callable(getattr(cls, game, None))

    @classmethod
    def wants_moves(cls) -> bool:
        """Whether this bot has a method `seen`."""
        return cls.seen is not Bot.seen


def wire_name(name: str) -> str:
    """What a bot called `name` here is called at an arena: other characters become dashes."""
    return _NOT_IN_NAMES.sub("-", name)[:LONGEST_NAME]


def check_name(name: str) -> None:
    """Raise `UsageError` for a name that every arena would refuse."""
    if not NAME_FORM.fullmatch(name):
        raise UsageError(f"{NAME_RULE}, unlike {name!r}")


class OutOfTime(Exception):
    """Raised by a method that decides and knows that its answer would come too late: the fault is then `late`."""
