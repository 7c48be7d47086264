"""Which names look alike: those that people would take for one name, though their characters differ.

Names look alike if their skeletons are equal, as written or in small letters: `AIan` with a capital I and `Alan`, `Ann`
and its Cyrillic twin. A skeleton is a name in form NFKC in which every character stands for all that look like it, by
Unicode's table of confusables (UTS #39). `confusables.txt` has the part of the table that can be in a name.
"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from unicodedata import normalize

TABLE = "confusables.txt"
INVISIBLE = frozenset("\u115f\u1160")
"""Letters that nobody sees: fillers for Korean syllables."""


def alike(name: str, others: Iterable[str]) -> str | None:
    """One of `others` that looks like `name`, if there is any."""
    looks = looks_of(name)
    return next((other for other in others if not looks.isdisjoint(looks_of(other))), None)


def looks_of(name: str) -> frozenset[str]:
    """The skeletons of a name. Two names look alike if they share one."""
    usual = normalize("NFKC", name)
    return frozenset((_skeleton(usual), _skeleton(usual.casefold())))


def _skeleton(text: str) -> str:
    return normalize("NFD", normalize("NFD", text).translate(_table()))


@cache
def _table() -> dict[int, str]:
    """By character, what stands for all that look like it."""
    lines = files(__package__).joinpath(TABLE).read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    return {ord(each): shown for shown, alike in pairs for each in alike}
