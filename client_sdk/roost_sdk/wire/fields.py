"""Messages that consist of numbers and lists of numbers, written as bytes.

Views are such messages, with up to two dozen lists. The codecs join their bytes themselves, and protobuf reads
them with `MergeFromString`, because then frequent lists can be cached, and most of a table stays the same from one
decision to the next. Measured with 256 matches at once, a view takes about two thirds of the time of filling the
attributes of the message (Karteneck with three players: 9.5 us instead of 14). The gain is in the cache: bytes alone
are no faster. A bot sees one seat, so less is repeated; reading gained about a tenth in this way, too little for a
parser of our own, so the codecs read the attributes.

The encoding of protobuf, in short: a message is a row of fields. A field is a key and a value; the key is
`number << 3` plus 0 if the value is a number, or plus 2 if it is a run of bytes preceded by its length. A list of
numbers is such a run. Every number is a varint: seven bits per byte, lowest first, the high bit set in all but the last
byte. A number below 128 is therefore a single byte, as nearly all of ours are.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

ListT = TypeVar("ListT", list[int], tuple[Any, ...])
ValueT = TypeVar("ValueT")
RunT = TypeVar("RunT", bytes, tuple[Any, ...])

REMEMBERED = 1 << 13
"""How many encoded lists of a kind are cached: enough for some hundred matches at once."""


def key_of(message: type[Message], name: str) -> int:
    """The key of a field. Before a number: `pack((key, number))`; before anything else: `bytes_field`."""
    is_number = isinstance(getattr(message(), name), int)
    return message.DESCRIPTOR.fields_by_name[name].number << 3 | (0 if is_number else 2)


def keys_of(message: type[Message]) -> tuple[int, ...]:
    """The keys of all fields of `message`, by rising field number."""
    fields = message.DESCRIPTOR.fields_by_number
    return tuple(key_of(message, fields[number].name) for number in sorted(fields))


def pack(numbers: Sequence[int]) -> bytes:
    """The varints of `numbers`."""
    try:
        data = bytes(numbers)
    except ValueError:  # a number above 255
        return _varints(numbers)
    return data if data.isascii() else _varints(numbers)


def small(numbers: Sequence[int]) -> bytes:
    """The varints of `numbers`, one byte each. Raises `ValueError` if a number is above 127."""
    data = bytes(numbers)
    if not data.isascii():
        raise ValueError("a number above 127")
    return data


def bytes_field(key: int, run: bytes) -> bytes:
    """A field with a run of bytes, which may be empty."""
    return _intro(key, len(run)) + run


def packed_field(key: int, numbers: Sequence[int]) -> bytes:
    """A field with a list of numbers; an empty list is left out."""
    run = pack(numbers)
    return _intro(key, len(run)) + run if run else b""


@lru_cache(REMEMBERED)
def number_field(key: int, number: int) -> bytes:
    """A field with one number."""
    return pack((key, number))


list_field = lru_cache(REMEMBERED)(packed_field)
"""A cached `packed_field`, for tuples that are often the same, such as a number per seat: a third of the time."""


class Growing(Generic[ListT, RunT]):
    """Translates a list that grows during a match: what is already translated is not translated again."""

    __slots__ = ("_list", "_nothing", "_run", "_translate")

    def __init__(self, translate: Callable[[ListT], RunT], empty: ListT, nothing: RunT) -> None:
        self._translate: Callable[[ListT], RunT] = translate
        self._list: ListT = empty
        """The latest list."""
        self._run: RunT = nothing
        """Its translation."""
        self._nothing: RunT = nothing

    def __call__(self, items: ListT) -> RunT:
        """The translation of `items`, which may also be another list than before."""
        size, run = len(self._list), self._run
        # Entries that are the same objects are compared without looking into them.
        if items[:size] != self._list:
            size, run = 0, self._nothing
        if len(items) > size:
            run = run + self._translate(items[size:])
        self._list, self._run = items, run
        return run


class Unchanged(Generic[ValueT]):
    """Translates values that are mostly the same as for the decision before: then they are not translated again."""

    __slots__ = ("_latest", "_translate")

    def __init__(self, translate: Callable[..., ValueT]) -> None:
        self._translate = translate
        self._latest: tuple[tuple[Any, ...], ValueT] | None = None

    def __call__(self, *values: Any) -> ValueT:
        """The translation of `values`."""
        if self._latest is None or self._latest[0] != values:
            self._latest = values, self._translate(*values)
        return self._latest[1]


@lru_cache(REMEMBERED)
def _intro(key: int, size: int) -> bytes:
    """What precedes a run of `size` bytes."""
    return pack((key, size))


def _varints(numbers: Iterable[int]) -> bytes:
    data = bytearray()
    for number in numbers:
        rest = number
        while rest > 127:
            data.append(rest & 127 | 128)
            rest >>= 7
        data.append(rest)
    return bytes(data)
