"""The bytes that the codecs write are those of protobuf, for numbers and lists of any length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.v1.haecmaec_pb2 import HaecmaecMove, HaecmaecView
from roost.v1.karteneck_pb2 import KarteneckView
from roost_sdk.wire.codec import split
from roost_sdk.wire.fields import Growing, Unchanged, key_of, keys_of, pack, packed_field

UINT32 = st.integers(0, 2**32 - 1)
LISTS = st.lists(UINT32, max_size=60) | st.lists(st.integers(0, 127), max_size=300)


def test_varints_are_those_of_the_encoding_guide() -> None:
    assert pack([1, 150, 300]) == b"\x01\x96\x01\xac\x02"


def test_keys_tell_the_number_and_the_kind_of_a_field() -> None:
    assert key_of(KarteneckView, "round") == 1 << 3
    assert key_of(KarteneckView, "trace") == 16 << 3 | 2
    assert key_of(HaecmaecView, "answer") == 2 << 3 | 2
    assert keys_of(HaecmaecMove) == (1 << 3, 2 << 3, 3 << 3, 4 << 3)


@pytest.mark.parametrize("name", ["discard", "trace"])
@given(numbers=LISTS)
def test_a_packed_field_is_what_protobuf_writes(name: str, numbers: list[int]) -> None:
    message = KarteneckView()
    getattr(message, name).extend(numbers)
    assert packed_field(key_of(KarteneckView, name), numbers) == message.SerializeToString()


def test_a_list_of_lists_is_split_by_its_lengths() -> None:
    assert split(("a", "b", "c"), [2, 0, 1]) == (("a", "b"), (), ("c",))
    for sizes in ([2], [2, 2], []):
        with pytest.raises(ValueError, match="3 items"):
            split(("a", "b", "c"), sizes)


@given(lists=st.lists(LISTS, max_size=8))
def test_a_growing_list_is_translated_as_a_whole(lists: list[list[int]]) -> None:
    growing = Growing(pack, [], b"")
    for numbers in lists:
        for items in (numbers, [*numbers, 7], numbers):
            assert growing(items) == pack(items)


def test_only_what_is_new_of_a_growing_list_is_translated() -> None:
    translated: list[list[int]] = []

    def translate(numbers: list[int]) -> bytes:
        translated.append(numbers)
        return bytes(numbers)

    growing = Growing(translate, [], b"")
    assert [growing([1, 2]), growing([1, 2, 3]), growing([1, 2, 3]), growing([9])] == [
        b"\1\2",
        b"\1\2\3",
        b"\1\2\3",
        b"\x09",
    ]
    assert translated == [[1, 2], [3], [9]]


def test_a_list_that_cannot_be_translated_spoils_nothing() -> None:
    growing = Growing(bytes, [], b"")
    assert growing([1, 2]) == b"\1\2"
    with pytest.raises(ValueError, match="256"):
        growing([1000])
    assert growing([1, 2, 3]) == b"\1\2\3"


def test_unchanged_lists_are_translated_once() -> None:
    calls: list[tuple[list[int], ...]] = []

    def translate(*lists: list[int]) -> int:
        calls.append(lists)
        return sum(map(sum, lists))

    unchanged = Unchanged(translate)
    assert [unchanged([1], [2]), unchanged([1], [2]), unchanged([1], [3])] == [3, 3, 4]
    assert calls == [([1], [2]), ([1], [3])]
