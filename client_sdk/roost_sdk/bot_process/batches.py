"""Batches of calls as bytes. Cards, names and much else recur, so both sides remember what they have handed over.

They forget it together, always after the same number of batches, so that neither remembers more and more.
"""

import pickle
from collections.abc import Sequence
from io import BytesIO
from typing import Any

REMEMBERED = 16
"""For how many batches. With more, what is remembered no longer fits into the processor's cache."""


class BatchWriter:
    """What a process is given. What has been written must never change afterwards."""

    def __init__(self) -> None:
        self._bytes = BytesIO()
        self._pickler = pickle.Pickler(self._bytes, pickle.HIGHEST_PROTOCOL)
        self._written = 0

    def write(self, calls: Sequence[Any]) -> bytes:
        """The next batch."""
        if self._written % REMEMBERED == 0:
            self._pickler.clear_memo()
        self._written += 1
        self._bytes.seek(0)
        self._bytes.truncate()
        self._pickler.dump(list(calls))
        return self._bytes.getvalue()


class BatchReader:
    """What our own parent has written with one `BatchWriter`, read from the first batch on."""

    def __init__(self) -> None:
        self._bytes = BytesIO()
        self._unpickler = pickle.Unpickler(self._bytes)  # noqa: S301  our own parent wrote it
        self._read = 0

    def read(self, data: bytes) -> Any:
        """The calls of the next batch."""
        if self._read % REMEMBERED == 0:
            self._unpickler = pickle.Unpickler(self._bytes)  # noqa: S301  as above
        self._read += 1
        self._bytes.seek(0)
        self._bytes.truncate()
        self._bytes.write(data)
        self._bytes.seek(0)
        return self._unpickler.load()
