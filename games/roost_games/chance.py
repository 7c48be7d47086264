"""Where luck comes from: a source of chance that a game asks by purpose.

A game never draws from "the next random number". It asks for the outcome of a *purpose* ("deck", "roll/12/0"), so what
one bot does cannot shift another's luck. `Tape` answers from a seed and can be recomputed by anyone
(docs/formats/chance.md); `Quick` is fast and predictable, for simulations; `Recording` wraps either and notes the
outcomes.

A purpose is a name, optionally followed by "/" and numbers. The name alone is what a replay shows.
Items are in the notation of the replay format, so outcomes need no translation.
"""

import hashlib
import struct
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")

SIX_SIDES = bytes(byte % 6 for byte in range(256))
NOT_FAIR = bytes(range(252, 256))
"""Bytes that would make a six-sided die unfair: 252 is the greatest multiple of 6 that a byte can hold."""


class Chance(Protocol):
    """The three kinds of chance that the games need."""

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        """One of `items`, each equally likely."""

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        """`count` of `items` in random order, each ordered selection equally likely."""

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        """`count` rolls of a die with six `faces`, each as an index into `faces`."""


class Outcome(NamedTuple):
    """One thing that chance decided, as a replay shows it."""

    name: str
    """The purpose without its numbers: "deck", "roll"."""
    value: object
    """A seat, a card, or a tuple of them, in the notation of the replay format."""


def outcome_name(purpose: str) -> str:
    """The name under which a replay lists the outcome of `purpose`."""
    return purpose.partition("/")[0]


class Tape:
    """Chance fixed by a seed: a SHAKE-256 stream for each purpose, read with rejection sampling.

    It holds no position, so copies of a state can share it, and asking twice for one purpose gives one answer.
    """

    __slots__ = ("_prefix", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._prefix = f"roost-tape/1:{seed.hex()}:"

    def _stream(self, purpose: str, length: int) -> bytes:
        return hashlib.shake_256((self._prefix + purpose).encode()).digest(length)

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        count = len(items)
        fair = (1 << 64) // count * count
        position = 0
        while True:
            position += 8
            word = int.from_bytes(self._stream(purpose, position)[-8:])
            if word < fair:
                return items[word % count]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        size = len(items)
        attempt = 0
        while True:
            attempt += 1
            stream = self._stream(purpose, attempt * size * 8)
            keys = struct.unpack(f">{size}Q", stream[-size * 8 :] if size else b"")
            by_key = dict(zip(keys, items, strict=True))
            if len(by_key) == size:
                return [by_key[key] for key in sorted(keys)[:count]]

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        length = count + 8
        while True:
            # One translate maps bytes to faces and drops the unfair ones, at a tenth of a comprehension's cost.
            rolled = self._stream(purpose, length).translate(SIX_SIDES, NOT_FAIR)
            if len(rolled) >= count:
                return rolled[:count]
            length *= 2


class Quick:
    """Fast chance for simulations, from a `random.Random`: neither secret nor tied to its purposes."""

    __slots__ = ("rng",)

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        return items[int(self.rng.random() * len(items))]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        return self.rng.sample(items, count)

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        return bytes(self.rng.choices(range(6), k=count))


class Recording:
    """Passes on the outcomes of another source and tells each one to `sink`, in the order in which they happen."""

    __slots__ = ("_chance", "_sink")

    def __init__(self, chance: Chance, sink: Callable[[Outcome], None]) -> None:
        self._chance = chance
        self._sink = sink

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        item = self._chance.pick(purpose, items)
        self._sink(Outcome(outcome_name(purpose), item))
        return item

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        drawn = self._chance.draw(purpose, items, count)
        self._sink(Outcome(outcome_name(purpose), tuple(drawn)))
        return drawn

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        rolled = self._chance.dice(purpose, faces, count)
        self._sink(Outcome(outcome_name(purpose), tuple(faces[die] for die in rolled)))
        return rolled


def seed_of(text: str, match: int = 0) -> bytes:
    """The 32-byte seed of the `match`-th match of a run that a person seeded with `text`.

    If `text` is 64 hex digits, it is a match's own seed, as replays show it: so a known deal can be played again.
    """
    if match == 0 and len(text) == 64:
        try:
            return bytes.fromhex(text)
        except ValueError:
            pass
    return hashlib.sha256(f"roost-seed/1:{text}:{match}".encode()).digest()


def commitment_of(seed: bytes) -> str:
    """What is published before a match, so that the seed revealed afterwards can be checked: its SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()
